"""Live recordings that a killed program or a power cut has interrupted: found at the start, and offered."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.ui.entry import INTERRUPTED, Entry
from desktop_app.ui.errands import Errands
from desktop_app.ui.session import Session
from desktop_app.ui.widgets.banner import NEUTRAL, Banner
from desktop_app.ui.widgets.theme import Theme
from desktop_app.ui.words import moment, span

_DECLINED = "declined"
_SHORTEST = 0.5  # seconds; less was never begun in earnest


class Rescue(QObject):
    """Attributes: found (the interrupted recordings whose sound can be read). Signals: changed()."""

    changed = Signal()

    def __init__(self, session: Session, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._settings = session, settings
        self._errands = Errands("rescue", self)
        self._looked_at: set[str] = set()
        self.found: list[Entry] = []
        session.reloaded.connect(self.look)
        session.changed.connect(self._recheck)
        session.removed.connect(self._recheck)
        self.look()

    def look(self) -> None:
        """Look for interrupted recordings, and how long each of them is."""
        declined = self._declined()
        for entry in self._session.entries.values():
            if entry.spoken and entry.state == INTERRUPTED and entry.id not in self._looked_at | declined:
                self._looked_at.add(entry.id)
                self._errands.do(partial(_length_of, entry.path), partial(self._add, entry))

    def transcribe(self) -> None:
        """Transcribe all of them from their files."""
        for entry in list(self.found):
            self._session.again(entry.id)

    def decline(self) -> None:
        """Offer these no more; they stay in the list of recordings."""
        declined = self._declined() | {entry.id for entry in self.found}
        self._settings.setValue(_DECLINED, " ".join(sorted(declined)))
        self.found = []
        self.changed.emit()

    def sentence(self) -> str:
        """What there is to say about them, or ""."""
        if not self.found:
            return ""
        if len(self.found) > 1:
            return f"{len(self.found)} recordings were interrupted; their audio is safe."
        (entry,) = self.found
        when = moment(entry.created, datetime.now(UTC))
        return f"A recording of {span(entry.seconds)} from {when} was interrupted; its audio is safe."

    def close(self) -> None:
        """End the thread."""
        self._errands.close()

    def _declined(self) -> set[str]:
        return set(filter(None, str(self._settings.value(_DECLINED, "")).split()))

    def _add(self, entry: Entry, seconds: float) -> None:
        if seconds >= _SHORTEST and entry.state == INTERRUPTED and entry.id in self._session.entries:
            entry.seconds = seconds
            self.found.append(entry)
            self._session.changed.emit(entry.id)
            self.changed.emit()

    def _recheck(self, key: str) -> None:
        left = [it for it in self.found if it.state == INTERRUPTED and it.id in self._session.entries]
        if left != self.found:
            self.found = left
            self.changed.emit()


class RescueBar(Banner):
    """Offers them, unobtrusively, above the page. Attributes: transcribe, later (its buttons)."""

    def __init__(self, theme: Theme, rescue: Rescue, parent: QWidget | None = None) -> None:
        super().__init__(theme, NEUTRAL, "recover", parent)
        self._rescue = rescue
        self.transcribe = self.add_button("Transcribe it")
        self.transcribe.clicked.connect(rescue.transcribe)
        self.later = self.add_button("Not now", "link")
        self.later.clicked.connect(rescue.decline)
        rescue.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.transcribe.setText("Transcribe them" if len(self._rescue.found) > 1 else "Transcribe it")
        self.say(self._rescue.sentence())


def _length_of(path: str) -> float:
    from desktop_app.audio import length  # brings FFmpeg, which the window otherwise does without

    return length.seconds(path)
