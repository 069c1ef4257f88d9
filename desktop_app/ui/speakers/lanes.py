"""When each speaker speaks, as lanes under each other: click or press Enter to hear that place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.texts import _
from desktop_app.transcript.model import Span
from desktop_app.ui.player.turns import Lane, paint_lane, words_at
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import Theme

_THICK = 10
_STEP = 5.0  # seconds for an arrow key


def next_turn(turns: Sequence[Span], seconds: float, step: int) -> float:
    """Where the next turn (`step` 1) or the one before (-1) begins; `seconds` itself where there is none."""
    begins = [begin for begin, _ in turns]
    if step > 0:
        return min((begin for begin in begins if begin > seconds + 0.05), default=seconds)
    return max((begin for begin in begins if begin < seconds - 0.05), default=seconds)


class Lanes(QWidget):
    """Signals: asked(seconds) when a place is to be heard."""

    asked = Signal(float)

    def __init__(self, theme: Theme, row_height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._row = theme, row_height
        self._lanes: list[Lane] = []
        self._seconds, self._now, self._cursor = 0.0, -1.0, 0.0
        self.setAccessibleName(_("Speaker timeline"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(80)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(240, max(len(self._lanes), 1) * self._row)

    def show_turns(self, lanes: list[Lane], seconds: float) -> None:
        """Show a lane a speaker."""
        self._lanes, self._seconds = lanes, seconds
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def retint(self, colors: Sequence[QColor]) -> None:
        """Show the lanes in other colours."""
        self._lanes = [(name, color, turns) for (name, _, turns), color in zip(self._lanes, colors, strict=True)]
        self.update()

    def show_now(self, seconds: float | None) -> None:
        """Mark the place that is heard; None for none."""
        before, self._now = self._now, -1.0 if seconds is None else seconds
        if seconds is not None:
            self._cursor = seconds
        if round(self._x(before)) != round(self._x(self._now)) or (before < 0) != (self._now < 0):
            self.update()

    # Keyboard and mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._seconds:
            self._cursor = self._time(event.position().x())
            self.asked.emit(self._cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        every = sorted(span for _, _, turns in self._lanes for span in turns)
        moves = {
            Qt.Key.Key_Left: lambda: self._cursor - _STEP,
            Qt.Key.Key_Right: lambda: self._cursor + _STEP,
            Qt.Key.Key_Up: lambda: next_turn(every, self._cursor, -1),
            Qt.Key.Key_Down: lambda: next_turn(every, self._cursor, 1),
            Qt.Key.Key_Home: lambda: 0.0,
            Qt.Key.Key_End: lambda: self._seconds,
        }
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.asked.emit(self._cursor)
        elif event.key() in moves:
            self._cursor = min(max(moves[Qt.Key(event.key())](), 0.0), self._seconds)
            self._say()
            self.update()
        else:
            super().keyPressEvent(event)

    def _say(self) -> None:
        text = words_at(self._lanes, self._cursor)
        self.setAccessibleDescription(text)
        announce(self, text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._seconds:
            QToolTip.showText(event.globalPos(), words_at(self._lanes, self._time(event.pos().x())), self)
            return True
        return super().event(event)

    def _time(self, x: float) -> float:
        return min(max(x / max(self.width(), 1), 0.0), 1.0) * self._seconds

    def _x(self, seconds: float) -> float:
        return min(seconds / self._seconds, 1.0) * self.width() if self._seconds else 0.0

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._theme.palette
        with painting(self) as painter:
            for row, lane in enumerate(self._lanes):
                top = row * self._row + (self._row - _THICK) / 2
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colors.color("line"))
                painter.drawRoundedRect(QRectF(0, top + _THICK / 2 - 1, self.width(), 2), 1, 1)
                paint_lane(painter, QRectF(0, top, self.width(), _THICK), lane, (0.0, self._seconds))
            if self._now >= 0:
                self._paint_cursor(painter, self._now, colors.color("ink"))
            elif self.hasFocus():
                self._paint_cursor(painter, self._cursor, colors.color("accent"))

    def _paint_cursor(self, painter: QPainter, seconds: float, color: QColor) -> None:
        x = min(max(self._x(seconds), 2.5), self.width() - 2.5)
        painter.setPen(QPen(self._theme.palette.color("page"), 4))
        painter.drawLine(QPointF(x, 1), QPointF(x, self.height() - 1))
        painter.setPen(QPen(color, 1.6))
        painter.drawLine(QPointF(x, 1), QPointF(x, self.height() - 1))
