"""The transcript with those who speak: a name where another voice begins, and the line that is heard."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QCursor,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.app import wording
from desktop_app.engine.messages import TentativeLine
from desktop_app.transcript.model import Segment, Speaker
from desktop_app.transcript.speakers import Place
from desktop_app.ui.speakers.looks import BADGE, initial, look_of, paint_badge
from desktop_app.ui.transcript.flow import Paragraph
from desktop_app.ui.transcript.transcript_view import TranscriptView
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S1, S2, S4, Theme, font

LEAD = 34
"""The room over a line for the name of the one who begins to speak."""

UNKNOWN = "Nobody known"
_ABOVE = 13  # from the top of the text to the middle of the name


class SpokenView(TranscriptView):
    """A TranscriptView that knows speakers.

    Signals: speaker_asked(id, place on the screen) when a name is clicked; time_asked(seconds) when a time is;
    menu_asked(menu) before the menu of the text is shown.
    """

    speaker_asked = Signal(str, QRect)
    time_asked = Signal(float)
    menu_asked = Signal(QMenu)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.flow.lead = LEAD
        self._speakers: dict[str, Speaker] = {}
        self._heard = -1
        self._names = font(14, "SemiBold")
        self._hovered = -1
        self.viewport().setMouseTracking(True)

    # What is shown.

    def show_speakers(self, speakers: Sequence[Speaker]) -> None:
        """Whose names stand over the lines."""
        self._speakers = {speaker.id: speaker for speaker in speakers}
        self.viewport().update()

    def revise(self, segments: Sequence[Segment], lines: Sequence[TentativeLine], live: bool) -> None:
        """Show the same words divided or spoken in another way. The view and the caret stay at their words."""
        first, above = self._anchor()
        looked_for, hit = self.finder.text, self.finder.current
        change = self.flow.revise(segments)
        self.reading.anchor, self.reading.caret = change.place(*self.reading.anchor), change.place(*self.reading.caret)
        self.sync(segments, lines, live)
        self.finder.look_for(looked_for)
        self.finder.current = min(hit, len(self.finder.hits) - 1)
        if self.flow.paragraphs:
            self._restore((change.place(first, 0)[0], above))
        self.viewport().update()

    def text(self) -> str:
        """Everything that is final, a segment a line, behind the name of who says it."""
        return "\n".join(
            f"{name}: {paragraph.text}" if (name := self.name_of(paragraph.speaker)) else paragraph.text
            for paragraph in self.flow.paragraphs[: self.flow.settled]
        )

    def name_of(self, speaker: str | None) -> str:
        """The name for an id, "" for nobody."""
        found = self._speakers.get(speaker or "")
        return found.name if found is not None else ""

    def say(self, index: int) -> None:
        """Give the paragraph to screen readers, with the one who speaks."""
        paragraph = self.flow.paragraphs[index]
        name = self.name_of(paragraph.speaker)
        spoken = f"{name + ', ' if name else ''}{wording.clock(paragraph.start)}: {paragraph.text}"
        if spoken != self.accessibleDescription():
            self.setAccessibleDescription(spoken)
            announce(self, spoken)

    def show_heard(self, seconds: float | None) -> None:
        """Mark the line that is heard, None for none. The next one comes into view if that one was."""
        heard = self._line_at(seconds) if seconds is not None else -1
        if heard != self._heard:
            before, self._heard = self._heard, heard
            if heard >= 0 and self._is_in_view(before):
                self.reveal(heard, 0)
            self.viewport().update()

    def show_time(self, seconds: float) -> None:
        """Bring the words of a time into view."""
        line = self._line_at(seconds)
        if line >= 0:
            self.stop_following()
            self.reveal(line, 0)

    def is_heard(self, seconds: float) -> bool:
        """Whether the line of that time is the one that is heard."""
        return self._heard >= 0 and self._line_at(seconds) == self._heard

    def _line_at(self, seconds: float) -> int:
        """The finished line of a time, the first one before there are words; -1 where there is none."""
        lines = self.flow.paragraphs
        return min(max(bisect_right(lines, seconds + 0.01, 0, self.flow.settled, key=_start) - 1, 0), len(lines) - 1)

    def _is_in_view(self, line: int) -> bool:
        if not 0 <= line < self.flow.settled:
            return False
        top = self.flow.top_of(line) - self.verticalScrollBar().value()
        return -self.flow.height_of(line) < top < self.viewport().height()

    @property
    def chosen(self) -> tuple[Place, Place]:
        """The places between which text is selected, in order; twice the caret when none is. Lines count from 0."""
        first, last = sorted((self.reading.anchor, self.reading.caret))
        return first, last

    # Painting.

    def _paint_paragraph(self, painter: QPainter, index: int) -> None:
        paragraph = self.flow.paragraphs[index]
        y = self.flow.top_of(index) - self.verticalScrollBar().value() + S4
        if paragraph.lead:
            self._paint_name(painter, paragraph.speaker, y - _ABOVE)
        super()._paint_paragraph(painter, index)
        if index in (self._heard, self._hovered):
            self._paint_play(painter, index, y)

    def _paint_name(self, painter: QPainter, speaker: str | None, middle: float) -> None:
        colors, found = self._theme.palette, self._speakers.get(speaker or "")
        metrics = QFontMetricsF(self._names)
        painter.setFont(self._names)
        if found is None:
            painter.setPen(colors.color("muted"))
        else:
            look = look_of(found.id)
            place = QRectF(self._left - S4 - BADGE, middle - BADGE / 2, BADGE, BADGE)
            paint_badge(painter, place, look, initial(found.name), colors)
            painter.setPen(QColor(look.ink(colors)))
            painter.setFont(self._names)
        name = metrics.elidedText(found.name if found else UNKNOWN, Qt.TextElideMode.ElideRight, self.flow.width)
        painter.drawText(QPointF(self._left, middle + metrics.capHeight() / 2), name)

    def _paint_play(self, painter: QPainter, index: int, y: float) -> None:
        """The time becomes the button that it is."""
        colors = self._theme.palette
        place = self._time_place(index)
        painter.fillRect(place, colors.color("page"))
        mark = QRectF(place.right() - S4, place.center().y() - S2, S4, S4)
        icons.paint(painter, "loudspeaker" if index == self._heard else "play", colors.accent, mark)

    # Where things are.

    def _time_place(self, index: int) -> QRectF:
        """Where the time of a line stands in the viewport."""
        y = self.flow.top_of(index) - self.verticalScrollBar().value() + S4
        return QRectF(self._left - S4 - 42, y, 44, self.flow.line_height)

    def _line_with_time_at(self, point: QPointF) -> int:
        """The finished line whose time is at a point, or -1."""
        if not self.flow.settled or point.x() > self._left - S2:
            return -1
        index = self.flow.at(point.y() + self.verticalScrollBar().value() - S4)
        return index if index < self.flow.settled and self._time_place(index).contains(point) else -1

    def _name_at(self, point: QPointF) -> int:
        """The line over which the name at a point stands, or -1."""
        if not self.flow.paragraphs:
            return -1
        index = self.flow.at(point.y() + self.verticalScrollBar().value() - S4)
        return index if self.flow.paragraphs[index].lead and self.name_place(index).contains(point.toPoint()) else -1

    def name_place(self, index: int) -> QRect:
        """Where the badge and the name over a line stand in the viewport."""
        middle = self.flow.top_of(index) - self.verticalScrollBar().value() + S4 - _ABOVE
        name = self.name_of(self.flow.paragraphs[index].speaker) or UNKNOWN
        width = min(QFontMetricsF(self._names).horizontalAdvance(name), self.flow.width)
        left = self._left - S4 - BADGE
        return QRect(QPoint(left, round(middle) - 13), QSize(round(S4 + BADGE + width + S1), 26))

    # Mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            index = self._line_with_time_at(event.position())
            if index >= 0:
                self.time_asked.emit(self.flow.paragraphs[index].start)
                return
            index = self._name_at(event.position())
            if index >= 0 and self.flow.paragraphs[index].speaker in self._speakers:
                self.ask_speaker(index)
                return
        super().mousePressEvent(event)

    def ask_speaker(self, index: int) -> None:
        """Ask for the card of the speaker whose name stands over a line, or over one before it."""
        speaker = self.flow.paragraphs[index].speaker
        while index > 0 and not self.flow.paragraphs[index].lead:
            index -= 1
        if speaker in self._speakers:
            place = self.name_place(index)
            inside = place.intersected(self.viewport().rect())
            place = inside if not inside.isEmpty() else QRect(place.left(), 0, place.width(), 1)
            self.speaker_asked.emit(speaker, QRect(self.viewport().mapToGlobal(place.topLeft()), place.size()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() == Qt.MouseButton.NoButton:
            self._hover(event.position())
        super().mouseMoveEvent(event)

    def _hover(self, point: QPointF) -> None:
        time, name = self._line_with_time_at(point), self._name_at(point)
        hand = time >= 0 or (name >= 0 and self.flow.paragraphs[name].speaker in self._speakers)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.IBeamCursor)
        if time != self._hovered:
            self._hovered = time
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(QPointF(-1, -1))
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            x, y = self.flow.caret_at(*self.reading.caret) if self.flow.paragraphs else (0.0, 0.0)
            top = self.flow.top_of(self.reading.caret[0]) if self.flow.paragraphs else 0.0
            below = top + y + self.flow.line_height - self.verticalScrollBar().value() + S4
            self.menu().popup(self.viewport().mapToGlobal(QPoint(round(self._left + x), round(below))))
            return
        if self.flow.paragraphs:
            place = self._place_under(QPointF(self.viewport().mapFromGlobal(QCursor.pos())))
            first, last = self.chosen
            if not (self.reading.has_selection and first <= place <= last):
                self.reading.put(place, False)
                self._cursor_moved()
        super().contextMenuEvent(event)

    def menu(self) -> QMenu:
        """What can be done with the text under the mouse, and with those who speak."""
        made = super().menu()
        self.menu_asked.emit(made)
        return made


def _start(paragraph: Paragraph) -> float:
    return paragraph.start
