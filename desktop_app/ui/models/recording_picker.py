"""A list of the library's recordings in which some are ticked, as quick for ten thousand as for three."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import Entry
from desktop_app.texts import _
from desktop_app.ui.widgets.check_box import BOX, paint_box
from desktop_app.ui.widgets.theme import S1, S2, Theme

_ROW = 28
_ROWS = 6  # that are seen without scrolling
_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
Index = QModelIndex | QPersistentModelIndex


class RecordingPicker(QListView):
    """Signals: changed() when others are ticked."""

    changed = Signal()

    def __init__(self, theme: Theme, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._rows = _Rows(entries, self)
        self.setModel(self._rows)
        self.setItemDelegate(_Painter(theme, self))
        self.setUniformItemSizes(True)
        self.setAccessibleName(_("Recordings to learn from"))
        self.setFixedHeight(_ROW * min(max(len(entries), 1), _ROWS))
        self.clicked.connect(self.turn)
        self.setCurrentIndex(self._rows.index(0))

    @property
    def chosen(self) -> list[Entry]:
        """Those that are ticked."""
        return [entry for entry in self._rows.entries if entry.id in self._rows.ticked]

    def turn(self, index: Index) -> None:
        """Tick a recording, or not any more."""
        if index.isValid():
            self._rows.turn(index.row())
            self.changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS:
            self.turn(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _Rows(QAbstractListModel):
    def __init__(self, entries: Sequence[Entry], parent: QObject) -> None:
        super().__init__(parent)
        self.entries = entries
        self.ticked: set[str] = set()

    def turn(self, row: int) -> None:
        self.ticked ^= {self.entries[row].id}
        self.dataChanged.emit(self.index(row), self.index(row))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{entry.name} · {wording.clock(entry.seconds)}"
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if entry.id in self.ticked else Qt.CheckState.Unchecked
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable


class _Painter(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: RecordingPicker) -> None:
        super().__init__(parent)
        self._theme, self._list = theme, parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, _ROW)

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        return False  # a click anywhere in the row ticks it, once

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colors, place = self._theme.palette, QRect(option.rect)
        state = option.state
        is_current = bool(state & QStyle.StateFlag.State_HasFocus) and self._list.hasFocus()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRect(place.left() + 1, place.center().y() - BOX // 2, BOX, BOX)
        paint_box(painter, colors, box, index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked, is_current)
        painter.setPen(colors.color("ink"))
        words = place.adjusted(BOX + S2, 0, -S1, 0)
        text = option.fontMetrics.elidedText(str(index.data()), Qt.TextElideMode.ElideMiddle, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
        painter.restore()
