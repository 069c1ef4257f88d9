"""Keyboard shortcuts can be changed; none types text, none has two meanings, and they hold at the next start."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop_app import texts
from desktop_app.ui.shell.actions import DESCRIPTIONS
from desktop_app.ui.shell.keys import Keys, is_usable
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.shell.shortcuts import ShortcutList
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.theme import Theme
from tests.ui.staging import Stage

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(autouse=True)
def english(use_language: None) -> None:
    """Here sentences are read word by word, so always in English."""
    texts.use("en")


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot) -> ShortcutList:
    made = ShortcutList(window.all_actions, window.keys, window)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def next_start(stage: Stage, theme: Theme, qtbot: QtBot) -> Callable[[str], str]:
    """The keys of an action at the next start."""

    def keys(name: str) -> str:
        qtbot.addWidget(other := QWidget())
        actions = Actions(theme, DESCRIPTIONS, other)
        Keys(actions, stage.preferences)
        return actions[name].keys

    return keys


def test_keys_that_are_pressed_in_a_field_do_what_the_field_says(
    window: MainWindow, dialog: ShortcutList, next_start: Callable[[str], str], qtbot: QtBot
) -> None:
    assert dialog.focusWidget() is dialog.done_button, "the first key that is pressed changes none"
    qtbot.keyClick(dialog.fields["models"], Qt.Key.Key_J, CONTROL)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert window.all_actions["models"].toolTip() == "Models (Ctrl+J)"
    assert window.sidebar.models.toolTip() == "Models (Ctrl+J)"
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert window.stack.currentWidget() is window.idle
    qtbot.keyClick(window, Qt.Key.Key_J, CONTROL)
    assert window.stack.currentWidget() is window.models
    assert next_start("models") == "Ctrl+J"


def test_an_action_can_be_without_keys(
    window: MainWindow, dialog: ShortcutList, next_start: Callable[[str], str]
) -> None:
    dialog.fields["models"].clear()
    assert window.all_actions["models"].keys == ""
    assert window.all_actions["models"].toolTip() == "Models"
    assert next_start("models") == ""


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("Ctrl+K", "Ctrl+K is in use: Search all recordings."),
        ("Ctrl+C", "Ctrl+C is in use: Copy the selection."),
        ("Esc", "Esc is in use: Close the search or the page."),
        ("J", "J is for typing. Use it with Ctrl or Alt, or a function key."),
        ("Ctrl+Left", "Ctrl+Left is for typing. Use it with Ctrl or Alt, or a function key."),
    ],
)
def test_keys_that_mean_something_else_are_refused(
    keys: str, why: str, window: MainWindow, stage: Stage, dialog: ShortcutList
) -> None:
    dialog.fields["models"].setKeySequence(QKeySequence(keys))
    assert dialog.problem.text() == why
    assert window.all_actions["models"].keys == "Ctrl+Shift+M"
    assert dialog.fields["models"].keySequence().toString() == "Ctrl+Shift+M"
    assert stage.preferences.text("keys_models") == ""


def test_the_usual_keys_come_back(
    window: MainWindow, dialog: ShortcutList, next_start: Callable[[str], str], qtbot: QtBot
) -> None:
    qtbot.keyClick(dialog.fields["models"], Qt.Key.Key_J, CONTROL)
    qtbot.keyClick(dialog.fields["play"], Qt.Key.Key_F5)
    dialog.reset.click()
    assert dialog.fields["models"].keySequence().toString() == "Ctrl+Shift+M"
    assert [each.toString() for each in window.all_actions["play"].shortcuts()] == ["F8", "Ctrl+Space"]
    assert next_start("models") == "Ctrl+Shift+M"


@pytest.mark.parametrize("kept", ["Ctrl+K", "J", "not keys at all", "Ctrl+Left"])
def test_a_setting_that_cannot_hold_is_as_none(kept: str, stage: Stage, next_start: Callable[[str], str]) -> None:
    stage.preferences.set("keys_models", kept)
    assert next_start("models") == "Ctrl+Shift+M"


def test_a_function_key_needs_nothing_else() -> None:
    assert is_usable(QKeySequence("F5"))
    assert is_usable(QKeySequence("Alt+J"))
    assert not is_usable(QKeySequence("Shift+J"))
    assert not is_usable(QKeySequence())
