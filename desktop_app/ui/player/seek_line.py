"""The line on which a place in a recording is chosen: its waveform, and over it who speaks when."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSlider, QToolTip, QWidget

from desktop_app.texts import _
from desktop_app.transcript.model import Span
from desktop_app.ui.player.bars import paint_bars
from desktop_app.ui.player.turns import Lane, paint_lane, words_at
from desktop_app.ui.player.visible_part import VisiblePart
from desktop_app.ui.player.waveforms import Peaks
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import RADIUS, Theme

STEP, PAGE = 5, 30
"""Seconds for an arrow key, and for Page Up and Page Down."""

HEIGHT = 48
_EDGE = 4.0  # around what is painted, for the focus
_LANES = 18.0  # the most that all lanes take of the height
_NOTCHES = 2  # of the wheel, with Ctrl, for twice as close a look
_NOTCH = 120  # what Qt counts for one
_SLIDE = 0.1  # of the visible part, for a notch sideways
_JUMP = 1.0  # seconds: sound that plays comes on in smaller steps


class SeekLine(QSlider):
    """A slider in whole seconds that shows parts of them, over the whole recording or its visible part. Signals:
    sought(seconds) when the user chooses a place."""

    sought = Signal(float)

    def __init__(self, theme: Theme, visible: VisiblePart, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme, self._visible = theme, visible
        self._lanes: list[Lane] = []
        self._peaks: Peaks = np.zeros(0, np.uint16)
        self._marks: tuple[float, ...] = ()
        self._length = self._now = 0.0
        self._held: float | None = None  # where the mouse has dragged it to
        self._hovered: float | None = None
        self.setAccessibleName(_("Position"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(80)
        self.setFixedHeight(HEIGHT)
        self.setSingleStep(STEP)
        self.setPageStep(PAGE)
        self.valueChanged.connect(self._chosen)
        visible.changed.connect(self.update)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)

    # What is shown.

    def show_recording(self, seconds: float, lanes: list[Lane]) -> None:
        """Show a recording of this length, with a lane a speaker."""
        self._length, self._lanes = seconds, lanes
        self._visible.set_length(seconds)
        with QSignalBlocker(self):
            self.setRange(0, int(seconds))
        self.update()

    def show_peaks(self, peaks: Peaks) -> None:
        """Show how loud it is, as far as that is known."""
        self._peaks = peaks
        self.update()

    def show_marks(self, marks: tuple[float, ...]) -> None:
        """Show which moments are marked."""
        self._marks = marks
        self.update()

    def show_place(self, seconds: float) -> None:
        """Show where it is heard. A place that was chosen is brought into sight; what plays is followed, until the user
        has moved the visible part away from it."""
        before, self._now = self._now, seconds
        if self._visible.holds(before) or abs(seconds - before) > _JUMP:
            self._visible.reveal(seconds)
        with QSignalBlocker(self):
            self.setValue(int(seconds))
        if round(self._x(before) * 2) != round(self._x(seconds) * 2):
            self.update()

    # Keyboard and mouse.

    def _chosen(self, value: int) -> None:
        text = words_at(self._lanes, value)
        self.setAccessibleDescription(text)
        announce(self, text)
        self.sought.emit(float(value))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._length:
            self._drag_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._time(event.position().x())
        if self._held is not None:
            self._drag_to(event.position().x())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        held, self._held = self._held, None
        if held is not None:
            self.sought.emit(held)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl it zooms, sideways or with Shift it moves the visible part. Whoever only scrolls over it does not
        want another place."""
        turned, held = event.angleDelta(), event.modifiers()
        event.accept()
        sideways = turned.x() or (turned.y() if held & Qt.KeyboardModifier.ShiftModifier else 0)
        if held & Qt.KeyboardModifier.ControlModifier:
            factor = 2 ** (turned.y() / (_NOTCH * _NOTCHES))
            self._visible.zoom(factor, self._time(event.position().x()))
        elif sideways and self._visible.is_zoomed:
            self._visible.move(self._visible.begin - sideways / _NOTCH * _SLIDE * self._visible.seconds)
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._length:
            QToolTip.showText(event.globalPos(), words_at(self._lanes, self._time(event.pos().x())), self)
            return True
        return super().event(event)

    def _drag_to(self, x: float) -> None:
        self._held = self._time(x)
        self.update()

    # Where things are.

    def _time(self, x: float) -> float:
        share = min(max((x - _EDGE) / max(self.width() - 2 * _EDGE, 1.0), 0.0), 1.0)
        return self._visible.begin + share * self._visible.seconds

    @property
    def _span(self) -> Span:
        return self._visible.begin, self._visible.end

    def _x(self, seconds: float) -> float:
        shown = self._visible
        share = min(max((seconds - shown.begin) / shown.seconds, 0.0), 1.0) if shown.seconds else 0.0
        return _EDGE + share * (self.width() - 2 * _EDGE)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.palette
        usable = self.isEnabled() and self._length > 0
        with painting(self) as painter:
            place = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
            if self._lanes:
                top, place = self._split(place)
                self._paint_lanes(painter, top)
            now = self._held if self._held is not None else self._now
            self._paint_waveform(painter, place, self._x(now) if usable else 0.0)
            for mark in filter(self._visible.holds, self._marks):
                self._paint_mark(painter, mark)
            if usable and self._hovered is not None and self._held is None:
                self._paint_cursor(painter, self._hovered, colors.color("line_strong"))
            if usable and self._visible.holds(now):
                self._paint_cursor(painter, now, colors.color("ink"))
            if self.hasFocus():
                painter.setPen(QPen(colors.color("accent"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS - 2, RADIUS - 2)

    def _split(self, place: QRectF) -> tuple[QRectF, QRectF]:
        """The room for lanes, and that for the waveform under them."""
        height = min(_LANES, 6.0 * len(self._lanes))
        top = QRectF(place.left(), place.top(), place.width(), height)
        return top, place.adjusted(0, height + 2, 0, 0)

    def _paint_lanes(self, painter: QPainter, place: QRectF) -> None:
        height = place.height() / len(self._lanes)
        for row, lane in enumerate(self._lanes):
            top = place.top() + row * height
            paint_lane(painter, QRectF(place.left(), top, place.width(), max(height - 2, 1.5)), lane, self._span)

    def _paint_waveform(self, painter: QPainter, place: QRectF, reached: float) -> None:
        """What was heard in one colour, the rest in another."""
        colors = self._theme.palette
        for left, right, color in (
            (place.left(), min(reached, place.right()), colors.color("accent")),
            (reached, place.right(), colors.color("waveform")),
        ):
            painter.save()
            painter.setClipRect(QRectF(left, place.top(), max(right - left, 0.0), place.height()))
            paint_bars(painter, place, self._peaks, self._span, color)
            painter.restore()

    def _paint_mark(self, painter: QPainter, seconds: float) -> None:
        """A little flag that hangs from the top."""
        x = self._x(seconds)
        painter.setPen(QPen(self._theme.palette.color("page"), 1))
        painter.setBrush(self._theme.palette.color("accent"))
        painter.drawPolygon([QPointF(x - 4.5, 1), QPointF(x + 4.5, 1), QPointF(x, 9)])

    def _paint_cursor(self, painter: QPainter, seconds: float, color: QColor) -> None:
        x = self._x(seconds)
        painter.setPen(QPen(self._theme.palette.color("page"), 4))
        painter.drawLine(QPointF(x, 2), QPointF(x, self.height() - 2))
        painter.setPen(QPen(color, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(x, 3), QPointF(x, self.height() - 3))
