"""Labels and fields in the looks of resources/styles/galley.qss, and their tooltips."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from desktop_app.ui.widgets.layouts import add, column, row
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import S2, S4

NONE = "–"
"""A figure that is not known yet."""


def wrapped(*lines: str) -> str:
    """Plain text, file names too, as rich text: only that is broken into lines of a good length."""
    return f"<p>{'<br>'.join(escape(line) for line in lines if line)}</p>"


def label(text: str, role: str, tip: str = "") -> QLabel:
    """A label that looks as `role` says; `tip` is told when the mouse rests on it."""
    made = QLabel(text)
    made.setProperty("role", role)
    if tip:
        explain(made, tip)
    return made


def explain(widget: QWidget, *lines: str) -> None:
    """Tell these lines when the mouse rests on a widget; a screen reader says them without any markup."""
    texts = [line for line in lines if line]
    widget.setToolTip(wrapped(*texts) if texts else "")
    widget.setAccessibleDescription(" ".join(texts))


def field(name: str, hint: str = "", text: str = "") -> QLineEdit:
    """A field for a line of text. `hint` stands in it while it is empty; files dropped on it are for the window."""
    made = QLineEdit(text, placeholderText=hint)
    made.setAccessibleName(name)
    made.setAcceptDrops(False)
    return made


def show_value(value: QLabel, spoken: str, text: str) -> None:
    """Put a figure into a label; `spoken` is what a screen reader says before it. A figure not known yet is pale."""
    value.setText(text)
    value.setAccessibleName(named(spoken, text))
    empty = text == NONE
    if value.property("empty") != empty:
        value.setProperty("empty", empty)
        value.style().polish(value)


def figure_columns(*columns: tuple[QLabel, str, str]) -> QGridLayout:
    """Figures beside each other, each with what it is under it: value, text, tip."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(S4)
    grid.setVerticalSpacing(1)
    for place, (value, text, tip) in enumerate(columns):
        grid.addWidget(value, 0, place)
        grid.addWidget(label(text, "quiet", tip), 1, place)
        grid.setColumnStretch(place, 1)
    return grid


def value_rows(*rows: tuple[str, QLabel, str]) -> QVBoxLayout:
    """Values under each other, each at the right of what it is, in all the room beside that: text, value, tip."""
    made = column(spacing=S2 + 1)
    for text, value, tip in rows:
        value.setWordWrap(True)
        value.setAlignment(Qt.AlignmentFlag.AlignRight)
        add(made, row((label(text, "quiet", tip), Qt.AlignmentFlag.AlignTop), (value, 1), spacing=S4))
    return made
