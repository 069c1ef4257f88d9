"""The text in the size that one reads best, and nothing that glides where one does not want it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle
from pytestqt.qtbot import QtBot

from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets import theme as look
from desktop_app.ui.widgets.meters import Bar
from desktop_app.ui.widgets.theme import FULL, REDUCED, SYSTEM, TEXT_SIZES, USUAL_TEXT_SIZE, Theme
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish

Make = Callable[[str], Path]
Key, Hold = Qt.Key, Qt.KeyboardModifier


@pytest.fixture(autouse=True)
def as_before(theme: Theme) -> Iterator[None]:
    yield
    theme.choose_text_size(USUAL_TEXT_SIZE)
    theme.choose_motion(SYSTEM)


def test_the_text_grows_and_shrinks_by_keys_and_its_place_stays(
    window: MainWindow, stage: Stage, recording: Make, theme: Theme, qtbot: QtBot
) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    finish(stage, entry, talk(2, rounds=6))
    window.activateWindow()
    window.resize(1280, 800)
    view = window.page.view
    view.setFocus()
    qtbot.waitUntil(lambda: view.flow.is_measured)
    view.reveal(40, 0)
    top, column, button = view.placement.first_visible()[0], view.column(), window.player.bar.play.x()
    QTest.keyClick(view, Key.Key_Plus, Hold.ControlModifier)
    assert (theme.text_size, view.flow.line_height, view.flow.font.pixelSize()) == (20, 32, 20)
    assert view.placement.first_visible()[0] == top, "the same line is at the top"
    assert view.column()[1] > column[1], "as many letters in a row"
    assert window.page._title.contentsMargins().left() == view.column()[0], "the title keeps to the column"
    qtbot.waitUntil(lambda: view.flow.is_measured)
    assert window.player.bar.play.x() == button, "the player keeps to the page"
    assert view.placement.character_rect((40, 0)).height() == 32
    for _press in range(9):
        QTest.keyClick(view, Key.Key_Minus, Hold.ControlModifier)
    assert theme.text_size == TEXT_SIZES[0]
    QTest.keyClick(view, Key.Key_0, Hold.ControlModifier)
    assert (theme.text_size, view.column()) == (USUAL_TEXT_SIZE, column)


def test_the_size_and_the_motion_are_kept(qapp: QApplication, stage: Stage, theme: Theme) -> None:
    stage.preferences.set("text_size", "24")
    stage.preferences.set("motion", REDUCED)
    again = Theme(qapp, stage.preferences)
    assert (again.text_size, again.motion, again.moves) == (24, REDUCED, False)
    again.choose_text_size(14)
    again.choose_motion(FULL)
    again = Theme(qapp, stage.preferences)
    assert (again.text_size, again.motion, again.moves) == (14, FULL, True)
    stage.preferences.set("text_size", "enormous")
    stage.preferences.set("motion", "wild")
    again = Theme(qapp, stage.preferences)
    assert (again.text_size, again.motion) == (USUAL_TEXT_SIZE, SYSTEM)


def test_nothing_glides_where_motion_is_reduced(
    window: MainWindow, stage: Stage, recording: Make, theme: Theme, qtbot: QtBot
) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    finish(stage, entry, talk(2, rounds=6))
    view, bar = window.page.view, Bar(theme, "Done")
    qtbot.addWidget(bar)
    bar.show()
    scroll = view.verticalScrollBar()
    qtbot.waitUntil(lambda: view.flow.is_measured and scroll.maximum() > 1000)
    for motion, glides in ((FULL, True), (REDUCED, False)):
        theme.choose_motion(motion)
        scroll.setValue(scroll.maximum() - 200)
        view.follower.glide_to_end()
        assert (scroll.value() < scroll.maximum()) == glides
        view.follower.halt()
        bar.set_value(0.0)
        bar.set_value(0.8)
        assert (bar._shown < 0.8) == glides


def test_a_system_that_moves_nothing_is_followed(
    qapp: QApplication, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Still(QProxyStyle):
        def styleHint(self, hint: QStyle.StyleHint, *others: object) -> int:  # type: ignore[override]
            return 0 if hint == QStyle.StyleHint.SH_Widget_Animation_Duration else super().styleHint(hint)

    still = Still()
    assert theme.moves
    monkeypatch.setattr(look.sys, "platform", "linux")
    monkeypatch.setattr(look.QApplication, "style", lambda: still)
    assert not theme.moves
    theme.choose_motion(FULL)
    assert theme.moves
