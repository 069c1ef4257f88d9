"""The language of recordings: all that the model knows can be chosen, by typing too, those used before first."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation import wording
from desktop_app.texts import _
from desktop_app.ui.settings.sections import spoken_language_menu
from desktop_app.ui.settings.spoken_language import language_menu
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.menus import SearchMenu
from tests.openai_models import LANGUAGES
from tests.ui.staging import Stage


def offered(menu: SearchMenu) -> list[str]:
    return [action.text() for action in menu.actions()[1:] if action.isVisible()]


def test_every_language_of_whisper_has_a_name() -> None:
    assert {code for code, _name in wording.languages()} == set(LANGUAGES)


@pytest.mark.qt_log_ignore("does not support")
def test_typing_finds_a_language_and_enter_chooses_it(window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    menu = spoken_language_menu(window, stage.preferences)
    assert isinstance(menu, SearchMenu) and len(offered(menu)) == len(LANGUAGES) + 1
    menu.popup(window.mapToGlobal(window.rect().center()))
    wanted = wording.language("is")
    qtbot.keyClicks(menu, wanted[:4])
    assert offered(menu) == [wanted]
    qtbot.keyClick(menu, Qt.Key.Key_Backspace)
    assert menu.field.text() == wanted[:3]
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert stage.preferences.options().language == "is"


def test_what_was_used_stands_first(window: MainWindow, stage: Stage) -> None:
    chosen: list[str] = []
    choose = partial(language_menu, window, stage.preferences, "auto", chosen.append)
    for code in ("uk", "is", "uk"):
        menu = choose()
        next(action for action in menu.actions() if action.text() == wording.language(code)).trigger()
    assert chosen == ["uk", "is", "uk"]
    assert offered(choose())[:3] == [_("Automatic"), wording.language("uk"), wording.language("is")]
    assert offered(choose(known=("en", "is"))) == [_("Automatic"), wording.language("is"), wording.language("en")]
