"""Tests of what `make installer` builds, on a bare Debian: `make test-installer`."""
