"""Small painted figures: a bar that fills, and a bar of shares."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.app.presentation.wording import percent
from desktop_app.texts import _
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import Theme


class Bar(QWidget):
    """A value from 0 to 1. It glides to a new one where things may move.

    Attributes: value (the one to be shown).
    """

    def __init__(self, theme: Theme, name: str, height: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._name = theme, name
        self.value = 0.0
        curve = QEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide = QVariantAnimation(self, duration=260, easingCurve=curve)
        self._glide.valueChanged.connect(self._moved)
        self._shown = 0.0
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_value(0.0)
        theme.changed.connect(self.update)

    def set_value(self, value: float) -> None:
        """Show another value."""
        self.setAccessibleName(named(self._name, percent(value)))
        if value == self.value:
            return
        self.value = value
        self._glide.stop()
        if self.isVisible() and value > self._shown and self._theme.moves:
            self._glide.setStartValue(self._shown)
            self._glide.setEndValue(value)
            self._glide.start()
        else:
            self._moved(value)

    def _moved(self, value: float) -> None:
        self._shown = value
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.palette.color("pressed"))
            radius = self.height() / 2
            painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
            if self._shown > 0:
                painter.setBrush(self._theme.palette.color("accent"))
                width = max(self.width() * min(self._shown, 1.0), self.height())
                painter.drawRoundedRect(QRectF(0, 0, width, self.height()), radius, radius)


class ShareBar(QWidget):
    """Parts of a whole, side by side.

    Attributes: shares (palette colour and share of each part; they add up to 1 or are empty).
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.shares: list[tuple[str, float]] = []
        self.setFixedHeight(10)
        self.setAccessibleName(_("Share of time"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(120, 10)

    def set_shares(self, shares: list[tuple[str, float]]) -> None:
        """Show other parts."""
        self.shares = shares
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(self.rect()), 5, 5)
            painter.setClipPath(outline)
            painter.fillRect(self.rect(), self._theme.palette.color("pressed"))
            left = 0.0
            for role, share in self.shares:
                width = share * self.width()
                painter.fillRect(QRectF(left, 0, width, self.height()), self._theme.palette.color(role))
                left += width
                if 0 < left < self.width() - 1:
                    painter.fillRect(QRectF(left - 1, 0, 2, self.height()), self._theme.palette.color("side"))
