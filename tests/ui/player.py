"""A player that makes no sound and a reader of waveforms that reads none: a test says what would be heard and seen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from desktop_app.audio import peaks
from desktop_app.audio.player import PlayerListener
from desktop_app.problems import Problem


@dataclass
class FakePlayer:
    """Attributes: played (what was asked for: path, start, end); speeds (those of the same); stopped (how often it was
    to be silent); volume.
    """

    played: list[tuple[str, float, float | None]] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    stopped: int = 0
    volume: float = 1.0

    def made_for(self, listener: PlayerListener) -> FakePlayer:
        """The player, once it is known who listens."""
        self.listener = listener
        return self

    def play(self, path: str, start: float, end: float | None = None, speed: float = 1.0) -> int:
        self.played.append((path, start, end))
        self.speeds.append(speed)
        return len(self.played)

    def stop(self) -> None:
        self.stopped += 1

    def close(self) -> None:
        pass

    def feed(self, seconds: float) -> None:
        """Let it come to a place."""
        self.listener.moved(len(self.played), seconds)

    def end(self, problem: Problem | None = None) -> None:
        """Let it come to its end."""
        self.listener.ended(len(self.played), problem)


@dataclass
class FakePeakReader:
    """Attributes: files (that were to be read); stopped (how often it was to rest)."""

    files: list[str] = field(default_factory=list)
    stopped: int = 0

    def made_for(self, listener: peaks.PeaksListener) -> FakePeakReader:
        """The reader, once it is known who listens."""
        self.listener = listener
        return self

    def read(self, path: str) -> int:
        self.files.append(path)
        return len(self.files)

    def stop(self) -> None:
        self.stopped += 1

    def open(self, has_pictures: bool) -> None:
        """Let it find out what kind of file it is."""
        self.listener.opened(len(self.files), has_pictures)

    def feed(self, *values: float) -> None:
        """Let it find these peaks."""
        self.listener.came(len(self.files), np.array(values, np.float32))

    def end(self, problem: Problem | None = None) -> None:
        """Let it come to the end of the file."""
        self.listener.ended(len(self.files), problem)
