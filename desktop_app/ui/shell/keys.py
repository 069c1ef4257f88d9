"""The keyboard shortcuts that the user has chosen in the place of the usual ones."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from desktop_app.app.settings.preferences import Preferences
from desktop_app.ui.widgets.actions import Action, Actions

_NONE = "none"  # kept where an action is to have no keys
_FIXED = ("close",)  # Esc closes whatever is open, in many places


class Keys:
    """Gives the actions their keys, and keeps what is chosen in the settings as "keys_" and the action's name."""

    def __init__(self, actions: Actions, preferences: Preferences) -> None:
        self._actions, self._preferences = actions, preferences
        for action in self.changeable():
            kept = preferences.text(f"keys_{action.description.name}")
            sequence = QKeySequence.fromString(kept, QKeySequence.SequenceFormat.PortableText)
            if kept == _NONE:
                action.set_keys([])
            elif is_usable(sequence) and self.holder(sequence, action) is None:
                action.set_keys([sequence])

    def changeable(self) -> list[Action]:
        """The actions whose keys can be chosen: all that have a name, but those of text and Esc."""
        return [
            action
            for action in self._actions
            if action.what and not action.description.in_text and action.description.name not in _FIXED
        ]

    def holder(self, sequence: QKeySequence, apart_from: Action) -> Action | None:
        """The other action that has these keys."""
        others = (action for action in self._actions if action is not apart_from)
        return next((action for action in others if sequence in action.shortcuts()), None)

    def choose(self, action: Action, sequence: QKeySequence) -> None:
        """Give an action other keys, or none."""
        action.set_keys([] if sequence.isEmpty() else [sequence])
        kept = sequence.toString(QKeySequence.SequenceFormat.PortableText)
        self._preferences.set(f"keys_{action.description.name}", kept or _NONE)

    def reset(self) -> None:
        """Give all actions their usual keys."""
        for action in self.changeable():
            if action.shortcuts() != action.usual_keys():
                action.set_keys(action.usual_keys())
                self._preferences.set(f"keys_{action.description.name}", "")


def is_usable(sequence: QKeySequence) -> bool:
    """Whether these keys neither type nor move in text: a letter needs Ctrl or Alt, a function key does not."""
    if sequence.isEmpty():
        return False
    keys = sequence[0]  # type: ignore[index]  # PySide's stubs do not know it
    types = int(keys.key()) < int(Qt.Key.Key_Escape)
    return keys.key() not in _MOVING and (not types or bool(keys.keyboardModifiers() & _MODIFIERS))


_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_MOVING = {
    *(Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Backspace, Qt.Key.Key_Return),
    *(Qt.Key.Key_Enter, Qt.Key.Key_Delete, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Left, Qt.Key.Key_Up),
    *(Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_unknown),
}
