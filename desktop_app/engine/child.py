"""An engine process from its parent's side: started, sent requests, ended. Never left behind, not even as a zombie."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import signal
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from threading import Thread

from desktop_app.messages.jobs import Beat, Event, Shutdown

_LAST_WAIT = 5.0  # seconds

Program = Callable[[Connection], None]
"""What the process runs, with its end of the pipe."""


class Child:
    """A running engine process; `connection` becomes readable when it has sent something or has ended.

    Raises OSError where the system cannot start one more process.
    """

    def __init__(self, program: Program) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._outgoing: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._process = context.Process(target=program, args=(theirs,), name="galley-engine", daemon=True)
        try:
            with _interrupts_blocked():
                self._process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # so that the end of the process is the end of the pipe
        self._writer = Thread(target=self._write, name="engine-post", daemon=True)
        self._writer.start()

    @property
    def pid(self) -> int | None:
        """Its process id; None when it has ended."""
        return self._process.pid if self._process.is_alive() else None

    def send(self, request: object) -> None:
        """Send a request without waiting for a process that does not read. If it has ended the request is lost;
        `receive` shows that."""
        self._outgoing.put(request)

    def receive(self) -> Event | Beat | None:
        """What it says next; None when the process has ended."""
        try:
            event: Event | Beat = self.connection.recv()
        except (EOFError, OSError):
            return None
        return event

    def stop(self, grace: float) -> None:
        """Ask it to end, and kill it after `grace` seconds."""
        self.send(Shutdown())
        self._process.join(grace)
        self.kill()

    def kill(self) -> int | None:
        """Kill it; its pipe can still be read. Returns its exit code, negative for a signal; None if the system does
        not let it end, as while a driver or a network disk does not answer."""
        self._process.kill()
        self._process.join(_LAST_WAIT)
        return self._process.exitcode

    def close(self) -> None:
        """Release the pipe and the ended process; after `kill`."""
        self._outgoing.put(None)
        self._writer.join(_LAST_WAIT)  # nobody reads any more, so that it does not wait
        self.connection.close()
        with contextlib.suppress(ValueError):  # a process that the system does not let go of
            self._process.close()

    def _write(self) -> None:
        """The thread that writes to the pipe, which blocks when the process does not read."""
        with contextlib.suppress(OSError, ValueError):
            while (request := self._outgoing.get()) is not None:
                self.connection.send(request)


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """A process started here never sees Ctrl-C, from its first moment on: it inherits the blocked signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting a process does this too, and it would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
