"""The line over a text that was written live: compare it with the file, and what came of that."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.recheck import Check, Checks
from desktop_app.app.wording import percent
from desktop_app.ui.recording.difference_dialog import DifferenceDialog
from desktop_app.ui.widgets.banner import NEUTRAL, Banner
from desktop_app.ui.widgets.theme import Theme

_OFFER = "This was written while it was spoken. The whole recording may give a few words better."


class CheckBar(Banner):
    """Shows the check of one recording. Attributes: start, show, accept, keep (its buttons)."""

    def __init__(self, theme: Theme, checks: Checks, parent: QWidget | None = None) -> None:
        super().__init__(theme, NEUTRAL, "compare", parent)
        self._theme, self._checks, self._key = theme, checks, ""
        self.start = self.add_button("Check against the file")
        self.look = self.add_button("Show", "link")
        self.accept = self.add_button("Accept")
        self.keep = self.add_button("Keep", "link")
        self.start.clicked.connect(lambda: checks.begin(self._key))
        self.look.clicked.connect(self.open_dialog)
        self.accept.clicked.connect(lambda: checks.accept(self._key))
        self.keep.clicked.connect(lambda: checks.forget(self._key))

    def show_check(self, key: str) -> None:
        """How it stands with this recording; nothing where there is nothing to say."""
        self._key = key
        check = self._checks.running.get(key)
        found = check is not None and check.transcript is not None
        differs = check is not None and bool(check.changes)
        self.start.setVisible(check is None or bool(check.problem))
        self.start.setText("Check against the file" if check is None else "Try again")
        self.look.setVisible(differs)
        self.accept.setVisible(differs)
        self.keep.setText("Keep" if differs else "Close" if found else "Not now" if check is None else "Cancel")
        self.keep.setAccessibleName("Keep the text as it is" if differs else "")
        if check is None:
            self.say(_OFFER if self._checks.is_offered(key) else "")
        else:
            self.say(check_words(check))

    def open_dialog(self) -> None:
        """Show the differences, and take the answer."""
        check = self._checks.running.get(self._key)
        if check is None or not check.changes:
            return
        dialog = DifferenceDialog(self._theme, check.changes, check_words(check), self.window())
        answer = dialog.exec()
        if answer == DifferenceDialog.DialogCode.Accepted:
            self._checks.accept(self._key)
        elif dialog.kept:
            self._checks.forget(self._key)


def check_words(check: Check) -> str:
    """What came of a check, in one sentence."""
    if check.problem:
        return f"It could not be checked. {check.problem}"
    if check.transcript is None:
        return f"Checking against the file… {percent(check.progress)}"
    if not check.changes:
        return "Checked against the file: not a word would change."
    return f"Checked against the file: {check.words} {'word' if check.words == 1 else 'words'} would change."
