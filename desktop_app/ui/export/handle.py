"""What is dragged out of the window: the files as they would be saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QDrag, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop_app.texts import _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.layouts import row
from desktop_app.ui.widgets.theme import S2, S3, Theme


class FileHandle(QWidget):
    """Named like the file that it stands for. The files are made when it is pressed, and dragged once they are there.

    Signals: asked() when the files are to be made; `give` brings them.
    """

    asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pressed: QPoint | None = None
        self._files: list[Path] | None = None
        self._wanted = False
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self._icon, self.text = QLabel(), ElidedLabel("strong")
        row(self._icon, (self.text, 1), inside=self, spacing=S2, margins=(S3, S2, S3, S2))
        self.setToolTip(_("Drag it to a folder or another app"))
        theme.changed.connect(self._retint)
        self._retint()

    def show_name(self, name: str) -> None:
        """What it stands for."""
        self.text.setText(name)
        self.setAccessibleName(_("{name}: drag it to a folder or another app", name=name))

    def give(self, files: Sequence[Path]) -> None:
        """The files are made: drag them, if the mouse has already moved."""
        self._files = list(files)
        if self._wanted and QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self._drag()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._files, self._wanted = event.position().toPoint(), None, False
            self.asked.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        moved = (event.position().toPoint() - self._pressed).manhattanLength()
        if moved >= QApplication.startDragDistance() and not self._wanted:
            self._wanted = True
            if self._files is not None:
                self._drag()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed, self._wanted = None, False

    def _drag(self) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file)) for file in self._files or ()])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(self.grab())
        self._pressed = None
        drag.exec(Qt.DropAction.CopyAction)

    def _retint(self) -> None:
        self._icon.setPixmap(icons.pixmap("save", self._theme.palette.muted, 18, self.devicePixelRatioF()))
