"""The engine as window and command line use it: a queue of jobs, and a process that is watched and replaced if it ends.

Imports neither OpenVINO nor torch.
"""

from __future__ import annotations

import logging
import queue
import signal
import time
from collections import deque
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import wait
from threading import Lock, Thread
from typing import Any

from desktop_app.engine import process
from desktop_app.engine.child import Child, Program
from desktop_app.engine.messages import Cancel, Cancelled, Event, Failed, Finished, Options, Transcribe

PATIENCE = 1.0
"""Seconds that a running job has to stop by itself after it was asked to."""

_GRACE = 0.3
_LAST = (Finished, Failed, Cancelled)


class Engine:
    """Transcribes files one after another in a process of its own, which is started when it is needed.

    Every method may be called from any thread and returns at once; `on_event` is called from one thread, in order.
    Each job gets exactly one of Finished, Failed and Cancelled as its last event, unless the engine is closed before.
    """

    def __init__(self, on_event: Callable[[Event], None], program: Program = process.main) -> None:
        self._on_event, self._program = on_event, program
        self._orders: queue.SimpleQueue[Transcribe | Cancel | None] = queue.SimpleQueue()
        self._bell_heard, self._bell = Pipe(duplex=False)
        self._bell_lock = Lock()
        self._closed = False
        self._child: Child | None = None
        self._waiting: deque[Transcribe] = deque()
        self._running: str | None = None
        self._kill_at: float | None = None
        self._thread = Thread(target=self._serve, name="engine", daemon=True)
        self._thread.start()

    def transcribe(self, job: str, path: str, options: Options) -> None:
        """Queue a file under the caller's own name for it."""
        self._order(Transcribe(job, path, options))

    def cancel(self, job: str) -> None:
        """Stop a job, waiting or running; the answer is Cancelled, after a second at the latest. Others go on."""
        self._order(Cancel(job))

    def close(self) -> None:
        """End the process; no event comes after this."""
        self._order(None)
        self._thread.join(5.0)

    @property
    def pid(self) -> int | None:
        """The process id of the engine while it runs."""
        child = self._child
        return child.pid if child else None

    def _order(self, order: Transcribe | Cancel | None) -> None:
        with self._bell_lock:
            if not self._closed:
                self._closed = order is None
                self._orders.put(order)
                self._bell.send_bytes(b"!")

    def _serve(self) -> None:
        """The supervisor's thread, the only one that touches the process and the queue of jobs."""
        while True:
            self._start_next()
            ears: list[Any] = [self._bell_heard, *([self._child.connection] if self._child else [])]
            left = None if self._kill_at is None else max(0.0, self._kill_at - time.monotonic())
            ready = wait(ears, left)
            if self._bell_heard in ready:
                self._bell_heard.recv_bytes()
                order = self._orders.get()
                if order is None:
                    break
                self._obey(order)
            elif ready:
                self._hear()
            elif self._kill_at is not None and time.monotonic() >= self._kill_at:
                self._bury()
        if self._child:
            self._child.stop(_GRACE)
            self._child.close()
            self._child = None
        self._bell.close()
        self._bell_heard.close()

    def _start_next(self) -> None:
        while self._running is None and self._waiting:
            request = self._waiting.popleft()
            if self._child is None:
                try:
                    self._child = Child(self._program)
                except OSError as error:
                    reason = f"the engine cannot be started ({error.strerror or error})"
                    self._tell(Failed(request.job, reason, "close other programs, then try again", "model"))
                    continue
            self._running = request.job
            self._child.send(request)

    def _obey(self, order: Transcribe | Cancel) -> None:
        if isinstance(order, Transcribe):
            self._waiting.append(order)
        elif order.job == self._running:
            if self._kill_at is None and self._child:
                self._kill_at = time.monotonic() + PATIENCE
                self._child.send(order)
        else:
            found = [request for request in self._waiting if request.job == order.job]
            for request in found:
                self._waiting.remove(request)
                self._tell(Cancelled(order.job))

    def _hear(self) -> None:
        event = self._child.receive() if self._child else None
        if event is None:
            self._bury()
        else:
            self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        if event.job != self._running:
            return
        if isinstance(event, _LAST):
            self._running = self._kill_at = None
        self._tell(event)

    def _bury(self) -> None:
        """Make an end of a process that has ended or does not stop; what it had said before counts."""
        child, self._child = self._child, None
        if child is None:
            return
        code = child.kill()
        while (event := child.receive()) is not None:
            self._pass_on(event)
        child.close()
        job, asked = self._running, self._kill_at is not None
        self._running = self._kill_at = None
        if job is not None:
            self._tell(Cancelled(job) if asked else _ended(job, code))

    def _tell(self, event: Event) -> None:
        try:
            self._on_event(event)
        except Exception:  # a mistake of the listener's must not end the engine
            logging.getLogger(__name__).exception("a listener failed")


def _ended(job: str, code: int | None) -> Failed:
    """The engine ended in the middle of a job; `code` is its exit code."""
    if code == -signal.SIGTERM or (hasattr(signal, "SIGKILL") and code == -signal.SIGKILL):
        remedy = "close other programs if memory is short, then try again"
        return Failed(job, "the engine was ended from outside", remedy, "engine")
    return Failed(job, "the engine stopped unexpectedly", "try again, or choose another model or device", "engine")
