"""What pages of settings are made of: a column that scrolls, rules, and settings with a control at their right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.theme import S1, S2, S5, S6


class Sheet(QScrollArea):
    """A column of at most `width` in the middle. Attributes: box (the column's layout)."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        inner = QWidget()
        inner.setMaximumWidth(width)
        self.box = QVBoxLayout(inner)
        self.box.setContentsMargins(0, 0, 0, 0)
        self.box.setSpacing(0)
        page = QWidget()
        page.setObjectName("page")
        outer = QHBoxLayout(page)
        outer.setContentsMargins(S6, S5 + S2, S6, S5)
        outer.addStretch(1)
        outer.addWidget(inner, 100)
        outer.addStretch(1)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)

    def add_rule(self) -> None:
        """A line with room around it."""
        self.box.addSpacing(S5)
        self.box.addWidget(rule())
        self.box.addSpacing(S5)


def quiet(text: str = "") -> QLabel:
    """A line that explains, as many lines of it as it needs."""
    made = label(text, "quiet")
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
    words = QVBoxLayout()
    words.setSpacing(S1)
    for line in (label(heading, "heading"), explanation, *more):
        words.addWidget(line)
    words.addStretch(1)
    row = QHBoxLayout()
    row.setSpacing(S5)
    row.addLayout(words, 1)
    row.addWidget(control, 0, Qt.AlignmentFlag.AlignTop)
    return row
