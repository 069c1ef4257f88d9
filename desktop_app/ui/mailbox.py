"""The one way from other threads into the window's: events of the engine, bit by bit, and calls."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from desktop_app.messages.jobs import Event, Progress, Tentative

_FRAME_MS = 25  # events are gathered this long: as often as text can be seen to change
_BUDGET_SECONDS = 0.008  # then the window has its turn again


class Mailbox(QObject):
    """Takes engine events from any thread and delivers them to `receiver` in the thread that made the mailbox.

    Of the events that replace each other (Tentative, Progress) only the last undelivered one of a job is kept, so
    that a flood costs no more than one of them a frame.
    """

    _posted = Signal()
    _called = Signal(object)

    def __init__(self, receiver: Callable[[Event], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._receiver = receiver
        self._lock = Lock()
        self._waiting: deque[list[Event]] = deque()
        self._replaceable: dict[tuple[str, type], list[Event]] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._deliver)
        self._posted.connect(self._wake, Qt.ConnectionType.QueuedConnection)
        self._called.connect(self._make, Qt.ConnectionType.QueuedConnection)

    def call(self, call: Callable[[], object]) -> None:
        """Make a call in the thread of the mailbox, after those that were asked before; from any thread."""
        self._called.emit(call)

    @staticmethod
    def _make(call: Callable[[], object]) -> None:
        call()

    def post(self, event: Event) -> None:
        """Called from any thread; never waits for the window."""
        with self._lock:
            was_empty = not self._waiting
            if isinstance(event, Tentative | Progress):
                slot = self._replaceable.get((event.job, type(event)))
                if slot is not None:
                    slot[0] = event
                    return
                slot = [event]
                self._replaceable[event.job, type(event)] = slot
            else:
                slot = [event]
                for kind in (Tentative, Progress):  # what comes later must not overtake this one
                    self._replaceable.pop((event.job, kind), None)
            self._waiting.append(slot)
        if was_empty:
            self._posted.emit()

    def _wake(self) -> None:
        if not self._timer.isActive():
            self._timer.start(_FRAME_MS)

    def _take(self) -> Event | None:
        with self._lock:
            if not self._waiting:
                return None
            slot = self._waiting.popleft()
            event = slot[0]
            if self._replaceable.get((event.job, type(event))) is slot:
                del self._replaceable[event.job, type(event)]
            return event

    def _deliver(self) -> None:
        until = time.monotonic() + _BUDGET_SECONDS
        while (event := self._take()) is not None:
            self._receiver(event)
            if time.monotonic() > until:
                self._timer.start(0)
                return
