"""The engine process: takes requests from a pipe, one job after another, and never outlives the program that began it.

Importing this module is cheap. What takes long or can fail (OpenVINO) is imported in the engine's own process, when it
already listens.
"""

from __future__ import annotations

import errno
import os
import queue
import signal
from functools import partial
from multiprocessing.connection import Connection
from threading import Thread

from desktop_app.engine import log
from desktop_app.engine.messages import Cancel, Failed, Shutdown, Transcribe
from desktop_app.engine.outbox import Outbox


def main(connection: Connection) -> None:
    """The whole life of an engine process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the program that began this one
    log.take_output()
    inbox, outbox = _Inbox(connection), Outbox(connection)
    _work(inbox, outbox)
    os._exit(0)  # taking the models apart in order would only cost time


class _Inbox:
    """Listens while the engine works, so that a job can be cancelled. Ends the process when nobody speaks any more."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._jobs: queue.SimpleQueue[Transcribe | None] = queue.SimpleQueue()
        self._cancelled: set[str] = set()
        self._closing = False
        Thread(target=self._listen, name="inbox", daemon=True).start()

    def next(self) -> Transcribe | None:
        """Wait for the next job; None when the engine is to end."""
        return self._jobs.get()

    def is_cancelled(self, job: str) -> bool:
        """Whether to stop this job."""
        return self._closing or job in self._cancelled

    def forget(self, job: str) -> None:
        """The job is over; its name may come again."""
        self._cancelled.discard(job)

    def _listen(self) -> None:
        while True:
            try:
                request = self._connection.recv()
            except (EOFError, OSError):
                os._exit(0)
            match request:
                case Transcribe():
                    self._jobs.put(request)
                case Cancel(job):
                    self._cancelled.add(job)
                case Shutdown():
                    self._closing = True
                    self._jobs.put(None)


def _work(inbox: _Inbox, outbox: Outbox) -> None:
    shelf = None
    while (request := inbox.next()) is not None:
        job = request.job
        try:
            from desktop_app.engine.job import run
            from desktop_app.engine.models import Shelf

            shelf = shelf or Shelf()
            run(request, shelf, outbox, partial(inbox.is_cancelled, job))
        except BaseException as error:
            log.write(error)
            shelf = None
            outbox.send(failure(job, error))
        inbox.forget(job)


def failure(job: str, error: BaseException) -> Failed:
    """What is said about an error that is neither the file's nor the model's."""
    if isinstance(error, ImportError):
        return Failed(job, f"the engine cannot be loaded ({error})", "run galley doctor", "model")
    if isinstance(error, MemoryError) or any(each in str(error) for each in ("bad_alloc", "CUDA out of memory")):
        reason = "this computer has no memory left for it"
        return Failed(job, reason, "close other programs or choose a smaller model", "engine")
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Failed(job, "the disk is full", "make room, then try again", "engine")
    what = " ".join(str(error).split()) or type(error).__name__
    return Failed(job, f"Galley made a mistake: {what[:200]}", f"the details are in {log.path()}", "engine")
