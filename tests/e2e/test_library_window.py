"""A month with Galley in one go: the real window, the real engine, and a small pair."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from desktop_app import resources
from desktop_app.app.recordings.entry import DONE, FAILED, IN_WORK, INTERRUPTED, Entry
from desktop_app.ui.shell import main_window as window_module
from desktop_app.ui.shell.app import Program
from tests.program import opened

SAMPLE = resources.path("resources", "sample", "conversation.flac")
CLIP = Path(__file__).resolve().parents[1] / "data" / "clips" / "00.flac"


def _named(program: Program) -> dict[str, Entry]:
    return {entry.file_name: entry for entry in program.session.entries.values()}


def _kept(program: Program, qtbot: QtBot) -> None:
    """The library has done all that was asked of it."""
    done: list[None] = []
    program.session.worker.do(lambda: None, done.append)
    qtbot.waitUntil(lambda: bool(done))


def test_five_files_with_a_bad_one_are_resumed_found_named_and_deleted(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed in the middle, started again, all resumed; found to the word; named, tagged, deleted and brought back, and
    all of that is there after the next start, but for what was deleted in the end."""
    monkeypatch.setattr(window_module, "confirm", lambda *_: True)
    files = [tmp_path / f"{name}.flac" for name in ("one", "two", "three", "four")]
    for file in files:
        shutil.copy(CLIP, file)
    shutil.copy(SAMPLE, files[2])
    bad, text = tmp_path / "bad.mp3", tmp_path / "letter.txt"
    bad.write_bytes(bytes(range(256)) * 40)
    text.write_text("Dear Ann,\n", encoding="utf-8")

    with opened(qapp) as program:
        program.window.add(str(file) for file in (files[0], bad, *files[1:], text))
        until = _waits(qtbot)
        until(lambda: len(program.session.entries) == 5)
        assert program.window.trouble.isVisible(), "the letter is refused at once"
        until(lambda: bool(_named(program)["three.flac"].lines))  # in the middle of the third
        assert (_named(program)["one.flac"].state, _named(program)["bad.mp3"].state) == (DONE, FAILED)
        program.window.close()

    with opened(qapp) as program:
        until(lambda: len(program.session.entries) == 5 and len(program.core.recovery.found) == 2)
        entries = _named(program)
        assert (entries["three.flac"].state, entries["four.flac"].state) == (INTERRUPTED, INTERRUPTED)
        assert program.window.live.recovery_bar.isVisible()
        program.window.live.recovery_bar.transcribe.click()
        until(lambda: all(entry.state not in IN_WORK for entry in entries.values()))
        assert [entries[f"{name}.flac"].state for name in ("two", "three", "four")] == [DONE] * 3

        three = entries["three.flac"]
        word = max((word for line in three.segments for word in line.text.split() if word.isalpha()), key=len)
        program.window.sidebar.search.setText(word.swapcase())
        until(lambda: program.window.sidebar.model.wanted != "")
        index = program.window.sidebar.model.row_of(three.id)
        assert index.isValid()
        rows = program.window.sidebar.list
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(index).center())
        view = program.window.page.view
        until(lambda: view.finder.hit is not None)
        paragraph, begin, end = view.finder.hit or (0, 0, 0)
        assert view.flow.lines[paragraph].text[begin:end].casefold() == word.casefold()
        program.window.sidebar.search.clear()
        until(lambda: program.window.sidebar.model.wanted == "")

        program.window.activateWindow()
        rows.setFocus()
        qtbot.keyClick(rows, Qt.Key.Key_F2)
        editor = rows.findChild(QLineEdit)
        assert editor is not None
        editor.setText("Breakfast")
        qtbot.keyClick(editor, Qt.Key.Key_Return)
        until(lambda: three.name == "Breakfast")
        program.session.describe(three.id, tags=("family",), notes="About Rose.")
        for name in ("one.flac", "two.flac"):
            program.window.show_entry(entries[name].id)
            rows.setFocus()
            qtbot.keyClick(rows, Qt.Key.Key_Delete)
            assert name not in _named(program)
        qtbot.keyClick(rows, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert "two.flac" in _named(program) and "one.flac" not in _named(program)
        program.window.files.delete([entries["four.flac"].id])
        _kept(program, qtbot)
        program.window.close()

    with opened(qapp) as program:
        until(lambda: len(program.session.entries) == 3)
        _kept(program, qtbot)
        found = _named(program)
        assert set(found) == {"two.flac", "bad.mp3", "three.flac"}
        three = found["three.flac"]
        assert (three.name, three.tags, three.notes) == ("Breakfast", ("family",), "About Rose.")
        assert program.library is not None and program.library.search("#family rose") == {three.id}
        assert all(file.exists() for file in files), "files of the user's are never touched"


def _waits(qtbot: QtBot) -> Callable[[Callable[[], object]], None]:
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()))
