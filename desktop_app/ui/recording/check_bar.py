"""The line over a text: it offers a re-check of the whole recording where that was live, and says what one found."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.editing.recheck import AGAIN, MISSED, RECHECK, VERSION, Check, Checks
from desktop_app.texts import N_, _
from desktop_app.ui.recording.check_words import check_words
from desktop_app.ui.recording.difference_dialog import DifferenceDialog
from desktop_app.ui.widgets.banner import NEUTRAL, Banner
from desktop_app.ui.widgets.theme import Theme

_OFFER = N_("A second pass over the whole recording may correct some words.")


class CheckBar(Banner):
    """Shows the re-check of one recording. Attributes: start, show_changes, accept, keep (its buttons)."""

    def __init__(self, theme: Theme, checks: Checks, parent: QWidget | None = None) -> None:
        super().__init__(theme, NEUTRAL, "compare", parent)
        self._theme, self._checks, self._key = theme, checks, ""
        self.start = self.add_button(_("Re-check the whole recording"))
        self.show_changes = self.add_button(_("Show"), "link")
        self.show_changes.setAccessibleName(_("Show changes"))
        self.accept = self.add_button(_("Apply changes"))
        self.keep = self.add_button(_("Not now"), "link")
        self.start.clicked.connect(lambda: checks.begin(self._key))
        self.show_changes.clicked.connect(self.open_dialog)
        self.accept.clicked.connect(lambda: checks.accept(self._key))
        self.keep.clicked.connect(lambda: checks.forget(self._key))

    def show_check(self, key: str) -> None:
        """How it stands with this recording; nothing where there is nothing to say."""
        self._key = key
        check = self._checks.running.get(key)
        kind = RECHECK if check is None else check.kind
        differs = check is not None and bool(check.changes)
        self.start.setVisible(kind == RECHECK and (check is None or check.problem is not None))
        self.start.setText(_("Re-check the whole recording") if check is None else _("Try again"))
        self.show_changes.setVisible(differs)
        self.accept.setVisible(differs)
        is_version = check is not None and kind in (AGAIN, VERSION) and check.is_whole
        found = _("Insert the text") if kind == MISSED else _("Apply changes")
        self.accept.setText(_("Use this version") if is_version else found)
        self.keep.setText(self._keep_words(check))
        if check is None:
            self.say(_(_OFFER) if self._checks.is_offered(key) else "")
        else:
            self.say(check_words(check))

    @staticmethod
    def _keep_words(check: Check | None) -> str:
        if check is None:
            return _("Not now")
        if check.in_work:
            return _("Cancel")
        if not check.changes:
            return _("Close")
        return _("Keep my text") if check.reworded or check.kind != RECHECK else _("Keep live text")

    def open_dialog(self) -> None:
        """Show the differences, and let each be decided."""
        check = self._checks.running.get(self._key)
        if check is not None and check.changes:
            DifferenceDialog(self._theme, self._checks, self._key, self.window()).exec()
