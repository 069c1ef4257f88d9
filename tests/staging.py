"""What the tests of the application act with: a session with a silent engine, and things for it to say. Without Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app.app.background import BackgroundThread, Post
from desktop_app.app.core import DesktopCore
from desktop_app.app.live.inputs import Inputs
from desktop_app.app.live.live_recording import OFF, RUNNING
from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.messages.jobs import Event, Finished, LiveOptions, LiveUpdate, SegmentReady, Started
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, ResumePoint, Segment, Span, Transcript
from desktop_app.transcript.statistics import Statistics
from tests.studio import Studio
from tests.works import Works

MODELS = Models("Large", "Small", "model", "CPU", "f32", (Problem("model.notice", text="Real speech will be wrong."),))


def segment(number: int, text: str = "") -> Segment:
    """A segment of two seconds."""
    return Segment(number, number * 2.0, number * 2.0 + 2, text or f" This is sentence number {number}.")


def transcript(*segments: Segment) -> Transcript:
    """A finished transcript."""
    stats = Statistics(audio_seconds=60, wall_seconds=6, encode_seconds=1, draft_seconds=1, verify_seconds=2, tokens=60)
    return Transcript("/talk.wav", 60.0, "en", 0.9, MODELS, segments, (), stats)


@dataclass
class SilentEngine:
    """Takes orders and does nothing."""

    jobs: list[tuple[str, str, Options]] = field(default_factory=list)
    written: dict[str, Transcript | None] = field(default_factory=dict)
    places: dict[str, ResumePoint | None] = field(default_factory=dict)
    parts: dict[str, Span] = field(default_factory=dict)
    finding: list[tuple[str, str, str]] = field(default_factory=list)
    listening: list[tuple[str, str, Span]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    live: list[tuple[str, Options, LiveOptions]] = field(default_factory=list)
    received: list[tuple[str, int, int]] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)

    def transcribe(
        self, job: str, path: str, options: Options, written: Transcript | None = None, place: ResumePoint | None = None
    ) -> None:
        self.jobs.append((job, path, options))
        self.written[job], self.places[job] = written, place

    def transcribe_part(self, job: str, path: str, options: Options, span: Span) -> None:
        self.jobs.append((job, path, options))
        self.parts[job] = span

    def find_speakers(self, job: str, path: str, speakers: str, span: Span | None = None) -> None:
        if span is None:
            self.finding.append((job, path, speakers))
        else:
            self.listening.append((job, path, span))

    def cancel(self, job: str) -> None:
        self.cancelled.append(job)

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None:
        self.live.append((job, options, live))

    def live_audio(self, job: str, start: int, samples: np.ndarray) -> None:
        self.received.append((job, start, len(samples)))

    def stop_live(self, job: str) -> None:
        self.stopped.append(job)

    def close(self) -> None:
        pass


@dataclass
class Told:
    """What a signal has told last."""

    args: list[Any] = field(default_factory=list)


class Stage:
    """All of the application on an empty library, with a silent engine and a microphone that tests play.

    Attributes: post and until (from the front end: `until` waits, and makes what was posted); now (seconds of the clock
    by which typing is joined to steps, which stands still until a test turns it); add (how a user adds
    files, by the window where there is one); the rest is the application's, all of it in `core`.
    """

    def __init__(self, post: Post, until: Callable[[Callable[[], Any]], None], before: Stage | None = None) -> None:
        self.post, self.until, self.now = post, until, 0.0
        self.engine = before.engine if before else SilentEngine()
        self.studio = before.studio if before else Studio()
        self.works = before.works if before else Works()
        self.keeper = BackgroundThread("library", post)
        self.preferences = Preferences(self.keeper)
        self.models = ModelStore(self.preferences, post, self.works.start, self.works.look, self.works.find_devices)
        inputs = Inputs(self.studio.list_inputs, post, self.preferences)
        self.core = core = DesktopCore(
            self.engine,
            self.keeper,
            self.preferences,
            self.models,
            inputs,
            self.studio.make,
            hold_awake=lambda why: None,
            clock=lambda: self.now,
        )
        assert core.library is not None
        self.library, self.session, self.live, self.checks = core.library, core.session, core.live, core.checks
        self.deletions, self.exports = core.deletions, core.exports
        self.edits, self.recovery = core.edits, core.recovery
        self.add: Callable[[list[str]], None] = self.session.add
        self._next: Stage | None = None
        self.settle()

    def restart(self) -> Stage:
        """The next start of the program, after this one was killed."""
        self.settle()
        self.library.close()
        self._next = Stage(self.post, self.until, self)
        return self._next

    def close(self) -> None:
        """The end of the program, and of those after it."""
        if self._next is not None:
            self._next.close()
        self.core.close()

    @contextmanager
    def emits(self, signal: Signal[...]) -> Iterator[Told]:
        """Wait at the end of the block until the signal has told something, after its beginning."""
        told: list[Told] = []
        signal.connect(listener := lambda *args: told.append(Told(list(args))))
        found = Told()
        yield found
        self.until(lambda: told)
        found.args = told[-1].args
        signal.disconnect(listener)

    def drop(self, *paths: Path | str) -> list[Entry]:
        """Add files and wait until they are queued; the entries in the order of `paths`."""
        before = len(self.session.entries)
        self.add([str(path) for path in paths])
        self.until(lambda: len(self.session.entries) >= before + len(paths))
        return list(reversed(list(self.session.entries.values())[: len(paths)]))

    def say(self, *events: Event) -> None:
        """Let the engine say something."""
        for event in events:
            self.session.handle(event)

    def record(self, seconds: float = 1.0) -> Entry:
        """Begin a live recording and let it hear something."""
        before = len(self.studio.recorders)
        self.live.start()
        self.until(lambda: len(self.studio.recorders) > before and self.studio.recorder.asked == ["start"])
        self.studio.recorder.feed(seconds)
        self.until(lambda: self.live.phase == RUNNING and self.live.seconds >= seconds)
        assert self.live.entry is not None
        return self.live.entry

    def stop(self) -> None:
        """End the live recording."""
        self.live.stop()
        self.until(lambda: self.live.phase == OFF)

    def settle(self) -> None:
        """Wait until the library has done all that was asked of it."""
        done: list[None] = []
        self.keeper.do(lambda: None, done.append)
        self.until(lambda: bool(done))


def update(
    key: str, segments: tuple[Segment, ...] = (), final: str = "", provisional: str = "", draft: str = "",
    start: float = 0.0, received: float = 2.0, decoded: float = 1.5, latency: float = 0.8,
) -> LiveUpdate:  # fmt: skip
    """What the engine says of a live recording."""
    return LiveUpdate(
        key, segments, final, provisional, draft, start, received, decoded, latency, True, Statistics(tokens=9)
    )


def finish(stage: Stage, entry: Entry, count: int = 3) -> None:
    """The engine transcribes an entry."""
    parts = [segment(number) for number in range(count)]
    stage.say(Started(entry.id, 60.0, MODELS), *(SegmentReady(entry.id, part) for part in parts))
    stage.say(Finished(entry.id, transcript(*parts)))
