"""What is asked of the models for one recording, for a batch of files, or for some lines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.presentation import wording
from desktop_app.app.settings.preferences import Preferences
from desktop_app.engine.model_list import ListedModel
from desktop_app.messages.options import AUTO, DECLARED, OFF, Options
from desktop_app.texts import _
from desktop_app.ui.settings.option_control import OptionControl
from desktop_app.ui.settings.speaker_count import SpeakerCount
from desktop_app.ui.settings.spoken_language import language_menu
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.menus import MenuButton, choice_menu
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import S2, S4, Theme

_LONGEST = 36  # characters of a name on a button


def asked() -> list[str]:
    """The names of the options that the form asks for."""
    return [name for name, option in DECLARED.items() if option.title]


class OptionsForm(QWidget):
    """The options that have a title, in the order in which they are declared.

    Attributes: model, language (buttons with menus); speakers; controls (of the other options, by name).
    """

    def __init__(self, theme: Theme, models: ModelStore, preferences: Preferences, with_speakers: bool = True) -> None:
        super().__init__()
        self._models, self._preferences = models, preferences
        self._options = preferences.options()
        self.model = MenuButton(theme, self.model_menu)
        self.language = MenuButton(theme, self.language_menu)
        self.speakers = SpeakerCount(theme)
        self.speakers.picked.connect(lambda wanted: self._set("speakers", wanted))
        self.controls: dict[str, OptionControl] = {}
        models.devices_found.connect(self._offer_devices)
        self.destroyed.connect(lambda: models.devices_found.disconnect(self._offer_devices))
        self._lay_out({"target": self.model, "language": self.language, "speakers": self.speakers}, with_speakers)
        self.show_options(self._options)
        models.look_for_devices()

    def _lay_out(self, own: dict[str, QWidget], with_speakers: bool) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(S4)
        grid.setVerticalSpacing(S2)
        grid.setColumnStretch(1, 1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute  # menu buttons are laid out mirrored
        for number, name in enumerate(asked()):
            if name == "speakers" and not with_speakers:
                self.speakers.setParent(self)
                self.speakers.hide()
                continue
            control, align = own.get(name), right
            if control is None:
                control = self.controls[name] = OptionControl(name)
                if control.line is None:
                    control.chosen.connect(partial(self._set, name))
                else:  # read when the form is
                    align = Qt.AlignmentFlag(0)
            grid.addWidget(label(_(DECLARED[name].title), "plain"), number, 0)
            grid.addWidget(control, number, 1, align)

    # What is chosen.

    def options(self) -> Options:
        """What is chosen."""
        typed = {name: control.value() for name, control in self.controls.items() if control.line is not None}
        return replace(self._options, **typed)

    def show_options(self, options: Options) -> None:
        """Show what was chosen before; what this form does not ask for stays as the preferences say."""
        usual = self._preferences.options()
        self._options = replace(usual, **{name: getattr(options, name) for name in asked()})
        for name, control in self.controls.items():
            control.show_value(getattr(options, name))
        self._offer_devices()

    def _offer_devices(self) -> None:
        """Offer the devices that this computer has; what was chosen before may be one that is gone."""
        chosen, found = self._options.device, self._models.devices
        there = (AUTO, *found) if found else (AUTO, "cpu", chosen)
        self.controls["device"].offer(there)
        if chosen not in there and chosen in dict(DECLARED["device"].offers):
            self._options = replace(self._options, device=AUTO)
        self._show()

    def _set(self, name: str, value: Any) -> None:
        self._options = replace(self._options, **{name: value})
        self._show()

    def _show(self) -> None:
        options = self._options
        model = self._title(self._used())
        language = _("Automatic") if options.language == AUTO else wording.language(options.language)
        for control, what, value in (
            (self.model, _("Model"), model),
            (self.language, _("Spoken language"), language),
        ):
            control.setText(value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…")
            control.setAccessibleName(named(what, value))
        for name, each in self.controls.items():
            if each.line is None:
                each.show_value(getattr(options, name))
        self.speakers.show_wanted(options.speakers)

    # The menus.

    def model_menu(self) -> QMenu:
        """The installed models that transcribe."""
        choices = [(each.title, str(each.folder)) for each in self._transcribing()]
        used = self._used()
        chosen = str(used.folder) if used else ""
        return choice_menu(self.model.parentWidget(), _("Model"), choices, chosen, self._choose_model)

    def language_menu(self) -> QMenu:
        """The languages that the model knows."""
        used = self._used()
        known = used.languages if used is not None else ("*",)
        parent, chosen, then = self.language.parentWidget(), self._options.language, partial(self._set, "language")
        return language_menu(parent, self._preferences, chosen, then, known)

    def _choose_model(self, folder: str) -> None:
        """Another model; what drafted for the one before may not fit, and it may not know the language."""
        self._options = replace(self._options, target=folder, draft=OFF if self._options.draft == OFF else AUTO)
        used = self._used()
        known = used.languages if used is not None else ("*",)
        if known and "*" not in known and self._options.language not in (AUTO, *known):
            self._options = replace(self._options, language=AUTO)
        self._show()

    def _transcribing(self) -> list[ListedModel]:
        found = self._models.list
        return [each for each in (found.installed if found else ()) if not each.speakers and not each.trained_for]

    def _used(self) -> ListedModel | None:
        if self._options.target:
            return self._models.at(self._options.target)
        return self._models.find(self._models.in_use)

    def _title(self, used: ListedModel | None) -> str:
        return used.title if used is not None else self._preferences.models_in_words
