"""Places in a text as Qt and screen readers count them, in units of UTF-16."""

from __future__ import annotations


def units(text: str, character: int) -> int:
    """How many units of UTF-16 stand before a character."""
    return length(text[:character])


def characters(text: str, unit: int) -> int:
    """How many characters stand before a unit of UTF-16."""
    if text.isascii():
        return unit
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * unit].decode("utf-16-le", "ignore"))


def length(text: str) -> int:
    """How many units of UTF-16 a text has, which is what Qt counts in."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
