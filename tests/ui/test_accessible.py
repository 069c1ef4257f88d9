"""What a screen reader and the keyboard get of the window: names and descriptions in plain words, and every answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QAccessibleTextUpdateEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from desktop_app.transcript.model import Segment
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.transcript.flow import Flow
from desktop_app.ui.widgets.confirm import Question
from desktop_app.ui.widgets.labels import explain, label
from desktop_app.ui.widgets.theme import font
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish

Make = Callable[[str], Path]
Text = QAccessible.Text


def described(widget: QLabel) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(Text.Description)


def test_a_description_has_no_markup(qtbot: QtBot) -> None:
    made = label("Speed", "quiet", "Draft & target, <both>")
    qtbot.addWidget(made)
    assert described(made) == "Draft & target, <both>"
    assert "&amp;" in made.toolTip(), "the tip itself is rich text"
    explain(made, "", "")
    assert (described(made), made.toolTip()) == ("", "")


@pytest.mark.qt_log_ignore("does not support")
@pytest.mark.parametrize(("tabs", "answer"), [(0, Question.DialogCode.Rejected), (1, Question.DialogCode.Accepted)])
def test_enter_means_the_answer_that_has_the_focus(window: MainWindow, qtbot: QtBot, tabs: int, answer: int) -> None:
    """Tab to "Close", Enter: that closes. Without a Tab nothing is lost."""
    asked = Question(window, "Close?", "Work would stop.", "Close")
    qtbot.addWidget(asked)
    asked.show()
    asked.activateWindow()
    qtbot.waitUntil(asked.no.hasFocus)
    for _tab in range(tabs):
        qtbot.keyClick(asked, Qt.Key.Key_Tab)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert not asked.isVisible()
    assert asked.result() == answer.value


def test_a_recording_is_not_described_by_a_line_of_the_one_before(
    window: MainWindow, stage: Stage, recording: Make
) -> None:
    one, other = stage.drop(recording("one.wav"), recording("other.wav"))
    finish(stage, one, talk(2))
    finish(stage, other, talk(2))
    window.show_entry(one.id)
    window.page.view.say(1)
    assert "roof" in window.page.view.accessibleDescription()
    window.show_entry(other.id)
    assert window.page.view.accessibleDescription() == ""


def test_the_transcript_is_a_text_to_screen_readers(
    window: MainWindow, stage: Stage, recording: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Characters, caret and edits, counted as Qt counts them: an emoji is two."""
    told: list[QAccessible.Event] = []
    edits: list[tuple[int, str, str]] = []
    said: list[str] = []

    def hear(event: QAccessibleEvent) -> None:
        told.append(event.type())
        if isinstance(event, QAccessibleTextUpdateEvent):
            edits.append((event.changePosition(), event.textRemoved(), event.textInserted()))
        if isinstance(event, QAccessibleAnnouncementEvent):
            said.append(event.message())

    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    made = talk(2)
    lines = (replace(made.segments[0], text=" Good 😀 day", words=()), *made.segments[1:])
    (entry,) = stage.drop(recording("talk.wav"))
    finish(stage, entry, replace(made, segments=lines))
    window.show_entry(entry.id)
    view = window.page.view
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.role() == QAccessible.Role.EditableText
    assert interface.state().multiLine and interface.state().editable and not interface.state().readOnly
    text, whole = interface.textInterface(), "\n".join(each.text for each in view.flow.lines)
    assert text.text(0, -1) == whole
    assert text.characterCount() == len(whole) + 1
    assert text.text(5, 11) == "😀 day"
    assert text.text(8, 13) == whole[7:12], "across the end of a line"

    assert interface.valueInterface() is None and interface.selectionInterface() is None, (
        "Qt would follow any other answer"
    )

    text.setCursorPosition(12)
    assert view.selection.caret == (1, 0)
    assert text.cursorPosition() == 12
    assert said and not any(view.flow.lines[1].text in each for each in said), "its words are read at the caret"
    told.clear()
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert QAccessible.Event.TextCaretMoved in told
    assert text.cursorPosition() == 13
    text.addSelection(5, 7)
    assert view.selection.text() == "😀"

    window.show()
    rect = text.characterRect(0)
    assert view.rect().contains(view.mapFromGlobal(rect.center()))
    assert text.offsetAtPoint(rect.center() - QPoint(rect.width() // 4, 0)) == 0

    interface.editableTextInterface().replaceText(5, 7, "old")
    assert entry.segments[0].text.strip() == "Good old day"
    assert edits == [(5, "😀", "old")], "only what changed, or all of the line would be read out"
    assert text.text(0, 12) == "Good old day"

    carets: list[int] = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda _event: carets.append(text.cursorPosition()))
    view.select((0, 0), (len(view.flow.lines) - 1, 3))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert carets[-1] == 0, "who is told of an edit may ask for the caret at once, though its line is gone"


def test_the_grip_of_the_sidebar_is_a_splitter(window: MainWindow) -> None:
    interface = QAccessible.queryAccessibleInterface(window.sidebar.grip)
    assert (interface.role(), bool(interface.text(Text.Name))) == (QAccessible.Role.Splitter, True)


@pytest.mark.qt_log_ignore("does not support")
def test_the_menu_of_the_text_opens_by_keyboard(window: MainWindow, stage: Stage, recording: Make) -> None:
    """Shift+F10, for a keyboard without the key of the menu."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    window.activateWindow()
    window.page.view.setFocus()
    QTest.keyClick(window.page.view, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.actions()
    menu.close()


@pytest.mark.parametrize(
    ("text", "backwards"),
    [
        ("Python היא שפת תכנות נוחה", True),
        ("שלום, Anna", True),
        ("The word שלום means peace", False),
        ("10:30 – 11:00", False),
        ("السلام عليكم", True),
    ],
)
def test_a_line_runs_as_most_of_its_letters_do(qapp: QApplication, text: str, backwards: bool) -> None:
    """A Hebrew line that begins with a Latin name stays at the right."""
    flow = Flow(font(16), 24, 10)
    flow.sync((Segment(0, 0.0, 1.0, text),), ())
    option = flow.layout(0).textOption()
    assert (option.textDirection() == Qt.LayoutDirection.RightToLeft) == backwards
