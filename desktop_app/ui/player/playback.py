"""What is heard now, for the window. No widget in here; the sound is the player's, in its own thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance

from desktop_app.audio.player import Listener, Player
from desktop_app.problems import Problem


class PlayerPort(Protocol):
    """What is needed of desktop_app.audio.player.Player."""

    def play(self, path: str, start: float, end: float | None = None) -> int: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...


class Playback(QObject):
    """Plays one recording at a time.

    Attributes: key (of the recording that is heard, "" for none); seconds (where); purpose (what it is played for: a
    speaker's id for a preview, else "").
    Signals: changed() when something begins or ends; moved() about twenty times a second; refused(problem).
    """

    changed = Signal()
    moved = Signal()
    refused = Signal(object)
    _told = Signal(int, float)
    _ended = Signal(int, object)

    def __init__(self, make: Callable[[Listener], PlayerPort] = Player, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._player = make(_Relay(self._told, self._ended))
        self._run = 0
        self.key, self.seconds, self.purpose = "", 0.0, ""
        self._told.connect(self._move, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._end, Qt.ConnectionType.QueuedConnection)

    def play(self, key: str, path: str, start: float, end: float | None = None, purpose: str = "") -> None:
        """Play a recording from a time on, instead of what is heard now."""
        self.key, self.seconds, self.purpose = key, start, purpose
        self._run = self._player.play(path, start, end)
        self.changed.emit()

    def stop(self) -> None:
        """Be silent."""
        if self.key:
            self._player.stop()
            self._silent()

    def forget(self, key: str) -> None:
        """Be silent if this recording is heard: it is removed."""
        if key == self.key:
            self.stop()

    def close(self) -> None:
        """Let go of the device."""
        self._player.close()

    def _move(self, run: int, seconds: float) -> None:
        if run == self._run and self.key:
            self.seconds = seconds
            self.moved.emit()

    def _end(self, run: int, problem: Problem | None) -> None:
        if run == self._run and self.key:
            self._silent()
            if problem is not None:
                self.refused.emit(problem)

    def _silent(self) -> None:
        self.key, self.purpose = "", ""
        self.changed.emit()


class _Relay:
    """Brings what the player says into the main thread."""

    def __init__(self, told: SignalInstance, ended: SignalInstance) -> None:
        self._told, self._ended = told, ended

    def moved(self, run: int, seconds: float) -> None:
        self._told.emit(run, seconds)

    def ended(self, run: int, problem: Problem | None) -> None:
        self._ended.emit(run, problem)
