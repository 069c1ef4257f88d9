"""The rows of the sidebar: what is in work, in the order of the queue, then the recordings, newest first."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.app.entry import IN_WORK, Entry
from desktop_app.app.problems import sentence
from desktop_app.app.session import Session
from desktop_app.texts import N_, _
from desktop_app.ui.widgets.labels import wrapped

EntryRole = Qt.ItemDataRole.UserRole
_HEADINGS = {"work": N_("In progress"), "rest": N_("Recordings")}
Index = QModelIndex | QPersistentModelIndex


class RecordingModel(QAbstractListModel):
    """Rows are the ids of recordings, or "work" and "rest" for the headings above them."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: list[str] = []
        self._shown: set[str] | None = None
        session.added.connect(lambda key: self.arrange())
        session.removed.connect(lambda key: self.arrange())
        session.reloaded.connect(self.arrange)
        session.changed.connect(self._entry_changed)
        session.text_changed.connect(self._progressed)
        self.arrange()

    def show_only(self, ids: set[str] | None) -> None:
        """Leave out everything that is not in `ids`; None shows all."""
        self._shown = ids
        self.arrange()

    def arrange(self) -> None:
        """Put every recording under its heading."""
        elsewhere = [entry.id for entry in self._session.entries.values() if entry.elsewhere]
        work = [entry.id for entry in self._session.in_work] + elsewhere
        rest = [entry.id for entry in self._session.entries.values() if entry.state not in IN_WORK]
        rows = []
        for heading, ids in (("work", work), ("rest", rest)):
            shown = [key for key in ids if self._shown is None or key in self._shown]
            rows += [heading, *shown] if shown else []
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def row_of(self, key: str) -> QModelIndex:
        """The index of a recording; invalid when it is not shown."""
        return self.index(self._rows.index(key)) if key in self._rows else QModelIndex()

    def _entry_changed(self, key: str) -> None:
        self.arrange()
        self._progressed(key)

    def _progressed(self, key: str) -> None:
        index = self.row_of(key)
        if index.isValid():
            self.dataChanged.emit(index, index)

    def entry(self, index: Index) -> Entry | None:
        """The recording of a row; None for a heading."""
        return self._session.entries.get(self._rows[index.row()]) if index.isValid() else None

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.entry(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self.entry(index)
        if entry is None:
            return _(_HEADINGS[self._rows[index.row()]]) if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return wrapped(entry.path, sentence(entry.problem) if entry.problem else entry.summary())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.name}, {entry.summary()}"
        if role == EntryRole:
            return entry
        return None
