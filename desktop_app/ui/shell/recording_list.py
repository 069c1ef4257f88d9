"""The list of recordings: several can be selected, and all is done by keys too."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QWidget

from desktop_app.texts import _

_FOR_A_MOMENT = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)
_AT_ONCE = 200  # rows that are laid out in one turn of the event loop


class RecordingListView(QListView):
    """Signals: remove_asked() by Delete; undo_asked() by Ctrl+Z; move_asked(-1 or 1) by Alt+Up and Alt+Down;
    menu_asked(place) by the right button, Shift+F10 and the menu key.

    Attributes: can_undo (whether Ctrl+Z is the list's); extends (whether the keys select more than one row).
    """

    remove_asked = Signal()
    undo_asked = Signal()
    move_asked = Signal(int)
    menu_asked = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.can_undo = self.extends = False
        self._left_at = QPersistentModelIndex()
        self.setAccessibleName(_("Recordings"))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(_AT_ONCE)
        self.setMouseTracking(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.viewport().setAutoFillBackground(False)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.matches(QKeySequence.StandardKey.Undo) and self.can_undo:
                event.accept()
                return True
            if event.matches(QKeySequence.StandardKey.SelectAll):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.setProperty("keyboard", True)
        more = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        self.extends = bool(event.modifiers() & more)
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove_asked.emit()
        elif by and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_asked.emit(by)
        elif self.can_undo and event.matches(QKeySequence.StandardKey.Undo):
            self.undo_asked.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self.visualRect(self.currentIndex())
            self.menu_asked.emit(row.center() if row.isValid() else self.viewport().rect().center())
        else:
            self.menu_asked.emit(event.pos())

    def go_to(self, index: QModelIndex) -> None:
        """Let the keys go on from a row, now or when the list gets the focus. Screen readers are told that the current
        row has the focus, whatever has it: so there is none while the list has not."""
        if self.hasFocus():
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        else:
            self._left_at = QPersistentModelIndex(index)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        now = QApplication.focusWidget()
        is_edited = now is not None and self.isAncestorOf(now)
        if event.reason() not in _FOR_A_MOMENT and not is_edited:
            self._left_at = QPersistentModelIndex(self.currentIndex())
            self.selectionModel().setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.NoUpdate)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.setProperty("keyboard", False)  # Qt makes a row the current one, which nobody has chosen
        if not self.currentIndex().isValid() and self._left_at.isValid():
            self.go_to(self.model().index(self._left_at.row(), 0))
        super().focusInEvent(event)
        self.setProperty(
            "keyboard", event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        )
