"""The transcript: read, selected, copied, searched and typed in with mouse and keyboard."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, cast

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider, QFrame, QMenu, QWidget

from desktop_app.app.presentation import wording
from desktop_app.messages.jobs import TentativeLine
from desktop_app.texts import _
from desktop_app.transcript.model import Segment, Speaker
from desktop_app.ui.transcript.finder import Finder, Query
from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.transcript.following import Follower
from desktop_app.ui.transcript.mouse import Mouse
from desktop_app.ui.transcript.offsets import HAS_TEXT_INTERFACE, Offsets, tell_caret, tell_change
from desktop_app.ui.transcript.painting import (
    FADE_SECONDS,
    GAP,
    LEAD,
    LinePainter,
    line_height,
    text_column,
)
from desktop_app.ui.transcript.placement import Placement
from desktop_app.ui.transcript.selection import Place, Selection
from desktop_app.ui.transcript.typing import Edit, input_method_edit, key_edit
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.painting import painting
from desktop_app.ui.widgets.screen_reader import announce
from desktop_app.ui.widgets.theme import S4, S6, Theme, font

_IDLE_SLICE = 0.006


@dataclass(frozen=True)
class ScrollPosition:
    """The line at the top of a view, how many pixels of it are above, and whether the end of the text is followed
    while it is written."""

    line: int
    above: float
    following: bool


class TranscriptView(QAbstractScrollArea):
    """Shows segments and the lines in work, with names where another voice begins, and follows their end.

    Attributes: flow (the layout); selection; placement (where things are in the viewport); finder (what is searched
    for); offsets (places counted through, for screen readers); follower (keeps the end in view).
    Signals: speaker_asked(id, place on the screen) when a name is clicked; time_asked(seconds) when a time is;
    clicked(line, character) when the caret was put somewhere by the mouse and nothing was selected;
    menu_asked(menu) before the menu of the text is shown; edit_asked(begin, end, text) when something is typed, deleted
    or pasted: who owns the text changes it, lets the view `revise`, and puts the caret behind it by `place_caret`.
    """

    speaker_asked = Signal(str, QRect)
    time_asked = Signal(float)
    clicked = Signal(int, int)
    menu_asked = Signal(QMenu)
    edit_asked = Signal(tuple, tuple, str)

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._actions = theme, actions
        self.flow = Flow(*_type(theme.text_size), GAP, joins=True)
        self.flow.lead = LEAD
        self.selection = Selection(self.flow)
        self.finder = Finder(self.flow)
        self.offsets = Offsets(self.flow)
        self._painter = LinePainter(theme, self.flow, self.selection, self.finder)
        self._floor = 0.0  # the text of a run in work never gets shorter on the screen
        self._caret_wanted = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(_("Transcript"))
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setFocusProxy(None)  # type: ignore[arg-type]  # else the focus is in two places to screen readers
        self.viewport().setMouseTracking(True)
        self._bar = self.verticalScrollBar()
        self.placement = Placement(self.flow, self._painter, self._bar)
        self._bar.setSingleStep(self._row)
        self.follower = Follower(self, theme)
        self._idle = QTimer(self)
        self._idle.timeout.connect(self._measure_more)
        self._fading = QTimer(self, interval=50)
        self._fading.timeout.connect(self._fade)
        self._mouse = Mouse(self, self.flow, self.selection, self.placement, self.follower)
        self._mouse.selected.connect(self._cursor_moved)
        self._mouse.clicked.connect(self.clicked)
        self._mouse.time_clicked.connect(self._ask_time)
        self._mouse.name_clicked.connect(self.ask_speaker)
        self._mouse.hovered.connect(self._hover)
        actions.on(copy_selection=self.copy, select_all=self._select_all, cut=self.cut, paste=self.paste)
        self.addActions([actions[name] for name in ("copy_selection", "select_all", "cut", "paste")])
        theme.changed.connect(self.viewport().update)
        theme.text_resized.connect(self._resize_text)

    @property
    def _row(self) -> int:
        """The height of a row, in pixels."""
        return round(self.flow.line_height)

    def column(self) -> tuple[int, int]:
        """Where the text stands: left edge and width. The scroll bar has its room even when it is not there."""
        return text_column(self.width() - self._bar.sizeHint().width(), self._theme.text_size)

    # Content.

    def reset(self) -> None:
        """Begin another transcript at its top."""
        self._idle.stop()
        self.flow.clear()
        self.offsets.forget()
        self.selection.reset()
        self.finder.clear()
        self._floor, self._caret_wanted = 0.0, False
        self.setAccessibleDescription("")  # no line of the one before
        self._resize_content()
        self.follower.begin()
        self.viewport().update()

    def sync(self, segments: Sequence[Segment], lines: Sequence[TentativeLine], live: bool) -> None:
        """Show the text as it is now. `live`: it is being written, so its end is followed."""
        self.follower.growing = live
        settled = self.flow.settled
        self.flow.sync(segments, lines)
        self.offsets.forget()
        self.selection.clamp()
        if self.flow.settled < settled:
            self.finder.look_for(self.finder.query)
        else:
            self.finder.extend(settled)
        if not self.flow.is_measured:
            self._idle.start()
        self._floor = max(self._floor, self.flow.height) if live else 0.0
        self._resize_content()
        if live and self.follower.following:
            self.follower.glide_to_end()
        if self.flow.corrections and not self._fading.isActive():
            self._fading.start()
        self.viewport().update()

    def revise(self, segments: Sequence[Segment], lines: Sequence[TentativeLine], live: bool) -> None:
        """Show an edited text. The view and the caret stay at their words."""
        first, above = self.placement.first_visible()
        looked_for, hit = self.finder.query, self.finder.current
        before = self.flow.lines
        change = self.flow.revise(segments)
        self.selection.anchor = change.place(*self.selection.anchor)
        self.selection.caret = change.place(*self.selection.caret)
        self.sync(segments, lines, live)
        tell_change(self, self.offsets, before, change)  # the caret, which may be asked for at once, has its new place
        self.finder.look_for(looked_for)
        self.finder.current = min(hit, len(self.finder.hits) - 1)
        if self.flow.lines:
            self._restore((change.place(first, 0)[0], above))
        self.viewport().update()

    def set_editable(self, editable: bool) -> None:
        """Whether what is typed is asked for by `edit_asked`."""
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, editable)
        if not editable:
            self._compose("")

    @property
    def is_editable(self) -> bool:
        """Whether the text can be edited."""
        return self.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)

    def place_caret(self, place: Place) -> None:
        """Show the caret at a place after an edit; a screen reader is told the line if it is another one."""
        before = self.selection.caret[0]
        self.selection.put(place, False)
        self.selection.clamp()
        self.reveal(*self.selection.caret)
        self._caret_wanted = True
        if before != self.selection.caret[0]:
            self.say(self.selection.caret[0])
        tell_caret(self, self.offsets, self.selection.caret)
        self.updateMicroFocus()
        self.viewport().update()

    def select(self, begin: Place, end: Place) -> None:
        """Select a stretch of the text and show it."""
        self.selection.anchor, self.selection.caret = begin, end
        self.follower.stop()
        self.reveal(*begin)
        self._cursor_moved()

    @property
    def shows_doubtful(self) -> bool:
        """Whether doubtful words are marked."""
        return self._painter.shows_doubtful

    def show_doubtful(self, shown: bool) -> None:
        """Mark the words that the target was not sure of, or mark them no more."""
        self._painter.shows_doubtful = shown
        self.viewport().update()

    def show_speakers(self, speakers: Sequence[Speaker]) -> None:
        """Whose names stand over the lines."""
        self._painter.speakers = {speaker.id: speaker for speaker in speakers}
        self.viewport().update()

    def name_of(self, speaker: str | None) -> str:
        """The name for an id, "" for nobody."""
        found = self._painter.speakers.get(speaker or "")
        return found.name if found is not None else ""

    def text(self) -> str:
        """Everything that is final, a segment a line, behind the name of who says it."""
        return "\n".join(
            f"{name}: {line.text}" if (name := self.name_of(line.speaker)) else line.text
            for line in self.flow.lines[: self.flow.settled]
        )

    def show_marks(self, marks: Sequence[float]) -> None:
        """Show beside their lines which moments of the recording are marked, in seconds."""
        if tuple(marks) != self._painter.marks:
            self._painter.marks = tuple(marks)
            self.viewport().update()

    def marks_at_caret(self) -> tuple[float, ...]:
        """The marked moments of the line that the caret is in."""
        index = self.selection.caret[0]
        return self._painter.marks_in(index) if index < len(self.flow.lines) else ()

    def say(self, index: int) -> None:
        """Give the line to screen readers, with who speaks. They read its words themselves at the caret."""
        line = self.flow.lines[index]
        marked = _("Marked") if self._painter.marks_in(index) else ""
        lead = ", ".join(filter(None, (self.name_of(line.speaker), marked, wording.clock(line.start))))
        spoken = f"{lead}: {line.text}"
        if spoken != self.accessibleDescription():
            self.setAccessibleDescription(spoken)
            announce(self, lead if HAS_TEXT_INTERFACE else spoken)

    # Playing.

    def show_playing(self, seconds: float | None, word: tuple[int, int] = (0, 0)) -> None:
        """Mark the line that is playing, None for none, and the characters of the word in it. The next one comes into
        view if that one was."""
        line = self.flow.line_at(seconds) if seconds is not None else -1
        painter = self._painter
        if (line, word) == (painter.playing, painter.spoken):
            return
        before, follow = painter.playing, not self.is_playing_hidden()
        painter.playing, painter.spoken = line, word
        if line >= 0 and before >= 0 and follow:
            self.reveal(line, word[0])
        for each in {before, line}:
            if 0 <= each < len(self.flow.lines):
                top = floor(self.placement.top_of(each))
                height = ceil(self.flow.bottom_of(each) - self.flow.top_of(each)) + 1
                self.viewport().update(0, top, self.viewport().width(), height)

    def is_playing_hidden(self) -> bool:
        """Whether something is playing, and its words are out of sight."""
        line = self._painter.playing
        if not 0 <= line < self.flow.settled:
            return False
        spans = self.flow.spans(line, self._painter.spoken[0], self._painter.spoken[0] + 1) or [(0.0, 0.0, 0.0)]
        y = self.placement.top_of(line) + spans[0][2]
        return not -self._row / 2 < y < self.viewport().height() - self._row / 2

    def reveal_playing(self) -> None:
        """Bring the words that are heard into view, and keep them there."""
        if self._painter.playing >= 0:
            self.follower.stop()
            self.reveal(self._painter.playing, self._painter.spoken[0])

    def show_time(self, seconds: float) -> None:
        """Bring the words of a time into view."""
        line = self.flow.line_at(seconds)
        if line >= 0:
            self.follower.stop()
            self.reveal(line, 0)

    def is_playing(self, seconds: float) -> bool:
        """Whether the line of that time is the one that is playing."""
        return self._painter.playing >= 0 and self.flow.line_at(seconds) == self._painter.playing

    # Finding.

    def look_for(self, query: Query, near: Place | None = None) -> None:
        """Mark every place of a text and show the first one from a place on, or else from the top of the view."""
        top = (self.flow.at(self._bar.value()), 0) if self.flow.lines else (0, 0)
        self.finder.look_for(query, top if near is None else near)
        self._show_hit()

    def look_on(self, step: int) -> None:
        """Show the next hit (`step` 1) or the previous one (-1)."""
        self.finder.step(step)
        self._show_hit()

    def _show_hit(self) -> None:
        hit = self.finder.hit
        if hit is not None:
            self.follower.stop()
            self.place_caret((hit[0], hit[1]))  # what is typed after the search goes where the reader looks
        self.viewport().update()

    # Scrolling.

    def reveal(self, index: int, character: int) -> None:
        """Scroll so that a place in the text is well in view."""
        self.flow.refine(index, index)
        spans = self.flow.spans(index, character, character + 1) or [(0.0, 0.0, 0.0)]
        y, top = self.flow.top_of(index) + spans[0][2] + S4, self._bar.value()
        if not top + S6 < y < top + self.viewport().height() - 2 * self._row:
            self.follower.halt()
            self._bar.setValue(int(y - self.viewport().height() / 3))

    def _resize_content(self) -> None:
        self._bar.setPageStep(max(self.viewport().height() - 2 * self._row, self._row))
        self.follower.set_range(ceil(max(self.flow.height, self._floor)) + S4 + S6)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out_anew()

    def _resize_text(self) -> None:
        self._bar.setSingleStep(line_height(self._theme.text_size))
        self._lay_out_anew()
        self.viewport().update()

    def _lay_out_anew(self) -> None:
        """Another width or size of the text; its top line stays."""
        place = self.placement.first_visible()
        self._painter.left, width = self.column()
        self.flow.set_type(*_type(self._theme.text_size))
        self.flow.set_width(width)
        if self.flow.lines:
            self.flow.refine(place[0], place[0] + 2 + self.viewport().height() // self._row)
            self._idle.start()
        self._resize_content()
        self._restore(place)

    def scroll_position(self) -> ScrollPosition:
        """Where the view stands in its text."""
        return ScrollPosition(*self.placement.first_visible(), self.follower.following)

    def scroll_to(self, position: ScrollPosition) -> None:
        """Stand where another view of the same text stood."""
        self.follower.following = position.following
        self.flow.refine(position.line, position.line + 2 + self.viewport().height() // self._row)
        self._resize_content()
        self._restore((position.line, position.above))

    def _restore(self, place: tuple[int, float]) -> None:
        if self.follower.growing and self.follower.following:
            self.follower.keep_end()
        elif self.flow.lines and place != (0, -S4):
            self.follower.scroll_to(round(self.flow.begin_of(place[0]) + place[1]) + S4)

    def _measure_more(self) -> None:
        place = self.placement.first_visible()
        if not self.flow.refine_next(_IDLE_SLICE):
            self._idle.stop()
        self._resize_content()
        self._restore(place)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self.viewport()) as painter:
            painter.fillRect(event.rect(), self._theme.palette.color("page"))
            if self.flow.lines:
                top = event.rect().top() + self._bar.value() - S4
                index = self.flow.first_at(top)
                while index < len(self.flow.lines) and self.flow.begin_of(index) <= top + event.rect().height():
                    self.flow.refine(index, index)
                    self._painter.paint(
                        painter, index, self.placement.top_of(index), self.hasFocus() and self._caret_wanted
                    )
                    index += 1

    def _fade(self) -> None:
        now = time.monotonic()
        self.flow.corrections = [mark for mark in self.flow.corrections if now - mark.at < FADE_SECONDS]
        if not self.flow.corrections:
            self._fading.stop()
        self.viewport().update()

    # Mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release()

    def leaveEvent(self, event: QEvent) -> None:
        self._mouse.leave()
        super().leaveEvent(event)

    def _ask_time(self, index: int) -> None:
        self.time_asked.emit(self.flow.lines[index].start)

    def _hover(self, index: int) -> None:
        self._painter.hovered = index
        self.viewport().update()

    def ask_speaker(self, index: int) -> None:
        """Ask for the card of the speaker whose name stands over a line, or over one before it."""
        speaker = self.flow.lines[index].speaker
        while index > 0 and not self.flow.lines[index].lead:
            index -= 1
        if speaker in self._painter.speakers:
            place = self.placement.name_rect(index)
            inside = place.intersected(self.viewport().rect())
            place = inside if not inside.isEmpty() else QRect(place.left(), 0, place.width(), 1)
            self.speaker_asked.emit(speaker, QRect(self.viewport().mapToGlobal(place.topLeft()), place.size()))

    # The menu.

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu().popup(self._under_caret())
            return
        if self.flow.lines:
            place = self.placement.place_at(QPointF(self.viewport().mapFromGlobal(QCursor.pos())))
            first, last = self.selection.range
            if not (self.selection.has_selection and first <= place <= last):
                self.selection.put(place, False)
                self._cursor_moved()
        self.menu().popup(event.globalPos())

    def _under_caret(self) -> QPoint:
        """Under the caret, on the screen."""
        return self.viewport().mapToGlobal(self.placement.under_caret(self.selection.caret))

    def menu(self) -> QMenu:
        """What can be done with the text under the mouse, and with those who speak."""
        made = QMenu(self)
        made.aboutToHide.connect(made.deleteLater)
        if self.is_editable:
            self._actions.item(made, "cut", self.cut).setEnabled(self.selection.has_selection)
        self._actions.item(made, "copy_selection", self.copy).setEnabled(self.selection.has_selection)
        if self.is_editable:
            self._actions.item(made, "paste", self.paste).setEnabled(bool(QGuiApplication.clipboard().text()))
        self._actions.item(made, "select_all", self._select_all).setEnabled(bool(self.flow.lines))
        self.menu_asked.emit(made)
        return made

    # Keyboard.

    def copy(self) -> None:
        """Put what is selected on the clipboard, if anything is."""
        if self.selection.has_selection:
            QGuiApplication.clipboard().setText(self.selection.text())

    def cut(self) -> None:
        """Move what is selected to the clipboard."""
        if self.is_editable and self.selection.has_selection:
            self.copy()
            self.edit_asked.emit(*self.selection.range, "")

    def paste(self) -> None:
        """Put the clipboard's text in the place of what is selected."""
        text = QGuiApplication.clipboard().text()
        if self.is_editable and text and self.flow.lines:
            self.edit_asked.emit(*self.selection.range, text)

    def _select_all(self) -> None:
        self.selection.select_all()
        self._cursor_moved()

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._caret_wanted = True  # who comes by keyboard has to see where the focus is
        super().focusInEvent(event)
        self.viewport().update()

    def event(self, event: QEvent) -> bool:
        """What types is no shortcut while the text can be edited."""
        if event.type() == QEvent.Type.ShortcutOverride and self._edit_of(cast("QKeyEvent", event)) is not None:
            event.accept()
            return True
        return super().event(event)

    def _edit_of(self, event: QKeyEvent) -> Edit | None:
        return key_edit(event, self.selection) if self.is_editable and self.flow.lines else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        edit = self._edit_of(event)
        if edit is not None:
            self.edit_asked.emit(*edit)
            return
        steps = {
            Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
            Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
        }
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() in steps:
            self._bar.triggerAction(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_F10 and shift:
            self.menu().popup(self._under_caret())
        elif self.selection.move(event.key(), control, shift):
            self.reveal(*self.selection.caret)
            self._cursor_moved()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """What an input method has composed is typed; what it still composes is shown at the caret."""
        if not self.is_editable or not self.flow.lines:
            event.ignore()
            return
        self._compose("")
        edit = input_method_edit(event, self.selection)
        if edit is not None:
            self.edit_asked.emit(*edit)
        self._compose(event.preeditString())
        event.accept()

    def _compose(self, text: str) -> None:
        self.flow.compose(*self.selection.caret, text)
        self.viewport().update()

    def inputMethodQuery(self, query: Qt.InputMethodQuery) -> Any:
        """What input methods ask about the text around the caret."""
        index, character = self.selection.caret
        text = self.flow.lines[index].text if index < len(self.flow.lines) else ""
        anchor = self.selection.anchor[1] if self.selection.anchor[0] == index else character

        def caret_rect() -> QRect:
            return self.placement.caret_rect(self.selection.caret)

        answers: dict[Qt.InputMethodQuery, Callable[[], Any]] = {
            Qt.InputMethodQuery.ImEnabled: lambda: self.is_editable,
            Qt.InputMethodQuery.ImReadOnly: lambda: not self.is_editable,
            Qt.InputMethodQuery.ImCursorRectangle: caret_rect,
            Qt.InputMethodQuery.ImAnchorRectangle: caret_rect,
            Qt.InputMethodQuery.ImFont: lambda: self.flow.font,
            Qt.InputMethodQuery.ImSurroundingText: lambda: text,
            Qt.InputMethodQuery.ImCursorPosition: lambda: character,
            Qt.InputMethodQuery.ImAnchorPosition: lambda: anchor,
            Qt.InputMethodQuery.ImCurrentSelection: self.selection.text,
        }
        answer = answers.get(query)
        return answer() if answer is not None else super().inputMethodQuery(query)

    def _cursor_moved(self) -> None:
        """Show the selection, and let a screen reader say the line that the caret has come to."""
        self._caret_wanted = True
        index = self.selection.caret[0]
        if index < len(self.flow.lines):
            self.say(index)
        tell_caret(self, self.offsets, self.selection.caret)
        self.updateMicroFocus()
        self.viewport().update()


def _type(pixels: int) -> tuple[QFont, int]:
    """The font of a transcript in a size, and the height of its rows."""
    return font(pixels, serif=True), line_height(pixels)
