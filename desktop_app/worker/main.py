"""Where a child process begins: the engine, a task on models, or one question. No child outlives its parent.

Importing this module is cheap, and it is the only one of this room that the other side imports, to name what a child
runs. What takes long or can fail (OpenVINO) is imported only in the child, once it can report a failure.
"""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import signal
from collections import deque
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Condition, Thread
from typing import TYPE_CHECKING

from desktop_app import log
from desktop_app.audio import decoder_process
from desktop_app.messages.jobs import Cancel, Failed, LiveAudio, Request, Shutdown, StartLive, StopLive, Transcribe
from desktop_app.messages.model_work import Work
from desktop_app.messages.questions import Question
from desktop_app.problems import Problem
from desktop_app.worker.heartbeat import Heartbeat
from desktop_app.worker.outbox import Outbox

if TYPE_CHECKING:
    from desktop_app.worker.loaded_models import ModelCache

_NO_MEMORY = (
    *("bad_alloc", "CUDA out of memory", "failed to map segment", "Cannot allocate memory"),
    "Resource temporarily unavailable",
)
"""What libraries write where memory is missing: also the system's, of a library that cannot be loaded, and of a thread
that has no room for its stack."""


def serve(connection: Connection) -> None:
    """The whole life of an engine process: takes requests, one job after another and live sessions first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the program that began this one
    log.take_output()
    with contextlib.suppress(OSError):  # so that `pkill galley-engine` finds it; Linux alone has such a file
        Path("/proc/self/comm").write_text("galley-engine", encoding="ascii")
    inbox, outbox = _Inbox(connection), Outbox(connection)
    _Jobs(inbox, outbox).work()
    os._exit(0)  # taking the models apart in order would only cost time


def do_task(work: Work, connection: Connection) -> None:
    """The whole life of a task's process."""
    log.take_output()
    from desktop_app.worker import model_tasks

    model_tasks.run(work, connection)


def answer(question: Question | Callable[[], object], connection: Connection) -> None:
    """The whole life of a process that is asked one thing: sends whether it could answer, and the answer or why not."""
    log.take_output()
    try:
        connection.send((True, question() if callable(question) else _reply(question)))
    except Problem as problem:
        connection.send((False, problem))
    except BaseException as error:
        log.write(error)
        connection.send((False, explained(error)))


def _reply(question: Question) -> object:
    from desktop_app.worker import questions

    return questions.reply(question)


class _Inbox:
    """Reads requests while the engine works, so that a job can be cancelled. Ends the process when the pipe is
    closed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._changed = Condition()
        self._jobs: deque[Transcribe] = deque()
        self._sessions: deque[tuple[StartLive, LiveSource]] = deque()
        self._sources: dict[str, LiveSource] = {}
        self._cancelled: set[str] = set()
        self._closing = False
        Thread(target=self._listen, name="inbox", daemon=True).start()

    def next(self) -> Transcribe | tuple[StartLive, LiveSource] | None:
        """Wait for the next request, live sessions first; None when the engine is to end."""
        with self._changed:
            while not (self._closing or self._jobs or self._sessions):
                self._changed.wait()
            if self._closing:
                return None
            return self._sessions.popleft() if self._sessions else self._jobs.popleft()

    def next_session(self) -> tuple[StartLive, LiveSource] | None:
        """A live session that waits, if there is one."""
        with self._changed:
            return self._sessions.popleft() if self._sessions and not self._closing else None

    def is_cancelled(self, job: str) -> bool:
        """Whether to stop this job."""
        return self._closing or job in self._cancelled

    def forget(self, job: str) -> None:
        """The job is over; its name may come again."""
        self._cancelled.discard(job)
        self._sources.pop(job, None)

    def _listen(self) -> None:
        while True:
            try:
                request = self._connection.recv()
            except (EOFError, OSError):
                os._exit(0)
            with self._changed:
                self._take(request)
                self._changed.notify()

    def _take(self, request: Request) -> None:
        match request:
            case Transcribe():
                self._jobs.append(request)
            case StartLive():
                self._sources[request.job] = LiveSource()
                self._sessions.append((request, self._sources[request.job]))
            case LiveAudio() | StopLive():
                if (source := self._sources.get(request.job)) is not None:
                    source.put(request)
            case Cancel(job):
                self._cancelled.add(job)
            case Shutdown():
                self._closing = True


class LiveSource:
    """A queue of the audio of one live session."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[LiveAudio | StopLive] = queue.SimpleQueue()

    def put(self, message: LiveAudio | StopLive) -> None:
        """Add a message."""
        self._queue.put(message)

    def take(self, seconds: float) -> list[LiveAudio | StopLive]:
        """The messages that have come, after waiting up to `seconds` for the first."""
        found: list[LiveAudio | StopLive] = []
        with contextlib.suppress(queue.Empty):
            found.append(self._queue.get(timeout=seconds) if seconds > 0 else self._queue.get_nowait())
            while True:
                found.append(self._queue.get_nowait())
        return found


class _Jobs:
    """Runs one job after another, and live sessions in the pauses of file jobs."""

    def __init__(self, inbox: _Inbox, outbox: Outbox) -> None:
        self._inbox, self._outbox, self._heartbeat = inbox, outbox, Heartbeat(outbox.beat)
        self._model_cache: ModelCache | None = None

    def work(self) -> None:
        """Run requests until the engine is to end."""
        while (request := self._inbox.next()) is not None:
            self._heartbeat.run()
            self._do(request)
            self._heartbeat.pause()

    def _do(self, request: Transcribe | tuple[StartLive, LiveSource]) -> None:
        job = request.job if isinstance(request, Transcribe) else request[0].job
        cancelled = partial(self._is_cancelled, job)
        if isinstance(request, Transcribe):
            decoder_process.prepare()  # it starts while the runtime of models is imported
        try:
            from desktop_app.worker import file_job, live_job
            from desktop_app.worker.loaded_models import ModelCache

            self._model_cache = self._model_cache or ModelCache()
            if isinstance(request, Transcribe):
                file_job.run(request, self._model_cache, self._outbox, cancelled, self._pause)
            else:
                live_job.run(*request, self._model_cache, self._outbox, cancelled)
        except BaseException as error:
            log.write(error)
            self._model_cache = None
            self._outbox.send(Failed(job, explained(error)))
        self._inbox.forget(job)

    def _is_cancelled(self, job: str) -> bool:
        """Whether to stop this job. Asked many times a window, which proves that the work goes on."""
        self._heartbeat.step()
        return self._inbox.is_cancelled(job)

    def _pause(self) -> None:
        """Let a live session that waits have the machine until it is over."""
        while (session := self._inbox.next_session()) is not None:
            self._do(session)


def explained(error: BaseException) -> Problem:
    """What is said about an error that is neither the file's nor the model's."""
    if isinstance(error, MemoryError) or getattr(error, "errno", 0) == errno.ENOMEM:
        return Problem("engine.memory")
    if any(each in str(error) for each in _NO_MEMORY):
        return Problem("engine.memory")
    if isinstance(error, ImportError):
        return Problem("engine.not_loaded", error=_last_line(error))
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return Problem("disk.full")
    what = " ".join(str(error).split()) or type(error).__name__
    return Problem("engine.mistake", error=what[:200], log=str(log.path()))


def _last_line(error: BaseException) -> str:
    """Where a library that explains itself on a page says what it was."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__
