"""The line for finding words in the transcript, and the one under it for replacing them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from desktop_app.texts import _
from desktop_app.ui.transcript.finder import Query
from desktop_app.ui.widgets.buttons import button, icon_button, set_icon
from desktop_app.ui.widgets.check_box import CheckBox
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.theme import S1, S2, Theme


class FindBar(QWidget):
    """Where something is to be replaced, words are found as they are written and whole: what is not seen would change.

    Signals: looked_for(), step(1 or -1), closed(), replace_asked(text), replace_all_asked(text).
    """

    looked_for = Signal()
    step = Signal(int)
    closed = Signal()
    replace_asked = Signal(str)
    replace_all_asked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field(_("Find in the transcript"), _("Find in the transcript"))
        self.field.textChanged.connect(lambda _text: self.looked_for.emit())
        self.count = label("", "quiet")
        tools = {
            "chevron-up": icon_button(_("Previous"), lambda: self.step.emit(-1), 16),
            "chevron-down": icon_button(_("Next"), lambda: self.step.emit(1), 16),
            "close": icon_button(_("Close"), self.closed.emit, 16),
        }
        for icon, tool in tools.items():
            set_icon(tool, theme, icon)
        self.replacement = field(_("Replace with"), _("Replace with"))
        self.replacement.textChanged.connect(lambda _text: self._name_replacing())
        self.replace = button(_("Replace"), "plain", self._ask)
        self.replace_all = button(
            _("Replace all"), "plain", lambda: self.replace_all_asked.emit(self.replacement.text())
        )
        self.matches_case = CheckBox(theme, _("Match case"))
        self.whole_words = CheckBox(theme, _("Whole words"))
        for box in (self.matches_case, self.whole_words):
            box.setChecked(True)
            box.toggled.connect(lambda _on: self.looked_for.emit())
        self.replacing = QWidget()
        fields = row((self.replacement, 1), S2, self.replace, self.replace_all, spacing=S1)
        choices = row(self.matches_case, S2, self.whole_words, STRETCH, spacing=S1)
        column(fields, choices, inside=self.replacing, spacing=S1)
        finding = row((self.field, 1), S2, self.count, S1, *tools.values(), spacing=S1)
        column(finding, self.replacing, inside=self, spacing=S2)
        self.replacing.hide()
        self._places = 0

    @property
    def query(self) -> Query:
        """What is to be found."""
        if self.replacing.isHidden():
            return Query(self.field.text())
        return Query(self.field.text(), self.matches_case.isChecked(), self.whole_words.isChecked())

    def open(self, replacing: bool = False) -> None:
        """Show the bar and wait for words, and for others in their place."""
        self.replacing.setVisible(replacing)
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def show_count(self, current: int, count: int) -> None:
        """Which of how many places is looked at; `current` counts from 0."""
        found = _("{number} of {count}", number=current + 1, count=count)
        self.count.setText(found if count else _("Not found") if self.field.text() else "")
        self.replace.setEnabled(count > 0)
        self.replace_all.setEnabled(count > 0)
        self._places = count
        self._name_replacing()

    def _name_replacing(self) -> None:
        """Nothing in the place of words deletes them, and the buttons say so."""
        deletes, count = not self.replacement.text(), self._places
        self.replace.setText(_("Delete") if deletes else _("Replace"))
        if count:
            every = _("Delete all ({count})", count=count) if deletes else _("Replace all ({count})", count=count)
        else:
            every = _("Delete all") if deletes else _("Replace all")
        self.replace_all.setText(every)

    def _ask(self) -> None:
        self.replace_asked.emit(self.replacement.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.replacement.hasFocus():
            if self.replace.isEnabled():
                self._ask()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)
