"""A notification when recordings are transcribed while nobody looks: how many, or which one, and never their text."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.app.background import BackgroundThread
from desktop_app.app.editing.recheck import Checks
from desktop_app.app.recordings.entry import DONE, FAILED, IN_WORK
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.options import OFF
from desktop_app.texts import _, ngettext

Show = Callable[[str, str, int], int]
"""Shows a title and a line in the place of the notification with a number, 0 for none; gives the number of the new one.
Called in a thread of its own."""


class Notices:
    """`is_in_front` says whether the user looks at Galley. What came while nobody did is told in one notification,
    which is renewed, and forgotten when the user comes back."""

    def __init__(
        self,
        session: Session,
        checks: Checks,
        preferences: Preferences,
        is_in_front: Callable[[], bool],
        show: Show,
    ) -> None:
        self._session, self._preferences = session, preferences
        self._is_in_front, self._show = is_in_front, show
        self._worker = BackgroundThread("notices", session.worker.post)
        self._number = 0  # of the notification that is shown, in the worker's thread
        self._in_work: set[str] = set()
        self._done: dict[str, bool] = {}  # since nobody looks, and whether it is there
        session.added.connect(self._follow)
        session.changed.connect(self._follow)
        session.removed.connect(self._in_work.discard)
        checks.finished.connect(lambda key: self._tell(key, is_there=True))

    def close(self) -> None:
        """Show no more."""
        self._worker.close(0.0)

    def forget(self) -> None:
        """The user has come to the front, or left: what was told before is known."""
        self._done.clear()

    def _follow(self, key: str) -> None:
        entry = self._session.entries.get(key)
        if entry is None:
            return
        if entry.state in IN_WORK and not entry.elsewhere:
            self._in_work.add(key)
        elif key in self._in_work:
            self._in_work.discard(key)
            if entry.state in (DONE, FAILED):
                self._tell(key, entry.state == DONE)

    def _tell(self, key: str, is_there: bool) -> None:
        if self._preferences.notices == OFF or self._is_in_front():
            return
        begins = not self._done
        self._done[key] = is_there
        title, text = self._words()
        self._worker.do(lambda: self._renew(title, text, begins))

    def _renew(self, title: str, text: str, begins: bool) -> None:
        """In the worker's thread."""
        self._number = self._show(title, text, 0 if begins else self._number)

    def _words(self) -> tuple[str, str]:
        there, failed = sum(self._done.values()), list(self._done.values()).count(False)
        if len(self._done) == 1:
            (key,) = self._done
            name = self._session.entries[key].name
            return (_("Transcription finished") if there else _("Transcription failed")), name
        parts = [ngettext("{n} recording is transcribed.", "{n} recordings are transcribed.", there)] if there else []
        if failed:
            parts.append(ngettext("{n} recording failed.", "{n} recordings failed.", failed))
        return _("Transcription finished"), " ".join(parts)
