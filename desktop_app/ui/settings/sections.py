"""The sections of the settings page, in their groups. To add one, write a function here that makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu, QSystemTrayIcon, QWidget

from desktop_app import texts
from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.system import about, updates
from desktop_app.engine import model_list
from desktop_app.messages.options import AUTO, OFF, ON
from desktop_app.texts import N_, _
from desktop_app.ui.settings.option_control import OptionControl
from desktop_app.ui.settings.speaker_count import SpeakerCount
from desktop_app.ui.settings.spoken_language import language_menu
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.choice import Choice
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import row
from desktop_app.ui.widgets.menus import MenuButton, choice_menu
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import (
    CHOICES,
    CONTRAST,
    DARK,
    FULL,
    LIGHT,
    MOTIONS,
    REDUCED,
    S2,
    SYSTEM,
    TEXT_SIZES,
    Theme,
)

_FIELD = 240  # pixels
TRANSCRIPTION, FILES, WINDOW, PRIVACY = N_("Transcription"), N_("Files"), N_("Window"), N_("Privacy")
GROUPS = (TRANSCRIPTION, FILES, WINDOW, PRIVACY)
"""The headings over the sections, in their order."""


@dataclass(frozen=True)
class Parts:
    """What a section shows: its control, what brings that up to date, and a line under the explanation, if any."""

    control: QWidget
    refresh: Callable[[], object]
    value: QLabel | None = None


Make = Callable[[Theme, Actions, Preferences], Parts]


@dataclass(frozen=True)
class Section:
    """A setting: one of GROUPS, its heading, what it is for, and what makes its parts."""

    group: str
    heading: str
    explanation: str
    make: Make


SECTIONS: list[Section] = []


def section(group: str, heading: str, explanation: str) -> Callable[[Make], Make]:
    """Put what a function makes on the page, under the sections of its group before it."""

    def register(make: Make) -> Make:
        SECTIONS.append(Section(group, heading, explanation, make))
        return make

    return register


@section(TRANSCRIPTION, N_("Model"), N_("A small draft model speeds the main model up without changing the result."))
def _models(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    value = label("", "strong")
    control = button(_("Models…"), "plain", actions["models"].trigger)
    return Parts(control, lambda: value.setText(preferences.models_in_words), value)


@section(
    TRANSCRIPTION,
    N_("Speakers"),
    N_("Speakers are identified by voice, on this computer. Set the number if you know it."),
)
def _speakers(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    count = SpeakerCount(theme)
    count.picked.connect(lambda wanted: preferences.choose(speakers=wanted))
    return Parts(count, lambda: count.show_wanted(preferences.options().speakers))


@section(
    TRANSCRIPTION,
    N_("Spoken language"),
    N_("Detected automatically. Set it if your recordings are all in one language."),
)
def _spoken_language(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    def refresh() -> None:
        control.setText(spoken_language(preferences))
        control.setAccessibleName(named(_("Spoken language"), control.text()))

    control = MenuButton(theme, lambda: spoken_language_menu(control.parentWidget(), preferences))
    return Parts(control, refresh)


@section(TRANSCRIPTION, N_("Text"), N_("In the language that is spoken, or translated into English."))
def _task(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    return _option("task", preferences)


@section(
    TRANSCRIPTION,
    N_("Vocabulary"),
    N_("Names and terms that often occur, separated by commas. The models then expect them."),
)
def _hot_words(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    parts = _option("hot_words", preferences, _("Ngozi, Zugspitze, OpenVINO"))
    parts.control.setMinimumWidth(_FIELD)
    return parts


def _option(name: str, preferences: Preferences, hint: str = "") -> Parts:
    """The control of an option, which keeps what is chosen at once."""

    def refresh() -> None:
        control.show_value(getattr(preferences.options(), name))

    def keep(value: object) -> None:
        if value != getattr(preferences.options(), name):
            preferences.choose(**{name: value})
        refresh()

    control = OptionControl(name, hint)
    control.chosen.connect(keep)
    return Parts(control, refresh)


@section(
    TRANSCRIPTION,
    N_("Hallucinated text"),
    N_("Models may write words into silence or noise, or repeat themselves. Each removal is reported."),
)
def _hallucinations(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    choice = Choice(_("Hallucinated text"), [_("Remove"), _("Keep")])
    choice.picked.connect(lambda number: preferences.choose(guard=number == 0))
    return Parts(choice, lambda: choice.pick(0 if preferences.options().guard else 1))


@section(FILES, N_("Recordings"), N_("Live recordings are saved here."))
def _recordings(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    def choose() -> None:
        start = str(preferences.recordings)
        folder = QFileDialog.getExistingDirectory(control.window(), _("Choose a folder for recordings"), start)
        if folder:
            preferences.recordings = Path(folder)

    value, control = ElidedLabel("quiet"), button(_("Choose folder…"), "plain", choose)
    control.setAccessibleName(_("Choose folder for recordings…"))
    return Parts(control, lambda: value.setText(str(preferences.recordings)), value)


@section(
    FILES,
    N_("Watched folder"),
    N_("New recordings in this folder are transcribed by themselves. The files are never changed."),
)
def _watched(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    def choose() -> None:
        start = preferences.watched or preferences.folder("open")
        folder = QFileDialog.getExistingDirectory(control.window(), _("Choose a folder to watch"), start)
        if folder:
            preferences.watched = folder

    def refresh() -> None:
        value.setText(preferences.watched or _("Off"))
        end.setVisible(bool(preferences.watched))

    value, control = ElidedLabel("quiet"), QWidget()
    pick = button(_("Choose folder…"), "plain", choose)
    pick.setAccessibleName(_("Choose a folder to watch…"))
    end = button(_("Turn off"), "link", lambda: setattr(preferences, "watched", ""))
    end.setAccessibleName(_("Watch no folder"))
    row(end, pick, inside=control, spacing=S2)
    return Parts(control, refresh, value)


@section(WINDOW, N_("Appearance"), N_("Light, dark, or as the system is; high contrast follows the system too."))
def _appearance(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    names = {SYSTEM: _("System"), LIGHT: _("Light"), DARK: _("Dark"), CONTRAST: _("High contrast")}
    choice = Choice(_("Appearance"), [names[each] for each in CHOICES])
    choice.picked.connect(lambda number: theme.choose(CHOICES[number]))
    return Parts(choice, lambda: choice.pick(CHOICES.index(theme.choice)))


@section(WINDOW, N_("Text size"), N_("Of transcripts."))
def _text_size(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    choice = Choice(_("Text size"), [str(pixels) for pixels in TEXT_SIZES])
    choice.picked.connect(lambda number: theme.choose_text_size(TEXT_SIZES[number]))
    return Parts(choice, lambda: choice.pick(TEXT_SIZES.index(theme.text_size)))


@section(WINDOW, N_("Motion"), N_("Reduced: text and progress bars change at once instead of gliding."))
def _motion(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    names = {SYSTEM: _("System"), FULL: _("Full"), REDUCED: _("Reduced")}
    choice = Choice(_("Motion"), [names[each] for each in MOTIONS])
    choice.picked.connect(lambda number: theme.choose_motion(MOTIONS[number]))
    return Parts(choice, lambda: choice.pick(MOTIONS.index(theme.motion)))


@section(WINDOW, N_("Language"), N_("The language of the window. Recordings can be in any language."))
def _language(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    def menu() -> QMenu:
        languages = [(_language_name(code), code) for code in ("", *texts.languages())]
        then = partial(setattr, preferences, "language")
        return choice_menu(control.parentWidget(), _("Language"), languages, preferences.language, then)

    def refresh() -> None:
        control.setText(_language_name(preferences.language))
        control.setAccessibleName(named(_("Language"), control.text()))

    control = MenuButton(theme, menu)
    return Parts(control, refresh)


@section(
    WINDOW,
    N_("Notifications"),
    N_("When a recording is transcribed while another window is in front. They name it, and never hold its text."),
)
def _notices(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    choice = Choice(_("Notifications"), [_("On"), _("Off")])
    choice.picked.connect(lambda number: setattr(preferences, "notices", OFF if number else ON))
    return Parts(choice, lambda: choice.pick(0 if preferences.notices == ON else 1))


@section(WINDOW, N_("Tray icon"), N_("Shows whether Galley records, and starts and stops it without the window."))
def _tray(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    def refresh() -> None:
        choice.pick(0 if preferences.tray == ON else 1)
        missing = preferences.tray == ON and not QSystemTrayIcon.isSystemTrayAvailable()
        value.setText(_("This desktop has no tray."))
        value.setVisible(missing)

    value, choice = quiet(), Choice(_("Tray icon"), [_("On"), _("Off")])
    choice.picked.connect(lambda number: setattr(preferences, "tray", OFF if number else ON))
    return Parts(choice, refresh, value)


@section(
    PRIVACY,
    N_("Connections"),
    N_(
        "Galley connects to the internet only when you ask for something that needs it: no account, no usage data. "
        "These are all connections that it can make:"
    ),
)
def _privacy(theme: Theme, actions: Actions, preferences: Preferences) -> Parts:
    value = quiet()

    def refresh() -> None:
        source = model_list.source(preferences.mirror)
        lines = [sentence(source.problem) if source.problem else wording.servers(source)]
        built = about.build()
        if built is not None and built.updates:
            lines.append(_("“Check for updates” in “About Galley” asks {host}.", host=updates.host(built.updates)))
        if built is not None:
            index = updates.host(built.index) or _("the package index that you name")
            lines.append(
                _(
                    "“galley devices add cuda” and “Download PyTorch” ask {index} and the file servers that it names.",
                    index=index,
                )
            )
        value.setText("\n".join(lines))

    return Parts(QWidget(), refresh, value)


def spoken_language(preferences: Preferences) -> str:
    """The language of recordings, as it was chosen."""
    return (
        _("Automatic") if preferences.options().language == AUTO else wording.language(preferences.options().language)
    )


def spoken_language_menu(parent: QWidget | None, preferences: Preferences) -> QMenu:
    """The languages that can be chosen for recordings."""
    language = preferences.options().language
    return language_menu(parent, preferences, language, lambda code: preferences.choose(language=code))


def _language_name(code: str) -> str:
    """A language as those who speak it call it."""
    language = code or texts.system_language()
    world = language if "_" in language else f"{language}_001"  # else Qt names a country's: "American English"
    name = QLocale(world).nativeLanguageName()
    name = name[:1].upper() + name[1:]
    return name if code else _("System ({language})", language=name)
