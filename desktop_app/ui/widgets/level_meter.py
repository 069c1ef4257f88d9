"""How loud it is, as a bar that a glance can read."""

from __future__ import annotations

from math import log10

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.app.presentation.wording import percent
from desktop_app.texts import _
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.theme import Theme

_BARS = 14
_BAR, _SPACE = 4, 3
_QUIETEST = -54.0  # decibels under full scale that show nothing
_FALL = 0.08  # of the whole bar, a turn
_TURN_MS = 40
_TOO_LOUD = 0.98


class LevelMeter(QWidget):
    """Small bars that light up one after the other; the last ones warn. It rises at once and falls slowly.

    Attributes: share (how much of it is lit now, 0 to 1).
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.share = 0.0
        self._wanted = 0.0
        self._fall = QTimer(self, interval=_TURN_MS)
        self._fall.timeout.connect(self._sink)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(_("Level"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_BARS * _BAR + (_BARS - 1) * _SPACE, 16)

    def set_peak(self, peak: float) -> None:
        """Show a loudness of 0 to 1."""
        self._wanted = 1.0 if peak >= _TOO_LOUD else height(peak)
        if self._wanted >= self.share:
            self.share = self._wanted
            self.update()
        elif not self._fall.isActive():
            self._fall.start()
        self.setAccessibleDescription(_("Too loud") if peak >= _TOO_LOUD else percent(self._wanted))

    def _sink(self) -> None:
        self.share = max(self.share - _FALL, self._wanted)
        if self.share <= self._wanted:
            self._fall.stop()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.palette
        with painting(self) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            lit = round(self.share * _BARS)
            for bar in range(_BARS):
                loud = bar == _BARS - 1
                painter.setBrush(colors.color(("bad" if loud else "good") if bar < lit else "pressed"))
                painter.drawRoundedRect(QRectF(bar * (_BAR + _SPACE), 1, _BAR, self.height() - 2), 2, 2)


def height(peak: float) -> float:
    """A loudness of 0 to 1 as ears judge it: decibels from nothing (0) to nearly too loud (1)."""
    if peak <= 0:
        return 0.0
    return min(max(1 - 20 * log10(min(peak, 1.0)) / _QUIETEST, 0.0), 1.0)
