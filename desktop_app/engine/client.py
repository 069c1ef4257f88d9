"""The engine as window and command line use it: a queue of jobs, live sessions before them, and a process that is
watched and replaced if it ends.

Imports neither OpenVINO nor torch.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import signal
import time
from collections import deque
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import wait
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from desktop_app import folders
from desktop_app.engine import process
from desktop_app.engine.child import Child, Program
from desktop_app.engine.live_keeper import LiveKeeper
from desktop_app.engine.messages import (
    Cancel,
    Cancelled,
    Event,
    Failed,
    Finished,
    LiveAudio,
    LiveOptions,
    LiveUpdate,
    Options,
    Preparing,
    Request,
    Started,
    StartLive,
    StopLive,
    Transcribe,
)
from desktop_app.problems import Problem

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from desktop_app.transcript.model import Transcript

PATIENCE = 1.0
"""Seconds that a running job has to stop by itself after it was asked to."""

_GRACE = 0.3
_LAST = (Finished, Failed, Cancelled)
_Order = Transcribe | StartLive | LiveAudio | StopLive | Cancel


class Engine:
    """Transcribes files one after another, and live sessions before them, in a process of its own, which is started
    when it is needed.

    Every method may be called from any thread and returns at once; `on_event` is called from one thread, in order.
    Each job gets exactly one of Finished, Failed and Cancelled as its last event, unless the engine is closed before.
    """

    def __init__(self, on_event: Callable[[Event], None], program: Program = process.main) -> None:
        self._on_event, self._program = on_event, program
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._bell_heard, self._bell = Pipe(duplex=False)
        self._bell_lock = Lock()
        self._closed = False
        self._child: Child | None = None
        self._waiting: deque[Transcribe] = deque()
        self._running: Transcribe | None = None
        self._given_up: str | None = None  # a file job that was cancelled while a live session had the engine
        self._live: LiveKeeper | None = None
        self._next_live: LiveKeeper | None = None  # begins when the session that was cancelled has ended
        self._kill_at: float | None = None  # the file job's, or the live session's while there is one
        self._thread = Thread(target=self._serve, name="engine", daemon=True)
        self._thread.start()

    def transcribe(self, job: str, path: str, options: Options, written: Transcript | None = None) -> None:
        """Queue a file under the caller's own name for it; what was `written` of it live stands."""
        self._order(Transcribe(job, path, options, written))

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None:
        """Begin a live session; a file job in work pauses at its next window, and waiting ones wait until it is over.

        Events: Preparing, Started, LiveUpdate, and one last one. There is one session at a time.
        """
        self._order(StartLive(job, options, live))

    def live_audio(self, job: str, start: int, samples: npt.NDArray[np.float32]) -> None:
        """The next block of the session's audio: mono, 16 kHz, its first sample the recording's sample `start`."""
        self._order(LiveAudio(job, start, samples.astype("<f4").tobytes()))

    def stop_live(self, job: str) -> None:
        """Nothing more is said: what is left is written, then comes Finished."""
        self._order(StopLive(job))

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

    def _order(self, order: _Order | None) -> None:
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
        if self._live is None and self._next_live is not None:
            live, self._next_live = self._next_live, None
            self._open_live(live)
        while self._running is None and self._live is None and self._given_up is None and self._waiting:
            request = self._waiting.popleft()
            if self._has_child(request.job):
                self._running = request
                self._say(request)

    def _has_child(self, job: str) -> bool:
        """Whether there is a process, after an attempt to start one; without one the job has failed."""
        if self._child is None:
            try:
                self._child = Child(self._program)
            except OSError as error:
                self._tell(Failed(job, Problem("engine.not_started", error=error.strerror or str(error))))
        return self._child is not None

    def _say(self, request: Request) -> None:
        if self._child is not None:
            self._child.send(request)

    def _obey(self, order: _Order) -> None:
        match order:
            case Transcribe():
                self._waiting.append(order)
            case StartLive():
                self._begin_live(order)
            case LiveAudio() | StopLive():
                for live in (self._live, self._next_live):
                    if live is not None and live.job == order.job:
                        live.take(order)
                        if live is self._live:
                            self._say(order)
            case Cancel():
                self._cancel(order)

    def _begin_live(self, request: StartLive) -> None:
        if self._live is None:
            self._open_live(LiveKeeper(request))
        elif self._kill_at is not None and self._next_live is None:
            self._next_live = LiveKeeper(request)
        else:
            self._tell(Failed(request.job, Problem("engine.recording")))

    def _open_live(self, live: LiveKeeper) -> None:
        if self._running is not None and self._kill_at is not None:  # a file job that is about to stop
            self._give_up(self._running.job)
        if self._has_child(live.job):
            self._live = live
            self._catch_up(live)

    def _catch_up(self, live: LiveKeeper) -> None:
        """Bring a new engine, or one that was busy, to where a session is."""
        request, blocks = live.resumed()
        self._say(request)
        for block in blocks:
            self._say(block)
        if live.stopped:
            self._say(StopLive(live.job))

    def _cancel(self, order: Cancel) -> None:
        live, running = self._live, self._running
        if self._next_live is not None and order.job == self._next_live.job:
            self._next_live = None
            self._tell(Cancelled(order.job))
            return
        if live is not None and running is not None and order.job == running.job:
            self._say(order)
            self._give_up(order.job)
        elif order.job in (live.job if live else None, running.job if running else None):
            if self._kill_at is None and self._child:
                self._kill_at = time.monotonic() + PATIENCE
                self._say(order)
        else:
            found = [request for request in self._waiting if request.job == order.job]
            for request in found:
                self._waiting.remove(request)
                self._tell(Cancelled(order.job))

    def _give_up(self, job: str) -> None:
        """Have done with the running file job: it may be paused, and cannot answer before the live session is over."""
        self._running, self._given_up, self._kill_at = None, job, None
        self._tell(Cancelled(job))

    def _hear(self) -> None:
        event = self._child.receive() if self._child else None
        if event is None:
            self._bury()
        else:
            self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        ends = isinstance(event, _LAST)
        if self._live is not None and event.job == self._live.job:
            self._pass_on_live(event, self._live)
        elif self._running is not None and event.job == self._running.job:
            if ends:
                self._running = None
                self._kill_at = None if self._live is None else self._kill_at
            self._tell(event)
        elif event.job == self._given_up and ends:
            self._given_up = None

    def _pass_on_live(self, event: Event, live: LiveKeeper) -> None:
        match event:
            case LiveUpdate():
                event = live.note(event)
            case Started():
                live.models = event.models
            case Finished():
                event = live.whole(event)
        if isinstance(event, _LAST):
            self._live = self._kill_at = None
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
        self._given_up = None
        live, running, asked = self._live, self._running, self._kill_at is not None
        if not asked and not _from_outside(code):
            _forget_compiled()
        self._kill_at = None
        if live is not None:
            if running is not None:  # it only waited for the session: once more from its beginning, later
                self._running = None
                self._waiting.appendleft(running)
            self._go_on(live, asked, code)
        elif running is not None:
            self._running = None
            self._tell(Cancelled(running.job) if asked else _ended(running.job, code))

    def _go_on(self, live: LiveKeeper, asked: bool, code: int | None) -> None:
        """Let a new process go on with a live session, unless it was to end."""
        if not asked and live.may_go_on():
            if not self._has_child(live.job):
                self._live = None
                return
            self._tell(Preparing(live.job, "restarting"))
            self._catch_up(live)
            return
        self._live = None
        self._tell(Cancelled(live.job) if asked else _ended(live.job, code))

    def _tell(self, event: Event) -> None:
        try:
            self._on_event(event)
        except Exception:  # a mistake of the listener's must not end the engine
            logging.getLogger(__name__).exception("a listener failed")


def _ended(job: str, code: int | None) -> Failed:
    """The engine ended in the middle of a job; `code` is its exit code."""
    if _from_outside(code):
        return Failed(job, Problem("engine.killed"))
    return Failed(job, Problem("engine.crashed"))


def _from_outside(code: int | None) -> bool:
    """Whether somebody ended the process, the user or a system short of memory."""
    return code == -signal.SIGTERM or (hasattr(signal, "SIGKILL") and code == -signal.SIGKILL)


def _forget_compiled() -> None:
    """Remove what OpenVINO keeps compiled: it does not check it, and what is damaged would end the next engine too."""
    for blob in (folders.cache() / "compiled").glob("*.blob"):
        with contextlib.suppress(OSError):
            blob.unlink()
