"""Whether a child process still works: it sends a beat every second, and a watchdog measures its silence.

A process that was stopped, or whose native code never releases Python's lock, sends no beats. One whose working thread
is deadlocked, or never returns from a call, sends beats without progress.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from desktop_app.messages.jobs import BEAT_SECONDS, Beat, Event, Preparing, Started


@dataclass(frozen=True)
class Limits:
    """Seconds without a beat (`silent`), and without progress (`stuck`), after which a process is killed.

    Until the models are loaded the second pair applies: compiling a large graph takes minutes, and importing a library
    from a slow disk may hold Python's lock. `stuck` leaves a weak computer time to encode a window with a large model.
    """

    silent: float = 30.0
    stuck: float = 300.0
    silent_loading: float = 120.0
    stuck_loading: float = 900.0


class Watchdog:
    """Measures how long a process has been silent, counted in beats of the supervisor's own clock.

    Between two looks at the clock at most two beats count: if more time has passed, the supervisor did not run either,
    because the computer was suspended or all processes were stopped.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self.restart()

    def restart(self) -> None:
        """A new piece of work begins, perhaps in a new process."""
        self._at, self._silent, self._stuck = self._clock(), 0.0, 0.0
        self._steps, self._stage, self._loaded = -1, "", False

    @property
    def loads_model(self) -> bool:
        """Whether a model is being loaded or compiled."""
        return self._stage.startswith("loading")

    def note(self, message: Event | Beat) -> None:
        """The process has sent something."""
        self._silent = 0.0
        match message:
            case Beat(steps) if steps == self._steps:
                return
            case Beat(steps):
                self._steps = steps
            case Preparing(stage=stage):
                self._stage, self._loaded = stage, False
            case Started():
                self._stage, self._loaded = "", True
        self._stuck = 0.0

    def expired(self) -> bool:
        """Look at the clock; whether the process has been silent or without progress for too long."""
        now = self._clock()
        passed, self._at = min(now - self._at, 2 * BEAT_SECONDS), now
        self._silent += passed
        self._stuck += passed
        limits = self._limits
        if self._loaded:
            return self._silent > limits.silent or self._stuck > limits.stuck
        return self._silent > limits.silent_loading or self._stuck > limits.stuck_loading
