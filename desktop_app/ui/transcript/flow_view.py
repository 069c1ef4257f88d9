"""How a transcript is painted and scrolled: times in the margin, text in a column, the draft grey until verified."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from math import ceil

from PySide6.QtCore import QEasingCurve, QPointF, QPropertyAnimation, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from desktop_app.app import wording
from desktop_app.engine.messages import TentativeLine
from desktop_app.transcript.model import Segment
from desktop_app.ui.transcript import inks
from desktop_app.ui.transcript.finder import Finder
from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.reading_cursor import ReadingCursor
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S4, S5, S6, Theme, font

TEXT_PIXELS = 17
LINE_HEIGHT = 27  # 1.6 of the type size
GAP = 11
GUTTER = 58
CHARACTERS = 86  # of a full line; no longer line is comfortable to read
_SAMPLE = "It was a bright cold day in April, and the clocks were striking thirteen."
_FADE_SECONDS = 1.6
_IDLE_SLICE = 0.006


def column(width: int) -> tuple[int, int]:
    """Where the text stands in a page of this width: left edge and width. Everything on the page keeps to it."""
    text = max(min(_full_line(), width - GUTTER - 2 * S5), 200)
    left = max((width - text - GUTTER) // 2, S4) + GUTTER
    return left, text


@cache
def _full_line() -> int:
    """The width of CHARACTERS characters of ordinary text."""
    advance = QFontMetricsF(font(TEXT_PIXELS, serif=True)).horizontalAdvance(_SAMPLE)
    return ceil(advance / len(_SAMPLE) * CHARACTERS)


class FlowView(QAbstractScrollArea):
    """Shows segments and the lines in work and follows their end.

    Attributes: flow (the layout), reading (the selection), finder (what is searched for), pill (the way
        back to the end).
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.flow = Flow(font(TEXT_PIXELS, serif=True), LINE_HEIGHT, GAP)
        self.reading = ReadingCursor(self.flow)
        self.finder = Finder(self.flow)
        self._times = font(12, figures=True)
        self._floor = 0.0  # the text of a run in work never gets shorter on the screen
        self._live = False
        self._following = True
        self._left = GUTTER
        self._caret_wanted = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Transcript")
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setAutoFillBackground(False)
        self._glide = QPropertyAnimation(self.verticalScrollBar(), b"value", self)
        self._glide.setDuration(180)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.verticalScrollBar().actionTriggered.connect(self._glide.stop)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._idle = QTimer(self)
        self._idle.timeout.connect(self._measure_more)
        self._fading = QTimer(self)
        self._fading.setInterval(50)
        self._fading.timeout.connect(self._fade)
        self.pill = button("Jump to the end", "pill", self.jump_to_end, self.viewport())
        self.pill.hide()
        theme.changed.connect(self._retint)
        self._retint()

    def column(self) -> tuple[int, int]:
        """Where the text stands: left edge and width. The scroll bar has its room even when it is not there."""
        return column(self.width() - self.verticalScrollBar().sizeHint().width())

    # Content.

    def reset(self) -> None:
        """Begin another transcript at its top."""
        self._glide.stop()
        self._idle.stop()
        self.flow.clear()
        self.reading.reset()
        self.finder.clear()
        self._floor, self._following, self._caret_wanted = 0.0, True, False
        self._resize_content()
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def sync(self, segments: Sequence[Segment], lines: Sequence[TentativeLine], live: bool) -> None:
        """Show the text as it is now. `live`: it is being written, so its end is followed."""
        was_live, self._live = self._live, live
        settled = self.flow.settled
        self.flow.sync(segments, lines)
        self.reading.clamp()
        if self.flow.settled < settled:
            self.finder.look_for(self.finder.text)
        else:
            self.finder.extend(settled)
        if not self.flow.is_measured:
            self._idle.start()
        self._floor = max(self._floor, self.flow.height) if live else 0.0
        self._resize_content()
        if live and self._following:
            self._glide_to(self.verticalScrollBar().maximum())
        elif was_live and not live:
            self._place_pill()
        if self.flow.corrections and not self._fading.isActive():
            self._fading.start()
        self.viewport().update()

    def text(self) -> str:
        """Everything that is final, a segment a line."""
        return "\n".join(paragraph.text for paragraph in self.flow.paragraphs[: self.flow.settled])

    # Scrolling.

    @property
    def following(self) -> bool:
        """Whether the end of the text is kept in view."""
        return self._following

    def jump_to_end(self) -> None:
        """Show the end and follow it again."""
        self._following = True
        self._glide_to(self.verticalScrollBar().maximum())
        self._place_pill()

    def stop_following(self) -> None:
        """Leave the view where it is, whatever is written at the end."""
        self._glide.stop()
        self._following = False
        self._place_pill()

    def say(self, index: int) -> None:
        """Give the paragraph to screen readers."""
        paragraph = self.flow.paragraphs[index]
        spoken = f"{wording.clock(paragraph.start)}: {paragraph.text}"
        if spoken != self.accessibleDescription():
            self.setAccessibleDescription(spoken)
            announce(self, spoken)

    def reveal(self, index: int, character: int) -> None:
        """Scroll so that a place in the text is well in view."""
        self.flow.refine(index, index)
        spans = self.flow.spans(index, character, character + 1) or [(0.0, 0.0, 0.0)]
        y = self.flow.top_of(index) + spans[0][2] + S4
        bar = self.verticalScrollBar()
        if not bar.value() + S6 < y < bar.value() + self.viewport().height() - 2 * LINE_HEIGHT:
            self._glide.stop()
            bar.setValue(int(y - self.viewport().height() / 3))

    def _glide_to(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if self._glide.state() == QPropertyAnimation.State.Running:
            if self._glide.endValue() == value:
                return
            self._glide.stop()
        if abs(value - bar.value()) > 3 * self.viewport().height() or not self.isVisible():
            bar.setValue(value)
        elif value != bar.value():
            self._glide.setStartValue(bar.value())
            self._glide.setEndValue(value)
            self._glide.start()

    def _scrolled(self) -> None:
        bar = self.verticalScrollBar()
        if self._glide.state() != QPropertyAnimation.State.Running:
            self._following = bar.value() >= bar.maximum() - 4
        self._place_pill()
        self.viewport().update()

    def _place_pill(self) -> None:
        self.pill.setVisible(self._live and not self._following)
        if self.pill.isVisible():
            size = self.pill.sizeHint()
            self.pill.setGeometry(
                (self.viewport().width() - size.width()) // 2,
                self.viewport().height() - size.height() - S4,
                size.width(),
                size.height(),
            )

    def _resize_content(self) -> None:
        total = ceil(max(self.flow.height, self._floor)) + S4 + S6
        bar = self.verticalScrollBar()
        following = self._following  # a shorter range moves the bar, which is no wish to stop following
        bar.setPageStep(max(self.viewport().height() - 2 * LINE_HEIGHT, LINE_HEIGHT))
        bar.setSingleStep(LINE_HEIGHT)
        bar.setRange(0, max(total - self.viewport().height(), 0))
        self._following = following
        self._place_pill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = self._anchor()
        self._left, width = self.column()
        self.flow.set_width(width)
        if self.flow.paragraphs:
            first = anchor[0]
            self.flow.refine(first, first + 2 + self.viewport().height() // LINE_HEIGHT)
            self._idle.start()
        self._resize_content()
        self._restore(anchor)

    def _anchor(self) -> tuple[int, float]:
        """The paragraph at the top of the view, and how far of it is above."""
        if not self.flow.paragraphs:
            return 0, 0.0
        y = self.verticalScrollBar().value() - S4
        first = self.flow.at(y)
        return first, y - self.flow.begin_of(first)

    def _restore(self, anchor: tuple[int, float]) -> None:
        bar = self.verticalScrollBar()
        if self._live and self._following:
            bar.setValue(bar.maximum())
        elif self.flow.paragraphs and anchor != (0, -S4):
            following = self._following
            bar.setValue(round(self.flow.begin_of(anchor[0]) + anchor[1]) + S4)
            self._following = following

    def _measure_more(self) -> None:
        anchor = self._anchor()
        if not self.flow.refine_next(_IDLE_SLICE):
            self._idle.stop()
        self._resize_content()
        self._restore(anchor)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.palette.color("page"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.flow.paragraphs:
            top = event.rect().top() + self.verticalScrollBar().value() - S4
            index = self.flow.at(top)
            while index < len(self.flow.paragraphs) and self.flow.begin_of(index) <= top + event.rect().height():
                self.flow.refine(index, index)
                self._paint_paragraph(painter, index)
                index += 1
        painter.end()

    def _paint_paragraph(self, painter: QPainter, index: int) -> None:
        colors = self._theme.palette
        paragraph = self.flow.paragraphs[index]
        y = self.flow.top_of(index) - self.verticalScrollBar().value() + S4
        painter.setFont(self._times)
        painter.setPen(colors.color("muted" if paragraph.verified else "draft"))
        baseline = y + self.flow.baseline
        time_text = wording.clock(paragraph.start)
        width = QFontMetricsF(self._times).horizontalAdvance(time_text)
        painter.drawText(QPointF(self._left - S4 - width, baseline), time_text)
        for begin, end, role in self.finder.marks_in(index):
            self._fill(painter, index, y, begin, end, colors.color(role))
        begin, end = self.reading.range_in(index)
        self._fill(painter, index, y, begin, end, colors.color("selection"))
        over = [(begin, end, "on_hit") for begin, end, role in self.finder.marks_in(index) if role == "hit_now"]
        inks.paint(painter, self.flow, index, QPointF(self._left, y), colors, over)
        self._paint_corrections(painter, index, y)
        if self.hasFocus() and self._caret_wanted and self.reading.caret[0] == index:
            x, row = self.flow.caret_at(index, self.reading.caret[1])
            painter.fillRect(QRectF(self._left + x - 0.75, y + row + 4, 1.5, LINE_HEIGHT - 7), colors.color("accent"))

    def _fill(self, painter: QPainter, index: int, y: float, begin: int, end: int, color: QColor) -> None:
        if begin < end:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            for left, right, top in self.flow.spans(index, begin, end):
                painter.drawRoundedRect(
                    QRectF(self._left + left - 1, y + top + 2, right - left + 2, LINE_HEIGHT - 4), 3, 3
                )

    def _paint_corrections(self, painter: QPainter, index: int, y: float) -> None:
        for mark in self.flow.corrections:
            if mark.paragraph == index:
                age = (time.monotonic() - mark.at) / _FADE_SECONDS
                color = self._theme.palette.color("accent")
                color.setAlphaF(0.8 * max(0.0, 1 - age))
                painter.setPen(QPen(color, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                for left, right, top in self.flow.spans(index, mark.begin, mark.end):
                    under = y + top + self.flow.baseline + 4.5
                    painter.drawLine(QPointF(self._left + left + 1, under), QPointF(self._left + right - 1, under))

    def _fade(self) -> None:
        now = time.monotonic()
        self.flow.corrections = [mark for mark in self.flow.corrections if now - mark.at < _FADE_SECONDS]
        if not self.flow.corrections:
            self._fading.stop()
        self.viewport().update()

    def _retint(self) -> None:
        self.pill.setIcon(icons.icon("end", self._theme.palette.on_accent))
        self.viewport().update()
