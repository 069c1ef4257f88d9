"""Versions of a text in the real window, with the real engine and a small pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import resources
from desktop_app.app.recordings.entry import DONE, Entry
from desktop_app.ui.recording.difference_dialog import DifferenceDialog
from desktop_app.ui.shell.app import Program
from desktop_app.ui.versions import controller
from desktop_app.ui.versions.sheet import TranscribeAgainSheet
from tests.program import opened
from tests.responsive import Guard

SAMPLE = resources.path("resources", "sample", "conversation.flac")


@pytest.fixture
def program(qapp: QApplication) -> Iterator[Program]:
    with opened(qapp) as made:
        yield made


def _beginning(folder: Path) -> Path:
    """Half of the sample: it is transcribed three times here."""
    sound, rate = soundfile.read(SAMPLE, frames=36 * 16_000)
    soundfile.write(folder / "conversation.flac", sound, rate)
    return folder / "conversation.flac"


def _text(program: Program, qtbot: QtBot, file: str) -> Entry:
    program.window.add([file])
    qtbot.waitUntil(lambda: len(program.session.entries) == 1)
    (entry,) = program.session.entries.values()
    qtbot.waitUntil(lambda: entry.state == DONE)
    return entry


def _words(entry: Entry) -> list[str]:
    return " ".join(segment.text for segment in entry.segments).split()


def _redo_a_line(program: Program, qtbot: QtBot, entry: Entry) -> None:
    """Without transcribing the recording; taken back at the end."""
    window, checks = program.window, program.core.checks
    assert len(entry.segments) > 2 and not entry.speakers
    before, heard = list(entry.segments), _words(entry)
    checks.redo(entry.id, 1, 1, replace(program.preferences.options(), prompt="Birds and windows."))
    check = checks.running[entry.id]
    assert check.span is not None and check.span[1] - check.span[0] < 12
    qtbot.waitUntil(lambda: check.transcript is not None)
    for line in check.transcript.segments:
        assert check.span[0] - 0.01 <= line.start <= line.end <= check.span[1] + 0.5, "on the recording's own clock"
    assert {change.old[0][0] for change in check.changes} <= {1}
    assert entry.segments == before
    checks.accept(entry.id)
    assert [entry.segments[0], *entry.segments[2:]] == [before[0], *before[2:]]
    while _words(entry) != heard:
        window.all_actions["undo"].trigger()
    checks.forget(entry.id)


def _find_speakers(program: Program, qtbot: QtBot, entry: Entry, responsive: Guard) -> None:
    """Without transcribing the recording; words stay, those of the reader too. Taken back at the end."""
    window, checks = program.window, program.core.checks
    window.page.view.select((0, 0), (0, len(window.page.view.flow.lines[0].text.split()[0])))
    qtbot.keyClicks(window.page.view, "Edited")
    heard = _words(entry)
    with responsive():
        checks.versions.find_speakers(entry.id, "2")
        assert window.versions.speakers.text.text()
        qtbot.waitUntil(lambda: bool(entry.speakers))
    assert len(entry.speakers) == 2
    assert _words(entry) == heard, "words stay, those of the reader too"
    assert next(word for line in entry.segments for word in line.words if word.edited).text.strip() == "Edited"
    assert not window.versions.speakers.text.text()
    window.all_actions["undo"].trigger()
    assert not entry.speakers
    window.all_actions["undo"].trigger()


def test_lines_are_redone_speakers_found_and_a_text_compared_and_taken_back(
    program: Program,
    qapp: QApplication,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    responsive: Guard,
) -> None:
    """A line is redone, speakers are found, and both undone. A word is edited, another text is asked for by the sheet,
    one change of it accepted, and all is there when the program is closed and opened."""
    entry = _text(program, qtbot, str(_beginning(tmp_path)))
    window, checks = program.window, program.core.checks
    first = _words(entry)
    _redo_a_line(program, qtbot, entry)
    _find_speakers(program, qtbot, entry, responsive)
    assert (_words(entry), entry.speakers) == (first, ())
    window.activateWindow()
    window.page.view.setFocus()
    qtbot.keyClick(window.page.view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(window.page.view, "Listen: ")
    mine = ["Listen:", *first]
    assert _words(entry) == mine

    def ask(sheet: TranscribeAgainSheet) -> int:
        sheet.form.controls["task"].choice.group.button(0).click()
        sheet.form.controls["hot_words"].line.setText("Galley,  proof ,birds,")
        return TranscribeAgainSheet.DialogCode.Accepted

    monkeypatch.setattr(controller.TranscribeAgainSheet, "exec", ask)
    with responsive():
        window.versions.open_sheet(entry.id)
        qtbot.waitUntil(lambda: entry.id in checks.running)
        check = checks.running[entry.id]
        assert check.options.hot_words == ("Galley", "proof", "birds")
        assert (entry.state, _words(entry)) == (DONE, mine), "the page is never blank"
        qtbot.waitUntil(lambda: bool(check.changes) and check.number != 0)
    assert _words(entry) == mine, "what a reader has typed stays until he accepts something else"

    dialog = DifferenceDialog(program.theme, checks, entry.id, window)
    qtbot.addWidget(dialog)
    count = len(check.changes)
    assert count > 3
    change = check.changes[1]
    dialog.rows[1].accept.click()
    accepted = _words(entry)
    assert accepted != mine
    window.all_actions["undo"].trigger()
    assert _words(entry) == mine
    window.all_actions["redo"].trigger()
    assert _words(entry) == accepted
    qtbot.waitUntil(lambda: len(check.changes) == count - 1)
    assert change not in check.changes
    dialog.close()
    checks.forget(entry.id)

    versions = checks.versions
    qtbot.waitUntil(lambda: len(versions.known.get(entry.id, [])) == 2)
    (other,) = (version.number for version in versions.known[entry.id] if version.number)
    versions.take(entry.id, other)
    qtbot.waitUntil(lambda: not entry.reworded)
    second = _words(entry)
    assert second == " ".join(line.text for line in check.transcript.segments).split()
    qtbot.waitUntil(lambda: "Galley" in versions.known[entry.id][0].asked)
    versions.take(entry.id, versions.known[entry.id][1].number)
    qtbot.waitUntil(lambda: entry.reworded)
    assert _words(entry) == accepted
    program.close()
    with opened(qapp) as later:
        qtbot.waitUntil(lambda: entry.id in later.session.entries)
        later.window.show_entry(entry.id)
        found = later.session.entries[entry.id]
        qtbot.waitUntil(lambda: bool(found.segments))
        assert (found.state, _words(found), found.reworded) == (DONE, accepted, True)
        known = later.core.checks.versions.known
        qtbot.waitUntil(lambda: len(known.get(entry.id, [])) == 2)
        assert later.library is not None
        stored = later.library.version(entry.id, known[entry.id][1].number)
        assert " ".join(segment.text for segment in stored.segments).split() == second
        assert later.window.versions.button.text().startswith("2")
