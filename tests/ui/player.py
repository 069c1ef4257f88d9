"""A player that makes no sound: a test says what would be heard."""

from __future__ import annotations

from dataclasses import dataclass, field

from desktop_app.audio.player import Listener
from desktop_app.problems import Problem


@dataclass
class FakePlayer:
    """Attributes: played (what was asked for: path, start, end); stopped (how often it was to be silent)."""

    played: list[tuple[str, float, float | None]] = field(default_factory=list)
    stopped: int = 0

    def made_for(self, listener: Listener) -> FakePlayer:
        """The player, once it is known who listens."""
        self.listener = listener
        return self

    def play(self, path: str, start: float, end: float | None = None) -> int:
        self.played.append((path, start, end))
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
