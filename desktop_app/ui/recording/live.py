"""Recording and writing along: one live session after the other. No widget in here.

The sound goes from the recorder to the disk and then to the engine, in the recorder's thread; this class only tells
both when to begin and to end, and the window how it stands.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop_app.audio.microphone import Input, MicrophoneProblem
from desktop_app.audio.recording import Recorded, new_place
from desktop_app.library.store import Library, Recording
from desktop_app.ui.entry import IN_WORK, Entry, LiveState
from desktop_app.ui.errands import Errands
from desktop_app.ui.keeper import Keeper
from desktop_app.ui.recording.feed import Feed
from desktop_app.ui.recording.inputs import Inputs
from desktop_app.ui.recording.take import MakeRecorder, Take
from desktop_app.ui.session import EnginePort, Session
from desktop_app.ui.settings.preferences import Preferences
from desktop_app.ui.words import missing

OFF, OPENING, RUNNING, PAUSED, STOPPING = "off", "opening", "running", "paused", "stopping"


class Live(QObject):
    """The live session that runs, if any.

    Attributes:
        phase: OFF; OPENING until the first sample has arrived; RUNNING; PAUSED; STOPPING until the file is whole.
        entry: the recording that is made; None while OFF.
        source: the name of the input in use.
        peak: how loud it is now, 0 to 1. seconds: how much is recorded.
        problem: an input that is gone or a disk that is nearly full, until that is over; else None.
    Signals:
        changed(): phase, source or problem is another one.
        levelled(): level and time.
        refused(reason, remedy): the recording could not begin.
        told(sentence): something happened that needs no answer.
    """

    changed = Signal()
    levelled = Signal()
    refused = Signal(str, str)
    told = Signal(str)

    def __init__(
        self,
        session: Session,
        engine: EnginePort,
        library: Library | None,
        keeper: Keeper,
        inputs: Inputs,
        make_recorder: MakeRecorder,
        preferences: Preferences,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._engine, self._library, self._keeper = session, engine, library, keeper
        self.inputs, self._make_recorder, self._preferences = inputs, make_recorder, preferences
        self._feeds: deque[Feed] = deque()  # the first one is the engine's
        session.changed.connect(self._feed_next)
        session.removed.connect(self._feed_next)
        self._errands = Errands("live", self)
        self._take: Take | None = None
        self._stop_asked = False
        self.phase = OFF
        self.entry: Entry | None = None
        self.source = ""
        self.peak = 0.0
        self.seconds = 0.0
        self.problem: MicrophoneProblem | None = None

    # What the user asks for.

    def toggle(self) -> None:
        """Start, or stop what runs."""
        if self.phase == OFF:
            self.start()
        else:
            self.stop()

    def start(self) -> None:
        """Record from the chosen input and write along."""
        if self.phase != OFF:
            return
        self.peak, self.seconds, self.problem, self._stop_asked = 0.0, 0.0, None, False
        self._move(OPENING)
        folder = self._preferences.recordings
        self.inputs.refresh(lambda: self._errands.do(partial(new_place, folder), self._store, self._refuse))

    def stop(self) -> None:
        """End the recording; its text is finished afterwards."""
        if self.phase in (OFF, STOPPING):
            return
        self._stop_asked = True
        if self._take is not None:
            self._move(STOPPING)
            self._take.stop()

    def toggle_pause(self) -> None:
        """Leave out what is said for a while, or go on."""
        if self._take is None or self.entry is None or self.phase not in (RUNNING, PAUSED):
            return
        if self.phase == RUNNING:
            self._take.pause()
            self.peak = 0.0
            self._show_pause(True)
            self._move(PAUSED)
        else:
            self._take.resume()
            self._move(OPENING)

    def switch(self, wanted: Input) -> None:
        """Record from another input, now and the next time."""
        self.inputs.choose(wanted)
        if self._take is not None and self.phase != STOPPING:
            self.source = wanted.name
            self._take.switch(wanted.id)
            self.changed.emit()

    @property
    def is_on(self) -> bool:
        """Whether the microphone is open or about to be."""
        return self.phase != OFF

    @property
    def is_deaf(self) -> bool:
        """Whether nothing is heard because of the input; a problem of the disk does not name it."""
        waits = self.phase in (OPENING, RUNNING)  # an input may go before its first sample has come
        return waits and self.problem is not None and self.source in self.problem.reason

    def close(self, seconds: float = 5.0) -> None:
        """The program ends: the sound is made whole, the text so far is kept."""
        if self._take is not None:
            self._take.stop()
            self._take.close(seconds)
            self._take, self.entry, self.phase = None, None, OFF
        self._errands.close()
        self.inputs.close()

    # How it begins.

    def _store(self, path: Path) -> None:
        if self._library is None:
            self._open(path, None)
        else:
            self._keeper.do(partial(self._library.add_live, str(path)), partial(self._open, path))

    def _open(self, path: Path, stored: Recording | None) -> None:
        if self._stop_asked:
            self._forget(stored.id if stored else "")
            return
        source = self.inputs.chosen
        self.source = source.name if source else ""
        self.entry = entry = self._session.record(str(path), stored)
        feed = Feed(self._engine, entry.id, entry.path, self._preferences.options)
        self._feeds.append(feed)
        self._feed_next(entry.id)
        take = self._take = Take(
            self._make_recorder,
            path,
            source.id if source else None,
            feed.hear,
            self,
        )
        take.refused.connect(self._not_opened)
        take.not_switched.connect(self._session.trouble)
        take.not_resumed.connect(self._not_resumed)
        take.began.connect(self._begin)
        take.levelled.connect(self._show_level)
        take.troubled.connect(self._show_trouble)
        take.ended.connect(self._end)
        take.start()
        self.changed.emit()

    def _refuse(self, problem: MicrophoneProblem) -> None:
        self._move(OFF)
        self.refused.emit(problem.reason, problem.remedy)

    def _not_opened(self, reason: str, remedy: str) -> None:
        self._drop()
        self.refused.emit(reason, remedy)

    def _begin(self) -> None:
        if self.phase == OPENING:
            self._show_pause(False)
            self._move(RUNNING)

    def _not_resumed(self, reason: str, remedy: str) -> None:
        self._move(PAUSED)
        self._session.trouble.emit(reason, remedy)

    def _show_pause(self, paused: bool) -> None:
        entry = self.entry
        if entry is not None:
            entry.live = replace(entry.live or LiveState(), paused=paused)
            self._session.changed.emit(entry.id)

    # How it goes on.

    def _show_level(self, peak: float) -> None:
        take, entry = self._take, self.entry
        if take is None or entry is None:
            return
        self.peak = peak if self.phase == RUNNING else 0.0
        before, self.seconds = self.seconds, take.seconds
        self.levelled.emit()
        if int(before) != int(self.seconds):
            entry.seconds = self.seconds
            self._session.changed.emit(entry.id)

    def _show_trouble(self, problem: MicrophoneProblem | None) -> None:
        self.problem = problem
        if problem is not None:
            self.peak = 0.0
            self.inputs.refresh(self.changed.emit)  # what else there is may have changed too
        self.changed.emit()
        self.levelled.emit()

    # How it ends.

    def _end(self, recorded: Recorded) -> None:
        entry = self.entry
        if self._take is None or entry is None:
            return
        if recorded.seconds <= 0:  # then there is no file either
            self._drop()
            self.told.emit(recorded.notice or "Nothing was recorded.")
            return
        if said := " ".join(filter(None, (recorded.notice, missing(recorded.gaps)))):
            self._session.trouble.emit(said.rstrip("."), "")
        self._let_go()
        self._session.recorded(entry, recorded.seconds)
        for feed in self._feeds:
            if feed.job == entry.id:
                feed.stop()
        self._move(OFF)

    def _feed_next(self, key: str) -> None:
        """Let the engine begin with the next recording when it has done with the one before."""
        if not self._feeds:
            return
        first = self._session.entries.get(self._feeds[0].job)
        if self._feeds[0].is_open and (first is None or first.state not in IN_WORK or first.problem):
            self._feeds.popleft()
        if self._feeds and not self._feeds[0].is_open:
            self._feeds[0].open()

    def _let_go(self) -> None:
        if self._take is not None:
            self._take.close()
            self._take.deleteLater()
        self._take, self.entry, self.problem, self.peak = None, None, None, 0.0

    def _drop(self) -> None:
        """Nothing came of it: no entry stays."""
        entry = self.entry
        self._let_go()
        self._forget(entry.id if entry else "")

    def _forget(self, key: str) -> None:
        if key in self._session.entries:
            self._session.remove(key)
        elif key and self._library is not None:
            self._keeper.do(partial(self._library.remove, key))
        self._move(OFF)

    def _move(self, phase: str) -> None:
        self.phase = phase
        self.changed.emit()
