"""Playing in the window: what the user asks for by bar, key or click, and what is shown of it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QMenu

from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import IN_WORK, RECORDING, Entry
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Span, Transcript
from desktop_app.ui.context import Context
from desktop_app.ui.player.bar import PlayerBar
from desktop_app.ui.player.pill import PlayingPill
from desktop_app.ui.player.playback import SPEEDS, Playback
from desktop_app.ui.player.seek_line import STEP
from desktop_app.ui.player.turns import Lane
from desktop_app.ui.player.waveforms import Waveforms
from desktop_app.ui.player.words import span_at, spoken
from desktop_app.ui.transcript.page import TranscriptPage
from desktop_app.ui.widgets.speaker_badge import look_of

_SHORTEST_LOOP = 0.5  # seconds
_CLOSER = 2.0  # times, for one step of zoom


class PlayerController(QObject):
    """Attributes: bar (under the text).

    Signals: changed() when it is another matter whether the recording that is looked at can be played; previewed() when
    a stretch of it begins or ends to be heard by itself, or could be.
    """

    changed = Signal()
    previewed = Signal()

    def __init__(self, page: TranscriptPage, context: Context, playback: Playback, waveforms: Waveforms) -> None:
        super().__init__(page)
        self._page, self._view, self._playback, self._waveforms = page, page.view, playback, waveforms
        self._theme, self._actions, self._current = context.theme, context.actions, context.current
        self._session, self._preferences = context.core.session, context.core.preferences
        self._refused: dict[str, Problem] = {}  # why recordings cannot be played
        self.bar = PlayerBar(self._theme, self._actions)
        self._pill = PlayingPill(self._view, self._theme)
        self._shown: tuple[str, bool, Transcript] | None = None  # the recording, whether it was in work, its text
        page.put_under(self.bar)
        playback.set_speed(_number(self._preferences.text("play_speed"), 1.0, SPEEDS[0], SPEEDS[-1]))
        playback.set_volume(_number(self._preferences.text("play_volume"), 1.0, 0.0, 1.0))
        self.bar.show_speed(playback.speed)
        self.bar.volume.show_volume(playback.volume)
        self._connect()
        self._refresh(self._current.key)

    def _connect(self) -> None:
        self._actions.on(
            play=self.toggle,
            play_here=self.play_caret,
            back=partial(self.skip, -STEP),
            forward=partial(self.skip, STEP),
            slower=partial(self.step_speed, -1),
            faster=partial(self.step_speed, 1),
            loop=self._follow_loop,
            zoom_in=partial(self.zoom, _CLOSER),
            zoom_out=partial(self.zoom, 1 / _CLOSER),
            zoom_off=self.bar.visible.show_all,
        )
        self.bar.visible.changed.connect(self._show_zoom)
        self._page.window().installEventFilter(self)
        self.bar.line.sought.connect(self.seek)
        self.bar.again_asked.connect(self.try_again)
        self.bar.speed_chosen.connect(self.choose_speed)
        self.bar.volume.chosen.connect(self.choose_volume)
        self._view.time_asked.connect(self._play_line)
        self._view.clicked.connect(self._seek_word)
        self._view.menu_asked.connect(self._fill_menu)
        self._current.changed.connect(lambda: self._refresh(self._current.key))
        self._session.changed.connect(self._refresh)
        self._session.revised.connect(self._refresh)
        self._session.marked.connect(self._show_marks)
        self._session.text_changed.connect(self._refresh)
        self._playback.changed.connect(self._show_playing)
        self._playback.changed.connect(self.previewed)
        self.changed.connect(self.previewed)
        self._playback.moved.connect(self._show_playing)
        self._playback.refused.connect(self._refuse)
        self._waveforms.grew.connect(self._show_peaks)
        self._waveforms.missing.connect(self._miss)
        self._theme.changed.connect(self._retint)

    # What the user asks for.

    @property
    def can_play(self) -> bool:
        """Whether the recording that is looked at can be heard."""
        entry = self._current.entry
        return entry is not None and _has_sound(entry) and entry.id not in self._refused

    def toggle(self) -> None:
        """Play from where it was left, or pause."""
        entry = self._current.entry
        if entry is None or not self.can_play:
            return
        if self._playback.is_playing(entry.id):
            self._playback.stop()
        else:
            self._playback.resume(entry.id, entry.path)
            self._view.show_time(self._playback.seconds)

    def play_caret(self) -> None:
        """Play from the word at the caret."""
        entry, (line, character) = self._current.entry, self._view.selection.caret
        if entry is not None and line < len(entry.segments):
            self.play_from(span_at(entry.segments[line], character)[0])

    def play_from(self, seconds: float) -> None:
        """Play from a time on, and show the words there."""
        entry = self._current.entry
        if entry is not None and self.can_play:
            self._view.show_time(seconds)
            self._playback.play(entry.id, entry.path, seconds)

    def toggle_preview(self, span: Span) -> None:
        """Play a stretch by itself, or stop it; the place of the recording stays."""
        entry = self._current.entry
        if self.is_previewing(span):
            self._playback.stop()
        elif entry is not None and self.can_play:
            self._view.show_time(span[0])
            self._playback.play(entry.id, entry.path, *span, purpose=_preview(span))

    def is_previewing(self, span: Span) -> bool:
        """Whether a stretch of what is looked at is heard by itself."""
        return bool(self._current.key) and (self._playback.key, self._playback.purpose) == (
            self._current.key,
            _preview(span),
        )

    def seek(self, seconds: float) -> None:
        """Go to a time, playing or not."""
        entry = self._current.entry
        if entry is not None and self.can_play:
            self._view.show_time(seconds)
            self._playback.seek(entry.id, entry.path, min(max(seconds, 0.0), entry.seconds))

    def skip(self, seconds: float) -> None:
        """Go back or forward."""
        self.seek(self._playback.place(self._current.key) + seconds)

    def step_speed(self, step: int) -> None:
        """Play slower (-1) or faster (1)."""
        later = [speed for speed in SPEEDS if (speed - self._playback.speed) * step > 0]
        if later:
            self.choose_speed(min(later) if step > 0 else max(later))

    def choose_speed(self, speed: float) -> None:
        """Play so many times as fast, now and later."""
        self._playback.set_speed(speed)
        self._preferences.set("play_speed", str(speed))
        self.bar.show_speed(speed)

    def choose_volume(self, volume: float) -> None:
        """Play so loud, now and later."""
        self._playback.set_volume(volume)
        self._preferences.set("play_volume", str(volume))

    def zoom(self, factor: float) -> None:
        """Show a part of the waveform that is so many times shorter, around where it is heard if that is in sight."""
        self.bar.visible.zoom(factor, self._playback.place(self._current.key))

    def try_again(self) -> None:
        """Play what could not be played."""
        self._refused.pop(self._current.key, None)
        self._refresh(self._current.key)
        self.toggle()

    def _play_line(self, seconds: float) -> None:
        """A time was clicked: play from there, or stop what is playing there."""
        if self._playback.is_playing(self._current.key) and self._view.is_playing(seconds):
            self._playback.stop()
        else:
            self.play_from(seconds)

    def _seek_word(self, line: int, character: int) -> None:
        """A word was clicked: what is heard is heard there, and what is paused goes on there."""
        entry = self._current.entry
        if entry is not None and line < len(entry.segments) and self.can_play:
            self._playback.seek(entry.id, entry.path, span_at(entry.segments[line], character)[0])

    def _fill_menu(self, menu: QMenu) -> None:
        item = self._actions.item(menu, "play_here", self.play_caret)
        item.setEnabled(self.can_play)

    def _follow_loop(self) -> None:
        looped = self._actions["loop"].isChecked()
        self._actions["loop"].show_as(_("Repeat this line"), tint="accent" if looped else "")
        self._playback.set_loop(self._line_at if looped else None)

    def _line_at(self, key: str, seconds: float) -> Span | None:
        """The line of a time, for it to be repeated."""
        entry = self._session.entries.get(key)
        found = [each for each in entry.segments if each.speech_start <= seconds + 0.01] if entry is not None else []
        if not found:
            return None
        line = found[-1]
        return line.speech_start, max(line.end, line.speech_start + _SHORTEST_LOOP)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Space plays and pauses wherever nothing else wants it: it comes to the window only then."""
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
            and not event.modifiers()
            and self._actions["play"].isEnabled()
        ):
            self.toggle()
            return True
        return False

    # What is shown.

    def _miss(self, path: str) -> None:
        entry = self._current.entry
        if entry is not None and entry.path == path:
            self._refuse(entry.id, Problem("file.missing"))

    def _refuse(self, key: str, problem: Problem) -> None:
        entry = self._session.entries.get(key)
        if entry is None:
            return
        missing = problem.code == "file.missing"
        self._refused[key] = Problem("file.moved", name=entry.file_name) if missing else problem
        self._refresh(key)

    def _refresh(self, key: str) -> None:
        if key == self._current.key:
            self._show_recording()
            self._show_state()
            self._show_playing()
            self._read_peaks()

    def _show_recording(self) -> None:
        entry = self._current.entry
        if entry is not None:
            shown, self._shown = self._shown, (entry.id, entry.state in IN_WORK, entry.shown())
            if shown is None or shown[0] != entry.id:
                self.bar.visible.show_all()
            if shown is None or shown[:2] != self._shown[:2] or not speakers.have_same_turns(shown[2], self._shown[2]):
                self.bar.show_recording(entry.seconds, self._lanes(entry))
            self.bar.line.show_marks(entry.marks)

    def _show_marks(self, key: str) -> None:
        entry = self._current.entry
        if entry is not None and key == entry.id:
            self.bar.line.show_marks(entry.marks)

    def _retint(self) -> None:
        self._shown = None
        self._show_recording()

    def _lanes(self, entry: Entry) -> list[Lane]:
        """A lane a speaker; live they still change."""
        if not entry.speakers or entry.state in IN_WORK:
            return []
        shown, colors = entry.shown(), self._theme.palette
        turns = speakers.turns(shown)
        return [(each.name, QColor(look_of(each.id).ink(colors)), turns[each.id]) for each in shown.speakers]

    def _show_state(self) -> None:
        entry = self._current.entry
        problem = self._refused.get(entry.id) if entry is not None else None
        self.bar.setVisible(entry is not None and _has_sound(entry))
        moved = problem is not None and problem.code == "file.moved"
        self.bar.say(sentence(problem) if problem is not None else "", has_moved=moved)
        self._show_zoom()
        self.changed.emit()

    def _show_zoom(self) -> None:
        visible = self.bar.visible
        self._actions["zoom_in"].setEnabled(self.can_play and visible.can_zoom_in)
        for name in ("zoom_out", "zoom_off"):
            self._actions[name].setEnabled(self.can_play and visible.is_zoomed)

    def _read_peaks(self) -> None:
        entry = self._current.entry
        if entry is not None and self.can_play and entry.state not in IN_WORK:
            self._waveforms.read(entry.path)
        self.bar.show_peaks(self._waveforms.peaks(entry.path if entry is not None else ""))

    def _show_peaks(self, path: str) -> None:
        entry = self._current.entry
        if entry is not None and entry.path == path:
            self.bar.show_peaks(self._waveforms.peaks(path))

    def _show_playing(self) -> None:
        key, entry = self._current.key, self._current.entry
        is_here = bool(key) and self._playback.key == key
        seconds = self._playback.seconds if is_here else None
        self._view.show_playing(seconds, self._letters(entry, seconds))
        self.bar.show_place(self._playback.place(key))
        playing = self._playback.is_playing(key)
        self._actions["play"].show_as(_("Pause") if playing else _("Play"), icon="pause" if playing else "play")
        self._pill.place()

    def _letters(self, entry: Entry | None, seconds: float | None) -> tuple[int, int]:
        if entry is None or seconds is None:
            return 0, 0
        line = self._view.flow.line_at(seconds)
        return spoken(entry.segments[line], seconds) if 0 <= line < len(entry.segments) else (0, 0)


def _preview(span: Span) -> str:
    """What a stretch is played for."""
    return f"{span[0]:.2f}-{span[1]:.2f}"


def _has_sound(entry: Entry) -> bool:
    return entry.state != RECORDING and entry.seconds > 0


def _number(kept: str, default: float, least: float, most: float) -> float:
    """A number from the settings file, which anybody may have written."""
    try:
        value = float(kept)
    except ValueError:
        return default
    return min(max(value, least), most) if value == value else default
