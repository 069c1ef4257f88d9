"""A short word at the bottom of the window that goes by itself."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S5


class Toast(QLabel):
    """Says that something was done. What needs an answer is a Banner's. Stands above the pixels at the bottom of its
    parent that are `reserved` for controls."""

    def __init__(self, parent: QWidget, reserved: Callable[[], int] = lambda: 0) -> None:
        super().__init__(parent)
        self._window, self._reserved = parent, reserved
        self.setProperty("role", "toast")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._end = QTimer(self, singleShot=True, interval=2600)
        self._end.timeout.connect(self.hide)
        self.hide()

    def say(self, text: str) -> None:
        """Show it for a moment."""
        room = self._window.rect()
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, room.width() - 4 * S5))
        self.adjustSize()
        self.move((room.width() - self.width()) // 2, room.height() - self._reserved() - self.height() - S5)
        self.raise_()
        self.show()
        self._end.start()
        announce(self, text)
