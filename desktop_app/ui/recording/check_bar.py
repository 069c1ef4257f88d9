"""The line over a text: it offers a re-check of the whole recording where that was live, and says what one found."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.problems import sentence
from desktop_app.app.recheck import Check, Checks
from desktop_app.app.wording import percent
from desktop_app.texts import N_, _, ngettext
from desktop_app.ui.recording.difference_dialog import DifferenceDialog
from desktop_app.ui.widgets.banner import NEUTRAL, Banner
from desktop_app.ui.widgets.theme import Theme

_OFFER = N_("A second pass over the whole recording may correct some words.")


class CheckBar(Banner):
    """Shows the re-check of one recording. Attributes: start, look, accept, keep (its buttons)."""

    def __init__(self, theme: Theme, checks: Checks, parent: QWidget | None = None) -> None:
        super().__init__(theme, NEUTRAL, "compare", parent)
        self._theme, self._checks, self._key = theme, checks, ""
        self.start = self.add_button(_("Re-check the whole recording"))
        self.look = self.add_button(_("Show"), "link")
        self.look.setAccessibleName(_("Show changes"))
        self.accept = self.add_button(_("Apply changes"))
        self.keep = self.add_button(_("Not now"), "link")
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
        reworded = check is not None and check.reworded
        self.start.setVisible(check is None or check.problem is not None)
        self.start.setText(_("Re-check the whole recording") if check is None else _("Try again"))
        self.look.setVisible(differs)
        self.accept.setVisible(differs)
        if differs:
            self.keep.setText(_("Keep my text") if reworded else _("Keep live text"))
        elif found:
            self.keep.setText(_("Close"))
        else:
            self.keep.setText(_("Not now") if check is None else _("Cancel"))
        if check is None:
            self.say(_(_OFFER) if self._checks.is_offered(key) else "")
        else:
            self.say(check_words(check))

    def open_dialog(self) -> None:
        """Show the differences, and take the answer."""
        check = self._checks.running.get(self._key)
        if check is None or not check.changes:
            return
        dialog = DifferenceDialog(self._theme, check.changes, check_words(check), self.window(), check.reworded)
        answer = dialog.exec()
        if answer == DifferenceDialog.DialogCode.Accepted:
            self._checks.accept(self._key)
        elif dialog.kept:
            self._checks.forget(self._key)


def check_words(check: Check) -> str:
    """How far a re-check is, or what it found, in one sentence."""
    if check.problem:
        return _("The recording could not be re-checked. {problem}", problem=sentence(check.problem))
    if check.transcript is None:
        return _("Re-checking the recording… {percent}", percent=percent(check.progress))
    if not check.changes:
        return _("Re-check finished: no changes.")
    return ngettext(
        "Re-check finished: {n} word would change.", "Re-check finished: {n} words would change.", check.words
    )
