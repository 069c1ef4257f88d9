"""Live recording in the window: its actions, what stands over its text, captions and tray."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from desktop_app.app.live.live_recording import PAUSED, RUNNING
from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import IN_WORK, RECORDING, Entry
from desktop_app.messages.options import ON
from desktop_app.texts import _
from desktop_app.ui.context import Context
from desktop_app.ui.recording.captions import Captions
from desktop_app.ui.recording.check_bar import CheckBar
from desktop_app.ui.recording.input_menu import InputMenu, short
from desktop_app.ui.recording.listening import Listening, OpenStream
from desktop_app.ui.recording.recovery_bar import RecoveryBar
from desktop_app.ui.recording.strip import LiveStrip
from desktop_app.ui.recording.tray import Tray
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.widgets.banner import NOTICE, Banner
from desktop_app.ui.widgets.confirm import confirm

_LONGEST = 20  # characters of an input's name on a button
_LAST_WORDS_MS = 10_000  # that the window waits for when it closes; the sound is whole long before


class RecordingController(QObject):
    """The window's side of a live session.

    Attributes: strip (over the text of what is recorded), lost (what is wrong with the sound), check (over a text that
    was written live), recovery_bar (over every page), captions, tray (None where the user wants none, or the system has
    none), closing (whether the user has said that the window may go).
    Signals: told(sentence) when something was done; entry_asked(id) when a recording is to be shown.
    """

    told = Signal(str)
    entry_asked = Signal(str)

    def __init__(self, window: QWidget, page: TranscriptPage, context: Context, open_stream: OpenStream) -> None:
        super().__init__(window)
        self._window, self._page, self._open_stream = window, page, open_stream
        theme, actions, core = context.theme, context.actions, context.core
        self._theme, self._actions, self._current = theme, actions, context.current
        self._session, self._live, self._preferences = core.session, core.live, core.preferences
        self._last: str | None = None  # the recording that is finished before the window closes
        self.closing = False
        self.strip = LiveStrip(theme, actions)
        self.lost = Banner(theme, NOTICE, "unplugged")
        self._another = self.lost.add_button(_("Use another input"), "plain")
        self._another.clicked.connect(self._use_another)
        self.captions = Captions(core.preferences)  # nobody's child: it stays when the window is minimised
        self._was_on = False
        self._captions_wanted = False  # whether they were open when the last recording stopped
        self.tray: Tray | None = None
        self.check = CheckBar(theme, core.checks)
        self.recovery_bar = RecoveryBar(theme, core.recovery)
        self._connect()
        core.checks.changed.connect(self._show_check)
        self._show_live()
        self._place_tray()

    def _connect(self) -> None:
        live, session, actions = self._live, self._session, self._actions
        actions.on(record=live.toggle, pause=live.toggle_pause, mark=live.mark, open_window=self._open_window)
        actions.on(show_live=self._show_recording)
        self._page.view.menu_asked.connect(self._fill_menu)
        session.marked.connect(self._show_marks)
        actions["captions"].triggered.connect(self.captions.setVisible)
        self.captions.shown.connect(actions["captions"].setChecked)
        self.strip.inputs_asked.connect(lambda: self.open_inputs(self.strip.inputs))
        live.changed.connect(self._show_live)
        live.levelled.connect(self._show_level)
        live.refused.connect(session.tell)
        live.told.connect(self.told.emit)
        self._current.changed.connect(self._place)
        session.changed.connect(self._show_entry)
        session.text_changed.connect(self._show_text)
        session.added.connect(self._added)
        live.changed.connect(self._close_when_done)
        session.changed.connect(lambda key: self._close_when_done())
        self._preferences.changed.connect(self._place_tray)

    # What the user asks for.

    def open_inputs(self, beside: QWidget) -> None:
        """Ask the system for its inputs, then show them under a control."""
        self._live.inputs.refresh(lambda: self._show_inputs(beside))

    def _show_inputs(self, beside: QWidget) -> None:
        menu = self.input_menu()
        menu.popup(beside.mapToGlobal(QPoint(0, beside.height())))

    def input_menu(self) -> InputMenu:
        """The inputs that were found, with the level of the one in use."""
        live = self._live
        in_use = live.inputs.chosen
        menu = InputMenu(self._theme, live.inputs, in_use, live.switch, self._window)
        if live.is_on:
            menu.follow(live)
        elif in_use is not None:
            listening = Listening(self._open_stream, in_use.id, self._session.worker.post, self)
            listening.levelled.connect(menu.meter.set_peak)
            listening.refused.connect(menu.say_problem)
            menu.aboutToHide.connect(listening.close)
        return menu

    def _use_another(self) -> None:
        another = self._live.inputs.another_than(self._live.source)
        if another is not None:
            self._live.switch(another)

    def may_close(self) -> bool:
        """Whether the window may go. While something is recorded it asks, stops, and closes when that is whole."""
        entry = self._live.entry
        if not self._live.is_on or self.closing:
            return True
        text = _("The audio and the text recorded so far are kept.")
        if confirm(self._window, _("Stop recording and close Galley?"), text, _("Stop and close")):
            self._last = entry.id if entry is not None else ""
            self._live.stop()
            self.told.emit(_("Finishing the transcript…"))
            QTimer.singleShot(_LAST_WORDS_MS, self, self._close)
        return False

    @property
    def is_ending(self) -> bool:
        """Whether the window closes when the recording is whole."""
        return self._last is not None

    def replace(self, before: RecordingController) -> None:
        """Show the captions if they were shown over the window that this one's takes the place of."""
        shown = before.captions.isVisible()
        before.captions.hide()
        before.captions.deleteLater()
        before.remove_tray()
        entry = self._live.entry
        if entry is not None:
            self.strip.show_entry(entry)
            self._show_text(entry.id)
        self.captions.setVisible(shown)

    def _close_when_done(self) -> None:
        entry = self._session.entries.get(self._last or "")
        if self._last is not None and not self._live.is_on and (entry is None or entry.state not in IN_WORK):
            self._close()

    def _close(self) -> None:
        if not self.closing:
            self.closing = True
            self._window.close()

    # What is shown.

    def _added(self, key: str) -> None:
        if self._session.entries[key].state == RECORDING:
            self.captions.show_text((), ())
            if self._captions_wanted:
                self.captions.show()
            self.entry_asked.emit(key)

    def _show_live(self) -> None:
        self._place_captions()
        self._show_time()
        self._show_problem()
        self._place()
        self._actions["mark"].setEnabled(self._live.phase in (RUNNING, PAUSED))
        self.strip.show_live(self._live)

    def _place_captions(self) -> None:
        """Nothing is said when the recording is over: then they would only cover the player. The next one opens them
        again."""
        was_on, self._was_on = self._was_on, self._live.is_on
        if was_on and not self._was_on:
            self._captions_wanted = self.captions.isVisible()
            self.captions.hide()

    def _show_level(self) -> None:
        self.strip.show_level(self._live)
        self._show_time()

    def _show_time(self) -> None:
        record, shown = self._actions["record"], self._actions["show_live"]
        if self._live.is_on:
            record.show_as(_("Stop recording"), icon="stop", tint="bad")
            time, text = wording.clock(self._live.seconds), _(shown.description.text)
            paused, deaf = self._live.phase == PAUSED, self._live.is_deaf
            words = wording.recording(time, paused, deaf)
            shown.show_as(words, text, tint="" if paused or deaf else "bad")
        else:
            record.show_as(_(record.description.label), _(record.description.text), "mic")
        shown.setEnabled(self._live.entry is not None)

    def _show_problem(self) -> None:
        another = self._live.inputs.another_than(self._live.source) if self._live.is_deaf else None
        self._another.setVisible(another is not None)
        if another is not None:
            self._another.setText(_("Use {input}", input=short(another.name, _LONGEST)))
            self._another.setToolTip(another.name)
        self._say_lost()

    def _say_lost(self) -> None:
        """What is wrong with the sound, over the recording that is made."""
        entry = self._live.entry
        here = entry is not None and entry.id == self._current.key
        self.lost.say(sentence(*self._live.problems) if here else "")

    def _place(self) -> None:
        """Show the strip and what is wrong only over the recording that is made."""
        entry = self._live.entry
        here = entry is not None and entry.id == self._current.key
        self.strip.setVisible(here)
        self._say_lost()
        self.check.show_check(self._current.key)

    def _place_tray(self) -> None:
        wanted = self._preferences.tray == ON and QSystemTrayIcon.isSystemTrayAvailable()
        if wanted and self.tray is None:
            self.tray = Tray(self._live, self._actions, self._window)
        elif not wanted:
            self.remove_tray()

    def remove_tray(self) -> None:
        """Take the icon away."""
        if self.tray is not None:
            self.tray.close()
            self.tray = None

    def _show_entry(self, key: str) -> None:
        entry = self._live.entry
        if entry is not None and entry.id == key:
            self.strip.show_entry(entry)
        self._show_check(key)

    def _show_check(self, key: str) -> None:
        if key == self._current.key:
            self.check.show_check(key)

    def _show_text(self, key: str) -> None:
        entry = self._session.entries.get(key)
        if entry is not None and entry.live is not None and self._is_newest_live(entry):
            self.captions.show_text(entry.segments, entry.lines)

    def _is_newest_live(self, entry: Entry) -> bool:
        return entry is (self._live.entry or entry)

    def _show_recording(self) -> None:
        if self._live.entry is not None:
            self.entry_asked.emit(self._live.entry.id)

    # Marks.

    def _fill_menu(self, menu: QMenu) -> None:
        """The marks of the line under the caret can be removed."""
        entry = self._current.entry
        for mark in self._page.view.marks_at_caret() if entry is not None else ():
            left = tuple(each for each in entry.marks if each != mark) if entry is not None else ()
            text = _("Remove the mark at {time}", time=wording.clock(mark))
            menu.addAction(text, partial(self._session.mark, self._current.key, left))

    def _show_marks(self, key: str) -> None:
        entry = self._session.entries.get(key)
        if key == self._current.key and entry is not None:
            self._page.view.show_marks(entry.marks)

    def _open_window(self) -> None:
        self._window.showNormal()
        self._window.raise_()
        self._window.activateWindow()
