"""A card that is pressed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QEnterEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractButton

from desktop_app.ui.widgets.theme import PAGE, Theme

_LEAST = 320


class CardButton(QAbstractButton):
    """Reached by Tab and pressed by Enter too. Subclasses paint it, and again when the mouse comes or goes."""

    def __init__(self, theme: Theme, height: int) -> None:
        super().__init__()
        self._theme = theme
        self.setFixedHeight(height)
        self.setMinimumWidth(_LEAST)
        self.setMaximumWidth(PAGE)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(PAGE, self.minimumHeight())

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)
