"""Everything can be reached and named: by keyboard, by a screen reader, in the smallest window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import texts
from desktop_app.app.recordings import entry as states
from desktop_app.messages.jobs import SegmentReady, Started
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.elided import ElidedLabel
from desktop_app.ui.widgets.theme import S2, S3, font
from tests.ui.staging import MODELS, Stage, finish, segment

Make = Callable[[str], Path]


def test_every_control_has_a_name_and_can_be_reached(window: MainWindow, stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    buttons = window.findChildren(QPushButton)
    assert len(buttons) > 12
    for control in [*buttons, window.page.view, window.sidebar.list, window.sidebar.search, window.idle.card]:
        assert control.accessibleName() or (isinstance(control, QPushButton) and control.text()), control
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control


def test_the_card_is_a_button_for_the_keyboard_too(window: MainWindow, qtbot: QtBot) -> None:
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
def test_any_name_fits_the_smallest_window(window: MainWindow, stage: Stage, recording: Make, name: str) -> None:
    window.resize(760, 520)
    (entry,) = stage.drop(recording(name))
    finish(stage, entry, 30)
    assert (window.width(), window.height()) == (760, 520)
    assert window.page.header.title.text() == name
    assert not window.grab().isNull()
    for control in (window.page.header.save, window.page.header.copy, window.page.notice.buttons[0]):
        corner = control.mapTo(window, control.rect().bottomRight())
        assert window.rect().contains(corner)


@pytest.fixture(params=texts.languages())
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each language, for the windows that are made in the test."""
    texts.use(request.param)
    yield request.param
    texts.use("en")


def cut_off(window: MainWindow) -> list[str]:
    """The texts that have less room than they need, or lie outside the window."""
    found = []
    for shown in window.findChildren(QPushButton) + window.findChildren(QLabel):
        if not shown.isVisible() or not shown.text() or isinstance(shown, ElidedLabel):
            continue
        if isinstance(shown, QLabel) and shown.wordWrap():
            fits = shown.height() >= shown.heightForWidth(shown.width())
        else:
            fits = shown.width() >= shown.minimumSizeHint().width()
        left = shown.mapTo(window, shown.rect().topLeft()).x()
        if not (fits and left >= 0 and left + shown.width() <= window.width()):
            found.append(f"{shown.text()} ({shown.size().toTuple()} of {shown.minimumSizeHint().toTuple()})")
    return found


def fits(window: MainWindow, page: str) -> None:
    """The layout may need a few turns until it is so."""
    assert window.size() == window.minimumSize()
    assert not cut_off(window), page


def test_no_text_is_cut_off_in_the_smallest_window(
    language: str, window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    window.resize(window.minimumSize())
    qtbot.waitUntil(lambda: window.width() == window.minimumWidth())
    one, two = stage.drop(recording("one.wav"), recording("two.wav"))
    stage.say(Started(one.id, 60.0, MODELS), SegmentReady(one.id, segment(0)))
    pages = {
        "idle": window.show_idle,
        "settings": window.show_settings,
        "models": window.show_models,
        "in work": lambda: window.show_entry(one.id),
        "waiting": lambda: window.show_entry(two.id),
        "done": lambda: finish(stage, one),
        "find": window.all_actions["find"].trigger,
    }
    for page, show in pages.items():
        show()
        qtbot.waitUntil(partial(fits, window, page))
    stage.preferences.choose(speakers="3")
    window.show_settings()
    fits(window, "the number of speakers")


def test_no_state_is_cut_off_in_the_list(language: str, window: MainWindow, stage: Stage, recording: Make) -> None:
    """In a window of usual width; what is longer in a narrow one stands in the tooltip."""
    (entry,) = stage.drop(recording("one.wav"))
    shown = []
    for change in (
        {"held": True}, {"held": False, "state": states.WAITING}, {"state": states.FAILED}, {"seconds": 9.0},
        {"state": states.RECORDING}, {"state": states.INTERRUPTED}, {"state": states.CANCELLED},
    ):  # fmt: skip
        vars(entry).update(change)
        shown.append(entry.summary())
    room = window.sidebar.list.viewport().width() - 2 * S3 - 18 - S2
    letters = QFontMetrics(font(12, figures=True))
    assert not [text for text in shown if letters.horizontalAdvance(text) > room]
    assert entry.summary() in window.sidebar.model.row_of(entry.id).data(Qt.ItemDataRole.ToolTipRole)


def test_no_text_is_cut_off_while_recording(language: str, window: MainWindow, stage: Stage, qtbot: QtBot) -> None:
    window.resize(window.minimumSize())
    stage.record()
    qtbot.waitUntil(partial(fits, window, "recording"))
    assert window.live.strip.isVisible()
