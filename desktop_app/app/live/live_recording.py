"""Recording and transcribing live: one session after the other.

The sound goes from the recorder to the disk and then to the engine, in the recorder's thread; this class only tells
both when to begin and to end, and the front end how it stands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from desktop_app.app.background import BackgroundThread, Post
from desktop_app.app.live.feed import Feed
from desktop_app.app.live.inputs import Inputs
from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import end_of, sentence
from desktop_app.app.recordings.entry import IN_WORK, Entry, LiveState
from desktop_app.app.recordings.session import Session
from desktop_app.app.signals import Signal
from desktop_app.audio.microphone import Input
from desktop_app.audio.recording import Recorded, RecorderListener, new_place
from desktop_app.library.rows import Recording
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript.constants import SAMPLE_RATE

OFF, OPENING, RUNNING, PAUSED, STOPPING = "off", "opening", "running", "paused", "stopping"


class RecorderPort(Protocol):
    """What a live session needs of desktop_app.audio.recording.Recorder."""

    def start(self) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def switch(self, input_id: str) -> None: ...

    def stop(self) -> Recorded: ...


MakeRecorder = Callable[[Path, str | None, RecorderListener], RecorderPort]


class LiveRecording:
    """The live session that runs, if any.

    Attributes:
        phase: OFF; OPENING until the first sample has arrived; RUNNING; PAUSED; STOPPING until the file is whole.
        entry: the recording that is made; None while OFF.
        source: the name of the input in use.
        peak: how loud it is now, 0 to 1. seconds: how much is recorded.
        problems: an input that is gone, a disk that is nearly full, until that is over.
    Signals:
        changed(): phase, source or problems are others.
        levelled(): level and time.
        refused(problem): the recording could not begin.
        told(sentence): something happened that needs no answer.
    """

    def __init__(
        self, session: Session, inputs: Inputs, make_recorder: MakeRecorder, folder: Callable[[], Path]
    ) -> None:
        self._session, self.inputs, self._make_recorder, self._folder = session, inputs, make_recorder, folder
        self.changed: Signal[[]] = Signal()
        self.levelled: Signal[[]] = Signal()
        self.refused: Signal[Problem] = Signal()
        self.told: Signal[str] = Signal()
        self._feeds: deque[Feed] = deque()  # the first one is the engine's
        session.changed.connect(self._feed_next)
        session.removed.connect(self._feed_next)
        self._worker = BackgroundThread(
            "recorder", session.worker.post
        )  # alone calls the recorder, which may wait for a device
        self._recorder: RecorderPort | None = None
        self._stop_asked = False
        self.phase = OFF
        self.entry: Entry | None = None
        self.source = ""
        self.peak = 0.0
        self.seconds = 0.0
        self.problems: tuple[Problem, ...] = ()

    # What the user asks for.

    def toggle(self) -> None:
        """Start, or stop what runs."""
        if self.phase == OFF:
            self.start()
        else:
            self.stop()

    def start(self) -> None:
        """Record from the chosen input and transcribe live."""
        if self.phase != OFF:
            return
        self.peak, self.seconds, self.problems, self._stop_asked = 0.0, 0.0, (), False
        self._move(OPENING)
        self.inputs.refresh(self._choose_place)

    def stop(self) -> None:
        """End the recording; its text is finished afterwards."""
        if self.phase in (OFF, STOPPING):
            return
        self._stop_asked = True
        if self._recorder is not None:
            self._move(STOPPING)
            self._worker.do(self._recorder.stop)

    def toggle_pause(self) -> None:
        """Pause the recording, or resume it."""
        if self._recorder is None or self.phase not in (RUNNING, PAUSED):
            return
        if self.phase == RUNNING:
            self._worker.do(self._recorder.pause)
            self.peak = 0.0
            self._show_pause(paused=True)
            self._move(PAUSED)
        else:
            self._worker.do(self._recorder.resume, refused=self._not_resumed)
            self._move(OPENING)

    def mark(self) -> None:
        """Mark the moment that is recorded now, to be found again."""
        if self.entry is not None and self.phase in (RUNNING, PAUSED) and self.seconds > 0:
            self._session.mark(self.entry.id, (*self.entry.marks, round(self.seconds, 1)))
            self.told.emit(_("Marked at {time}", time=wording.clock(self.seconds)))

    def switch(self, wanted: Input) -> None:
        """Record from another input, now and the next time."""
        self.inputs.choose(wanted)
        if self._recorder is not None and self.phase != STOPPING:
            self.source = wanted.name
            self._worker.do(partial(self._recorder.switch, wanted.id), refused=self._not_switched)
            self.changed.emit()

    @property
    def is_on(self) -> bool:
        """Whether the microphone is open or about to be."""
        return self.phase != OFF

    @property
    def is_deaf(self) -> bool:
        """Whether no sound arrives because of the input."""
        waits = self.phase in (OPENING, RUNNING)  # an input may go before its first sample has come
        return waits and any(one.kind == "microphone" for one in self.problems)

    def close(self, seconds: float = 5.0) -> None:
        """The program ends: the sound is made whole, the text so far is kept."""
        recorder, self._recorder, self.entry, self.phase = self._recorder, None, None, OFF
        if recorder is not None:
            self._worker.do(recorder.stop)
        self._worker.close(seconds if recorder is not None else 0.0)
        self.inputs.close()

    # How it begins.

    def _choose_place(self) -> None:
        if self.inputs.problem is not None:
            self._refuse(self.inputs.problem)
        else:
            self._worker.do(partial(new_place, self._folder()), self._store, self._refuse)

    def _store(self, path: Path) -> None:
        self._session.keep(lambda library: library.add_live(str(path)), partial(self._open, path))

    def _open(self, path: Path, stored: Recording | None) -> None:
        if self._stop_asked:
            self._forget(stored.id if stored else "")
            return
        source = self.inputs.chosen
        self.source = source.name if source else ""
        self.entry = entry = self._session.record(str(path), stored)
        feed = Feed(self._session.engine, entry.id, entry.path, self._session.options)
        self._feeds.append(feed)
        self._feed_next(entry.id)
        listener = _Listener(self, feed, self._worker.post)
        self._recorder = self._make_recorder(path, source.id if source else None, listener)
        self._worker.do(self._recorder.start, refused=self._not_opened)
        self.changed.emit()

    def _refuse(self, problem: Problem) -> None:
        self._move(OFF)
        self.refused.emit(problem)

    def _not_opened(self, problem: Problem) -> None:
        if problem.code == "disk.exists" and not self._stop_asked:  # another Galley took the name in this moment
            entry = self.entry
            self._let_go()
            self._take_out(entry.id if entry else "")  # its place belongs to the other: nothing there is deleted
            self._choose_place()
            return
        self._drop()
        self.refused.emit(problem)

    def begin(self) -> None:
        """The first sample has arrived, of the recording or behind a pause."""
        if self.phase == OPENING:
            self._show_pause(paused=False)
            self._move(RUNNING)

    def _not_resumed(self, problem: Problem) -> None:
        self._move(PAUSED)
        self._session.tell(problem)

    def _not_switched(self, problem: Problem) -> None:
        self._session.tell(problem)

    def _show_pause(self, *, paused: bool) -> None:
        entry = self.entry
        if entry is not None:
            entry.live = replace(entry.live or LiveState(), paused=paused)
            self._session.changed.emit(entry.id)

    def _show_deaf(self) -> None:
        entry = self.entry
        if entry is not None:
            entry.live = replace(entry.live or LiveState(), deaf=self.is_deaf)
            self._session.changed.emit(entry.id)

    # How it goes on.

    def show_level(self, peak: float, seconds: float) -> None:
        """How loud it is, and how much is recorded."""
        entry = self.entry
        if entry is None:
            return
        self.peak = peak if self.phase == RUNNING else 0.0
        before, self.seconds = self.seconds, seconds
        self.levelled.emit()
        if int(before) != int(self.seconds):
            entry.seconds = self.seconds
            self._session.changed.emit(entry.id)

    def show_trouble(self, problems: tuple[Problem, ...]) -> None:
        """The input is lost or the disk nearly full; nothing when that is over."""
        self.problems = problems
        if problems:
            self.peak = 0.0
            self.inputs.refresh(self.changed.emit)  # what else there is may have changed too
        self._show_deaf()
        self.changed.emit()
        self.levelled.emit()

    # How it ends.

    def end(self, recorded: Recorded) -> None:
        """The sound is whole on the disk."""
        entry = self.entry
        if entry is None:
            return
        if recorded.seconds <= 0:  # then there is no file either
            self._drop()
            self.told.emit(sentence(recorded.problem) if recorded.problem else _("Nothing was recorded."))
            return
        if problems := end_of(recorded):
            self._session.tell(*problems)
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
        self._recorder, self.entry, self.problems, self.peak = None, None, (), 0.0

    def _drop(self) -> None:
        """Nothing came of it: no entry stays."""
        entry = self.entry
        self._let_go()
        self._forget(entry.id if entry else "")

    def _forget(self, key: str) -> None:
        self._take_out(key)
        self._move(OFF)

    def _take_out(self, key: str) -> None:
        self._session.forget(key)
        if key:
            self._session.keep(lambda library: library.remove(key))

    def _move(self, phase: str) -> None:
        self.phase = phase
        self.changed.emit()


class _Listener:
    """What the recorder calls, in its own thread: sound goes to the engine, the rest to the front end's thread."""

    def __init__(self, live: LiveRecording, feed: Feed, post: Post) -> None:
        self._live, self._feed, self._post = live, feed, post
        self._samples = 0

    def began(self) -> None:
        self._post(self._live.begin)

    def block(self, samples: np.ndarray, start: int) -> None:
        self._samples = start + len(samples)
        self._feed.push(samples, start)

    def level(self, peak: float, rms: float) -> None:
        self._post(partial(self._live.show_level, peak, self._samples / SAMPLE_RATE))

    def trouble(self, problems: tuple[Problem, ...]) -> None:
        self._post(partial(self._live.show_trouble, problems))

    def ended(self, recorded: Recorded) -> None:
        self._post(partial(self._live.end, recorded))
