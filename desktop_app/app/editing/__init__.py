"""Changing a text: corrections with undo, re-checks, versions."""
