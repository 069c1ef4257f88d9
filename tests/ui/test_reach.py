"""Everything can be reached and named: by keyboard, by a screen reader, in the smallest window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.ui.shell.window import Window
from tests.ui.staging import Stage, finish

Make = Callable[[str], Path]


def test_every_control_has_a_name_and_can_be_reached(window: Window, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    buttons = window.findChildren(QPushButton)
    assert len(buttons) > 12
    for control in [*buttons, window.page.view, window.sidebar.list, window.sidebar.search, window.idle.card]:
        assert control.accessibleName() or (isinstance(control, QPushButton) and control.text()), control
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control


def test_the_tools_are_reached_in_the_order_they_stand(window: Window, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    header = window.page.header
    places, control = [], header.play
    while control is not header.save:
        if control.isVisible():
            places.append(control.x())
        control = control.nextInFocusChain()
    assert len(places) == 4
    assert places == sorted(places)


def test_the_card_is_a_button_for_the_keyboard_too(window: Window, qtbot: QtBot) -> None:
    asked: list[int] = []
    window.all_actions["open"].triggered.disconnect()
    window.all_actions["open"].triggered.connect(lambda: asked.append(1))
    qtbot.keyClick(window.idle.card, Qt.Key.Key_Return)
    qtbot.keyClick(window.idle.card, Qt.Key.Key_Space)
    qtbot.mouseClick(window.idle.card, Qt.MouseButton.LeftButton)
    assert len(asked) == 3


@pytest.mark.parametrize(
    "name", ["x" * 180 + ".wav", "señor año.wav", "تسجيل جديد.mp3", "会議.wav", "a <b>bold & name.wav"]
)
def test_any_name_fits_the_smallest_window(window: Window, stage: Stage, recording: Make, name: str) -> None:
    window.resize(760, 520)
    (entry,) = stage.drop(recording(name))
    finish(stage, entry, 30)
    assert (window.width(), window.height()) == (760, 520)
    assert window.page.header.title.text() == name
    assert not window.grab().isNull()
    for control in (window.page.header.save, window.page.header.copy, window.page.notice.buttons[0]):
        corner = control.mapTo(window, control.rect().bottomRight())
        assert window.rect().contains(corner)
