"""Comparing a text with a second pass over the whole recording."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from desktop_app.app.entry import DONE, IN_WORK, Entry
from desktop_app.app.session import Session
from desktop_app.app.signals import Signal
from desktop_app.engine.messages import Cancelled, Event, Failed, Finished, Progress
from desktop_app.problems import Problem
from desktop_app.transcript.difference import Change, changes, word_count
from desktop_app.transcript.model import Transcript

_JOB = "check:"


@dataclass
class Check:
    """A re-check of a recording.

    Attributes:
        progress: the share that is transcribed, 0 to 1.
        transcript: that of the second pass, None until it is known; `changes` is how it differs from the text.
        reworded: whether that text has words of the reader's own.
        problem: why it could not be read, if so.
    """

    progress: float = 0.0
    transcript: Transcript | None = None
    changes: tuple[Change, ...] = ()
    problem: Problem | None = None
    reworded: bool = False

    @property
    def words(self) -> int:
        """How many words would change."""
        return word_count(self.changes)


class Checks:
    """Attributes: running (checks by the id of their recording, those with a result too).

    Signals: changed(id).
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.changed: Signal[str] = Signal()
        self.running: dict[str, Check] = {}
        session.foreign.connect(self._handle)
        session.compared.connect(self.begin)
        session.revised.connect(self._compare_again)
        session.removed.connect(self.forget)

    def is_offered(self, key: str) -> bool:
        """Whether a text was just transcribed live, and a re-check was neither begun nor declined."""
        entry = self._session.entries.get(key)
        return entry is not None and entry.state == DONE and entry.live is not None and key not in self.running

    def begin(self, key: str) -> None:
        """Read the file of a recording from its beginning; its text stays as it is."""
        entry = self._session.entries.get(key)
        if entry is None or entry.state in IN_WORK or entry.is_damaged:
            return
        self._session.load(key)
        self.running[key] = Check(reworded=entry.reworded)
        self._session.engine.transcribe(f"{_JOB}{key}", entry.path, self._session.options())
        self.changed.emit(key)

    def accept(self, key: str) -> None:
        """Take the file's text in the place of the one that is there."""
        check, entry = self.running.get(key), self._session.entries.get(key)
        if check is None or check.transcript is None or entry is None:
            return
        transcript = check.transcript
        self._session.keep(lambda library: library.replace(key, transcript))
        self.forget(key)
        entry.state, entry.problem, entry.resumable = DONE, None, False
        self._session.put_text(entry, transcript)

    def forget(self, key: str) -> None:
        """Keep the text as it is, and offer no check of it again."""
        check, entry = self.running.pop(key, None), self._session.entries.get(key)
        if check is not None and check.transcript is None and not check.problem:
            self._session.engine.cancel(f"{_JOB}{key}")
        if entry is not None:
            entry.live = None
        self.changed.emit(key)

    def _handle(self, event: Event) -> None:
        key = event.job.removeprefix(_JOB)
        check, entry = self.running.get(key), self._session.entries.get(key)
        if check is None or entry is None or key == event.job:
            return
        match event:
            case Progress():
                check.progress = event.done_seconds / event.audio_seconds if event.audio_seconds else 0.0
            case Finished():
                self._compare(entry, event.transcript)
                return
            case Failed():
                check.problem = event.problem
            case Cancelled():
                self.forget(key)
                return
            case _:
                return
        self.changed.emit(key)

    def _compare_again(self, key: str) -> None:
        """The text was edited, perhaps in a place that differs."""
        check, entry = self.running.get(key), self._session.entries.get(key)
        if check is not None and check.transcript is not None and entry is not None:
            check.reworded = entry.reworded
            self._compare(entry, check.transcript)

    def _compare(self, entry: Entry, after: Transcript) -> None:
        before = tuple(entry.segments)
        self._session.worker.do(lambda: changes(before, after.segments), partial(self._show, entry.id, after))

    def _show(self, key: str, transcript: Transcript, found: tuple[Change, ...]) -> None:
        check = self.running.get(key)
        if check is not None:
            check.transcript, check.changes = transcript, found
            self.changed.emit(key)
