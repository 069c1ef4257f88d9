"""Deleting recordings, with a time in which that can be undone.

What is deleted is listed nowhere any more, and stays on the disk while the offer to undo it stands. Then, at the end of
the program, or at the next start after a crash, it is removed: the sound that Galley has recorded, the text, and what
the index knows of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from desktop_app.app.library import media
from desktop_app.app.recordings.entry import RECORDING, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.signals import Signal
from desktop_app.audio import disk
from desktop_app.library.rows import Recording
from desktop_app.library.store import Library
from desktop_app.problems import Problem


class Deletions:
    """Attributes: offered (the recordings whose deletion can be undone). Signals: changed()."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.offered: list[Entry] = []
        self.changed: Signal[[]] = Signal()
        session.keep(lambda library: library.left_deleted(), self._remove_left)

    def delete(self, keys: Iterable[str]) -> None:
        """Delete recordings; those that were deleted before are removed. What is being recorded stays, and what another
        Galley works on."""
        entries = [entry for key in keys if (entry := self._session.entries.get(key)) is not None]
        gone = [entry for entry in entries if entry.state != RECORDING and not entry.elsewhere]
        if not gone:
            return
        self.settle()
        self.offered = gone
        self._session.forget(*(entry.id for entry in gone))
        self._session.keep(lambda library: library.put_away([entry.id for entry in gone]))
        self.changed.emit()

    def undo(self) -> None:
        """Bring back what was deleted last."""
        back, self.offered = self.offered, []
        self._session.keep(lambda library: library.take_back([entry.id for entry in back]))
        self._session.bring_back(back)
        self.changed.emit()

    def settle(self) -> None:
        """Remove what was deleted: it cannot be undone any more."""
        gone, self.offered = self.offered, []
        if gone:
            self._remove([(entry.id, entry.path if entry.spoken else "") for entry in gone])
            self.changed.emit()

    def _remove_left(self, left: list[Recording] | None) -> None:
        """What programs have deleted that ended before they removed it."""
        if left:
            self._remove([(each.id, each.path if each.live else "") for each in left])

    def _remove(self, gone: list[tuple[str, str]]) -> None:
        self._session.keep(partial(_removed, gone=gone), self._say_kept)

    def _say_kept(self, kept: Problem | None) -> None:
        if kept is not None:
            self._session.tell(kept)


def _removed(library: Library, gone: list[tuple[str, str]]) -> Problem | None:
    """Remove recordings, each with its sound if there is one; gives why a sound could not be deleted. Its recording is
    tried again at the next start."""
    problem, keys = None, []
    for key, sound in gone:
        try:
            if sound:
                media.delete(sound)
            keys.append(key)
        except OSError as error:
            problem = disk.explained(error, error.filename or sound)
    library.remove(*keys)
    return problem
