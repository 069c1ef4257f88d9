"""Long work on models: downloading, copying, verifying, deleting, quantising, converting, training, trying a pair.

Each task has a process of its own, so that neither the window's nor the engine's process ever loads code that uses the
network, and no disk or server that hangs blocks them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread

from desktop_app import log
from desktop_app.engine.child import Child
from desktop_app.engine.watchdog import Limits, Watchdog
from desktop_app.messages.jobs import Beat, Cancel
from desktop_app.messages.model_work import (
    Add,
    Announce,
    Announced,
    Convert,
    Done,
    Hold,
    Message,
    Progress,
    Quantise,
    Refused,
    Remove,
    Step,
    Stopped,
    Work,
)
from desktop_app.messages.training import TrainDraft
from desktop_app.problems import Problem
from desktop_app.worker import main as worker

GRACE = 2.0
"""Seconds that a cancelled task has to clean up, if it would leave files behind; others are killed at once: what a
download has received is kept however it ends."""

_POLL_SECONDS = 0.1


def _limits(work: Work) -> Limits:
    """Tracing a large model and writing its graphs takes minutes, in few calls that tell nothing of their progress."""
    return Limits(silent_loading=600.0, stuck_loading=3600.0) if isinstance(work, Convert) else Limits()


class Task:
    """A piece of work in its own process. `on_message` is called in a thread of the task's: with any number of Steps
    and Announced, then once with Done, Refused or Stopped. A process that is silent, or makes no progress, for longer
    than `limits` say is killed."""

    def __init__(self, work: Work, on_message: Callable[[Message], None], limits: Limits | None = None) -> None:
        self._work, self._on_message, self._watchdog = work, on_message, Watchdog(limits or _limits(work))
        self._asked, self._held = Event(), Event()
        self._thread = Thread(target=self._follow, name="model-work", daemon=True)
        self._thread.start()

    def hold(self, held: bool) -> None:
        """Let the work pause at its next step, with all that it has in memory, or go on."""
        if held:
            self._held.set()
        else:
            self._held.clear()

    def cancel(self) -> None:
        """Cancel the work; Stopped follows, or Done if it was just done."""
        self._asked.set()

    def close(self, seconds: float = GRACE + 1.0) -> None:
        """Cancel the work and wait for its end."""
        self._asked.set()
        self._thread.join(seconds)

    def _follow(self) -> None:
        try:
            child = Child(partial(worker.do_task, self._work))
        except OSError as error:
            self._on_message(Refused(Problem("engine.not_started", error=error.strerror or str(error))))
            return
        last = self._until_end(child)
        child.kill()
        child.close()
        if isinstance(self._work, Convert):
            self._work.remove_room()
        self._on_message(last)  # once the process has released its locks, so that the next one can take them

    def _until_end(self, child: Child) -> Message:
        until, held = 0.0, False
        while not until or time.monotonic() < until:
            if self._held.is_set() != held:
                held = not held
                child.send(Hold(held))
            if self._asked.is_set() and not until:
                leaves = isinstance(self._work, Add | Remove | Quantise | TrainDraft)
                until = time.monotonic() + (GRACE if leaves else 0.0)
                child.send(Cancel(""))
            try:
                if not child.connection.poll(_POLL_SECONDS):
                    if self._watchdog.expired():
                        return Refused(Problem("engine.work_silent"))
                    continue
                message: Message | Beat = child.connection.recv()
            except (EOFError, OSError):
                break
            if isinstance(message, Beat):
                self._watchdog.note(message)
                continue
            if not isinstance(message, Step | Announced):
                return message
            self._on_message(message)
        ended = Refused(Problem("engine.work_ended", log=str(log.path())))
        return Stopped() if self._asked.is_set() else ended


def perform(work: Work, progress: Progress, announce: Announce | None = None) -> Done:
    """Do a piece of work in its own process and wait for it; `progress` is called with each Step, `announce` with each
    stage. Raises Problem."""
    messages: SimpleQueue[Message] = SimpleQueue()
    task = Task(work, messages.put)
    try:
        while True:
            match messages.get():
                case Step(what, done, total):
                    progress(what, done, total)
                case Announced(stage, values) if announce is not None:
                    announce(stage, **values)
                case Refused(problem):
                    raise problem
                case Done() as done:
                    return done
    finally:
        task.close()
