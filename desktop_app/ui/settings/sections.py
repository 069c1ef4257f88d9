"""The sections of the settings page, in their order. To add one, write a class here and register it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from desktop_app.app.preferences import Preferences
from desktop_app.ui.settings.speaker_count import SpeakerCount
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.theme import CHOICES, Theme

SECTIONS: list[type[Section]] = []


def register(section: type[Section]) -> type[Section]:
    """Put a section on the page, under those that were registered before it."""
    SECTIONS.append(section)
    return section


class Section:
    """A setting with its heading, what it is for, and its control.

    Attributes: control; value (a line under the explanation, or None).
    """

    heading = ""
    explanation = ""

    def __init__(self, theme: Theme, actions: Actions, preferences: Preferences) -> None:
        self.theme, self.actions, self.preferences = theme, actions, preferences
        self.value: QLabel | None = None
        self.control: QWidget = self.make()

    def make(self) -> QWidget:
        """The control."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show what is chosen."""


@register
class ModelSection(Section):
    heading = "Model"
    explanation = "A small draft model speeds the main model up without changing the result."

    def make(self) -> QWidget:
        self.value = label("", "strong")
        return button("Models…", "plain", self.actions["models"].trigger)

    def refresh(self) -> None:
        assert self.value is not None
        self.value.setText(self.preferences.models_in_words)


@register
class SpeakerSection(Section):
    heading = "Speakers"
    explanation = "Speakers are identified by voice, on this computer. Set the number if you know it."

    def make(self) -> QWidget:
        self.count = SpeakerCount(self.theme)
        self.count.picked.connect(self._set)
        return self.count

    def _set(self, wanted: str) -> None:
        self.preferences.speakers = wanted

    def refresh(self) -> None:
        self.count.show_wanted(self.preferences.speakers)


@register
class HallucinationSection(Section):
    heading = "Hallucinated text"
    explanation = "Models may write words into silence or noise, or repeat themselves. Each removal is reported."

    def make(self) -> QWidget:
        self.choice = Choice(self.heading, ["Remove", "Keep"])
        self.choice.picked.connect(self._set)
        return self.choice

    def _set(self, number: int) -> None:
        self.preferences.guard = number == 0

    def refresh(self) -> None:
        self.choice.pick(0 if self.preferences.guard else 1)


@register
class RecordingsSection(Section):
    heading = "Recordings"
    explanation = "Live recordings are saved here."

    def make(self) -> QWidget:
        self.value = ElidedLabel("quiet")
        made = button("Choose folder…", "plain", self._choose)
        made.setAccessibleName("Choose folder for recordings…")
        return made

    def _choose(self) -> None:
        start = str(self.preferences.recordings)
        folder = QFileDialog.getExistingDirectory(self.control.window(), "Choose a folder for recordings", start)
        if folder:
            self.preferences.recordings = Path(folder)

    def refresh(self) -> None:
        assert self.value is not None
        self.value.setText(str(self.preferences.recordings))


@register
class AppearanceSection(Section):
    heading = "Appearance"
    explanation = "Light, dark, or as the system says."

    def make(self) -> QWidget:
        self.choice = Choice(self.heading, [choice.capitalize() for choice in CHOICES])
        self.choice.picked.connect(lambda number: self.theme.choose(CHOICES[number]))
        return self.choice

    def refresh(self) -> None:
        self.choice.pick(CHOICES.index(self.theme.choice))
