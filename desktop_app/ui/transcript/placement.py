"""Where the lines, times, names and characters of a transcript are in its viewport."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtWidgets import QScrollBar

from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.painting import LinePainter
from desktop_app.ui.transcript.selection import Place
from desktop_app.ui.widgets.theme import S2, S4


class Placement:
    """Translates between places in a flow and points of the viewport that a scroll bar moves over it."""

    def __init__(self, flow: Flow, painter: LinePainter, bar: QScrollBar) -> None:
        self._flow, self._painter, self._bar = flow, painter, bar

    def top_of(self, index: int) -> float:
        """The top of a line's text."""
        return self._flow.top_of(index) - self._bar.value() + S4

    def first_visible(self) -> tuple[int, float]:
        """The line at the top of the viewport, and how many pixels of it are above."""
        if not self._flow.lines:
            return 0, 0.0
        y = self._in_flow(0)
        index = self._flow.at(y)
        return index, y - self._flow.begin_of(index)

    def _in_flow(self, y: float) -> float:
        return y + self._bar.value() - S4

    def time_rect(self, index: int) -> QRect:
        """The time of a line."""
        return self._painter.time_rect(self.top_of(index)).toRect()

    def name_rect(self, index: int) -> QRect:
        """The badge and the name over a line."""
        return self._painter.name_rect(index, self.top_of(index))

    def character_rect(self, place: Place) -> QRect:
        """A character; as narrow as a caret behind the last one."""
        index, character = place
        if not self._flow.lines:
            return self.caret_rect(place)
        spans = self._flow.spans(index, character, character + 1)
        if not spans:
            x, row = self._flow.caret_at(index, character)
            spans = [(x, x + 1, row)]
        left, right, row = spans[0]
        top = round(self.top_of(index) + row)
        return QRect(round(self._painter.left + left), top, max(round(right - left), 1), self._row)

    def under_caret(self, place: Place) -> QPoint:
        """The point under a caret."""
        index, character = place
        x, row = self._flow.caret_at(index, character) if self._flow.lines else (0.0, 0.0)
        top = self.top_of(index) if self._flow.lines else float(S4)
        return QPoint(round(self._painter.left + x), round(top + row + self._flow.line_height))

    def caret_rect(self, place: Place) -> QRect:
        """A caret."""
        under = self.under_caret(place)
        return QRect(under.x(), under.y() - self._row, 1, self._row)

    @property
    def _row(self) -> int:
        return round(self._flow.line_height)

    def place_at(self, point: QPointF) -> Place:
        """The character nearest to a point. There must be a line."""
        return self._flow.position_at(point.x() - self._painter.left, self._in_flow(point.y()))

    def time_at(self, point: QPointF) -> int:
        """The finished line whose time is at a point, or -1."""
        if not self._flow.settled or point.x() > self._painter.left - S2:
            return -1
        index = self._flow.first_at(self._in_flow(point.y()))
        is_timed = index < self._flow.settled and self._flow.lines[index].begins
        inside = is_timed and self._painter.time_rect(self.top_of(index)).contains(point)
        return index if inside else -1

    def name_at(self, point: QPointF) -> int:
        """The line over which the name of a known speaker is at a point, or -1."""
        if not self._flow.lines:
            return -1
        index = self._flow.first_at(self._in_flow(point.y()))
        line = self._flow.lines[index]
        known = line.lead and line.speaker in self._painter.speakers
        return index if known and self.name_rect(index).contains(point.toPoint()) else -1
