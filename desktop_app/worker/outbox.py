"""Sends the engine's events in order; tentative text only as often as an eye can follow."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Condition, Thread

from desktop_app.messages.jobs import Beat, Event

A_SECOND = 25
"""The most tentative states that are sent in a second."""


class Outbox:
    """Sends events through a pipe. When nobody reads it any more, the process ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._changed = Condition()
        self._newest: Callable[[], Event] | None = None
        Thread(target=self._send_tentative, name="tentative", daemon=True).start()

    def send(self, event: Event) -> None:
        """Send at once. A tentative state that still waits is dropped: this event is newer."""
        with self._changed:
            self._newest = None
            self._give(event)

    def beat(self, beat: Beat) -> None:
        """Send a beat, from a thread of its own."""
        with self._changed:
            self._give(beat)

    def tentative(self, make: Callable[[], Event]) -> None:
        """Send the event that `make` returns, from another thread, unless a newer one comes first.

        The newest state is always sent, however long the pause after it.
        """
        with self._changed:
            idle = self._newest is None
            self._newest = make
            if idle:
                self._changed.notify()

    def _send_tentative(self) -> None:
        while True:
            with self._changed:
                while self._newest is None:
                    self._changed.wait()
                make, self._newest = self._newest, None
                self._give(make())
            time.sleep(1 / A_SECOND)

    def _give(self, event: Event | Beat) -> None:
        try:
            self._connection.send(event)
        except OSError:
            os._exit(0)
