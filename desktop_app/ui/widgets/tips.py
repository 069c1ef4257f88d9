"""Tooltips as Qt wants them."""

from __future__ import annotations

from html import escape


def wrapped(*lines: str) -> str:
    """Plain text, file names too, as rich text: only that is broken into lines of a good length."""
    return f"<p>{'<br>'.join(escape(line) for line in lines if line)}</p>"
