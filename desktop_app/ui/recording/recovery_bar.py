"""Interrupted recordings are offered, unobtrusively, above the page."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.app.library.recovery import Recovery
from desktop_app.texts import _
from desktop_app.ui.widgets.banner import NEUTRAL, Banner
from desktop_app.ui.widgets.theme import Theme


class RecoveryBar(Banner):
    """Attributes: transcribe, later (its buttons)."""

    def __init__(self, theme: Theme, recovery: Recovery, parent: QWidget | None = None) -> None:
        super().__init__(theme, NEUTRAL, "recover", parent)
        self._recovery, self._may_show = recovery, True
        self.transcribe = self.add_button(_("Transcribe"))
        self.transcribe.clicked.connect(recovery.transcribe)
        self.later = self.add_button(_("Not now"), "link")
        self.later.clicked.connect(recovery.decline)
        recovery.changed.connect(self._show)
        self._show()

    def show_over(self, may_show: bool) -> None:
        """Whether this is the page for it, and nothing else is said there."""
        self._may_show = may_show
        self._show()

    def _show(self) -> None:
        self.transcribe.setText(_("Resume all") if len(self._recovery.found) > 1 else _("Transcribe"))
        self.say(self._recovery.sentence() if self._may_show else "")
