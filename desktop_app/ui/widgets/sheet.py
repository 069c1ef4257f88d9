"""What pages of settings are made of: a column that scrolls, rules, and settings with a control at their right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QWidget

from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.theme import S1, S2, S5, S6


class ScrollArea(QScrollArea):
    """What scrolls up and down only, and is no stop for Tab."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class Sheet(ScrollArea):
    """A column of at most `width` in the middle. Attributes: box (the column's layout)."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidget(page := QWidget())
        page.setObjectName("page")
        inner = QWidget(page)
        inner.setMaximumWidth(width)
        row(STRETCH, (inner, 100), STRETCH, inside=page, margins=(S6, S5 + S2, S6, S5))
        self.box = column(inside=inner)


def quiet(text: str = "", role: str = "quiet") -> QLabel:
    """A line that explains, as many lines of it as it needs."""
    made = label(text, role)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(True)
    return made


def rule() -> QWidget:
    """A line."""
    made = QWidget()
    made.setObjectName("rule")
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    made.setFixedHeight(1)
    return made


def card() -> QWidget:
    """A ground that stands out from the page."""
    made = QWidget()
    made.setObjectName("card")
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return made


def setting(heading: str, explanation: QLabel, control: QWidget, *more: QWidget) -> QHBoxLayout:
    """What a control is for, and `more` lines below that, with the control at the right."""
    lines = column(label(heading, "heading"), explanation, *more, STRETCH, spacing=S1)
    return row((lines, 1), (control, Qt.AlignmentFlag.AlignTop), spacing=S5)
