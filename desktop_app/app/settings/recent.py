"""The recordings that were looked at last. Only their ids are kept: who deletes a recording leaves no trace of it here,
and no place of a file."""

from __future__ import annotations

from desktop_app.app.recordings.entry import Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences

_KEPT = "recent"
_MOST = 10


class Recent:
    """Kept in the settings, for the next start too."""

    def __init__(self, session: Session, preferences: Preferences) -> None:
        self._session, self._preferences = session, preferences

    @property
    def entries(self) -> list[Entry]:
        """The recordings, the last one first."""
        known = self._session.entries
        return [known[key] for key in self._keys if key in known]

    def note(self, key: str) -> None:
        """One is looked at."""
        keys = [key, *(each for each in self._keys if each != key)][:_MOST]
        if keys != self._keys:
            self._keep(keys)

    def clear(self) -> None:
        """Forget them."""
        self._keep([])

    @property
    def _keys(self) -> list[str]:
        return self._preferences.text(_KEPT).split()

    def _keep(self, keys: list[str]) -> None:
        self._preferences.set(_KEPT, " ".join(keys))
