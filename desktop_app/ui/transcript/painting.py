"""How a transcript looks: times in the margin, names over the text, the draft grey until it is verified."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable
from math import inf

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from desktop_app.app.presentation import wording
from desktop_app.texts import N_, _
from desktop_app.transcript.model import Speaker
from desktop_app.ui.transcript import marks
from desktop_app.ui.transcript.finder import Finder
from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.selection import Selection
from desktop_app.ui.transcript.text_line import TextLine
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.speaker_badge import BADGE, initial, look_of, paint_badge
from desktop_app.ui.widgets.theme import GUTTER as GUTTER  # part of where text stands
from desktop_app.ui.widgets.theme import PAGE, S1, S2, S4, S5, USUAL_TEXT_SIZE, Palette, Theme, font

GAP = 11
LEAD = 34
"""The room over a line for the name of the one who begins to speak."""

FADE_SECONDS = 1.6  # of the mark under a word that was corrected
UNKNOWN = N_("Unknown speaker")
_MARK = 14  # pixels of the sign of a marked moment
_ABOVE = 13  # from the top of the text to the middle of the name

Part = tuple[int, int, str]  # first character, the one after the last, the palette's name of the colour


def line_height(pixels: int) -> int:
    """The height of a row of text in a size."""
    return round(1.6 * pixels)


def text_column(width: int, pixels: int) -> tuple[int, int]:
    """Where text of a size stands in a page of this width: left edge and width. Everything on the page keeps to it."""
    text = max(min(round(PAGE * pixels / USUAL_TEXT_SIZE), width - GUTTER - 2 * S5), 200)
    left = max((width - text - GUTTER) // 2, S4) + GUTTER
    return left, text


def _parts(line: TextLine, over: Iterable[Part]) -> list[Part]:
    """Which colour each stretch of a line has; those of `over` come before the others."""
    found = [
        (0, line.final, "ink"),
        (line.final, line.verified, "unsettled"),
        (line.verified, len(line.text), "draft"),
    ]
    for begin, end, role in over:
        left = [(first, min(last, begin), name) for first, last, name in found]
        right = [(max(first, end), last, name) for first, last, name in found]
        found = [*left, (begin, end, role), *right]
    return [(first, last, role) for first, last, role in found if first < last]


def paint_text(
    painter: QPainter, flow: Flow, index: int, place: QPointF, colors: Palette, over: Iterable[Part] = ()
) -> None:
    """Draw the text of a line, final, provisional and draft each in its colour; no colour moves the text.

    Each colour is drawn through a window of its own: QTextLayout.draw loses every second of two selections that touch.
    """
    found = _parts(flow.lines[index], over)
    layout = flow.layout(index)
    if len(found) == 1:
        painter.setPen(colors.color(found[0][2]))
        layout.draw(painter, place)
        return
    for begin, end, role in found:
        painter.setPen(colors.color(role))
        for left, right, top in flow.spans(index, begin, end):
            painter.save()
            row = QRectF(place.x() + left, place.y() + top, right - left, flow.line_height)
            painter.setClipRect(row, Qt.ClipOperation.IntersectClip)
            layout.draw(painter, place)
            painter.restore()


class LinePainter:
    """Draws lines of a flow. Heights (`y`) are those of the top of a line's text.

    Attributes: left (of the text); speakers (by id); playing (the line that is heard, -1 for none); spoken (the
    characters of its word that is heard, begin and end; equal for none); hovered (the line whose time is under the
    mouse, -1 for none); shows_doubtful (whether doubtful words are marked); marks (moments that the user has marked).
    """

    def __init__(self, theme: Theme, flow: Flow, selection: Selection, finder: Finder) -> None:
        self._theme, self._flow, self._selection, self._finder = theme, flow, selection, finder
        self._times, self._names = font(12, figures=True), font(14, "SemiBold")
        self.left = GUTTER
        self.speakers: dict[str, Speaker] = {}
        self.playing = self.hovered = -1
        self.spoken = (0, 0)
        self.shows_doubtful = False
        self.marks: tuple[float, ...] = ()

    # Where things are.

    def time_rect(self, y: float) -> QRectF:
        """Where the time of a line stands."""
        return QRectF(self.left - S4 - 42, y, 44, self._flow.line_height)

    def name_rect(self, index: int, y: float) -> QRect:
        """Where the badge and the name over a line stand."""
        found = self.speakers.get(self._flow.lines[index].speaker or "")
        width = QFontMetricsF(self._names).horizontalAdvance(found.name if found else _(UNKNOWN))
        left = self.left - S4 - BADGE
        return QRect(left, round(y - _ABOVE) - 13, round(S4 + BADGE + min(width, self._flow.width) + S1), 26)

    def marks_in(self, index: int) -> tuple[float, ...]:
        """The marked moments of a line: those before the next one begins; of the first line those before it too."""
        lines = self._flow.lines
        begin = lines[index].start if index else 0.0
        end = lines[index + 1].start if index + 1 < len(lines) else inf
        return self.marks[bisect_left(self.marks, begin) : bisect_left(self.marks, end)]

    # Painting.

    def paint(self, painter: QPainter, index: int, y: float, caret: bool) -> None:
        """Draw a line with all that belongs to it; `caret`: with the caret, where that is in it."""
        colors, line = self._theme.palette, self._flow.lines[index]
        if line.lead:
            self._paint_name(painter, line.speaker, y - _ABOVE)
        if line.begins:
            painter.setFont(self._times)
            painter.setPen(colors.color("muted" if line.verified else "draft"))
            clock = wording.clock(line.start)
            width = QFontMetricsF(self._times).horizontalAdvance(clock)
            painter.drawText(QPointF(self.left - S4 - width, y + self._flow.baseline), clock)
        if self.marks_in(index):
            place = QRectF(self.left - GUTTER - S1, y + (self._flow.line_height - _MARK) / 2, _MARK, _MARK)
            icons.paint(painter, "mark", colors.accent, place)
        if index == self.playing:
            self._fill(painter, index, y, *self.spoken, colors.color("spoken"))
        hits = self._finder.marks_in(index)
        for begin, end, role in (*hits, (*self._selection.range_in(index), "selection")):
            edge = colors.color("hit_edge") if role in ("hit", "hit_now") else None
            self._fill(painter, index, y, begin, end, colors.color(role), edge)
        if self._selection.range[0][0] <= index < self._selection.range[1][0]:
            self._fill_between(painter, index, y, colors.color("selection"))
        over = [(begin, end, "on_hit") for begin, end, role in hits if role == "hit_now"]
        paint_text(painter, self._flow, index, QPointF(self.left, y), colors, over)
        self._paint_corrections(painter, index, y)
        self._paint_marks(painter, index, y)
        if caret and self._selection.caret[0] == index:
            x, row = self._flow.caret_at(*self._selection.caret)
            painter.fillRect(
                QRectF(self.left + x - 0.75, y + row + 4, 1.5, self._flow.line_height - 7), colors.color("accent")
            )
        if index in (self.playing, self.hovered):
            self._paint_play(painter, index, y)

    def _paint_name(self, painter: QPainter, speaker: str | None, middle: float) -> None:
        colors, found = self._theme.palette, self.speakers.get(speaker or "")
        color = colors.color("muted")
        if found is not None:
            look = look_of(found.id)
            place = QRectF(self.left - S4 - BADGE, middle - BADGE / 2, BADGE, BADGE)
            paint_badge(painter, place, look, initial(found.name), colors)
            color = QColor(look.ink(colors))
        metrics = QFontMetricsF(self._names)
        name = metrics.elidedText(found.name if found else _(UNKNOWN), Qt.TextElideMode.ElideRight, self._flow.width)
        painter.setFont(self._names)
        painter.setPen(color)
        painter.drawText(QPointF(self.left, middle + metrics.capHeight() / 2), name)

    def _paint_play(self, painter: QPainter, index: int, y: float) -> None:
        """The time becomes the button that it is."""
        colors, place = self._theme.palette, self.time_rect(y)
        painter.fillRect(place, colors.color("page"))
        mark = QRectF(place.right() - S4, place.center().y() - S2, S4, S4)
        icons.paint(painter, "loudspeaker" if index == self.playing else "play", colors.accent, mark)

    def _fill(
        self, painter: QPainter, index: int, y: float, begin: int, end: int, color: QColor, edge: QColor | None = None
    ) -> None:
        painter.setPen(QPen(edge, 1) if edge is not None else Qt.PenStyle.NoPen)
        painter.setBrush(color)
        inset = 0.5 if edge is not None else 0.0
        for left, right, top in self._flow.spans(index, begin, end) if begin < end else ():
            place = QRectF(self.left + left - 1, y + top + 2, right - left + 2, self._flow.line_height - 4)
            painter.drawRoundedRect(place.adjusted(inset, inset, -inset, -inset), 3, 3)

    def _fill_between(self, painter: QPainter, index: int, y: float, color: QColor) -> None:
        """Fill the space between the last row of a line and the one that goes on in it."""
        line, behind = self._flow.lines[index], self._flow.lines[index + 1]
        if behind.joined:
            left = self.left + (self._flow.width - behind.offset if line.is_right_to_left else line.stop)
            top = y + (line.rows - 1) * self._flow.line_height + 2
            painter.fillRect(QRectF(left, top, behind.offset - line.stop, self._flow.line_height - 4), color)

    def _paint_marks(self, painter: QPainter, index: int, y: float) -> None:
        """A thin line under what a reader has written, dots under what the target was not sure of."""
        colors = self._theme.palette
        dots = QPen(colors.color("doubtful"), 2.0, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.RoundCap)
        dots.setDashPattern([0.01, 2.0])  # in widths of the line
        kinds = [(marks.is_edited, QPen(colors.color("edited"), 1.0))]
        for wanted, pen in [*kinds, (marks.is_doubtful, dots)] if self.shows_doubtful else kinds:
            painter.setPen(pen)
            for begin, end in marks.ranges(self._flow.lines[index], wanted):
                for left, right, top in self._flow.spans(index, begin, end):
                    under = y + top + self._flow.baseline + 4.5
                    painter.drawLine(QPointF(self.left + left + 1, under), QPointF(self.left + right - 1, under))

    def _paint_corrections(self, painter: QPainter, index: int, y: float) -> None:
        for mark in self._flow.corrections:
            if mark.line == index:
                age = (time.monotonic() - mark.at) / FADE_SECONDS
                color = self._theme.palette.color("accent")
                color.setAlphaF(0.8 * max(0.0, 1 - age))
                painter.setPen(QPen(color, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                for left, right, top in self._flow.spans(index, mark.begin, mark.end):
                    under = y + top + self._flow.baseline + 4.5
                    painter.drawLine(QPointF(self.left + left + 1, under), QPointF(self.left + right - 1, under))
