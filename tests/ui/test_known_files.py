"""A file that is transcribed already is not transcribed again unasked, and one quiet notice says so."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.options import Options
from desktop_app.ui.shell.main_window import MainWindow
from tests.talks import talk
from tests.ui.staging import Stage, drag, drop
from tests.unit.app.editing.test_edits import finish

Make = Callable[[str], Path]


def press(button: object) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)  # type: ignore[call-overload]


def test_a_file_that_is_transcribed_can_be_opened_or_transcribed_again(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    window.show_idle()
    drop(window, drag(window, Path(entry.path)))
    qtbot.waitUntil(window.known.isVisible)
    assert window.known.text.text() == "talk.wav is already transcribed."
    assert window.stack.currentWidget() is window.idle, "the page is the user's"
    assert (len(stage.session.entries), len(stage.engine.jobs)) == (1, 1)
    press(window.known.open)
    assert (window.current.key, window.known.isVisible()) == (entry.id, False)
    window.add([entry.path])
    qtbot.waitUntil(window.known.isVisible)
    assert not window.known.open.isVisible(), "it is open"
    press(window.known.again)
    qtbot.waitUntil(lambda: len(stage.session.entries) == 2)
    assert not window.known.isVisible()
    assert [path for _job, path, _options in stage.engine.jobs] == [entry.path] * 2


def test_of_many_files_the_new_ones_are_queued_and_one_notice_is_for_all(
    window: MainWindow, stage: Stage, entry: Entry, recording: Make, qtbot: QtBot
) -> None:
    (second,) = stage.drop(recording("second.wav"))
    finish(stage, second, talk(2))
    said: list[str] = []
    say = window.known.say

    def noted(sentence: str) -> None:
        said.extend([sentence] if sentence else [])
        say(sentence)

    window.known.say = noted  # type: ignore[method-assign]
    new = [recording(f"new {number}.wav") for number in range(20)]
    window.add([entry.path, *map(str, new), second.path])
    qtbot.waitUntil(lambda: len(stage.session.entries) == 22)
    assert said == ["2 files are already transcribed."]
    assert not window.known.open.isVisible()
    assert {each.path for each in stage.session.entries.values()} == {entry.path, second.path, *map(str, new)}
    window.add([str(recording("another.wav"))])
    assert not window.known.isVisible(), "what was said of the drop before"


def test_it_is_transcribed_at_once_if_the_file_has_changed_or_options_were_chosen_for_it(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    os.utime(entry.path, (entry.created.timestamp() + 5,) * 2)
    window.add([entry.path])
    qtbot.waitUntil(lambda: len(stage.session.entries) == 2)
    os.utime(entry.path, (1e9, 1e9))
    window.show_idle()
    window.idle.take_options = lambda: Options(language="de")  # type: ignore[method-assign]
    window.add([entry.path])
    qtbot.waitUntil(lambda: len(stage.session.entries) == 3)
    assert not window.known.isVisible()


def test_files_of_another_start_are_transcribed_without_a_word(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    window.take([entry.path])
    qtbot.waitUntil(lambda: len(stage.session.entries) == 2)
    assert not window.known.isVisible()
