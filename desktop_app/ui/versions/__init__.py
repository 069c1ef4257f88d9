"""Versions of a text: asking for another one, comparing, taking one back."""
