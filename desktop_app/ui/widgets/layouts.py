"""Rows and columns of widgets, written down as they stand."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

STRETCH = None
"""An item of a row or column: room that grows."""

Part = QWidget | QLayout
Item = Part | int | None | tuple[Part | None, int | Qt.AlignmentFlag]
Margins = tuple[int, int, int, int]
Box = TypeVar("Box", bound=QBoxLayout)


def row(*items: Item, inside: QWidget | None = None, spacing: int = 0, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """Items beside each other.

    Args:
        items: widgets and layouts; a number for so many free pixels; STRETCH; or any of these with its stretch factor
            or alignment: `(widget, 1)`.
        inside: the widget whose layout this is.
        spacing: pixels between items.
        margins: pixels left, over, right and under them.
    """
    return _fill(QHBoxLayout(), items, inside, spacing, margins)


def column(
    *items: Item, inside: QWidget | None = None, spacing: int = 0, margins: Margins = (0, 0, 0, 0)
) -> QVBoxLayout:
    """Items under each other; see `row`."""
    return _fill(QVBoxLayout(), items, inside, spacing, margins)


def _fill(box: Box, items: tuple[Item, ...], inside: QWidget | None, spacing: int, margins: Margins) -> Box:
    if inside is not None:
        inside.setLayout(box)
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for item in items:
        add(box, item)
    return box


def add(box: QBoxLayout, *items: Item) -> None:
    """Put more items at the end."""
    for item in items:
        part, how = item if isinstance(item, tuple) else (item, 1 if item is STRETCH else 0)
        align = how if isinstance(how, Qt.AlignmentFlag) else Qt.AlignmentFlag(0)
        factor = 0 if isinstance(how, Qt.AlignmentFlag) else how
        if part is None:
            box.addStretch(factor)
        elif isinstance(part, int):
            box.addSpacing(part)
        elif isinstance(part, QWidget):
            box.addWidget(part, factor, align)
        else:
            box.addLayout(part, factor)
