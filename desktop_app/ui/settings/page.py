"""The page where models, speakers, folders and the look are chosen."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop_app import __version__
from desktop_app.app.preferences import Preferences
from desktop_app.ui.speakers.choice import SpeakersChoice
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.sheet import Sheet, quiet, setting
from desktop_app.ui.widgets.theme import CHOICES, S5, S6, Theme

_WIDTH = 600


class SettingsPage(QWidget):
    """Signals: models_asked(); recordings_asked() when another folder for recordings is to be chosen; keys_asked()."""

    models_asked = Signal()
    recordings_asked = Signal()
    keys_asked = Signal()

    def __init__(self, theme: Theme, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        self.model = QLabel()
        self.model.setProperty("role", "strong")
        self.models = button("Models…", "plain", self.models_asked.emit)
        self.recordings = ElidedLabel("quiet")
        self.choose_recordings = button("Choose folder…", "plain", self.recordings_asked.emit)
        self.choose_recordings.setAccessibleName("Choose folder for recordings…")
        self.keys = button("Keys", "link", self.keys_asked.emit)
        self.speakers = SpeakersChoice(theme)
        self.speakers.picked.connect(self._set_speakers)
        self.guard = Choice("Text that nobody said", ["Leave out", "Write"])
        self.guard.picked.connect(self._set_guard)
        self.look = Choice("Appearance", [choice.capitalize() for choice in CHOICES])
        self.look.picked.connect(lambda number: theme.choose(CHOICES[number]))
        self._lay_out()
        preferences.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        sheet = self.sheet = Sheet(_WIDTH)
        box = sheet.box
        box.addWidget(label("Settings", "title"))
        box.addSpacing(S6)
        about = "One model writes the text; a small one, its draft, makes that faster and changes no word."
        kept = "What is recorded live is kept here. Galley never deletes it."
        nobody = "Models may write words into silence or noise, or repeat themselves. What is left out is always named."
        voices = "Who says what is found out by the voices, on this computer. A number helps where you know it."
        box.addLayout(setting("Model", quiet(about), self.models, self.model))
        sheet.add_rule()
        box.addLayout(setting("Speakers", quiet(voices), self.speakers))
        sheet.add_rule()
        box.addLayout(setting("Text that nobody said", quiet(nobody), self.guard))
        sheet.add_rule()
        box.addLayout(setting("Recordings", quiet(kept), self.choose_recordings, self.recordings))
        sheet.add_rule()
        box.addLayout(setting("Appearance", quiet("Light, dark, or as the system says."), self.look))
        box.addStretch(1)
        box.addSpacing(S5)
        foot = QHBoxLayout()
        foot.addWidget(quiet(f"Galley {__version__}. Nothing leaves this computer."), 1)
        foot.addWidget(self.keys)
        box.addLayout(foot)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(sheet)

    def refresh(self) -> None:
        """Show what is chosen."""
        self.model.setText(self._preferences.models_in_words)
        self.recordings.setText(str(self._preferences.recordings))
        self.look.pick(CHOICES.index(self._theme.choice))
        self.speakers.show_wanted(self._preferences.speakers)
        self.guard.pick(0 if self._preferences.guard else 1)

    def _set_speakers(self, wanted: str) -> None:
        self._preferences.speakers = wanted

    def _set_guard(self, number: int) -> None:
        self._preferences.guard = number == 0
