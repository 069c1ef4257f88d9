"""The rows of the sidebar: what is in work, in the order of the queue, then the recordings by day, newest first."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)

from desktop_app.app.presentation import dates, wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.texts import _
from desktop_app.transcript.search import Snippet
from desktop_app.ui.widgets.labels import wrapped

EntryRole = Qt.ItemDataRole.UserRole
SummaryRole = EntryRole + 1
SnippetRole = EntryRole + 2
Index = QModelIndex | QPersistentModelIndex
_DRAGGED = "application/x-galley-queued"


class RecordingModel(QAbstractListModel):
    """Rows are recordings, and the headings above them.

    What is searched for shows its results, and above them all that is in work; what was added meanwhile stays in sight.

    Attributes: wanted (the text that is searched for, "" for none).
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: list[str] = []  # ids, and headings
        self._places: dict[str, int] = {}
        self._headings: set[int] = set()
        self._work: set[str] = set()
        self._folders: dict[str, set[str]] = {}  # of recordings whose name another one has too
        self._named: dict[str, str] = {}
        self._shown: set[str] | None = None
        self._arrived: set[str] = set()  # since something is searched for
        self._snippets: dict[str, Snippet | None] = {}
        self.wanted, self._held = "", False
        self._midnight = QTimer(self, singleShot=True)
        self._midnight.timeout.connect(self.arrange)
        session.added.connect(self._added)
        session.arrived.connect(self.arrange)
        session.unlisted.connect(self.arrange)
        session.reloaded.connect(self.arrange)
        session.queue.changed.connect(self.arrange)
        session.changed.connect(self._entry_changed)
        session.text_changed.connect(self._progressed)
        self.arrange()

    def hold(self, held: bool) -> None:
        """Leave the rows as they are, because one of them is being edited, until it is not any more."""
        self._held = held
        if not held:
            self.arrange()

    def show_only(self, ids: set[str] | None, wanted: str = "") -> None:
        """Leave out everything that is not in `ids`, in which `wanted` was found; None shows all."""
        self._shown, self.wanted, self._snippets = ids, wanted if ids is not None else "", {}
        if ids is None:
            self._arrived.clear()
        self.arrange(again=True)

    def is_found(self, key: str) -> bool:
        """Whether something is searched for, and this recording has it."""
        return self._shown is not None and key in self._shown

    @property
    def first_found(self) -> QModelIndex:
        """The first result, behind what is in work; invalid where nothing is found."""
        found = [place for key, place in self._places.items() if self.is_found(key)]
        results = [place for place in found if self._rows[place] not in self._work] or found
        return self.index(min(results)) if results else QModelIndex()

    def _added(self, key: str) -> None:
        if self.wanted:
            self._arrived.add(key)

    def arrange(self, again: bool = False) -> None:
        """Put every recording under its heading."""
        if self._held:
            return
        entries, shown = self._session.entries, self._shown
        work = [entry.id for entry in self._session.in_work] + [it.id for it in entries.values() if it.elsewhere]
        self._work = set(work)
        self._named = {key: entry.name for key, entry in entries.items()}
        counts = Counter(self._named.values())
        self._folders = {name: set() for name, count in counts.items() if count > 1}
        for key, name in self._named.items():
            if name in self._folders:
                self._folders[name].add(os.path.dirname(entries[key].path))
        rows, headings = [], set()
        if work:
            headings.add(0)
            rows += [_("In progress"), *work]
        today, last, heading = datetime.now().astimezone().date(), date.min, ""
        for key, entry in entries.items():
            if key in self._work or (shown is not None and key not in shown and key not in self._arrived):
                continue
            day = entry.local.date()
            if day != last:
                last, before = day, heading
                heading = dates.group(day, today)
                if heading != before:
                    headings.add(len(rows))
                    rows.append(heading)
            rows.append(key)
        if rows != self._rows or again:
            self.beginResetModel()
            self._rows, self._headings = rows, headings
            self._places = {key: place for place, key in enumerate(rows) if place not in headings}
            self.endResetModel()
        tomorrow = datetime.combine(today + timedelta(days=1), datetime.min.time()).astimezone()
        self._midnight.start(int((tomorrow - datetime.now().astimezone()).total_seconds() * 1000) + 1000)

    def row_of(self, key: str) -> QModelIndex:
        """The index of a recording; invalid when it is not shown."""
        return self.index(self._places[key]) if key in self._places else QModelIndex()

    def is_heading(self, index: Index) -> bool:
        """Whether this row is no recording."""
        return index.row() in self._headings

    def _entry_changed(self, key: str) -> None:
        entry = self._session.entries.get(key)
        in_work = entry is not None and (entry.state in IN_WORK or entry.elsewhere)
        if in_work != (key in self._work) or (entry is not None and entry.name != self._named.get(key)):
            self.arrange()
        self._progressed(key)

    def _progressed(self, key: str) -> None:
        index = self.row_of(key)
        if index.isValid():
            self.dataChanged.emit(index, index)

    def entry(self, index: Index) -> Entry | None:
        """The recording of a row; None for a heading."""
        if not index.isValid() or self.is_heading(index):
            return None
        return self._session.entries.get(self._rows[index.row()])

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        entry = self.entry(index)
        if entry is None:
            return Qt.ItemFlag.NoItemFlags if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
        return flags | Qt.ItemFlag.ItemIsDragEnabled if self._session.queue.waits(entry) else flags

    # A file that waits can be dragged to another place in the queue.

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_DRAGGED]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        keys = [entry.id for index in indexes if (entry := self.entry(index)) is not None]
        data.setData(_DRAGGED, keys[0].encode() if len(keys) == 1 else b"")
        return data

    def canDropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        return self._queue_place(data, row) is not None

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        place = self._queue_place(data, row)
        return place is not None and self._session.queue.move(_dragged(data), place)

    def _queue_place(self, data: QMimeData, row: int) -> int | None:
        """Which place in the queue a dragged file gets when it is dropped before a row; None for none."""
        key = _dragged(data)
        waiting = [entry.id for entry in self._session.queue.waiting]
        rows = [self._places[each] for each in waiting if each in self._places]
        if key not in waiting or not rows or not rows[0] <= row <= rows[-1] + 1:
            return None
        return sum(self._places[each] < row for each in waiting if each in self._places and each != key)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self.entry(index)
        if entry is None:
            return self._rows[index.row()] if role == Qt.ItemDataRole.DisplayRole else None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return entry.name
        if role == Qt.ItemDataRole.ToolTipRole:
            about = sentence(entry.problem) if entry.problem else self._summary(entry)
            return wrapped(entry.name, entry.path, about, *entry.notes.splitlines())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            found = self._snippet(entry)
            return ", ".join((entry.name, self._summary(entry), *([found.text.strip()] if found else ())))
        if role == EntryRole:
            return entry
        if role == SummaryRole:
            return self._summary(entry)
        return self._snippet(entry) if role == SnippetRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Give a recording a title; none, or its own name, is none."""
        entry = self.entry(index)
        if entry is None or role != Qt.ItemDataRole.EditRole:
            return False
        title = " ".join(str(value).split())
        self._session.describe(entry.id, title="" if title == entry.own_name else title)
        return True

    def _summary(self, entry: Entry) -> str:
        """The second line; what tells a recording from another one of the same name comes first."""
        summary, folders = entry.summary(), self._folders.get(entry.name)
        if entry.state in IN_WORK or folders is None:
            return summary
        if not entry.spoken and len(folders) > 1:
            folder = Path(entry.path).parent
            return f"{folder.name or folder} · {summary}"
        when = wording.moment(entry.created, datetime.now().astimezone())
        return summary if summary.startswith(when) else f"{when} · {summary}"

    def _snippet(self, entry: Entry) -> Snippet | None:
        """The line in which something was found; it comes a moment after it is first asked for."""
        if not self.is_found(entry.id):
            return None
        if entry.id not in self._snippets:
            self._snippets[entry.id] = None
            self._session.snippet(entry.id, self.wanted, partial(self._show_snippet, entry.id, self.wanted))
        return self._snippets[entry.id]

    def _show_snippet(self, key: str, wanted: str, found: Snippet | None) -> None:
        if wanted == self.wanted and found is not None:
            self._snippets[key] = found
            self._progressed(key)


def _dragged(data: QMimeData) -> str:
    """The id of the file that is dragged, "" for none."""
    return bytes(data.data(_DRAGGED).data()).decode()
