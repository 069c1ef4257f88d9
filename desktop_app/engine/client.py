"""The engine from the front end's side: a queue of jobs, live sessions before them, and a process that is supervised,
and replaced if it ends or no longer responds.

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
from desktop_app.engine.child import Child, Program
from desktop_app.engine.file_keeper import MOST_ENDS, FileKeeper
from desktop_app.engine.live_keeper import LiveKeeper
from desktop_app.engine.watchdog import Limits, Watchdog
from desktop_app.messages.jobs import (
    BEAT_SECONDS,
    Beat,
    Cancel,
    Cancelled,
    Event,
    Failed,
    FindSpeakers,
    Finished,
    LiveAudio,
    LiveOptions,
    LiveUpdate,
    Preparing,
    Request,
    Started,
    StartLive,
    StopLive,
    Transcribe,
)
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.worker import main as worker

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from desktop_app.transcript.model import ResumePoint, Span, Transcript

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

    A process that ends in the middle of a job, or is silent for longer than `limits` say, is replaced: a file is
    resumed after its last whole window; the second time it fails, and the next one is transcribed.
    """

    def __init__(
        self, on_event: Callable[[Event], None], program: Program = worker.serve, limits: Limits | None = None
    ) -> None:
        self._on_event, self._program, self._watchdog = on_event, program, Watchdog(limits or Limits())
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._wakeup_reader, self._wakeup = Pipe(duplex=False)
        self._wakeup_lock = Lock()
        self._closed = False
        self._child: Child | None = None
        self._waiting: deque[FileKeeper] = deque()
        self._running: FileKeeper | None = None
        self._abandoned: str | None = None  # a file job that was cancelled while a live session had the engine
        self._live: LiveKeeper | None = None
        self._next_live: LiveKeeper | None = None  # begins when the session that was cancelled has ended
        self._mistakes = 0  # consecutive crashes of engines
        self._kill_at: float | None = None  # the file job's, or the live session's while there is one
        self._thread = Thread(target=self._serve, name="engine", daemon=True)
        self._thread.start()

    def transcribe(
        self, job: str, path: str, options: Options, written: Transcript | None = None, place: ResumePoint | None = None
    ) -> None:
        """Queue a file as the job `job`, the caller's own name for it. Text that was `written` before is kept, as
        Transcribe says."""
        self._order(Transcribe(job, path, options, written, place))

    def transcribe_part(self, job: str, path: str, options: Options, span: Span) -> None:
        """Queue a stretch of a file, in seconds, as the job `job`."""
        self._order(Transcribe(job, path, options, span=span))

    def find_speakers(self, job: str, path: str, speakers: str, span: Span | None = None) -> None:
        """Queue a file in which the speakers are to be found, as FindSpeakers says."""
        self._order(FindSpeakers(job, path, Options(speakers=speakers), span=span))

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None:
        """Begin a live session; a running file job pauses at its next window, and waiting ones wait until it is over.

        Events: Preparing, Started, LiveUpdate, and one last one. There is one session at a time.
        """
        self._order(StartLive(job, options, live))

    def live_audio(self, job: str, start: int, samples: npt.NDArray[np.float32]) -> None:
        """The next block of the session's audio: mono, 16 kHz, its first sample the recording's sample `start`."""
        self._order(LiveAudio(job, start, samples.astype("<f4").tobytes()))

    def stop_live(self, job: str) -> None:
        """The audio has ended: the rest is transcribed, then comes Finished."""
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
        with self._wakeup_lock:
            if not self._closed:
                self._closed = order is None
                self._orders.put(order)
                self._wakeup.send_bytes(b"!")

    def _serve(self) -> None:
        """The supervisor's thread, the only one that touches the process and the queue of jobs."""
        while True:
            self._start_next()
            readable: list[Any] = [self._wakeup_reader, *([self._child.connection] if self._child else [])]
            left = None if self._kill_at is None else max(0.0, self._kill_at - time.monotonic())
            if self._is_busy:
                left = BEAT_SECONDS if left is None else min(left, BEAT_SECONDS)
            ready = wait(readable, left)
            if self._wakeup_reader in ready:
                self._wakeup_reader.recv_bytes()
                order = self._orders.get()
                if order is None:
                    break
                self._execute(order)
            elif ready:
                self._receive()
            elif self._kill_at is not None and time.monotonic() >= self._kill_at:
                self._end_child()
            if self._is_busy and self._watchdog.expired() and self._child and not self._child.connection.poll():
                self._end_child(Problem("engine.silent"))
        if self._child:
            self._child.stop(_GRACE)
            self._child.close()
            self._child = None
        self._wakeup.close()
        self._wakeup_reader.close()

    @property
    def _is_busy(self) -> bool:
        """Whether the process has work, and so has to respond."""
        return self._child is not None and bool(self._running or self._live or self._abandoned)

    def _start_next(self) -> None:
        if self._live is None and self._next_live is not None:
            live, self._next_live = self._next_live, None
            self._open_live(live)
        while self._running is None and self._live is None and self._abandoned is None and self._waiting:
            file = self._waiting.popleft()
            if self._ensure_child(file.job):
                self._running = file
                self._watchdog.restart()
                self._send(file.resumed())

    def _ensure_child(self, job: str) -> bool:
        """Start a process if there is none. False if that failed; then the job has failed."""
        if self._child is None:
            try:
                self._child = Child(self._program)
            except OSError as error:
                self._emit(Failed(job, Problem("engine.not_started", error=error.strerror or str(error))))
        return self._child is not None

    def _send(self, request: Request) -> None:
        if self._child is not None:
            self._child.send(request)

    def _execute(self, order: _Order) -> None:
        match order:
            case Transcribe():
                self._waiting.append(FileKeeper(order))
            case StartLive():
                self._begin_live(order)
            case LiveAudio() | StopLive():
                for live in (self._live, self._next_live):
                    if live is not None and live.job == order.job:
                        live.take(order)
                        if live is self._live:
                            self._send(order)
            case Cancel():
                self._cancel(order)

    def _begin_live(self, request: StartLive) -> None:
        if self._live is None:
            self._open_live(LiveKeeper(request))
        elif self._kill_at is not None and self._next_live is None:
            self._next_live = LiveKeeper(request)
        else:
            self._emit(Failed(request.job, Problem("engine.recording")))

    def _open_live(self, live: LiveKeeper) -> None:
        if self._running is not None and self._kill_at is not None:  # a file job that is being cancelled
            self._abandon(self._running.job)
        if self._ensure_child(live.job):
            self._live = live
            self._catch_up(live)

    def _catch_up(self, live: LiveKeeper) -> None:
        """Send a new engine, or one that was busy, a session's request and audio so far."""
        self._watchdog.restart()
        request, blocks = live.resumed()
        self._send(request)
        for block in blocks:
            self._send(block)
        if live.stopped:
            self._send(StopLive(live.job))

    def _cancel(self, order: Cancel) -> None:
        live, running = self._live, self._running
        if self._next_live is not None and order.job == self._next_live.job:
            self._next_live = None
            self._emit(Cancelled(order.job))
            return
        if live is not None and running is not None and order.job == running.job:
            self._send(order)
            self._abandon(order.job)
        elif order.job in (live.job if live else None, running.job if running else None):
            if self._kill_at is None and self._child:
                self._kill_at = time.monotonic() + PATIENCE
                self._send(order)
        else:
            found = [file for file in self._waiting if file.job == order.job]
            for file in found:
                self._waiting.remove(file)
                self._emit(Cancelled(order.job))

    def _abandon(self, job: str) -> None:
        """Drop the running file job: it may be paused, and cannot answer before the live session is over."""
        self._running, self._abandoned, self._kill_at = None, job, None
        self._emit(Cancelled(job))

    def _receive(self) -> None:
        message = self._child.receive() if self._child else None
        if message is None:
            self._end_child()
        else:
            self._watchdog.note(message)
            self._pass_on(message)

    def _pass_on(self, event: Event | Beat) -> None:
        if isinstance(event, Beat):
            return
        ends = isinstance(event, _LAST)
        if self._live is not None and event.job == self._live.job:
            self._pass_on_live(event, self._live)
        elif self._running is not None and event.job == self._running.job:
            self._running.note(event)
            if ends:
                self._running, self._mistakes = None, 0
                self._kill_at = None if self._live is None else self._kill_at
            self._emit(event)
        elif event.job == self._abandoned and ends:
            self._abandoned = None

    def _pass_on_live(self, event: Event, live: LiveKeeper) -> None:
        match event:
            case LiveUpdate():
                event = live.note(event)
            case Started():
                live.started(event.models)
            case Finished():
                self._mistakes = 0
                event = live.whole(event)
        if isinstance(event, _LAST):
            self._live = self._kill_at = None
        self._emit(event)

    def _end_child(self, silent: Problem | None = None) -> None:
        """Clean up a process that has ended, or kill one that does not stop or is `silent`; events it has sent before
        still count."""
        child, self._child = self._child, None
        if child is None:
            return
        code = child.kill()
        while child.connection.poll() and (message := child.receive()) is not None:
            self._pass_on(message)
        child.close()
        self._abandoned = None
        live, running, asked = self._live, self._running, self._kill_at is not None
        why = silent or self._explained(code)
        if not asked and why.code != "engine.killed":
            self._mistakes += 1
            if self._watchdog.loads_model or self._mistakes > 1:
                _forget_compiled()
        self._running = self._kill_at = None
        if live is not None:
            if running is not None:  # it only waited for the session, and is resumed after it
                self._waiting.appendleft(running)
            self._resume(live, asked, why)
        elif running is not None:
            running.ends += 1
            if asked:
                self._emit(Cancelled(running.job))
            elif running.ends < MOST_ENDS:
                self._emit(Preparing(running.job, "restarting"))
                self._waiting.appendleft(running)
            else:
                self._emit(Failed(running.job, Problem("engine.twice", cause=why)))

    def _resume(self, live: LiveKeeper, asked: bool, why: Problem) -> None:
        """Resume a live session in a new process, unless it was to end."""
        if not asked and live.may_resume():
            if not self._ensure_child(live.job):
                self._live = None
                return
            self._emit(Preparing(live.job, "restarting"))
            self._catch_up(live)
            return
        self._live = None
        self._emit(Cancelled(live.job) if asked else Failed(live.job, why))

    def _explained(self, code: int | None) -> Problem:
        """Why a process has ended, by its exit code and by what it did last."""
        if _from_outside(code):
            return Problem("engine.killed")
        return Problem("engine.crashed_loading" if self._watchdog.loads_model else "engine.crashed")

    def _emit(self, event: Event) -> None:
        try:
            self._on_event(event)
        except Exception:  # a mistake of the listener's must not end the engine
            logging.getLogger(__name__).exception("a listener failed")


def _from_outside(code: int | None) -> bool:
    """Whether the process was killed from outside, by the user or by a system short of memory."""
    return code == -signal.SIGTERM or (hasattr(signal, "SIGKILL") and code == -signal.SIGKILL)


def _forget_compiled() -> None:
    """Remove OpenVINO's compiled models: one that crashes the engine would crash the next one too."""
    for blob in (folders.cache() / "compiled").glob("*/*.blob"):
        with contextlib.suppress(OSError):
            blob.unlink()
