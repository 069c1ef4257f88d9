"""What pages of settings are made of: a column that scrolls, rules, and settings with a control at their right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QScrollArea, QWidget

from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.theme import GUTTER, PAGE, S1, S5, S6, S7


class ScrollArea(QScrollArea):
    """What scrolls up and down only, and is no stop for Tab."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class Sheet(ScrollArea):
    """A page that scrolls: a title, and under it two columns, each as wide as a page's text. The second one stands
    below the first, and beside it in a window that is wide enough.

    Attributes: head, first, second (layouts).
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidget(page := QWidget())
        page.setObjectName("page")
        self._inner = QWidget(page)
        self._around = row(STRETCH, (self._inner, 100), STRETCH, inside=page)
        self.head, self.first, self.second = column(), column(), column()
        self._columns = row(column(self.first, STRETCH), column(self.second, STRETCH), spacing=S7)
        column(self.head, S5, (self._columns, 1), inside=self._inner)
        self._place_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_columns()

    def _place_columns(self) -> None:
        is_wide = self.viewport().width() >= 2 * S5 + 2 * PAGE + S7
        way = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        self._columns.setDirection(way)
        self._columns.setSpacing(S7 if is_wide else S6)
        for place in range(2):
            self._columns.setStretch(place, 1 if is_wide else place)
        self._around.setContentsMargins(S5 if is_wide else S5 + GUTTER, S5, S5, S5)
        self._inner.setMaximumWidth(2 * PAGE + S7 if is_wide else PAGE)


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
    lines = column(label(heading, "strong"), explanation, *more, STRETCH, spacing=S1)
    return row((lines, 1), (control, Qt.AlignmentFlag.AlignTop), spacing=S5)
