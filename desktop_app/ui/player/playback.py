"""What is heard now, for the window. No widget in here; the sound is the player's, in its own thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance

from desktop_app.audio.player import Player, PlayerListener
from desktop_app.problems import Problem
from desktop_app.transcript.model import Span

SPEEDS = (0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
BACK_SKIP = 1.0
"""Seconds that are heard again after a pause."""

Loop = Callable[[str, float], Span | None]
"""The stretch that is repeated around a time of a recording, or None."""


class PlayerPort(Protocol):
    """What is needed of desktop_app.audio.player.Player."""

    volume: float

    def play(self, path: str, start: float, end: float | None = None, speed: float = 1.0) -> int: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...


class Playback(QObject):
    """Plays one recording at a time, and knows where each of them was left.

    Attributes:
        key: of the recording that is heard, "" for none.
        seconds: where.
        purpose: what it is played for: a speaker's id or a stretch for a preview, else "".
        speed, volume: as they were chosen; volume 0 to 1.
    Signals: changed() when something begins or ends; moved() when a place is another one, about twenty times a second
    while something is heard; refused(key, problem).
    """

    changed = Signal()
    moved = Signal()
    refused = Signal(str, object)
    _told = Signal(int, float)
    _ended = Signal(int, object)

    def __init__(self, make: Callable[[PlayerListener], PlayerPort] = Player, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._player = make(_Relay(self._told, self._ended))
        self._run, self._path, self._started = 0, "", 0.0
        self._stop_at: float | None = None
        self._places: dict[str, float] = {}
        self._paused: set[str] = set()  # those that were left by a pause, not put to a place
        self._loop: Loop | None = None
        self.key, self.seconds, self.purpose = "", 0.0, ""
        self.speed = self.volume = 1.0
        self._told.connect(self._move, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._end, Qt.ConnectionType.QueuedConnection)

    # Where recordings stand.

    def place(self, key: str) -> float:
        """Where a recording is heard, or was left, in seconds."""
        return self.seconds if self.is_playing(key) else self._places.get(key, 0.0)

    def is_playing(self, key: str) -> bool:
        """Whether this recording is heard, and for no special purpose."""
        return bool(key) and key == self.key and not self.purpose

    # What the user asks for.

    def play(self, key: str, path: str, start: float, end: float | None = None, purpose: str = "") -> None:
        """Play a recording from a time on, instead of what is heard now."""
        self._keep_place()
        span = self._loop(key, start) if self._loop is not None and not purpose else None
        self.key, self.seconds, self.purpose, self._path = key, start, purpose, path
        self._started, self._stop_at = start, span[1] if span else end
        self._run = self._player.play(path, start, self._stop_at, self.speed)
        self.changed.emit()

    def resume(self, key: str, path: str) -> None:
        """Play a recording from where it was left, a little before that after a pause."""
        place = self._places.get(key, 0.0)
        start = max(place - BACK_SKIP, 0.0) if key in self._paused else place
        span = self._loop(key, place) if self._loop is not None else None
        self.play(key, path, max(start, span[0]) if span and span[0] <= place else start)

    def seek(self, key: str, path: str, seconds: float) -> None:
        """Go to a time of a recording: what is heard is heard there, what is not stays silent."""
        if self.is_playing(key):
            self.play(key, path, seconds)
            return
        self._places[key] = seconds
        self._paused.discard(key)
        self.moved.emit()

    def stop(self) -> None:
        """Be silent, and keep the place."""
        if self.key:
            self._player.stop()
            self._keep_place()
            self._silent()

    def forget(self, key: str) -> None:
        """Be silent if this recording is heard: it is removed."""
        if key == self.key:
            self.stop()
        self._places.pop(key, None)

    def set_speed(self, speed: float) -> None:
        """Play so many times as fast from now on, at the same pitch."""
        if speed != self.speed:
            self.speed = speed
            self._play_on()

    def set_volume(self, volume: float) -> None:
        """Play so loud from now on: 0 to 1 as it is perceived, which is about the square root of the amplitude."""
        self.volume = volume
        self._player.volume = volume**2

    def set_loop(self, loop: Loop | None) -> None:
        """Repeat the stretches that `loop` gives; None to play on behind them."""
        if loop is None and self._loop is None:
            return
        self._loop = loop
        if self.key and not self.purpose:
            self._stop_at = None
            self._play_on()

    def close(self) -> None:
        """Let go of the device."""
        self._player.close()

    # What the player says.

    def _play_on(self) -> None:
        """Play the same with what was chosen now."""
        if self.key:
            self.play(self.key, self._path, self.seconds, self._stop_at, self.purpose)

    def _keep_place(self) -> None:
        if self.key and not self.purpose:
            self._places[self.key] = self.seconds
            self._paused.add(self.key)

    def _move(self, run: int, seconds: float) -> None:
        if run == self._run and self.key:
            self.seconds = seconds
            self.moved.emit()

    def _end(self, run: int, problem: Problem | None) -> None:
        if run != self._run or not self.key:
            return
        key, again = self.key, self._span_to_repeat() if problem is None else None
        if again is not None:
            self.play(key, self._path, again[0])
            return
        self._keep_place()
        if problem is None and not self.purpose:
            self._places[key] = 0.0
            self._paused.discard(key)
        self._silent()
        if problem is not None:
            self.refused.emit(key, problem)

    def _span_to_repeat(self) -> Span | None:
        if self._loop is None or self.purpose or self.seconds <= self._started:  # nothing was heard
            return None
        return self._loop(self.key, self._started)

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
