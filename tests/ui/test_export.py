"""Exporting from the window: what the preview shows is what is written, and the window never waits for it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import docx
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDrag, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import folders
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import Entry
from desktop_app.export.formats import FORMATS
from desktop_app.export.json_format import read_json
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext
from desktop_app.transcript.model import Segment, Speaker, Word
from desktop_app.ui.export.sheet import ExportSheet
from desktop_app.ui.shell.main_window import MainWindow
from desktop_app.ui.widgets import save_file
from tests.event_loop import drain
from tests.responsive import Guard
from tests.ui.staging import Stage, fill_disk, finish

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")

Make = Callable[[str], Path]


@pytest.fixture
def entry(window: MainWindow, stage: Stage, recording: Make) -> Entry:
    """A finished recording that is looked at."""
    (made,) = stage.drop(recording("señal.wav"))
    finish(stage, made)
    return made


def opened(window: MainWindow, qtbot: QtBot, form: str) -> ExportSheet:
    """The sheet of what is looked at, with a format chosen."""
    window.all_actions["export"].trigger()
    sheet = window.exports.sheet
    assert sheet is not None
    sheet.formats[form].click()
    return sheet


def close_saved(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the sheet says that something was saved, and close it."""
    sheet = window.exports.sheet
    assert sheet is not None
    qtbot.waitUntil(lambda: bool(sheet.status.text()))
    assert sheet.isVisible() and sheet.save.isEnabled(), "it stays for another format"
    sheet.reject()
    assert window.exports.sheet is None


def answer(monkeypatch: pytest.MonkeyPatch, place: Path) -> list[str]:
    """Let the file dialog be answered; what it suggested."""
    asked: list[str] = []

    def choose(parent: object, title: str, suggested: str, pattern: str) -> tuple[str, str]:
        asked.append(suggested)
        return str(place), pattern

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    return asked


def test_a_document_is_saved_as_it_was_chosen_and_the_choice_is_kept(
    window: MainWindow, entry: Entry, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "out" / "señal.docx"
    place.parent.mkdir()
    asked = answer(monkeypatch, place)
    sheet = opened(window, qtbot, "docx")
    sheet.choices.times.click()
    sheet.name.setText("{date} {title}")
    assert "sentence number 2" in sheet.preview.toPlainText()
    assert sheet.handle.text.text() == sheet.file_name
    sheet.save.click()
    assert not sheet.save.isEnabled()
    qtbot.waitUntil(lambda: sheet.status.text() == _("Saved as {name}", name="señal.docx"))
    sheet.formats["txt"].click()
    assert not sheet.status.text(), "of another format nothing was saved"
    sheet.formats["docx"].click()
    sheet.reject()
    assert Path(asked[0]).name == sheet.file_name == f"{entry.created.astimezone():%Y-%m-%d} señal.docx"
    found = docx.Document(str(place))
    assert found.paragraphs[-1].text.endswith("This is sentence number 2.")
    assert "0:0" not in found.paragraphs[-1].text
    again = opened(window, qtbot, "srt")
    again.formats["docx"].click()
    assert not again.choices.times.isChecked()
    assert again.name.text() == "{date} {title}"
    again.formats["md"].click()
    assert again.choices.times.isChecked()  # another format has its own


@pytest.mark.parametrize("allowed", [False, True])
def test_the_ending_comes_before_the_question_whether_a_file_may_be_replaced(
    window: MainWindow,
    entry: Entry,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    allowed: bool,
) -> None:
    """The system's dialog has asked about "notes", of which there is none."""
    place, asked = tmp_path / "notes.txt", list[str]()
    place.write_text("mine", encoding="utf-8")
    answer(monkeypatch, tmp_path / "notes")

    def confirm(parent: object, question: str, explanation: str, yes: str) -> bool:
        asked.append(question)
        return allowed

    monkeypatch.setattr(save_file, "confirm", confirm)
    sheet = opened(window, qtbot, "txt")
    sheet.save.click()
    assert asked == [_("Replace “{name}”?", name="notes.txt")]
    if allowed:
        close_saved(window, qtbot)
        assert "sentence number 2" in place.read_text(encoding="utf-8")
    else:
        assert sheet.save.isEnabled()
        sheet.reject()
        assert place.read_text(encoding="utf-8") == "mine"
    assert sorted(file.name for file in tmp_path.iterdir() if "notes" in file.name) == ["notes.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_page_of_a_file_whose_name_is_no_utf8_is_saved(
    window: MainWindow, stage: Stage, qtbot: QtBot, recording: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = recording("talk.wav").rename(tmp_path / "talk \udcff.wav")
    (made,) = stage.drop(odd)
    finish(stage, made)
    asked = answer(monkeypatch, tmp_path / "page.html")
    sheet = opened(window, qtbot, "html")
    sheet.save.click()
    close_saved(window, qtbot)
    assert Path(asked[0]).name == "talk -.html"
    assert 'src="talk%20%FF.wav"' in (tmp_path / "page.html").read_text("utf-8")


def test_formulas_in_a_table_are_a_choice(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    entry.segments = [replace(each, text="=1+1", words=()) for each in entry.segments]
    sheet = opened(window, qtbot, "csv")
    assert ",'=1+1\n" in sheet.preview.toPlainText()
    sheet.choices.raw_cells.click()
    qtbot.waitUntil(lambda: ",=1+1\n" in sheet.preview.toPlainText())
    sheet.formats["txt"].click()
    assert not sheet.choices.raw_cells.isVisible()


def test_the_preview_follows_every_choice(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    sheet = opened(window, qtbot, "srt")
    assert "This is sentence number 0.\n" in sheet.preview.toPlainText()
    sheet.choices.numbers["line_length"].setValue(12)
    qtbot.waitUntil(lambda: "This is\nsentence\n" in sheet.preview.toPlainText())
    sheet.choices.split.click()
    qtbot.waitUntil(lambda: "This is sentence number 0.\n" in sheet.preview.toPlainText())
    assert not sheet.choices.numbers["line_length"].isEnabled()
    sheet.formats["json"].click()
    assert sheet.preview.toPlainText().startswith('{"audio"')
    assert not sheet.choices.times.isVisible()


def test_speakers_turns_are_offered_where_there_are_speakers(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    sheet = opened(window, qtbot, "txt")
    assert set(sheet.formats) == set(FORMATS) - {"rttm"}
    sheet.reject()
    entry.speakers = (Speaker("S1", "Ann"),)
    entry.segments = [replace(each, speaker="S1") for each in entry.segments]
    sheet = opened(window, qtbot, "rttm")
    assert "Ann" in sheet.preview.toPlainText()


def test_every_control_of_the_sheet_has_a_name_and_can_be_reached(
    window: MainWindow, entry: Entry, qtbot: QtBot
) -> None:
    sheet = opened(window, qtbot, "txt")
    sheet.activateWindow()
    qtbot.waitUntil(sheet.isActiveWindow)
    sheet.formats["srt"].click()
    others = [each for name, each in sheet.formats.items() if name != "srt"]  # reached by the arrow keys
    buttons = [each for each in sheet.findChildren(QPushButton) if each not in others]
    for control in [*buttons, *sheet.choices.numbers.values(), sheet.name, sheet.preview]:
        assert control.accessibleName() or (isinstance(control, QPushButton) and control.text()), control
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control.accessibleName() or control.text()
    qtbot.keyClick(sheet.formats["srt"], Qt.Key.Key_Down)
    assert sheet.choice.form == "vtt" and sheet.formats["vtt"].hasFocus()


def test_what_cannot_be_written_is_said_in_the_sheet_and_the_old_file_stays(
    window: MainWindow, entry: Entry, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "kept.txt"
    place.write_text("before")
    answer(monkeypatch, place)
    fill_disk(tmp_path, monkeypatch)
    sheet = opened(window, qtbot, "txt")
    sheet.save.click()
    qtbot.waitUntil(sheet.problem.isVisible)
    problem = Problem("disk.not_saved", name="kept.txt", error="No space left on device")
    assert sheet.problem.text.text() == sentence(problem)
    assert place.read_text() == "before" and len(list(tmp_path.glob("kept*"))) == 1
    assert sheet.save.isEnabled()


def test_several_recordings_are_written_into_a_folder_and_nothing_there_is_replaced(
    window: MainWindow, stage: Stage, recording: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = stage.drop(recording("a/talk.wav"), recording("b/talk.wav"), recording("empty.wav"))
    for each in entries[:2]:
        finish(stage, each)
    stage.settle()
    entries[1].segments, entries[1].loaded = [], False  # its text is in the library alone
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "talk.json").write_text("mine")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *arguments: str(folder))
    window.exports.open([each.id for each in entries])
    qtbot.waitUntil(lambda: window.exports.sheet is not None)
    sheet = window.exports.sheet
    assert sheet is not None and len(sheet.documents) == 2
    assert sheet.handle.text.text() == ngettext("{n} file", "{n} files", 2)
    sheet.formats["json"].click()
    sheet.save.click()
    close_saved(window, qtbot)
    assert {file.name for file in folder.iterdir()} == {"talk.json", "talk (2).json", "talk (3).json"}
    assert (folder / "talk.json").read_text() == "mine"
    assert read_json((folder / "talk (3).json").read_text()).segments[2].text == " This is sentence number 2."


def test_the_text_is_copied_as_the_format_has_it(window: MainWindow, entry: Entry, qtbot: QtBot) -> None:
    sheet = opened(window, qtbot, "srt")
    clipboard = QGuiApplication.clipboard()
    sheet.copy.click()
    qtbot.waitUntil(lambda: clipboard.text().startswith("1\n00:00:00,000 --> "))
    assert window.exports.sheet is sheet  # which stays open
    sheet.formats["docx"].click()
    sheet.copy.click()
    qtbot.waitUntil(lambda: clipboard.mimeData().hasHtml())
    assert "<p>" in clipboard.mimeData().html() and "sentence number 2" in clipboard.text()


def test_the_file_is_made_when_it_is_dragged_out(
    window: MainWindow, stage: Stage, entry: Entry, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And lies where the next start finds it, if this one is killed."""
    dragged: list[Path] = []

    def drag(self: QDrag, action: Qt.DropAction) -> Qt.DropAction:
        dragged.extend(Path(url.toLocalFile()) for url in self.mimeData().urls())
        return action

    monkeypatch.setattr(QDrag, "exec", drag)
    monkeypatch.setattr(QGuiApplication, "mouseButtons", lambda: Qt.MouseButton.LeftButton)
    sheet = opened(window, qtbot, "txt")
    qtbot.mousePress(sheet.handle, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.mouseMove(sheet.handle, QPoint(60, 20))
    assert not dragged  # it is not there yet
    qtbot.waitUntil(lambda: bool(dragged))
    assert [file.name for file in dragged] == ["señal.txt"]
    assert "sentence number 2" in dragged[0].read_text(encoding="utf-8")
    assert dragged[0].parent.stat().st_mode & 0o077 == 0
    assert folders.data() in dragged[0].parents
    stage.restart()
    assert not dragged[0].exists() and not list(folders.data().rglob("*.txt"))


def test_ten_hours_are_previewed_and_saved_while_the_window_answers(
    window: MainWindow, entry: Entry, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, responsive: Guard
) -> None:
    """100,000 words, each with its time."""
    entry.segments = [
        Segment(line, line * 3.6, line * 3.6 + 3.5, " words" * 10, words=tuple(
            Word(" words", line * 3.6 + place * 0.35, line * 3.6 + place * 0.35 + 0.3, 0.9) for place in range(10)
        ))
        for line in range(10_000)
    ]  # fmt: skip
    gc.collect()  # of what this test has made
    place = tmp_path / "long.html"
    answer(monkeypatch, place)
    with responsive(looks=1):
        sheet = opened(window, qtbot, "srt")
        for form in ("docx", "md", "html"):
            drain()
            sheet.formats[form].click()
        drain()
        sheet.save.click()
        close_saved(window, qtbot)
    assert place.read_text(encoding="utf-8").count("<span") == 100_000


def test_several_that_are_selected_are_exported_together(window: MainWindow, stage: Stage, recording: Make) -> None:
    first, second = stage.drop(recording("one.wav"), recording("two.wav"))
    asked: list[list[str]] = []
    window.files.export_asked.connect(asked.append)
    menu = window.files.menu_for(first.id, second.id)
    next(action for action in menu.actions() if action.text().startswith(_("Export"))).trigger()
    assert asked == [[first.id, second.id]]
