"""The page where models, speakers, folders, appearance and language are chosen."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app import __version__
from desktop_app.app.settings.preferences import Preferences
from desktop_app.texts import _
from desktop_app.ui.settings.sections import SECTIONS
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, add, column, row
from desktop_app.ui.widgets.sheet import Sheet, quiet, rule, setting
from desktop_app.ui.widgets.theme import S2, S5, S6, Theme

_WIDTH = 600


class SettingsPage(QWidget):
    """Attributes: sheet (what scrolls); sections (their parts, by the headings); report (its button)."""

    def __init__(self, theme: Theme, actions: Actions, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sections = {each.heading: each.make(theme, actions, preferences) for each in SECTIONS}
        self.sheet = Sheet(_WIDTH, self)
        column(self.sheet, inside=self)
        box = self.sheet.box
        add(box, label(_("Settings"), "title"), S6)
        for number, each in enumerate(SECTIONS):
            if number:
                add(box, S5, rule(), S5)
            parts = self.sections[each.heading]
            more = [parts.value] if parts.value is not None else []
            add(box, setting(_(each.heading), quiet(_(each.explanation)), parts.control, *more))
        about = quiet(_("Galley {version}. Nothing leaves this computer.", version=__version__))
        self.report = actions.button("report", "link")
        add(box, STRETCH, S5, about)
        links = (self.report, actions.button("shortcuts", "link"), actions.button("about", "link"))
        add(box, S2, row(*links, STRETCH, spacing=S5))
        preferences.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what is chosen."""
        for parts in self.sections.values():
            parts.refresh()
