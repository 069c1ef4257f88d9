"""What is asked of the models for one recording, for a batch of files, or for some lines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from desktop_app.app import wording
from desktop_app.app.models import ModelStore
from desktop_app.app.preferences import AUTO, OFF, TASKS, Preferences, terms
from desktop_app.engine.messages import Options
from desktop_app.engine.model_list import Listed
from desktop_app.texts import _
from desktop_app.ui.settings.speaker_count import SpeakerCount
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.labels import field, label
from desktop_app.ui.widgets.menus import MenuButton, choice_menu
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import S2, S4, Theme

_DEVICES = (AUTO, "cpu", "gpu", "npu")
_LONGEST = 36  # characters of a name on a button


class OptionsForm(QWidget):
    """Attributes: model, language (buttons with menus); draft, task, device (choices); speakers; terms, prompt
    (fields)."""

    def __init__(self, theme: Theme, models: ModelStore, preferences: Preferences, with_speakers: bool = True) -> None:
        super().__init__()
        self._models, self._preferences = models, preferences
        self._options = preferences.options()
        self.model = MenuButton(theme, self.model_menu)
        self.draft = Choice(_("Draft model"), [_("Automatic"), _("Off")])
        self.language = MenuButton(theme, self.language_menu)
        self.task = Choice(_("Text"), [_("As spoken"), _("In English")])
        self.speakers = SpeakerCount(theme)
        self.device = Choice(_("Device"), [_("Automatic"), "CPU", "GPU", "NPU"])
        self.terms = field(_("Names and terms"), _("Names and terms, with commas between"))
        self.prompt = field(_("Text before"), _("A sentence that might stand before"))
        self._connect()
        self._lay_out(with_speakers)
        self.show_options(self._options)

    def _connect(self) -> None:
        self.draft.picked.connect(lambda number: self._set(draft=(AUTO, OFF)[number]))
        self.task.picked.connect(lambda number: self._set(task=TASKS[number]))
        self.device.picked.connect(lambda number: self._set(device=_DEVICES[number]))
        self.speakers.picked.connect(lambda wanted: self._set(speakers=wanted))

    def _lay_out(self, with_speakers: bool) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(S4)
        grid.setVerticalSpacing(S2)
        grid.setColumnStretch(1, 1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute  # menu buttons are laid out mirrored
        rows: list[tuple[str, QWidget, Qt.AlignmentFlag]] = [
            (_("Model"), self.model, right),
            (_("Draft model"), self.draft, right),
            (_("Spoken language"), self.language, right),
            (_("Text"), self.task, right),
            *([(_("Speakers"), self.speakers, right)] if with_speakers else []),
            (_("Names and terms"), self.terms, Qt.AlignmentFlag(0)),
            (_("Text before"), self.prompt, Qt.AlignmentFlag(0)),
            (_("Device"), self.device, right),
        ]
        for number, (text, control, align) in enumerate(rows):
            grid.addWidget(label(text, "plain"), number, 0)
            grid.addWidget(control, number, 1, align)
        if not with_speakers:
            self.speakers.hide()

    # What is chosen.

    def options(self) -> Options:
        """What is chosen."""
        return replace(self._options, hot_words=terms(self.terms.text()), prompt=" ".join(self.prompt.text().split()))

    def show_options(self, options: Options) -> None:
        """Show what was chosen before; what this form does not ask for stays as the preferences say."""
        usual = self._preferences.options()
        self._options = replace(options, precision=usual.precision, guard=usual.guard, words=usual.words)
        self.terms.setText(", ".join(options.hot_words))
        self.prompt.setText(options.prompt)
        self._show()

    def _set(self, **changed: str) -> None:
        self._options = replace(self._options, **changed)  # type: ignore[arg-type]  # all of them are texts
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
        self.draft.pick(1 if options.draft == OFF else 0)
        self.task.pick(TASKS.index(options.task))
        self.device.pick(_DEVICES.index(options.device) if options.device in _DEVICES else 0)
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
        choices = [(_("Automatic"), AUTO)]
        choices += [(name, code) for code, name in wording.languages() if "*" in known or not known or code in known]
        then = partial(self._choose, "language")
        return choice_menu(self.language.parentWidget(), _("Spoken language"), choices, self._options.language, then)

    def _choose(self, key: str, value: str) -> None:
        self._set(**{key: value})

    def _choose_model(self, folder: str) -> None:
        """Another model; what drafted for the one before may not fit, and it may not know the language."""
        self._options = replace(self._options, target=folder, draft=OFF if self._options.draft == OFF else AUTO)
        used = self._used()
        known = used.languages if used is not None else ("*",)
        if known and "*" not in known and self._options.language not in (AUTO, *known):
            self._options = replace(self._options, language=AUTO)
        self._show()

    def _transcribing(self) -> list[Listed]:
        found = self._models.list
        return [each for each in (found.installed if found else ()) if not each.speakers and not each.trained_for]

    def _used(self) -> Listed | None:
        if self._options.target:
            return self._models.at(self._options.target)
        return self._models.find(self._models.in_use)

    def _title(self, used: Listed | None) -> str:
        return used.title if used is not None else self._preferences.models_in_words
