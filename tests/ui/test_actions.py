"""Actions and settings are described once, and everything that shows them follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.app.settings.preferences import Preferences
from desktop_app.ui.settings import page as page_module
from desktop_app.ui.settings.page import SettingsPage
from desktop_app.ui.settings.sections import FILES, SECTIONS, Parts, Section
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.theme import Theme
from tests.ui.staging import Stage, finish

Make = Callable[[str], Path]
OF_TEXT = {"save", "export", "copy", "find"}
OF_SOUND = {"play", "play_here", "back", "forward", "slower", "faster", "loop"}
OF_SPEAKERS = {"undo", "redo"}


def enabled(window: MainWindow) -> set[str]:
    """What depends on the recording that is looked at, and can be used now."""
    names = OF_TEXT | OF_SOUND | OF_SPEAKERS | {"cancel"}
    return {name for name in names if window.all_actions[name].isEnabled()}


def test_what_can_be_done_follows_the_recording_that_is_looked_at(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    assert enabled(window) == set()
    (entry,) = stage.drop(recording("one.wav"))
    assert enabled(window) == {"cancel"}
    finish(stage, entry)
    assert enabled(window) == OF_TEXT | OF_SOUND | OF_SPEAKERS
    assert window.page.header.copy.isEnabled()
    window.show_idle()
    assert enabled(window) == set()
    QGuiApplication.clipboard().setText("mine")
    qtbot.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert QGuiApplication.clipboard().text() == "mine"


def test_a_button_follows_its_action(window: MainWindow) -> None:
    action, button = window.all_actions["play"], window.player.bar.play
    action.show_as("Stop", "Stop playing", icon="pause")
    assert (button.accessibleName(), button.toolTip()) == ("Stop", f"Stop playing ({action.keys})")
    speakers = window.page.header.speakers
    assert speakers.isChecked()
    speakers.click()
    assert not window.all_actions["speakers"].isChecked() and not speakers.isChecked()


def test_every_action_that_has_keys_does_something(window: MainWindow) -> None:
    idle = [
        action.description.name
        for action in window.all_actions
        if action.shortcuts() and not action.receivers("2triggered(bool)")
    ]
    assert not idle


def test_a_section_that_is_registered_is_on_the_page(
    window: MainWindow, stage: Stage, theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    loudness = Section(FILES, "Loudness", "How loud.", lambda *_: Parts(QPushButton("Louder"), lambda: None))
    monkeypatch.setattr(page_module, "SECTIONS", [*SECTIONS, loudness])
    page = SettingsPage(theme, window.all_actions, Preferences(stage.keeper))
    qtbot.addWidget(page)
    assert list(page.sections)[-1] == "Loudness"
    assert page.isAncestorOf(page.sections["Loudness"].control)
