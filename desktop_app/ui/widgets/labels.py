"""Labels in the looks of resources/styles/galley.qss."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from desktop_app.ui.transcript.figures import NONE
from desktop_app.ui.widgets.tips import wrapped


def label(text: str, role: str, tip: str = "") -> QLabel:
    """A label that looks as `role` says; `tip` is told when the mouse rests on it."""
    made = QLabel(text)
    made.setProperty("role", role)
    if tip:
        made.setToolTip(wrapped(tip))
    return made


def show_value(value: QLabel, spoken: str, text: str) -> None:
    """Put a figure into a label; `spoken` is what a screen reader says before it. A figure not known yet is pale."""
    value.setText(text)
    value.setAccessibleName(f"{spoken}: {text}")
    empty = text == NONE
    if value.property("empty") != empty:
        value.setProperty("empty", empty)
        value.style().polish(value)
