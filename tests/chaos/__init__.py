"""Attacks on the program, at length by `make chaos`, a little by `make test`."""
