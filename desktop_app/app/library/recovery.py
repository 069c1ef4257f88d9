"""Recordings and files that a killed program or a power cut has interrupted: found at the start, and offered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from desktop_app.app.background import BackgroundThread
from desktop_app.app.presentation.wording import moment, span
from desktop_app.app.recordings.entry import INTERRUPTED, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.audio import length
from desktop_app.library.store import Library
from desktop_app.texts import _, ngettext

_DECLINED = "declined"
_SHORTEST = 0.5  # seconds; less was never begun in earnest
_HEADER, _FRAME = 42, 4096  # bytes of a FLAC file before its first frame, and more than a frame of 72 ms can have


class Recovery:
    """Attributes: found (the recordings and files that were interrupted, and those of which a version was; what can be
    read and was not declined).

    Signals: changed().
    """

    def __init__(self, session: Session, preferences: Preferences) -> None:
        self._session, self._preferences = session, preferences
        self._worker = BackgroundThread("recovery", session.worker.post)
        self._looked_at: set[str] = set()
        self.changed: Signal[[]] = Signal()
        self.found: list[Entry] = []
        session.reloaded.connect(self.refresh)
        session.changed.connect(self._recheck)
        session.removed.connect(self._recheck)
        self.refresh()

    def refresh(self) -> None:
        """Look for interrupted recordings, and how long each of them is; those without any sound are removed."""
        remove_empty(self._session, lambda removed: None)
        known = self._looked_at | self._declined()
        new = [it for it in (*self._session.interrupted, *self._session.interrupted_files) if it.id not in known]
        attempts = [it for it in self._session.attempts if it.id not in self._looked_at and it not in new]
        for entry in (*new, *attempts):
            self._looked_at.add(entry.id)
            if entry.spoken and entry.attempt is None:
                self._worker.do(partial(length.seconds, entry.path), partial(self._add, entry))
            else:
                self._worker.do(Path(entry.path).is_file, partial(self._add_file, entry))

    def transcribe(self) -> None:
        """Transcribe what is missing of them."""
        for entry in list(self.found):
            self._session.transcribe_again(entry.id)

    def decline(self) -> None:
        """Offer these no more; they stay in the list of recordings."""
        for entry in self.found:
            self._session.decline_attempt(entry.id)
        declined = self._declined() | {entry.id for entry in self.found if entry.state == INTERRUPTED}
        self._preferences.set(_DECLINED, " ".join(sorted(declined)))
        self.found = []
        self.changed.emit()

    def sentence(self) -> str:
        """What there is to say about them, or ""."""
        if not self.found:
            return ""
        if any(not entry.spoken or entry.attempt for entry in self.found):
            count = len(self.found)
            return ngettext("{n} transcription was interrupted.", "{n} transcriptions were interrupted.", count)
        if len(self.found) > 1:
            return ngettext(
                "{n} recording was interrupted. Its audio is safe.",
                "{n} recordings were interrupted. Their audio is safe.",
                len(self.found),
            )
        (entry,) = self.found
        when = moment(entry.created, datetime.now(UTC))
        return _(
            "A recording of {length} ({time}) was interrupted. Its audio is safe.",
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

    def _add_file(self, entry: Entry, is_there: bool | None) -> None:
        if is_there and _is_unfinished(entry) and entry.id in self._session.entries:
            self.found.append(entry)
            self.changed.emit()

    def _recheck(self, key: str) -> None:
        left = [it for it in self.found if _is_unfinished(it) and it.id in self._session.entries]
        if left != self.found:
            self.found = left
            self.changed.emit()


def _is_unfinished(entry: Entry) -> bool:
    """Whether a program that is gone was at this text, or at a version of it."""
    return entry.state == INTERRUPTED or entry.attempt is not None


def remove_empty(session: Session, then: Callable[[list[Entry]], object]) -> None:
    """Remove the interrupted recordings that ended before their first sound and have no line: there is nothing to
    recover. `then` gets them.
    """
    interrupted = [entry for entry in session.interrupted if not entry.is_damaged]

    def without_sound(library: Library) -> list[Entry]:
        silent = [entry for entry in interrupted if _has_no_sound(Path(entry.path))]
        texts = [library.transcript(entry.id) for entry in silent]
        return [entry for entry, text in zip(silent, texts, strict=True) if not text.segments and text.damage is None]

    def remove(found: list[Entry] | None) -> None:
        gone = [entry for entry in found or [] if entry.state == INTERRUPTED]
        for entry in gone:
            session.remove(entry.id)
        then(gone)

    session.keep(without_sound, remove)


def _has_no_sound(path: Path) -> bool:
    """Whether no whole frame of sound came to a recording's file; not where the file is out of reach."""
    try:
        with path.open("rb"):
            size = path.stat().st_size
    except FileNotFoundError:
        return path.parent.is_dir()
    except OSError:
        return False
    return size <= _HEADER or (size < _FRAME and not length.seconds(path))
