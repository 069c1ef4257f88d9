"""The page of one recording: its tools, what there is to say about it, and its text."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import CANCELLED, DONE, FAILED, IN_WORK, INTERRUPTED, RECORDING, WAITING, Entry
from desktop_app.texts import _
from desktop_app.ui.transcript.accessible import AccessibleTranscript
from desktop_app.ui.transcript.find_bar import FindBar
from desktop_app.ui.transcript.header import INSET, PageHeader
from desktop_app.ui.transcript.painting import GUTTER, text_column
from desktop_app.ui.transcript.progress_strip import ProgressStrip
from desktop_app.ui.transcript.selection import Place
from desktop_app.ui.transcript.view import ScrollPosition, TranscriptView
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.banner import NEUTRAL, NOTICE, PROBLEM, Banner, BannerQueue
from desktop_app.ui.widgets.layouts import STRETCH, column
from desktop_app.ui.widgets.screen_reader import read_as
from desktop_app.ui.widgets.sheet import rule
from desktop_app.ui.widgets.theme import S1, S3, S4, S5, S6, Theme

_BESIDE, _TALLEST = 400, 180  # pixels: the least width beside the text for what else stands over it, and its height


class TranscriptPage(QWidget):
    """Shows one entry; whoever owns it calls `refresh` and `refresh_text` when the entry changes.

    Attributes: banners (one is shown at most). Signals: again_asked(); cpu_asked() for a file that failed for its
    device.
    """

    again_asked = Signal()
    cpu_asked = Signal()

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.text_resized.connect(self._keep_to_column)
        self.entry: Entry | None = None
        self._left: tuple[Entry, ScrollPosition] | None = None  # on the page before this one
        self.header = PageHeader(actions)
        self.strip = ProgressStrip(theme, actions)
        self.notice = Banner(theme, NOTICE, "warning")
        self.other_model = self.notice.add_button(_("Choose model…"), "link")
        self.other_model.clicked.connect(actions["models"].trigger)
        self.problem = Banner(theme, PROBLEM, "problem")
        self.choose_model = self.problem.add_button(_("Choose model…"), "link")
        self.choose_model.clicked.connect(actions["models"].trigger)
        self.use_cpu = self.problem.add_button(_("Use the CPU"))
        self.use_cpu.clicked.connect(self.cpu_asked)
        self.try_again = self.problem.add_button(_("Try again"))
        self.try_again.clicked.connect(self.again_asked)
        self.broken_off = Banner(theme, NEUTRAL, "pause")
        self.once_more = self.broken_off.add_button(_("Transcribe again"))
        self.once_more.clicked.connect(self.again_asked)
        self.find_bar = FindBar(theme)
        read_as(TranscriptView, AccessibleTranscript)
        self.view = TranscriptView(theme, actions)
        self._empty = QLabel(self.view.viewport(), alignment=Qt.AlignmentFlag.AlignLeft)
        self._empty.setProperty("role", "placeholder")
        self._rule = rule()
        self._rule.setProperty("shown", False)
        self.find_bar.hide()
        self.find_bar.looked_for.connect(self._look_for)
        self.find_bar.step.connect(self._step)
        self.find_bar.closed.connect(self.close_find)
        actions.on(find=self.open_find, find_next=lambda: self._step(1))
        self.view.verticalScrollBar().valueChanged.connect(self._show_rule)
        self.banners = BannerQueue()
        self._lay_out()

    def _lay_out(self) -> None:
        self._top = column(spacing=S3)
        for place, bar in enumerate(
            (self.header, self.strip, self.notice, self.problem, self.broken_off, self.find_bar)
        ):
            self._put_bar(place, bar)
        self._title = column(self.header.title)  # it is as long as the page is wide
        self._last: QWidget | None = None
        self._over, self._beside = column(margins=(GUTTER, 0, 0, 0)), QWidget(self)
        self._beside_box = column(STRETCH, inside=self._beside)
        self._box = column(
            self._title, S1, self._top, S3, self._rule, (self.view, 1), inside=self, margins=(0, S5, 0, 0)
        )
        self._beside.raise_()

    def put_bars(self, *bars: QWidget) -> None:
        """More to stand under the header, in this order: banners in the margin, other bars over the text."""
        for place, bar in enumerate(bars, 2):
            self._put_bar(place, bar)

    def put_last(self, bar: QWidget) -> None:
        """One more to stand right over the text, and beside the header where the page is wide enough for that."""
        self._last = bar
        self._top.addLayout(self._over)
        self._keep_to_column()

    def put_under(self, bar: QWidget) -> None:
        """One to stand under the text, as wide as the page."""
        self._box.addWidget(bar)

    def put_over(self, bar: QWidget, other: QWidget) -> None:
        """One more under the text, over a bar that is there already."""
        self._box.insertWidget(self._box.indexOf(bar), other)

    def _put_bar(self, place: int, bar: QWidget) -> None:
        if isinstance(bar, Banner):  # its icon stands in the margin of the times
            self._top.insertWidget(place, bar)
        else:
            inset = INSET if bar is self.header else 0
            self._top.insertLayout(place, column(bar, margins=(GUTTER - inset, 0, 0, 0)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._keep_to_column()

    def _keep_to_column(self) -> None:
        """Let what stands over the text keep to its column."""
        left, text = text_column(self.width() - self.view.verticalScrollBar().sizeHint().width(), self._theme.text_size)
        self._top.setContentsMargins(left - GUTTER, 0, self.width() - left - text, 0)
        under_title = S5 + self.header.title.sizeHint().height() + S1
        beside = QRect(left + text + S6, under_title, self.width() - left - text - 2 * S6, _TALLEST)
        is_wide = beside.width() >= _BESIDE
        self._title.setContentsMargins(left, 0, S5, 0)
        self._beside.setVisible(is_wide)
        self._beside.setGeometry(beside)
        if self._last is not None:
            (self._beside_box if is_wide else self._over).insertWidget(0, self._last)
        self._place_empty()

    # What is shown.

    def replace(self, before: TranscriptPage) -> None:
        """Take the place of another page: its recording will be shown where it was scrolled to."""
        self._left = (before.entry, before.view.scroll_position()) if before.entry is not None else before._left

    def show_entry(self, entry: Entry, queue: list[Entry]) -> None:
        """Turn to a recording."""
        if self.entry is not entry:
            self.entry = entry
            self.begin_again(queue)
            if self._left is not None and self._left[0] is entry:
                self.view.scroll_to(self._left[1])
            self._left = None
        else:
            self.refresh(queue)
            self.refresh_text(queue)

    def begin_again(self, queue: list[Entry]) -> None:
        """Show the recording anew: its text is another one."""
        self.close_find()
        self.view.reset()
        self.refresh(queue)
        self.refresh_text(queue)

    def refresh(self, queue: list[Entry]) -> None:
        """Show the entry's state and figures."""
        entry = self.entry
        if entry is None:
            return
        self.header.title.setText(entry.name)
        self.header.about.setText(_about(entry))
        self.header.set_usable(entry.has_text, entry.state in IN_WORK)
        in_work = entry.state in IN_WORK
        self.strip.setVisible(in_work and entry.state != RECORDING and not entry.elsewhere)
        if in_work:
            self.strip.show_entry(entry, queue)
        notices = entry.models.notices if entry.models else ()
        self.other_model.setVisible(bool(notices))
        self.notice.say(sentence(*notices, *((entry.damage,) if entry.damage else ())))
        self._say_problem(entry)
        self.choose_model.setVisible(entry.problem is not None and entry.problem.kind == "model")
        self._say_broken_off(entry)
        self._show_empty(entry)

    def _say_problem(self, entry: Entry) -> None:
        problem = sentence(entry.problem) if entry.problem else ""
        text = (problem or _("Transcription failed.")) if entry.state == FAILED else ""
        if entry.state == RECORDING and entry.problem:
            text = _("{problem} Recording continues; you can transcribe it afterwards.", problem=problem)
        self.problem.say(text)
        self.use_cpu.setVisible(entry.failed_for_device)
        self.try_again.setVisible(entry.state == FAILED)

    def _say_broken_off(self, entry: Entry) -> None:
        self.once_more.setText(again_words(entry))
        self.try_again.setText(again_words(entry))
        self.broken_off.say(_where_it_ended(entry))

    def refresh_text(self, queue: list[Entry]) -> None:
        """Show the entry's text as far as it is written."""
        entry = self.entry
        if entry is None:
            return
        self.view.show_speakers(wording.named(entry.speakers))
        self.view.show_marks(entry.marks)
        self.view.sync(entry.segments, entry.lines, entry.state in IN_WORK)
        self.view.setAccessibleName(_("Transcript of {name}", name=entry.name))
        self.header.set_usable(entry.has_text, entry.state in IN_WORK)
        if entry.state in IN_WORK:
            self.strip.show_entry(entry, queue)
        if self.find_bar.isVisible():
            self._count_hits()
        self._show_empty(entry)

    def show_revised(self) -> None:
        """Show an edited text; the view stays where it is."""
        entry = self.entry
        if entry is not None:
            self.view.show_speakers(wording.named(entry.speakers))
            self.view.revise(entry.segments, entry.lines, entry.state in IN_WORK)
            if self.find_bar.isVisible():
                self._count_hits()

    def _show_empty(self, entry: Entry) -> None:
        text = ""
        if not entry.segments and not entry.lines:
            if entry.state == RECORDING:
                ready = entry.models is not None or bool(entry.problem)
                text = _("Text appears here as you speak.") if ready else entry.preparing
            elif entry.state == WAITING:
                text = _("The queue is paused") if entry.paused else _("Waiting in the queue")
                text = _("Paused while recording") if entry.held else text
            elif entry.state in IN_WORK:
                text = _("Starting…")
            elif entry.state == DONE and entry.loaded and entry.models:
                text = _("No speech was found in this recording.")
        self._empty.setText(text)
        self._empty.setVisible(bool(text))
        self._place_empty()

    def _place_empty(self) -> None:
        left, width = self.view.column()
        self._empty.setGeometry(left, S4, width, 2 * S5)

    def _show_rule(self, value: int) -> None:
        self._rule.setProperty("shown", value > 0)
        self._rule.style().polish(self._rule)

    # Finding.

    def open_find(self) -> None:
        """Let the user look for words, when there are any."""
        if self.entry is not None and self.entry.has_text:
            self.find_bar.open()
            self._look_for()

    def open_replace(self) -> None:
        """Let the user look for words and put others in their place."""
        if self.entry is not None and self.entry.has_text and self.view.is_editable:
            self.find_bar.open(replacing=True)
            self._look_for()

    def show_found(self, text: str, place: Place) -> None:
        """Show a place where a text was found, with all others; the focus stays where it is."""
        self.find_bar.replacing.hide()
        self.find_bar.show()
        self.find_bar.field.blockSignals(True)
        self.find_bar.field.setText(text)
        self.find_bar.field.blockSignals(False)
        self.view.look_for(self.find_bar.query, place)
        self._count_hits()

    def find_from(self, place: Place) -> None:
        """Look at the next hit from a place on."""
        self.view.look_for(self.find_bar.query, place)
        self._count_hits()

    def close_find(self) -> None:
        """End the search. The text gets the focus if it was in the bar."""
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.find_bar.isAncestorOf(focus)
        self.find_bar.hide()
        self.view.finder.clear()
        self.view.viewport().update()
        if had_focus:
            self.view.setFocus()

    def _look_for(self) -> None:
        self.view.look_for(self.find_bar.query)
        self._count_hits()

    def _step(self, by: int) -> None:
        self.view.look_on(by)
        self._count_hits()

    def _count_hits(self) -> None:
        finder = self.view.finder
        self.find_bar.show_count(finder.current, len(finder.hits))


def again_words(entry: Entry) -> str:
    """What transcribing a recording once more does, on a button."""
    if entry.resumable or (entry.is_half_written and (entry.segments or not entry.loaded)):
        return _("Continue")
    if entry.state == DONE:
        return _("Transcribe again…")
    if not entry.has_begun and entry.state != FAILED:
        return _("Transcribe")
    return _("Try again") if entry.state == FAILED else _("Transcribe again")


def _where_it_ended(entry: Entry) -> str:
    """Up to where there is a text of what was stopped or interrupted; "" for others."""
    if entry.state not in (CANCELLED, INTERRUPTED):
        return ""
    stopped = entry.state == CANCELLED
    if not entry.has_begun:
        return _("Cancelled before it began.") if stopped else _("Galley was closed before it began.")
    if not entry.segments:
        return _("Stopped before the end.") if stopped else _("Galley was closed before the end.")
    time, length = wording.clock(entry.segments[-1].end), wording.clock(entry.seconds)
    if not entry.seconds:
        return _("Stopped at {time}.", time=time) if stopped else _("Galley was closed at {time}.", time=time)
    if stopped:
        return _("Stopped at {time} of {length}.", time=time, length=length)
    return _("Interrupted at {time} of {length}, when Galley was closed.", time=time, length=length)


def _about(entry: Entry) -> str:
    parts = [wording.day(entry.created, datetime.now(UTC))]
    if entry.seconds:
        parts.append(wording.length(entry.seconds))
    if entry.language:
        parts.append(wording.language(entry.language))
    if entry.models and entry.models.target:
        parts.append(entry.models.target)
    return " · ".join(parts)
