"""The transcript as screen readers and braille displays get it: a text with a caret and an interface for edits."""

from __future__ import annotations

from typing import Any

import shiboken6
from PySide6.QtCore import QPoint, QPointF, QRect
from PySide6.QtGui import QAccessible, QAccessibleEditableTextInterface, QAccessibleTextInterface
from PySide6.QtWidgets import QAccessibleWidget

from desktop_app.ui.transcript.offsets import HAS_TEXT_INTERFACE
from desktop_app.ui.transcript.view import TranscriptView


class AccessibleTranscript(QAccessibleWidget):
    """The interface of a `TranscriptView`."""

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view, QAccessible.Role.EditableText)
        self._view = view
        self._offered: dict[QAccessible.InterfaceType, object] = {}
        if HAS_TEXT_INTERFACE:
            self._offered[QAccessible.InterfaceType.TextInterface] = _Text(view)
            self._offered[QAccessible.InterfaceType.EditableTextInterface] = _Editing(view)

    def state(self) -> QAccessible.State:
        """A text of many lines, which can be edited or not."""
        state = super().state()
        state.multiLine = state.selectableText = True
        state.editable = self._view.is_editable
        state.readOnly = not self._view.is_editable
        return state

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:
        """The interface of a kind: Qt wants an address, a null one where there is none."""
        offered = self._offered.get(kind)
        return offered or super().interface_cast(kind) or shiboken6.VoidPtr(0)


class _Text(QAccessibleTextInterface):
    def __init__(self, view: TranscriptView) -> None:
        super().__init__()
        self._view = view

    def characterCount(self) -> int:
        return self._view.offsets.count

    def text(self, begin: int, end: int) -> str:
        return self._view.offsets.text(begin, end if end >= 0 else self._view.offsets.count)

    def cursorPosition(self) -> int:
        return self._view.offsets.of(self._view.selection.caret)

    def setCursorPosition(self, offset: int) -> None:
        self._view.place_caret(self._view.offsets.place(offset))

    def selectionCount(self) -> int:
        return 0  # PySide has no way to answer which characters are selected (`selection`)

    def addSelection(self, begin: int, end: int) -> None:
        self._view.select(self._view.offsets.place(begin), self._view.offsets.place(end))

    def setSelection(self, _index: int, begin: int, end: int) -> None:
        self.addSelection(begin, end)

    def removeSelection(self, _index: int) -> None:
        self._view.place_caret(self._view.selection.caret)

    def characterRect(self, offset: int) -> QRect:
        place = self._view.offsets.place(offset)
        return self._view.placement.character_rect(place).translated(self._view.viewport().mapToGlobal(QPoint(0, 0)))

    def offsetAtPoint(self, point: QPoint) -> int:
        inside = QPointF(self._view.viewport().mapFromGlobal(point))
        return self._view.offsets.of(self._view.placement.place_at(inside)) if self._view.flow.lines else -1

    def scrollToSubstring(self, begin: int, _end: int) -> None:
        self._view.reveal(*self._view.offsets.place(begin))


class _Editing(QAccessibleEditableTextInterface):
    """Dictation and switches type here; nothing happens while the text cannot be edited."""

    def __init__(self, view: TranscriptView) -> None:
        super().__init__()
        self._view = view

    def insertText(self, offset: int, text: str) -> None:
        self.replaceText(offset, offset, text)

    def deleteText(self, begin: int, end: int) -> None:
        self.replaceText(begin, end, "")

    def replaceText(self, begin: int, end: int, text: str) -> None:
        offsets = self._view.offsets
        if self._view.is_editable and self._view.flow.lines:
            self._view.edit_asked.emit(offsets.place(begin), offsets.place(end), text)
