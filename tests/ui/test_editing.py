"""Typing in the transcript: what a reader does in any editor works here, can be undone, and is there the next day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import SegmentReady, Started
from desktop_app.texts import _
from desktop_app.transcript.model import Segment, Word
from desktop_app.transcript.speakers import numbered
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.transcript import marks
from desktop_app.ui.transcript.text_line import TextLine
from desktop_app.ui.widgets.theme import Theme
from tests.responsive import Guard
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish, stored

Make = Callable[[str], Path]
Key, Hold = Qt.Key, Qt.KeyboardModifier


def put(window: MainWindow, line: int, character: int) -> None:
    """Place the caret."""
    window.page.view.selection.put((line, character), False)


def lines(entry: Entry, count: int = 4) -> list[str]:
    return [segment.text for segment in entry.segments[:count]]


def shown(window: MainWindow, count: int = 4) -> list[str]:
    return [paragraph.text for paragraph in window.page.view.flow.lines[:count]]


def test_a_reader_types_splits_merges_undoes_all_and_finds_it_the_next_day(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    view, first = window.page.view, entry.transcript()
    put(window, 0, 8)
    view.selection.put((0, 13), True)
    qtbot.keyClicks(view, "only")
    assert shown(window)[0].startswith("We have only half an hour")
    assert view.selection.range == ((0, 12), (0, 12))
    qtbot.keyClick(view, Key.Key_Space)
    qtbot.keyClick(view, Key.Key_Backspace)
    qtbot.keyClick(view, Key.Key_Backspace, Hold.ControlModifier)
    qtbot.keyClick(view, Key.Key_Delete)
    assert shown(window)[0].startswith("We have half an hour, so"), shown(window)[0]
    put(window, 1, 17)
    qtbot.keyClick(view, Key.Key_Return)
    assert (shown(window)[1:3], view.selection.caret) == (
        ["The roof is done.", "They finished it on Tuesday, and the gutters too."], (2, 0),
    )  # fmt: skip
    qtbot.keyClick(view, Key.Key_Backspace)
    assert shown(window)[1] == talk(2).segments[1].text
    assert view.selection.caret == (1, 18)
    put(window, 1, len(shown(window)[1]))
    qtbot.keyClick(view, Key.Key_Delete)
    assert "gutters too. What is left is the chimney" in shown(window)[1]
    assert lines(entry) == shown(window), "what is seen is what is kept"
    last = entry.transcript()

    count = 0
    while stage.edits.next_undo(entry.id):
        QTest.keySequence(view, QKeySequence("Ctrl+Z"))
        count += 1
    assert entry.transcript() == first
    assert shown(window) == lines(entry)
    assert 4 <= count <= 9
    for _step in range(count):
        QTest.keySequence(view, QKeySequence("Ctrl+Shift+Z"))
    assert entry.transcript() == last

    stage.edits.save()
    later = stage.restart().session
    later.load(entry.id)
    qtbot.waitUntil(lambda: bool(later.entries[entry.id].segments))
    assert later.entries[entry.id].transcript().segments == numbered(last.segments)


def test_a_line_that_is_emptied_stays_and_backspace_takes_it_away(
    window: MainWindow, entry: Entry, qtbot: QtBot
) -> None:
    view, count = window.page.view, len(entry.segments)
    view.selection.anchor, view.selection.caret = (3, 0), (3, len(entry.segments[3].text))
    qtbot.keyClick(view, Key.Key_Delete)
    assert (shown(window)[3], len(entry.segments)) == ("", count)
    qtbot.keyClick(view, Key.Key_Backspace)
    assert len(entry.segments) == count - 1
    assert view.selection.caret == (2, len(entry.segments[2].text))
    put(window, 0, 0)
    qtbot.keyClick(view, Key.Key_Backspace)
    assert len(entry.segments) == count - 1, "there is nothing before the first line"


def test_the_clipboard_cuts_and_pastes_lines_too(window: MainWindow, entry: Entry) -> None:
    view = window.page.view
    view.selection.anchor, view.selection.caret = (2, 69), (3, 2)
    QTest.keySequence(view, QKeySequence("Ctrl+X"))
    assert QGuiApplication.clipboard().text() == "comes who does that.\nHe"
    assert shown(window)[2].endswith("when the man  comes on Friday.")
    QTest.keySequence(view, QKeySequence("Ctrl+V"))
    assert shown(window)[2:] == [it.text for it in talk(2).segments[2:4]]
    assert view.selection.caret == (3, 2)
    labels = [action.text().partition("\t")[0] for action in view.menu().actions()]
    assert {_("Cut"), _("Paste")} <= set(labels)


def test_what_is_composed_is_shown_and_typed_when_it_is_done(window: MainWindow, entry: Entry) -> None:
    """Accents by dead keys, and Chinese, Japanese and Korean, come by an input method."""
    view = window.page.view
    put(window, 3, 2)
    before = entry.transcript()
    QApplication.sendEvent(view, QInputMethodEvent("ni", []))
    assert view.flow.layout(3).preeditAreaText() == "ni"
    assert entry.transcript() == before, "not typed yet"
    one, other = view.flow.caret_at(3, 1)[0], view.flow.caret_at(3, 2)[0]
    assert other > one + 10, "the caret is behind what is composed"
    done = QInputMethodEvent()
    done.setCommitString("你👍é")
    QApplication.sendEvent(view, done)
    assert shown(window)[3] == "He你👍é comes on Friday."
    assert view.flow.layout(3).preeditAreaText() == ""
    assert view.selection.caret == (3, 5)
    QTest.keyClick(view, Key.Key_Backspace)
    QTest.keyClick(view, Key.Key_Backspace)
    assert shown(window)[3] == "He你 comes on Friday.", "a character that Qt counts twice is one"
    assert view.inputMethodQuery(Qt.InputMethodQuery.ImSurroundingText) == "He你 comes on Friday."
    assert view.inputMethodQuery(Qt.InputMethodQuery.ImCursorPosition) == 3
    instead = QInputMethodEvent()
    instead.setCommitString("llo", -1, 1)
    QApplication.sendEvent(view, instead)
    assert shown(window)[3] == "Hello comes on Friday.", "it may replace what stands before the caret"


def test_keys_that_type_are_no_shortcuts_in_the_text(window: MainWindow, entry: Entry) -> None:
    view = window.page.view

    def is_typed(key: Key, text: str, held: Hold = Hold.NoModifier) -> bool:
        event = QKeyEvent(QKeyEvent.Type.ShortcutOverride, key, held, text)
        event.ignore()
        QApplication.sendEvent(view, event)
        return event.isAccepted()

    assert is_typed(Key.Key_Space, " ")
    assert is_typed(Key.Key_Backspace, "", Hold.ControlModifier)
    assert is_typed(Key.Key_At, "@", Hold.ControlModifier | Hold.AltModifier), "AltGr on Windows"
    assert not is_typed(Key.Key_1, "1", Hold.AltModifier), "that assigns a speaker"
    assert not is_typed(Key.Key_E, "\x05", Hold.ControlModifier)
    assert not is_typed(Key.Key_Return, "\r", Hold.ControlModifier), "that splits between words"
    view.set_editable(False)
    assert not is_typed(Key.Key_Space, " ")


def test_nothing_is_typed_while_the_text_is_written(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot
) -> None:
    (made,) = stage.drop(recording("talk.wav"))
    whole = talk(2)
    stage.say(Started(made.id, whole.seconds, whole.models), SegmentReady(made.id, whole.segments[0]))
    view = window.page.view
    view.setFocus()
    qtbot.keyClicks(view, "no")
    QTest.keySequence(view, QKeySequence("Ctrl+V"))
    assert [it.text for it in made.segments] == [whole.segments[0].text]
    assert not view.inputMethodQuery(Qt.InputMethodQuery.ImEnabled)


def test_replacing_one_and_all_is_undone_as_it_was_done(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    page, first = window.page, entry.transcript()
    put(window, 0, 0)
    QTest.keySequence(window, QKeySequence("Ctrl+H"))
    bar = page.find_bar
    assert bar.replacing.isVisible()
    bar.field.setText("two")
    bar.replacement.setText("2")
    hits = len(page.view.finder.hits)
    assert hits == 3
    bar.replace.click()
    assert len(page.view.finder.hits) == hits - 1
    assert page.view.finder.hit == page.view.finder.hits[0], "the next one is looked at"
    one = entry.transcript()
    assert "There are 2 places" in one.segments[5].text
    bar.replace_all.click()
    qtbot.waitUntil(lambda: not page.view.finder.hits)
    assert bar.count.text() == _("Not found")
    assert not bar.replace_all.isEnabled()
    assert sum(it.text.count("2") for it in entry.segments) == hits
    QTest.keySequence(window, QKeySequence("Ctrl+Z"))
    assert entry.transcript() == one
    QTest.keySequence(window, QKeySequence("Ctrl+Z"))
    assert entry.transcript() == first


def test_only_whole_words_are_replaced_and_their_number_is_said_beforehand(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    texts = ["The theme of the day.", "Bathe in the sea."]
    lines = [replace(line, text=text, words=()) for line, text in zip(entry.segments, texts, strict=False)]
    stage.session.revise(entry, replace(entry.transcript(), segments=tuple(lines)))
    put(window, 0, 0)
    QTest.keySequence(window, QKeySequence("Ctrl+H"))
    bar = window.page.find_bar
    bar.field.setText("the")
    assert bar.replace_all.text() == _("Delete all ({count})", count=2), "nothing is written in their place"
    QTest.keyClicks(bar.replacement, "a")
    assert bar.replace_all.text() == _("Replace all ({count})", count=2)
    bar.matches_case.click()
    assert bar.replace_all.text() == _("Replace all ({count})", count=3)
    bar.whole_words.click()
    assert bar.replace_all.text() == _("Replace all ({count})", count=5)
    bar.matches_case.click()
    bar.whole_words.click()
    bar.replacement.setText("a")
    assert bar.replace_all.text() == _("Replace all ({count})", count=2)
    bar.replace_all.click()
    qtbot.waitUntil(lambda: not window.page.view.finder.hits)
    assert [line.text for line in entry.segments] == ["The theme of a day.", "Bathe in a sea."]
    bar.closed.emit()
    QTest.keySequence(window, QKeySequence("Ctrl+F"))
    bar.field.setText("THE")
    assert len(window.page.view.finder.hits) == 3, "a search alone finds any case, and parts of words"


def test_doubtful_words_are_dotted_on_demand_and_a_key_goes_to_the_next(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot
) -> None:
    view = window.page.view
    QTest.keySequence(window, QKeySequence("F4"))
    assert window.toast.text() == _("No doubtful words in this text")
    assert view.shows_doubtful, "where the key goes is seen"
    changed = list(entry.segments)
    for line, word in ((2, 3), (2, 4), (6, 1)):
        words = list(changed[line].words)
        words[word] = replace(words[word], probability=0.3)
        changed[line] = replace(changed[line], words=tuple(words))
    stage.session.revise(entry, replace(entry.transcript(), segments=tuple(changed)))
    found = []
    for _time in range(4):
        QTest.keySequence(window, QKeySequence("F4"))
        found.append(view.selection.text())
    assert found == ["is", "the", "long", "is"], "around the end"
    qtbot.keyClicks(view, "was")
    assert not marks.is_doubtful(entry.segments[2].words[3])
    plain = view.grab().toImage()
    window.all_actions["doubtful"].trigger()
    assert view.grab().toImage() != plain
    assert stage.preferences.text("doubtful") == "hidden"


def test_edited_words_are_marked_where_they_stand(theme: Theme) -> None:
    words = (
        Word(" a", 0, 1, 0.9),
        Word(" bc", 1, 2, 0.4, edited=True),
        Word(" de", 2, 3, 0.4, edited=True),
        Word(" f", 3, 4, 0.4),
    )
    line = TextLine(0.0, "a bc de f", 9, 9, segment=Segment(0, 0, 4, " a bc de f", words=words))
    assert marks.ranges(line, marks.is_edited) == [(2, 7)]
    assert marks.ranges(line, marks.is_doubtful) == [(8, 9)], "what a reader has written is not doubted"
    assert marks.next_doubtful([line], (0, 9)) == ((0, 8), (0, 9))


def test_typing_in_a_long_recording_blocks_nothing_and_lays_out_only_its_line(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot, responsive: Guard
) -> None:
    (made,) = stage.drop(recording("long.wav"))
    finish(stage, made, talk(5, rounds=60))  # 960 lines, an hour and more
    view = window.page.view
    qtbot.waitUntil(lambda: view.flow.is_measured)
    stage.settle()
    put(window, 500, 4)
    view.reveal(500, 4)
    measured = view.flow.measured
    with responsive():
        for _time in range(3):
            qtbot.keyClicks(view, "ab")
            stage.edits.save()
            stage.settle()
    assert view.flow.measured - measured <= 6 + 40, "the line of each key, and what came into view"
    assert view.flow.is_measured
    assert stored(stage, made.id).segments[500].text.count("ababab") == 1
