"""The button that names the language of the window, with the menu of all of them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton

from desktop_app import texts
from desktop_app.app.preferences import Preferences
from desktop_app.texts import _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import as_button
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import Theme


class LanguageButton(QPushButton):
    """Chooses `Preferences.language`; the program follows it."""

    def __init__(self, theme: Theme, preferences: Preferences) -> None:
        super().__init__()
        self._theme, self._preferences = theme, preferences
        as_button(self, "plain")
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow follows the words
        self.clicked.connect(self._open)
        theme.changed.connect(self._retint)
        self._retint()

    def refresh(self) -> None:
        """Show what is chosen."""
        self.setText(_name_of(self._preferences.language))
        self.setAccessibleName(named(_("Language"), self.text()))

    def choices(self) -> QMenu:
        """Every language, in its own words."""
        menu = QMenu(self.parentWidget())  # not the button's: it is laid out the other way round
        menu.aboutToHide.connect(menu.deleteLater)
        group = QActionGroup(menu)
        for code in ("", *texts.languages()):
            action = menu.addAction(_name_of(code), partial(setattr, self._preferences, "language", code))
            action.setCheckable(True)
            action.setChecked(code == self._preferences.language)
            group.addAction(action)
        return menu

    def _open(self) -> None:
        self.choices().popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _retint(self) -> None:
        colors = self._theme.palette
        self.setIcon(icons.icon("chevron-down", colors.muted, colors.draft))


def _name_of(code: str) -> str:
    """A language as those who speak it call it."""
    language = code or texts.system_language()
    world = language if "_" in language else f"{language}_001"  # else Qt names a country's: "American English"
    name = QLocale(world).nativeLanguageName()
    name = name[:1].upper() + name[1:]
    return name if code else _("System ({language})", language=name)
