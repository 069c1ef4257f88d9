"""The versions of a recording's text: what there is, taking one back, and who speaks in the one that stands."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.signals import Signal
from desktop_app.library.rows import Recording
from desktop_app.library.versions import STANDING, Version
from desktop_app.messages.jobs import Cancelled, Event, Failed, Finished, Progress
from desktop_app.problems import Problem
from desktop_app.speakers.turns import Turn
from desktop_app.transcript.model import Transcript

__all__ = ["STANDING", "Version", "Versions", "moved"]

_JOB = "speakers:"


class Versions:
    """Attributes:
        known: the versions by the id of their recording, the one that stands first; of those that `look` was asked for.
        finding: recordings whose speakers are being found, with the share that is done, 0 to 1.
        problems: why speakers could not be found, by the id of the recording.
    Signals: changed(id).
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.changed: Signal[str] = Signal()
        self.known: dict[str, list[Version]] = {}
        self.finding: dict[str, float] = {}
        self.problems: dict[str, Problem] = {}
        session.foreign.connect(self._handle)
        session.removed.connect(self._forget)

    def refresh(self, key: str) -> None:
        """Find out which versions there are; `changed` follows."""
        self._session.keep(lambda library: library.versions(key), partial(self._show, key))

    def take(self, key: str, number: int) -> None:
        """Let a version be the text that stands, with what a reader has corrected in it; that one becomes a version."""
        entry = self._usable(key)
        if entry is None:
            return
        entry.switching = True  # what is typed now would be typed into another text
        self._session.switching.emit(key)
        self._session.worker.do(
            partial(self._exchange, key, number), partial(self._switch, entry), partial(self._stay, entry)
        )

    def remove(self, key: str, number: int) -> None:
        """Delete a version."""
        self._session.keep(lambda library: library.remove_version(key, number))
        self.refresh(key)

    def find_speakers(self, key: str, count: str) -> None:
        """Find out who speaks when in a text that stands; `count` is "auto" or how many there are, as text."""
        entry = self._usable(key)
        if entry is not None and key not in self.finding:
            self._session.load(key)
            self.problems.pop(key, None)
            self.finding[key] = 0.0
            self._session.engine.find_speakers(f"{_JOB}{key}", entry.path, count)
            self.changed.emit(key)

    def stop_finding(self, key: str) -> None:
        """Leave the speakers as they are; a problem was read."""
        self.problems.pop(key, None)
        if self.finding.pop(key, None) is not None:
            self._session.engine.cancel(f"{_JOB}{key}")
        self.changed.emit(key)

    # Inside.

    def _usable(self, key: str) -> Entry | None:
        entry = self._session.entries.get(key)
        if entry is None or entry.state in IN_WORK or entry.is_damaged or entry.switching:
            return None
        return entry

    def _exchange(self, key: str, number: int) -> tuple[Recording, Transcript] | None:
        """In the library's thread."""
        library = self._session.library
        stored = library.exchange(key, number) if library is not None else None
        return (stored, library.transcript(key)) if library is not None and stored is not None else None

    def _stay(self, entry: Entry, problem: Problem) -> None:
        entry.switching = False
        self._session.tell(problem)

    def _switch(self, entry: Entry, found: tuple[Recording, Transcript] | None) -> None:
        entry.switching = False
        if found is not None and entry.id in self._session.entries:
            self._session.show_version(entry, found[1], found[0])
            self.refresh(entry.id)

    def _show(self, key: str, found: list[Version] | None) -> None:
        if found is not None and key in self._session.entries:
            self.known[key] = found
            self.changed.emit(key)

    def _forget(self, key: str) -> None:
        self.known.pop(key, None)
        self.problems.pop(key, None)
        if self.finding.pop(key, None) is not None:
            self._session.engine.cancel(f"{_JOB}{key}")

    def _handle(self, event: Event) -> None:
        key = event.job.removeprefix(_JOB)
        if key == event.job or key not in self.finding:
            return
        match event:
            case Progress():
                self.finding[key] = event.done_seconds / event.audio_seconds if event.audio_seconds else 0.0
            case Finished():
                del self.finding[key]
                self._give(key, event.transcript)
            case Failed():
                del self.finding[key]
                self.problems[key] = moved(event.problem, self._session.entries[key])
            case Cancelled():
                del self.finding[key]
            case _:
                return
        self.changed.emit(key)

    def _give(self, key: str, found: Transcript) -> None:
        turns = (Turn(begin, end, each.id) for each in found.speakers for begin, end in each.turns)
        self._session.attributed.emit(key, tuple(sorted(turns, key=lambda turn: (turn.start, turn.end))))


def moved(problem: Problem, entry: Entry) -> Problem:
    """What failed about a recording that has a text: its file was there once."""
    return Problem("file.moved", name=Path(entry.path).name) if problem.code == "file.missing" else problem
