"""Speakers in the window: shown, corrected, undone, kept, heard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.app.recordings.entry import Entry
from desktop_app.export import plain
from desktop_app.export.document import Document, ExportOptions
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Transcript
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets.theme import DARK, LIGHT, Theme
from tests.event_loop import drain
from tests.responsive import Guard
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish, stored

Make = Callable[[str], Path]


def press(qtbot: QtBot, window: MainWindow, keys: str) -> None:
    """Press keys in the text."""
    QTest.keySequence(window.page.view, QKeySequence(keys))


def rename(qtbot: QtBot, window: MainWindow, speaker: str, name: str, end: Qt.Key = Qt.Key.Key_Return) -> None:
    """Type another name into a speaker's card."""
    window.speakers.strip.names[speaker].click()
    card = window.speakers.card
    assert card is not None
    card.field.selectAll()
    qtbot.keyClicks(card.field, name)
    qtbot.keyClick(card.field, end)


def in_order(transcript: Transcript) -> Transcript:
    """As it is stored: while somebody edits, lines keep the numbers that they had."""
    return replace(transcript, segments=speakers.numbered(transcript.segments))


def test_corrections_are_undone_done_again_and_survive_a_restart(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    steps = [entry.transcript()]

    def is_done(after: Callable[[Transcript], bool]) -> None:
        assert after(entry.transcript())
        steps.append(entry.transcript())
        kept = stored(stage, entry.id)
        assert (kept.segments, kept.speakers) == (steps[-1].segments, steps[-1].speakers)

    rename(qtbot, window, "S2", "Artie")
    is_done(lambda it: [speaker.name for speaker in it.speakers] == ["Rose", "Artie"])
    window.page.view.selection.put((2, 5), False)
    press(qtbot, window, "Alt+1")
    is_done(lambda it: it.segments[2].speaker == "S1" and {w.speaker for w in it.segments[2].words} == {"S1"})
    press(qtbot, window, "Alt+3")  # one behind the last: somebody new
    is_done(lambda it: it.segments[2].speaker == "S3" and it.speakers[2].name == "Speaker 3")
    window.page.view.selection.put((5, 39), False)
    press(qtbot, window, "Ctrl+Return")
    is_done(lambda it: it.segments[5].text.endswith("longer.") and it.segments[6].text.startswith("There"))
    view = window.page.view
    assert view.flow.lines[6].text == entry.segments[6].text
    assert view.selection.caret == (5, 39)
    view.selection.anchor, view.selection.caret = (0, 14), (1, 11)
    press(qtbot, window, "Alt+3")
    is_done(lambda it: [part.speaker for part in it.segments[:4]] == ["S1", "S3", "S3", "S2"])
    window.speakers.merge("S3", "S2")
    is_done(lambda it: [speaker.name for speaker in it.speakers] == ["Rose", "Artie"])

    for before in reversed(steps[:-1]):
        press(qtbot, window, "Ctrl+Z")
        assert in_order(entry.transcript()) == in_order(before)
    assert (stored(stage, entry.id).segments, stored(stage, entry.id).speakers) == (
        steps[0].segments,
        steps[0].speakers,
    )
    press(qtbot, window, "Ctrl+Z")
    assert window.toast.text() == _("Nothing to undo")
    for after in steps[1:]:
        press(qtbot, window, "Ctrl+Shift+Z")
        assert in_order(entry.transcript()) == in_order(after)

    later = stage.restart().session
    later.load(entry.id)
    qtbot.waitUntil(lambda: bool(later.entries[entry.id].segments))
    assert later.entries[entry.id].transcript() == in_order(steps[-1])
    assert "Artie: We have" not in plain.txt(Document(later.entries[entry.id].transcript()), ExportOptions())
    assert "Artie: half an hour" in plain.txt(Document(later.entries[entry.id].transcript()), ExportOptions())


def test_a_text_without_speakers_can_get_some(stage: Stage, window: MainWindow, recording: Make, qtbot: QtBot) -> None:
    (made,) = stage.drop(recording("talk.wav"))
    plain = talk(2)
    finish(stage, made, replace(plain, segments=tuple(replace(it, speaker=None) for it in plain.segments), speakers=()))
    assert not window.speakers.strip.isVisible()
    assert not any(paragraph.lead for paragraph in window.page.view.flow.lines)
    window.page.view.setFocus()
    window.page.view.selection.put((1, 0), False)
    press(qtbot, window, "Alt+1")
    assert [each.name for each in made.speakers] == ["Speaker 1"]
    assert window.speakers.strip.isVisible()
    assert [bool(paragraph.lead) for paragraph in window.page.view.flow.lines[:4]] == [False, True, True, False]


def test_a_name_that_is_there_already_merges(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    rename(qtbot, window, "S2", "rose")
    assert [speaker.name for speaker in entry.speakers] == ["Rose"]
    keys = window.all_actions["undo"].keys
    assert window.toast.text() == _("Merged with {name}. Press {keys} to undo.", name="Rose", keys=keys)


def test_escape_forgets_the_name_and_a_click_beside_keeps_it(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    rename(qtbot, window, "S2", "Nobody", Qt.Key.Key_Escape)
    assert [speaker.name for speaker in entry.speakers] == ["Rose", "Arthur"]
    assert window.speakers.card is None
    window.speakers.strip.names["S2"].click()
    assert window.speakers.card is not None
    window.speakers.card.field.setText("Artie")
    qtbot.mouseClick(window.speakers.card.veil, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert window.speakers.card is None
    assert [speaker.name for speaker in entry.speakers] == ["Rose", "Artie"]


def test_a_name_stands_where_another_voice_begins(window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot) -> None:
    view = window.page.view
    named = [paragraph.speaker for paragraph in view.flow.lines if paragraph.lead]
    assert all(one != other for one, other in pairwise(named))
    assert len(named) == 1 + sum(one.speaker != other.speaker for one, other in pairwise(entry.segments))
    view.say(1)
    assert view.accessibleDescription().startswith("Arthur, 0:08: The roof")
    assert view.text().startswith("Rose: We have about half an hour")
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.placement.name_rect(1).center())
    assert window.speakers.card is not None
    assert window.speakers.card.field.text() == "Arthur"


def test_the_view_stays_at_its_words(window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot) -> None:
    (made,) = stage.drop(recording("long.wav"))
    finish(stage, made, talk(5, rounds=20))
    view, bar = window.page.view, window.page.view.verticalScrollBar()
    qtbot.waitUntil(lambda: view.flow.is_measured)
    view.reveal(200, 0)
    first, above = view.placement.first_visible()
    words = view.flow.lines[first].text
    place = bar.value()
    stage.edits.reassign(made.id, [2], "S5")
    assert view.flow.lines[view.placement.first_visible()[0]].text == words
    assert view.placement.first_visible()[1] == pytest.approx(above, abs=1)
    assert bar.value() != place
    measured = view.flow.measured
    stage.edits.rename(made.id, "S1", "Someone")
    assert view.flow.measured == measured  # a name lays out nothing anew


def test_a_correction_of_a_long_recording_blocks_nothing(
    window: MainWindow, stage: Stage, recording: Make, responsive: Guard
) -> None:
    """Nor does it lay out more than the lines it changes and what is seen."""
    (made,) = stage.drop(recording("long.wav"))
    finish(stage, made, talk(5, rounds=60))  # 960 lines, an hour and more
    flow = window.page.view.flow
    stage.qtbot.waitUntil(lambda: flow.is_measured)
    stage.settle()
    measured = flow.measured
    with responsive():
        for correct in (
            lambda: stage.edits.rename(made.id, "S1", "Someone"),
            lambda: stage.edits.split(made.id, 5, 39),
            lambda: stage.edits.reassign(made.id, [9], "S2"),
            lambda: stage.edits.undo(made.id),
            lambda: stage.edits.undo(made.id),
        ):
            correct()
            stage.settle()
    assert flow.measured - measured <= 20


def test_the_menu_corrects_what_is_under_it(window: MainWindow, entry: Entry) -> None:
    view = window.page.view
    view.selection.put((1, 4), False)
    actions = {action.text().partition("\t")[0]: action for action in view.menu().actions()}
    assert not actions[_("Assign to {name}", name="Arthur")].isEnabled()
    actions[_("Assign to {name}", name="Rose")].trigger()
    assert entry.segments[1].speaker == "S1"
    actions = {action.text().partition("\t")[0]: action for action in view.menu().actions()}
    assert actions[_("Undo {edit}", edit=_("change of speaker"))].isEnabled()
    assert not actions[_("Redo")].isEnabled()
    merging = next(action.menu() for name, action in actions.items() if name == _("Merge {name} with", name="Rose"))
    merging.actions()[0].trigger()
    assert [speaker.name for speaker in entry.speakers] == ["Arthur"]
    names = [action.text().partition("\t")[0] for action in view.menu().actions()]
    assert _("Merge {name} with", name="Arthur") not in names
    assert _("Rename {name}…", name="Arthur") in names


def test_ten_seconds_of_a_speaker_are_heard(window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot) -> None:
    strip = window.speakers.strip
    strip.previews["S2"].click()
    path, start, end = stage.player.played[-1]
    assert path == entry.path
    assert 0 < end - start <= 10.001
    assert any(segment.start <= start < segment.end and segment.speaker == "S2" for segment in entry.segments)
    assert strip.previews["S2"].accessibleName() == _("Stop the sample of {name}", name="Arthur")
    strip.previews["S2"].click()
    assert stage.player.stopped == 1
    assert strip.previews["S2"].accessibleName() == _("Play a sample of {name}", name="Arthur")


def test_a_name_with_markup_is_told_as_it_is(window: MainWindow, stage: Stage, entry: Entry) -> None:
    stage.edits.rename(entry.id, "S1", "<img src=x> & Co")
    stage.settle()
    told = window.speakers.strip.previews["S1"].toolTip()
    assert "&lt;img src=x&gt; &amp; Co" in told and "<img" not in told


def test_the_timeline_and_the_times_play(window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot) -> None:
    lanes, view = window.speakers.strip.lanes, window.page.view
    qtbot.mouseClick(lanes, Qt.MouseButton.LeftButton, pos=QPoint(lanes.width() // 2, 10))
    assert stage.player.played[-1][1] == pytest.approx(entry.seconds / 2, rel=0.02)
    stage.player.feed(entry.segments[4].start + 0.1)
    qtbot.waitUntil(lambda: view.is_playing(entry.segments[4].start))
    assert window.player.bar.play.accessibleName() == _("Pause")
    view.verticalScrollBar().setValue(0)
    time_of_1 = view.placement.time_rect(1).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=time_of_1)
    assert stage.player.played[-1][1] == entry.segments[1].start
    press(qtbot, window, "Ctrl+Space")
    assert stage.playback.key == ""
    press(qtbot, window, "Ctrl+Space")
    assert stage.playback.key == entry.id
    count = len(stage.player.played)
    lanes.setFocus()
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(lanes, key)
    assert len(stage.player.played) == count + 1
    assert stage.player.played[-1][1] == pytest.approx(entry.speakers[1].turns[0][0])
    assert lanes.accessibleDescription().endswith(", Arthur")


def test_fewer_speakers_than_before_leave_no_scroll_bar(
    window: MainWindow, stage: Stage, entry: Entry, recording: Make, qtbot: QtBot
) -> None:
    (many,) = stage.drop(recording("many.wav"))
    finish(stage, many, talk(5))
    window.show_entry(many.id)
    drain()
    window.show_entry(entry.id)
    drain()
    assert window.speakers.strip._scroll.verticalScrollBar().maximum() == 0


def test_late_news_of_what_is_not_played_any_more_is_passed_over(stage: Stage, entry: Entry, qtbot: QtBot) -> None:
    stage.playback.play(entry.id, entry.path, 1.0)
    stage.player.listener.moved(99, 7.0)
    stage.player.feed(2.0)
    qtbot.waitUntil(lambda: stage.playback.seconds == 2.0)
    stage.playback.stop()
    stage.player.end(Problem("output.gone"))
    drain()
    assert stage.playback.seconds == 2.0


def test_every_control_can_be_reached_and_named(window: MainWindow, entry: Entry) -> None:
    window.speakers.strip.names["S1"].click()
    assert window.speakers.card is not None
    controls = [*window.speakers.strip.findChildren(QPushButton), *window.speakers.card.findChildren(QPushButton)]
    for control in [*controls, window.speakers.strip.lanes, window.speakers.card.field, window.page.header.speakers]:
        assert control.accessibleName() or (isinstance(control, QPushButton) and control.text()), control
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control


def test_the_strip_can_be_hidden_and_stays_hidden(
    window: MainWindow, stage: Stage, entry: Entry, recording: Make
) -> None:
    strip, header = window.speakers.strip, window.page.header
    assert strip.isVisible()
    header.speakers.click()
    assert not strip.isVisible()
    (other,) = stage.drop(recording("other.wav"))
    finish(stage, other, talk(5))
    window.show_entry(other.id)
    assert not strip.isVisible()
    header.speakers.click()
    assert strip.isVisible()
    assert len(strip.names) == 5


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_five_speakers_fit_a_small_window(
    window: MainWindow, stage: Stage, theme: Theme, recording: Make, look: str
) -> None:
    theme.choose(look)
    window.resize(800, 600)
    (made,) = stage.drop(recording("x" * 120 + ".wav"))
    finish(stage, made, talk(5))
    stage.edits.rename(made.id, "S1", "A very long name & more of it " * 3)
    drain()
    assert (window.width(), window.height()) == (800, 600)
    assert window.speakers.strip.lanes.width() >= 80
    corner = window.speakers.strip.mapTo(window, window.speakers.strip.rect().bottomRight())
    assert window.rect().contains(corner)
    theme.choose(LIGHT)


def test_the_choice_of_speakers_reaches_the_engine(window: MainWindow, stage: Stage, recording: Make) -> None:
    choice = window.settings.sections["Speakers"].control
    asked = [stage.preferences.options().speakers]
    for number in (1, 2):
        choice.choice.group.button(number).click()
        asked.append(stage.preferences.options().speakers)
    choice.more.click()
    asked.append(stage.preferences.options().speakers)
    assert asked == ["off", "auto", "2", "3"]
    stage.drop(recording("talk.wav"))
    assert stage.engine.jobs[-1][2].speakers == "3"


@pytest.mark.parametrize("seconds", [59.0, 3_600.0, 36_000.0])
def test_no_digit_of_a_share_is_cut_off(window: MainWindow, stage: Stage, recording: Make, seconds: float) -> None:
    (made,) = stage.drop(recording("long.wav"))
    one, two = talk(2).speakers
    said = replace(talk(2), seconds=2 * seconds, speakers=(replace(one, turns=((0.0, seconds),)), two))
    finish(stage, made, said)
    drain()
    shares = [each for each in window.speakers.strip.findChildren(QLabel) if each.property("role") == "share"]
    assert len(shares) >= 2
    for each in shares:
        assert each.width() >= each.fontMetrics().horizontalAdvance(each.text()), each.text()
