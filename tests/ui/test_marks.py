"""Moments that are marked while something is recorded, and names that are given meanwhile, are there afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation.wording import document
from desktop_app.export import formats
from desktop_app.export.document import ExportOptions
from desktop_app.messages.jobs import Finished, Started
from desktop_app.texts import _
from desktop_app.transcript.model import Speaker
from desktop_app.ui.shell.main_window import MainWindow
from tests.ui.staging import MODELS, Stage, segment, transcript, update


def test_a_marked_moment_stands_beside_its_line_and_is_there_after_a_restart(
    window: MainWindow, stage: Stage, qtbot: QtBot
) -> None:
    assert not window.all_actions["mark"].isEnabled()
    entry = stage.record(3.0)
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id, (segment(0), segment(1))))
    qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert entry.marks == (3.0,)
    assert window.toast.text() == _("Marked at {time}", time="0:03")
    view = window.page.view
    assert [view._painter.marks_in(index) for index in (0, 1)] == [(), (3.0,)]
    stage.stop()
    stage.say(Finished(entry.id, transcript(segment(0), segment(1))))
    assert not window.all_actions["mark"].isEnabled()
    assert window.player.bar.line._marks == (3.0,)
    stage.settle()
    assert stage.library.recording(entry.id).marks == (3.0,)

    view.place_caret((1, 0))
    menu = QMenu()
    view.menu_asked.emit(menu)
    remove = _("Remove the mark at {time}", time="0:03")
    next(action for action in menu.actions() if action.text() == remove).trigger()
    assert entry.marks == () and view._painter.marks_in(1) == ()
    stage.settle()
    assert stage.library.recording(entry.id).marks == ()


@pytest.mark.parametrize(
    ("name", "expected"), [("md", "*Marked: 0:03 · 1:02:05*"), ("json", '"marks": [3.0, 3725.0]'), ("html", "1:02:05")]
)
def test_exports_hold_the_marks(name: str, expected: str) -> None:
    made = transcript(segment(0), segment(1))
    form = formats.FORMATS[name]
    with_marks, without = (form.write(document(made, marks=marks), ExportOptions()) for marks in ((3.0, 3725.0), ()))
    assert expected in with_marks and expected not in without


def test_who_speaks_is_named_while_it_is_recorded_and_keeps_the_name(
    window: MainWindow, stage: Stage, qtbot: QtBot
) -> None:
    """The engine numbers speakers anew with each word it gives, and once more at the end."""
    entry = stage.record()
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id, (segment(0), segment(1))))
    stage.say(replace(update(entry.id), speakers=((0, "S1"), (1, "S2"))))
    window.speakers.strip.names["S1"].click()
    card = window.speakers.card
    assert card is not None and not card.preview.isVisible() and not card.merge.isVisible()
    card.field.setText("Rose")
    qtbot.keyClick(card.field, Qt.Key.Key_Return)
    assert [each.name for each in entry.shown().speakers] == ["Rose", _("Speaker {number}", number=2)]
    stage.say(replace(update(entry.id, (segment(2),)), speakers=((2, "S1"),)))
    assert window.page.view.name_of("S1") == "Rose"
    stage.settle()
    assert stage.library.transcript(entry.id).speakers[0].name == "Rose", "a kill now would not lose it"
    stage.stop()
    lines = tuple(replace(segment(number), speaker=who) for number, who in enumerate(("S1", "S2", "S1")))
    people = (Speaker("S1", "Speaker 1"), Speaker("S2", "Speaker 2"))
    stage.say(Finished(entry.id, replace(transcript(*lines), speakers=people)))
    assert [each.name for each in entry.speakers] == ["Rose", "Speaker 2"]
