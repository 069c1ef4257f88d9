"""The list of keyboard shortcuts, in which they can be changed."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QKeySequenceEdit, QWidget

from desktop_app.texts import _
from desktop_app.ui.shell.keys import Keys, is_usable
from desktop_app.ui.widgets.actions import Action, Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.screen_reader import announce, named
from desktop_app.ui.widgets.sheet import ScrollArea, quiet
from desktop_app.ui.widgets.theme import S1, S2, S4, S5, S6

_FIELD, _HEIGHT = 200, 520  # pixels: how wide a field is, how much of the list is seen at least where there is room


class ShortcutList(QDialog):
    """All actions that have keys, or could have some.

    Attributes: fields (by the name of the action); problem (why keys cannot be used); reset, done_button.
    """

    def __init__(self, actions: Actions, keys: Keys, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Keyboard shortcuts – Galley"))
        self._actions, self._keys = actions, keys
        self.fields: dict[str, QKeySequenceEdit] = {}
        self.problem = quiet(role="bad")
        self.reset = button(_("Use the usual keys"), "link", self._reset)
        self.reset.setProperty("flush", True)
        self.done_button = button(_("Close"), "plain", self.accept)
        self._lay_out()
        self.done_button.setFocus()  # a field would take whatever is pressed next, and Esc too

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setObjectName("page")
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, S2, 0)
        grid.setHorizontalSpacing(S6)
        grid.setVerticalSpacing(S1)
        changeable = self._keys.changeable()
        shown = [action for action in self._actions if action.what and (action.keys or action in changeable)]
        for number, action in enumerate(shown):
            what = label(action.what, "plain")
            what.setAccessibleName(named(action.what, action.keys))
            grid.addWidget(what, number, 0)
            grid.addWidget(self._field(action) if action in changeable else label(action.keys, "quiet"), number, 1)
            grid.setRowMinimumHeight(number, max((it.sizeHint().height() for it in self.fields.values()), default=0))
        scroll = ScrollArea()
        scroll.setWidget(inner)
        scroll.setMinimumSize(inner.sizeHint().width() + S5, min(inner.sizeHint().height() + S2, _HEIGHT))
        about = quiet(_("To change one, click its field and press the keys."))
        foot = row(self.reset, STRETCH, self.done_button)
        column(
            label(_("Keyboard shortcuts"), "heading"), about, (scroll, 1), self.problem, foot,
            inside=self, spacing=S4, margins=(S5, S5, S5, S5),
        )  # fmt: skip

    def _field(self, action: Action) -> QKeySequenceEdit:
        made = QKeySequenceEdit(action.shortcut())
        made.setMaximumSequenceLength(1)
        made.setClearButtonEnabled(True)
        made.setFixedWidth(_FIELD)
        made.setAccessibleName(named(_("Keys"), action.what))
        made.keySequenceChanged.connect(self._changed)
        self.fields[action.description.name] = made
        return made

    def _changed(self, sequence: QKeySequence) -> None:
        """A field has other keys. Which one it is, Qt knows; a connection of the dialog's own ends with it."""
        name = next(name for name, field in self.fields.items() if field is self.sender())
        self._choose(self._actions[name], sequence)

    def _choose(self, action: Action, sequence: QKeySequence) -> None:
        if sequence == action.shortcut():
            return
        holder = self._keys.holder(sequence, action) if not sequence.isEmpty() else None
        keys = sequence.toString(QKeySequence.SequenceFormat.NativeText)
        if holder is not None:
            self._refuse(action, _("{keys} is in use: {action}.", keys=keys, action=holder.what or holder.text()))
        elif not sequence.isEmpty() and not is_usable(sequence):
            self._refuse(action, _("{keys} is for typing. Use it with Ctrl or Alt, or a function key.", keys=keys))
        else:
            self.problem.setText("")
            self._keys.choose(action, sequence)

    def _refuse(self, action: Action, why: str) -> None:
        self.problem.setText(why)
        announce(self, why)
        self.fields[action.description.name].setKeySequence(action.shortcut())

    def _reset(self) -> None:
        self._keys.reset()
        self.problem.setText("")
        for action in self._keys.changeable():
            self.fields[action.description.name].setKeySequence(action.shortcut())
