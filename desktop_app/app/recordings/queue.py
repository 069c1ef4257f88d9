"""The queue: which job the engine gets next, one after another, in an order that the user can change, or none while it
is paused.

Most jobs are files, named by their recordings. The others transcribe a recording that already has a text once more, as
a new version or some lines of it. The user is waiting for them, so they go first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from desktop_app.app.recordings.engine_port import EnginePort
from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.app.signals import Signal
from desktop_app.library.store import Library
from desktop_app.messages.jobs import Cancelled, Event, Failed, Finished, Transcribe


class Recordings(Protocol):
    """What the queue needs of desktop_app.app.recordings.session.Session."""

    engine: EnginePort
    entries: dict[str, Entry]
    changed: Signal[str]

    @property
    def in_work(self) -> list[Entry]: ...

    def cancel(self, key: str) -> None: ...

    def keep(self, call: Callable[[Library], object]) -> None: ...


class Queue:
    """Attributes: running (the job that the engine has, "" for none); paused (whether it gets no more).

    Signals:
        changed(): it was paused, resumed or put into another order, or a job that is no file has come or gone.
        resumed(job): a job that was stopped by a pause must be queued again.
        dropped(job): all were cancelled, and a job that is no file with them.
    """

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings
        self._waiting: dict[str, Transcribe] = {}
        self._stopped: set[str] = set()  # jobs that a pause has stopped, or is about to stop
        self.running, self.paused = "", False
        self.changed: Signal[[]] = Signal()
        self.resumed: Signal[str] = Signal()
        self.dropped: Signal[str] = Signal()

    # Jobs.

    def put(self, request: Transcribe) -> None:
        """One more; it is sent at once where nothing else is to be done."""
        self._waiting[request.job] = request
        self.send_next()
        self._tell_of(request.job)

    def take_out(self, job: str) -> bool:
        """Forget one that waits; whether it did."""
        self._stopped.discard(job)
        return self._waiting.pop(job, None) is not None

    def cancel(self, job: str) -> None:
        """Take a job out that is no file, or let the engine stop it."""
        if not self.take_out(job) and job == self.running:
            self._recordings.engine.cancel(job)
        self._tell_of(job)

    def is_stopped(self, job: str) -> bool:
        """Whether a job that was cancelled is so only until the queue is resumed."""
        return job in self._stopped

    def handle(self, event: Event) -> None:
        """Go on when the engine has done with a job; others know of it by then."""
        if not isinstance(event, (Finished, Failed, Cancelled)):
            return
        job = event.job
        if not isinstance(event, Cancelled):  # it was done before it could be paused
            self._stopped.discard(job)
        if job == self.running:
            self.running = ""
            if not self.paused:
                self._take_up(job)  # resumed before the engine had stopped
                self.send_next()
            self._tell_of(job)

    def send_next(self) -> None:
        """Send what comes first, if the engine has nothing to do."""
        if self.paused or self.running:
            return
        order = (*self._others, *(entry.id for entry in self._recordings.in_work))
        job = next((job for job in order if job in self._waiting), "")
        if job:
            self.running = job
            request = self._waiting.pop(job)
            if request.span is None:
                self._recordings.engine.transcribe(job, request.path, request.options, request.written, request.place)
            else:
                self._recordings.engine.transcribe_part(job, request.path, request.options, request.span)

    def _tell_of(self, job: str) -> None:
        """A job has come or gone; of files their recordings tell."""
        if job not in self._recordings.entries:
            self.changed.emit()

    @property
    def _others(self) -> list[str]:
        """The jobs that are no files, the one that runs first."""
        jobs = (self.running, *self._waiting, *self._stopped)
        return [job for job in dict.fromkeys(jobs) if job and job not in self._recordings.entries]

    def _take_up(self, job: str) -> bool:
        """Say that a job can go on which a pause has stopped; whether it was."""
        if job not in self._stopped:
            return False
        self._stopped.discard(job)
        self.resumed.emit(job)
        return True

    # What the user asks for.

    @property
    def files(self) -> list[Entry]:
        """The files, the next one first."""
        return [entry for entry in self._recordings.in_work if not entry.spoken]

    @property
    def count(self) -> int:
        """How many jobs there are, files and others."""
        return len(self.files) + len(self._others)

    def pause(self) -> None:
        """Stop the job in work after what is written of it, and begin no other one, until `resume`."""
        self.paused = True
        for entry in self.files:
            entry.paused = True
            self._recordings.changed.emit(entry.id)
        entry_in_work = self._recordings.entries.get(self.running)
        if self.running and (entry_in_work is None or not entry_in_work.spoken):
            self._stopped.add(self.running)
            self._recordings.engine.cancel(self.running)
        self.changed.emit()

    def resume(self) -> None:
        """Go on with the queue where it was paused."""
        self.paused = False
        for entry in self.files:
            entry.paused = False
            self._recordings.changed.emit(entry.id)
        taken_up = [self._take_up(job) for job in list(self._stopped) if job != self.running]
        if not any(taken_up):
            self.send_next()
        self.changed.emit()

    def cancel_all(self) -> None:
        """Stop every job; what is being recorded goes on."""
        for job in self._others:
            self.dropped.emit(job)
        for entry in reversed(self.files):
            self._recordings.cancel(entry.id)
        self.paused = False
        self.changed.emit()

    def move(self, key: str, place: int) -> bool:
        """Let a file that waits be the one at `place` among those that wait; whether that changes anything."""
        waiting = self.waiting
        entry = self._recordings.entries.get(key)
        if entry not in waiting or not 0 <= place < len(waiting) or waiting[place] is entry:
            return False
        waiting.remove(entry)
        waiting.insert(place, entry)
        keys = [each.id for each in waiting]
        for number, each in enumerate(waiting, 1):
            each.place = float(number)
        self._recordings.keep(lambda library: library.arrange(keys))
        self.changed.emit()
        return True

    @property
    def waiting(self) -> list[Entry]:
        """The files that wait, the next one first."""
        return [entry for entry in self.files if self.waits(entry)]

    def waits(self, entry: Entry) -> bool:
        """Whether this is one of those that wait, without a look at the others: a list asks for each of its rows."""
        return entry.state in IN_WORK and not (entry.elsewhere or entry.spoken) and entry.id != self.running

    def place(self, key: str) -> int | None:
        """Where a file stands among those that wait, the next one at 0; None for others."""
        waiting = [entry.id for entry in self.waiting]
        return waiting.index(key) if key in waiting else None
