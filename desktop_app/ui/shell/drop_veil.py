"""What covers the window while files hang over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import S3, Theme, font


class DropVeil(QWidget):
    """Covers its parent, lets every mouse event through."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._covered, self._text = theme, parent, ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self, text: str) -> None:
        """Show it over the whole parent; `text` says what a drop would do."""
        self._text = text
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.palette
        with painting(self) as painter:
            ground = colors.color("accent_soft")
            ground.setAlphaF(0.96)
            painter.fillRect(self.rect(), ground)
            pen = QPen(colors.color("accent"), 2)
            pen.setDashPattern([5, 4])
            painter.setPen(pen)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(S3, S3, -S3, -S3), 16, 16)
            mark = QRectF(0, 0, 34, 34)
            mark.moveCenter(QRectF(self.rect()).center())
            mark.translate(0, -26)
            icons.paint(painter, "drop", colors.accent, mark)
            painter.setFont(font(21, "SemiBold", serif=True))
            painter.setPen(colors.color("ink"))
            place = QRectF(0, mark.bottom() + S3, self.width(), 36)
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, self._text)
