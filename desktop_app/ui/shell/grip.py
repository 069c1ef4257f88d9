"""The edge of the sidebar, by which it is made wider and narrower."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from desktop_app.texts import _
from desktop_app.ui.widgets.screen_reader import read_as
from desktop_app.ui.widgets.theme import S2, S5, Theme

_WIDTH = 6


class Grip(QWidget):
    """Signals: moved(pixels to the right), by the mouse or the arrow keys; reset() by a double click."""

    moved = Signal(int)
    reset = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._from = theme, 0
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(_("Width of the sidebar"))
        read_as(Grip, lambda grip: QAccessibleWidget(grip, QAccessible.Role.Splitter))
        self.setToolTip(_("Drag to make the sidebar wider or narrower"))

    def place(self, room: QRect) -> None:
        """Stand at the right edge of the sidebar, whose `room` this is."""
        self.setGeometry(room.right() - _WIDTH + 1, 0, _WIDTH, room.height())
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = round(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moved.emit(round(event.position().x()) - self._from)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.reset.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -S5, Qt.Key.Key_Right: S5}.get(Qt.Key(event.key()), 0)
        if by:
            self.moved.emit(by)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus():
            with QPainter(self) as painter:
                painter.fillRect(
                    self.rect().adjusted(_WIDTH - S2 // 4 - 1, 0, 0, 0), self._theme.palette.color("accent")
                )
