"""Live recordings that a killed program or a power cut has interrupted: found at the start, and offered."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from desktop_app.app.entry import INTERRUPTED, Entry
from desktop_app.app.preferences import Preferences
from desktop_app.app.session import Session
from desktop_app.app.signals import Signal
from desktop_app.app.wording import moment, span
from desktop_app.app.worker import Worker
from desktop_app.texts import _, ngettext

_DECLINED = "declined"
_SHORTEST = 0.5  # seconds; less was never begun in earnest


class Recovery:
    """Attributes: found (the interrupted recordings whose sound can be read, and that were not declined).

    Signals: changed().
    """

    def __init__(self, session: Session, preferences: Preferences) -> None:
        self._session, self._preferences = session, preferences
        self._worker = Worker("recovery", session.worker.post)
        self._looked_at: set[str] = set()
        self.changed: Signal[[]] = Signal()
        self.found: list[Entry] = []
        session.reloaded.connect(self.look)
        session.changed.connect(self._recheck)
        session.removed.connect(self._recheck)
        self.look()

    def look(self) -> None:
        """Look for interrupted recordings, and how long each of them is."""
        declined = self._declined()
        for entry in self._session.interrupted:
            if entry.id not in self._looked_at | declined:
                self._looked_at.add(entry.id)
                self._worker.do(partial(_length_of, entry.path), partial(self._add, entry))

    def transcribe(self) -> None:
        """Transcribe what is missing of them from their files."""
        for entry in list(self.found):
            self._session.again(entry.id)

    def decline(self) -> None:
        """Offer these no more; they stay in the list of recordings."""
        declined = self._declined() | {entry.id for entry in self.found}
        self._preferences.set(_DECLINED, " ".join(sorted(declined)))
        self.found = []
        self.changed.emit()

    def sentence(self) -> str:
        """What there is to say about them, or ""."""
        if not self.found:
            return ""
        if len(self.found) > 1:
            return ngettext(
                "{n} recording was interrupted. Its audio is safe.",
                "{n} recordings were interrupted. Their audio is safe.",
                len(self.found),
            )
        (entry,) = self.found
        when = moment(entry.created, datetime.now(UTC))
        return _(
            "A recording of {length} from {time} was interrupted. Its audio is safe.",
            length=span(entry.seconds),
            time=when,
        )

    def close(self) -> None:
        """End the thread."""
        self._worker.close(0.0)

    def _declined(self) -> set[str]:
        return set(self._preferences.text(_DECLINED).split())

    def _add(self, entry: Entry, seconds: float | None) -> None:
        if seconds and seconds >= _SHORTEST and entry.state == INTERRUPTED and entry.id in self._session.entries:
            entry.seconds = seconds
            self.found.append(entry)
            self._session.changed.emit(entry.id)
            self.changed.emit()

    def _recheck(self, key: str) -> None:
        left = [it for it in self.found if it.state == INTERRUPTED and it.id in self._session.entries]
        if left != self.found:
            self.found = left
            self.changed.emit()


def _length_of(path: str) -> float:
    from desktop_app.audio import length  # brings FFmpeg, which the window otherwise does without

    return length.seconds(path)
