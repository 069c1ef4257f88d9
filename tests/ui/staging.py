"""What the tests of the window act with: a session with a silent engine, and things for it to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pytestqt.qtbot import QtBot

from desktop_app.engine.messages import Event, Finished, Options, SegmentReady, Started
from desktop_app.library.store import Library
from desktop_app.transcript.model import Models, Segment, Stats, Transcript
from desktop_app.ui.entry import Entry
from desktop_app.ui.keeper import Keeper
from desktop_app.ui.preferences import Preferences
from desktop_app.ui.session import Session

MODELS = Models("Large", "Small", "model", "CPU", "f32", "Real speech will be wrong.")


def segment(number: int, text: str = "") -> Segment:
    """A segment of two seconds."""
    return Segment(number, number * 2.0, number * 2.0 + 2, text or f" This is sentence number {number}.")


def transcript(*segments: Segment) -> Transcript:
    """A finished transcript."""
    stats = Stats(audio_seconds=60, wall_seconds=6, encode_seconds=1, draft_seconds=1, verify_seconds=2, tokens=60)
    return Transcript("/talk.wav", 60.0, "en", 0.9, MODELS, segments, (), stats)


@dataclass
class SilentEngine:
    """Takes orders and does nothing."""

    jobs: list[tuple[str, str, Options]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def transcribe(self, job: str, path: str, options: Options) -> None:
        self.jobs.append((job, path, options))

    def cancel(self, job: str) -> None:
        self.cancelled.append(job)


@dataclass
class Stage:
    """A session with its engine, library and helpers."""

    session: Session
    engine: SilentEngine
    library: Library
    keeper: Keeper
    preferences: Preferences
    qtbot: QtBot

    def drop(self, *paths: Path | str) -> list[Entry]:
        """Add files and wait until they are queued; the entries in the order of `paths`."""
        before = len(self.session.entries)
        self.session.add([str(path) for path in paths])
        self.qtbot.waitUntil(lambda: len(self.session.entries) >= before + len(paths))
        return list(reversed(list(self.session.entries.values())[: len(paths)]))

    def say(self, *events: Event) -> None:
        """Let the engine say something."""
        for event in events:
            self.session.handle(event)

    def settle(self) -> None:
        """Wait until the library has done all that was asked of it."""
        done: list[None] = []
        self.keeper.do(lambda: None, done.append)
        self.qtbot.waitUntil(lambda: bool(done))


def finish(stage: Stage, entry: Entry, count: int = 3) -> None:
    """The engine transcribes an entry."""
    parts = [segment(number) for number in range(count)]
    stage.say(Started(entry.id, 60.0, MODELS), *(SegmentReady(entry.id, part) for part in parts))
    stage.say(Finished(entry.id, transcript(*parts)))
