"""The beat of a child process, sent every second while there is work: its parent's watchdog hears that it runs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from threading import Event, Thread

from desktop_app.messages.jobs import BEAT_SECONDS, Beat


class Heartbeat:
    """Sends beats from a thread of its own while there is work."""

    def __init__(self, send: Callable[[Beat], None]) -> None:
        self._send, self._steps, self._working = send, 0, Event()
        Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def run(self) -> None:
        """Work begins."""
        self._working.set()

    def pause(self) -> None:
        """There is no work any more."""
        self._working.clear()

    def step(self) -> None:
        """Count progress; called by the working thread."""
        self._steps += 1

    def _beat(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads any more
            while self._working.wait():
                self._send(Beat(self._steps))
                time.sleep(BEAT_SECONDS)
