"""An engine process as its parent holds it: started, spoken to, ended. Never left behind, not even as a zombie."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import signal
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from threading import Thread

from desktop_app.engine.messages import Event, Request, Shutdown

Program = Callable[[Connection], None]
"""What the process runs, with its end of the pipe."""


class Child:
    """A running engine process; `connection` becomes readable when it has said something or has ended.

    Raises OSError where the system cannot start one more process.
    """

    def __init__(self, program: Program) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._letters: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._process = context.Process(target=program, args=(theirs,), name="galley-engine", daemon=True)
        try:
            with _deaf_to_interrupts():
                self._process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # so that the end of the process is the end of the pipe
        self._postman = Thread(target=self._post, name="engine-post", daemon=True)
        self._postman.start()

    @property
    def pid(self) -> int | None:
        """Its process id; None when it has ended."""
        return self._process.pid if self._process.is_alive() else None

    def send(self, request: Request) -> None:
        """Say something, without waiting for a process that does not listen. One that has ended does not hear it;
        reading tells."""
        self._letters.put(request)

    def receive(self) -> Event | None:
        """The next event; None when the process has ended."""
        try:
            event: Event = self.connection.recv()
        except (EOFError, OSError):
            return None
        return event

    def stop(self, grace: float) -> None:
        """Ask it to end, and end it after `grace` seconds."""
        self.send(Shutdown())
        self._process.join(grace)
        self.kill()

    def kill(self) -> int | None:
        """End it at once; its pipe can still be read. Gives its exit code, negative for a signal."""
        self._process.kill()
        self._process.join()
        return self._process.exitcode

    def close(self) -> None:
        """Let go of the pipe and of the ended process; after `kill`."""
        self._letters.put(None)
        self._postman.join()  # nobody reads any more, so that it does not wait
        self.connection.close()
        self._process.close()

    def _post(self) -> None:
        """The thread that speaks to the process: a pipe takes only so much that nobody reads."""
        with contextlib.suppress(OSError, ValueError):
            while (request := self._letters.get()) is not None:
                self.connection.send(request)


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process started here never sees Ctrl-C, from its first moment on: it inherits the blocked signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting a process does this too, and it would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
