"""Choosing an input: every one with its host, its level, and nothing of that in the window's own thread."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation.problems import sentence
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.ui.recording.input_menu import InputMenu
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.shell.shortcuts import ShortcutList
from desktop_app.ui.widgets.level_meter import height
from tests.studio import HEADSET
from tests.ui.staging import Stage


def open_menu(window: MainWindow, stage: Stage) -> InputMenu:
    stage.live.inputs.refresh()
    stage.qtbot.waitUntil(lambda: bool(stage.live.inputs.found or stage.live.inputs.problem))
    return window.live.input_menu()


def choices(menu: InputMenu) -> list[QAction]:
    return [action for action in menu.actions() if action.isCheckable()]


def test_every_input_is_listed_with_its_host_and_system_sound_is_marked(window: MainWindow, stage: Stage) -> None:
    menu = open_menu(window, stage)
    assert [action.text() for action in choices(menu)] == [
        _("{input} (default)", input="Desk microphone") + "\tALSA", "Headset\tALSA", "Monitor of Speakers\tPulseAudio",
    ]  # fmt: skip
    assert [action.isChecked() for action in choices(menu)] == [True, False, False]
    assert [not action.icon().isNull() for action in choices(menu)] == [False, False, True]
    menu.aboutToHide.emit()


def test_the_level_is_shown_while_the_menu_is_open_and_no_longer(window: MainWindow, stage: Stage) -> None:
    menu = open_menu(window, stage)
    stage.qtbot.waitUntil(lambda: menu.meter.share > 0.5)
    assert not stage.studio.recorders  # nothing is recorded for it
    menu.aboutToHide.emit()
    stage.qtbot.waitUntil(lambda: stage.studio.streams[0].closed)


def test_an_input_that_cannot_be_heard_says_why(window: MainWindow, stage: Stage) -> None:
    stage.studio.refusal = Problem("microphone.busy", name="Desk microphone")
    menu = open_menu(window, stage)
    stage.qtbot.waitUntil(lambda: menu._level.text() == sentence(stage.studio.refusal))
    menu.aboutToHide.emit()


def test_without_an_input_the_menu_says_what_to_do(window: MainWindow, stage: Stage) -> None:
    stage.studio.inputs = []
    menu = open_menu(window, stage)
    assert [action.text() for action in menu.actions()] == [sentence(Problem("microphone.none"))]


def test_a_choice_is_shown_on_the_card_and_used(window: MainWindow, stage: Stage) -> None:
    menu = open_menu(window, stage)
    choices(menu)[1].trigger()
    menu.aboutToHide.emit()
    assert stage.preferences.microphone == "Headset (ALSA)"
    assert window.idle.record.accessibleName() == f"{_('Record and transcribe live')}, Headset (ALSA)"
    stage.record()
    assert stage.studio.recorder.input_id == HEADSET.id


@pytest.mark.parametrize(("peak", "share"), [(0.0, 0.0), (0.001, 0.0), (0.1, 0.63), (1.0, 1.0), (7.0, 1.0)])
def test_the_meter_shows_loudness_as_ears_judge_it(peak: float, share: float) -> None:
    assert height(peak) == pytest.approx(share, abs=0.01)


def test_the_folder_of_recordings_can_be_chosen(
    window: MainWindow, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "mine"))
    window.show_settings()
    section = window.settings.sections["Recordings"]
    section.control.click()
    assert section.value.text() == str(tmp_path / "mine")
    stage.record()
    assert stage.studio.recorder.path.parent == tmp_path / "mine"


def test_a_folder_that_cannot_be_made_is_said(window: MainWindow, stage: Stage, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "file").write_text("")
    stage.preferences.recordings = tmp_path / "file" / "below"
    window.sidebar.record.click()
    qtbot.waitUntil(lambda: window.trouble.isVisible())
    (problem,) = window._problems
    assert (problem.code, window.trouble.text.text()) == ("disk.failed", sentence(problem))
    assert not stage.live.is_on


def test_the_list_of_keys_has_them_all_and_none_twice(window: MainWindow, stage: Stage) -> None:
    keys = [key.toString() for action in window.all_actions for key in action.shortcuts()]
    assert len(keys) == len(set(keys))
    dialog = ShortcutList(window.all_actions, window.keys, window)
    stage.qtbot.addWidget(dialog)
    texts = [label.accessibleName() for label in dialog.findChildren(type(window.live.strip.words))]
    assert f"{_('Record and transcribe live')}: Ctrl+R" in texts
    assert dialog.done_button.focusPolicy() & Qt.FocusPolicy.TabFocus
