"""What the tests of the window act with: a session with a silent engine, and things for it to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.app.entry import Entry
from desktop_app.app.live import OFF, RUNNING, Live
from desktop_app.app.models import ModelStore
from desktop_app.app.preferences import Preferences
from desktop_app.app.recheck import Checks
from desktop_app.app.session import Session
from desktop_app.app.speaker_edits import Edits
from desktop_app.app.worker import Worker
from desktop_app.engine.messages import Event, Finished, LiveOptions, LiveUpdate, Options, SegmentReady, Started
from desktop_app.library.store import Library
from desktop_app.transcript.model import Models, Segment, Transcript
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.player.playback import Playback
from tests.ui.player import FakePlayer
from tests.ui.studio import Studio
from tests.ui.works import Works

MODELS = Models("Large", "Small", "model", "CPU", "f32", "Real speech will be wrong.")


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
    cancelled: list[str] = field(default_factory=list)
    live: list[tuple[str, Options, LiveOptions]] = field(default_factory=list)
    heard: list[tuple[str, int, int]] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)

    def transcribe(self, job: str, path: str, options: Options, written: Transcript | None = None) -> None:
        self.jobs.append((job, path, options))
        self.written[job] = written

    def cancel(self, job: str) -> None:
        self.cancelled.append(job)

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None:
        self.live.append((job, options, live))

    def live_audio(self, job: str, start: int, samples: np.ndarray) -> None:
        self.heard.append((job, start, len(samples)))

    def stop_live(self, job: str) -> None:
        self.stopped.append(job)


@dataclass
class Stage:
    """A session with its engine, library and helpers."""

    session: Session
    engine: SilentEngine
    library: Library
    keeper: Worker
    preferences: Preferences
    live: Live
    checks: Checks
    edits: Edits
    playback: Playback
    player: FakePlayer
    studio: Studio
    models: ModelStore
    works: Works
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

    def record(self, seconds: float = 1.0) -> Entry:
        """Begin a live recording and let it hear something."""
        before = len(self.studio.recorders)
        self.live.start()
        self.qtbot.waitUntil(lambda: len(self.studio.recorders) > before and self.studio.recorder.asked == ["start"])
        self.studio.recorder.hear(seconds)
        self.qtbot.waitUntil(lambda: self.live.phase == RUNNING and self.live.seconds >= seconds)
        assert self.live.entry is not None
        return self.live.entry

    def stop(self) -> None:
        """End the live recording."""
        self.live.stop()
        self.qtbot.waitUntil(lambda: self.live.phase == OFF)

    def settle(self) -> None:
        """Wait until the library has done all that was asked of it."""
        done: list[None] = []
        self.keeper.do(lambda: None, done.append)
        self.qtbot.waitUntil(lambda: bool(done))


def update(
    key: str, committed: tuple[Segment, ...] = (), ink: str = "", uncommitted: str = "", draft: str = "",
    start: float = 0.0, heard: float = 2.0, decoded: float = 1.5, latency: float = 0.8,
) -> LiveUpdate:  # fmt: skip
    """What the engine says of a live recording."""
    return LiveUpdate(
        key, committed, ink, uncommitted, draft, start, heard, decoded, latency, True, Statistics(tokens=9)
    )


def finish(stage: Stage, entry: Entry, count: int = 3) -> None:
    """The engine transcribes an entry."""
    parts = [segment(number) for number in range(count)]
    stage.say(Started(entry.id, 60.0, MODELS), *(SegmentReady(entry.id, part) for part in parts))
    stage.say(Finished(entry.id, transcript(*parts)))


def drag(window: QWidget, *paths: Path) -> QMimeData:
    """Hold files over the window; the mime data has to live until the drop."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDragEnterEvent(
        QPoint(500, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, event)
    return data


def drop(window: QWidget, data: QMimeData) -> None:
    """Let go of what is held."""
    event = QDropEvent(
        QPointF(500, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, event)
