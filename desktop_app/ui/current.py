"""Which recording is looked at."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop_app.app.recordings.entry import Entry
from desktop_app.app.recordings.session import Session


class Current(QObject):
    """The recording on the page. Attributes: key ("" for none). Signals: changed()."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.key = ""

    def show(self, key: str) -> None:
        """Turn to a recording, or to none."""
        self.key = key
        self.changed.emit()

    @property
    def entry(self) -> Entry | None:
        """The recording itself."""
        return self._session.entries.get(self.key)
