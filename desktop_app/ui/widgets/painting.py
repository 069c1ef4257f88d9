"""Painting with smooth edges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPaintDevice, QPainter


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter on a widget or a picture; it ends with the block."""
    with QPainter(device) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        yield painter
