"""What keys and input methods do to a text: which stretch of it they replace, and by what."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent

from desktop_app.ui.transcript.selection import Place, Selection

Edit = tuple[Place, Place, str]
"""A stretch of the text, and what is to stand there."""

_DELETING = {Qt.Key.Key_Backspace: -1, Qt.Key.Key_Delete: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_SHIFT, _CONTROL, _ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


def key_edit(event: QKeyEvent, selection: Selection) -> Edit | None:
    """What a key replaces; None for keys that do not edit."""
    first, last = selection.range
    if event.key() in _DELETING:
        if not selection.has_selection:
            by_word = bool(event.modifiers() & _CONTROL)
            first, last = sorted((selection.caret, selection.beside(_DELETING[Qt.Key(event.key())], by_word)))
        return first, last, ""
    if event.key() in _ENTER:
        return None if event.modifiers() & (_CONTROL | _ALT) else (first, last, "\n")
    return (first, last, event.text()) if _is_typed(event) else None


def input_method_edit(event: QInputMethodEvent, selection: Selection) -> Edit | None:
    """What an input method replaces, by the text that it has composed; None while it only composes."""
    begin, end = selection.range
    if event.replacementLength():
        index, character = selection.caret
        at = character + event.replacementStart()
        begin, end = (index, max(at, 0)), (index, max(at + event.replacementLength(), 0))
    composes_anew = event.preeditString() and selection.has_selection
    if event.commitString() or event.replacementLength() or composes_anew:
        return begin, end, event.commitString()
    return None


def _is_typed(event: QKeyEvent) -> bool:
    """Whether a key types text, and is no command: with Control and Alt together it may be AltGr."""
    held = event.modifiers() & (_CONTROL | _ALT)
    return event.text().isprintable() and bool(event.text()) and held in (Qt.KeyboardModifier(0), _CONTROL | _ALT)
