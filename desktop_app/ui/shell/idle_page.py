"""The page of a window that has nothing to do yet."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.app.preferences import Preferences
from desktop_app.texts import _
from desktop_app.ui.recording.record_card import RecordCard
from desktop_app.ui.settings.sections import spoken_language, spoken_language_menu
from desktop_app.ui.shell.drop_card import DropCard
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.menus import open_under
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme


class IdlePage(QWidget):
    """The drop card, the microphone, which model will write, and the promise."""

    def __init__(self, theme: Theme, actions: Actions, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        self.card = DropCard(theme)
        self.card.clicked.connect(actions["open"].trigger)
        self.record = RecordCard(theme, actions)
        self.record.language_asked.connect(
            lambda: open_under(self.record.language, spoken_language_menu(self, preferences))
        )
        self._model = QLabel()
        self._model_mark = QLabel()
        self.choose = button(_("Models…"), "link", actions["models"].trigger)
        self._promise_mark = QLabel()
        self._promise = label(_("Nothing leaves this computer."), "quiet")
        self._lay_out()
        preferences.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        model = row(STRETCH, self._model_mark, self._model, self.choose, STRETCH, spacing=S2)
        promise = row(STRETCH, self._promise_mark, self._promise, STRETCH, spacing=S2)
        cards = row(STRETCH, (column(self.card, self.record, spacing=S3), 100), STRETCH)
        column((STRETCH, 5), cards, S5, model, S1, (STRETCH, 6), promise, S1, inside=self, margins=(S5, S4, S5, S4))

    def refresh(self) -> None:
        """Show the model and the microphone of the next recording."""
        self.record.show_source(self._preferences.microphone)
        self.record.show_language(spoken_language(self._preferences))
        self._model.setText(self._preferences.models_in_words)
        colors = self._theme.palette
        scale = self.devicePixelRatioF()
        self._model_mark.setPixmap(icons.pixmap("model", colors.muted, 18, scale))
        self._promise_mark.setPixmap(icons.pixmap("lock", colors.muted, 16, scale))
        self.choose.setIconSize(QSize(16, 16))
