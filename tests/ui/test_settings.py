"""What is set on the page of settings, and on the page before a recording, holds for the next recording."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app import texts
from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.options import terms
from desktop_app.ui.settings.option_control import OptionControl
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.menus import MenuButton
from tests.ui.staging import Stage


@pytest.fixture(autouse=True)
def english(use_language: None) -> None:
    """Here texts are read word by word, so always in English."""
    texts.use("en")


def pick(control: MenuButton, text: str) -> None:
    next(action for action in control.make_menu().actions() if action.text() == text).trigger()


def test_the_spoken_language_is_set_in_either_place_and_shown_in_both(window: MainWindow, stage: Stage) -> None:
    assert stage.preferences.options().language == "auto"
    assert window.idle.record.language.text() == "Language: Automatic"
    window.show_settings()
    control = window.settings.sections["Spoken language"].control
    assert isinstance(control, MenuButton)
    pick(control, "French")
    assert stage.preferences.options().language == "fr"
    assert control.text() == "French"
    assert window.idle.record.language.text() == "Language: French"
    assert window.idle.record.language.accessibleName() == "Spoken language: French"
    names = [action.text() for action in control.make_menu().actions()[1:]]  # behind the search
    assert names[:2] == ["Automatic", "French"]  # which was chosen before
    assert names[2:] == sorted(names[2:])
    pick(control, "Automatic")
    assert stage.preferences.options().language == "auto"


def test_a_live_recording_is_transcribed_in_the_language_that_was_set(window: MainWindow, stage: Stage) -> None:
    stage.preferences.choose(language="de")
    stage.record()
    assert [options.language for _job, options, _live in stage.engine.live] == ["de"]


def test_text_can_be_asked_for_in_english(window: MainWindow, stage: Stage) -> None:
    window.show_settings()
    control = window.settings.sections["Text"].control
    assert isinstance(control, OptionControl) and control.choice is not None
    choice = control.choice
    choice.group.button(1).click()
    assert stage.preferences.options().task == "translate"
    choice.group.button(0).click()
    assert stage.preferences.options().task == "transcribe"


def test_the_vocabulary_is_given_to_the_model(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    window.show_settings()
    control = window.settings.sections["Vocabulary"].control
    assert isinstance(control, OptionControl)
    field = control.line
    assert isinstance(field, QLineEdit)
    qtbot.keyClicks(field, " Ngozi ,,Mount  Kenya,")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert stage.preferences.options().hot_words == ("Ngozi", "Mount Kenya")
    assert field.text() == "Ngozi, Mount Kenya"
    assert terms("") == ()


@pytest.mark.parametrize(("key", "value"), [("spoken", "../x"), ("task", "dance"), ("spoken", "")])
def test_a_setting_that_no_window_has_written_is_as_none(key: str, value: str, stage: Stage) -> None:
    stage.preferences.set(key, value)
    options = stage.preferences.options()
    assert (options.language, options.task) == ("auto", "transcribe")
    assert Preferences(stage.keeper).options().language == "auto"


def test_every_connection_that_galley_can_make_is_named(window: MainWindow, stage: Stage) -> None:
    window.show_settings()
    parts = window.settings.sections["Connections"]
    assert parts.value is not None
    assert parts.value.text().startswith("Downloads come from ")
    stage.preferences.mirror = "https://mirror.example.org"
    window.show_settings()
    assert "mirror.example.org" in parts.value.text()


def test_a_setting_is_found_by_its_words(window: MainWindow, qtbot: QtBot) -> None:
    """In heading, explanation and group; what holds none of the words goes, and a group with nothing in it too."""
    window.show_settings()
    page = window.settings
    assert list(page.groups) == ["Transcription", "Files", "Window", "Privacy"]

    def shown() -> list[str]:
        return [heading for heading, row in page.rows.items() if row.isVisible()]

    assert shown() == list(page.sections)
    qtbot.keyClicks(page.search, "folder RECORDINGS")
    assert shown() == ["Watched folder"] and page.groups["Files"].isVisible()
    assert not page.groups["Window"].isVisible() and not page._nothing.isVisible()
    qtbot.keyClicks(page.search, " xyz")
    assert not shown() and page._nothing.isVisible()
    page.search.clear()
    assert shown() == list(page.sections)
