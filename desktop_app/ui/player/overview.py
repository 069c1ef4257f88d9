"""The whole recording in a strip over its waveform, while that shows a part: the part is seen, and can be moved."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.app.presentation import wording
from desktop_app.texts import _
from desktop_app.ui.player.bars import paint_bars
from desktop_app.ui.player.visible_part import VisiblePart
from desktop_app.ui.player.waveforms import Peaks
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import Theme

HEIGHT = 18
_EDGE = 4.0  # at both ends, as the waveform under it has
_NARROWEST = 10.0  # pixels of the frame, which is held by the mouse
_STEP = 0.25  # of the visible part, for an arrow key


class Overview(QWidget):
    """Drag the frame, or click where it shall be; the arrow keys move it. A double click shows the whole recording."""

    def __init__(self, theme: Theme, visible: VisiblePart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._visible = theme, visible
        self._peaks: Peaks = np.zeros(0, np.uint16)
        self._now = 0.0
        self._held: float | None = None  # seconds from the begin of the visible part to where the mouse holds it
        self.setAccessibleName(_("Visible part of the waveform"))
        self.setToolTip(_("Drag to move, double-click to show the whole recording"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        visible.changed.connect(self._show_part)
        theme.changed.connect(self.update)
        self._show_part()

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)

    def show_peaks(self, peaks: Peaks) -> None:
        """Show how loud it is, as far as that is known."""
        self._peaks = peaks
        self.update()

    def show_place(self, seconds: float) -> None:
        """Show where it is heard."""
        before, self._now = self._now, seconds
        if round(self._x(before)) != round(self._x(seconds)):
            self.update()

    def _show_part(self) -> None:
        text = _(
            "{begin} to {end} of {length}",
            begin=wording.clock(self._visible.begin),
            end=wording.clock(self._visible.end),
            length=wording.clock(self._visible.length),
        )
        self.setAccessibleDescription(text)
        self.update()

    # Keyboard and mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            at, visible = self._time(event.position().x()), self._visible
            self._held = at - visible.begin if self._frame().contains(event.position()) else visible.seconds / 2
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            visible.move(at - self._held)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._visible.move(self._time(event.position().x()) - self._held)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._visible.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        visible = self._visible
        places = {
            Qt.Key.Key_Left: visible.begin - _STEP * visible.seconds,
            Qt.Key.Key_Right: visible.begin + _STEP * visible.seconds,
            Qt.Key.Key_PageDown: visible.begin - visible.seconds,
            Qt.Key.Key_PageUp: visible.begin + visible.seconds,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: visible.length,
        }
        if event.key() not in places:
            super().keyPressEvent(event)
            return
        visible.move(places[Qt.Key(event.key())])
        announce(self, self.accessibleDescription())

    # Where things are.

    def _time(self, x: float) -> float:
        return (x - _EDGE) / max(self.width() - 2 * _EDGE, 1.0) * self._visible.length

    def _x(self, seconds: float) -> float:
        share = seconds / self._visible.length if self._visible.length else 0.0
        return _EDGE + min(max(share, 0.0), 1.0) * (self.width() - 2 * _EDGE)

    def _frame(self) -> QRectF:
        left, right = self._x(self._visible.begin), self._x(self._visible.end)
        missing = max(_NARROWEST - (right - left), 0.0)
        left = min(max(left - missing / 2, _EDGE), self.width() - _EDGE - _NARROWEST)
        return QRectF(left, 0.75, max(right - left, _NARROWEST), self.height() - 1.5)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, visible, frame = self._theme.palette, self._visible, self._frame()
        with painting(self) as painter:
            fill = colors.color("accent")
            fill.setAlphaF(0.14)
            painter.setPen(QPen(colors.color("accent"), 2.5 if self.hasFocus() else 1.5))
            painter.setBrush(fill)
            painter.drawRoundedRect(frame, 4, 4)
            place = QRectF(self.rect()).adjusted(_EDGE, 3, -_EDGE, -3)
            paint_bars(painter, place, self._peaks, (0.0, visible.length), colors.color("waveform"))
            now = self._x(self._now)
            painter.setPen(QPen(colors.color("ink"), 1.5))
            painter.drawLine(QPointF(now, 2), QPointF(now, self.height() - 2))
