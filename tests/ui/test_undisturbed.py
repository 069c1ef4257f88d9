"""A user who types is not disturbed: page, focus and caret are theirs, whatever arrives meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.app.library.watching import UNCHANGED
from desktop_app.app.recordings.entry import DONE, Entry
from desktop_app.ui.shell.app import Program
from desktop_app.ui.shell.main_window import MainWindow
from tests.talks import talk
from tests.ui.staging import Stage
from tests.ui.staging import finish as finish_queued
from tests.unit.app.editing.test_edits import finish
from tests.unit.app.library.test_watching import Watcher

Make = Callable[[str], Path]
Key = Qt.Key


def focused() -> QWidget:
    """Where keys go: what real typing reaches."""
    found = QApplication.focusWidget()
    assert found is not None
    return found


def arrives_in_the_watched_folder(window: MainWindow, stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder)
    watcher.check()
    (folder / "new.wav").write_bytes(b"new")
    watcher.check(1.0)
    assert watcher.check(UNCHANGED)[-1] == "new.wav"
    watcher.watch.close()


def arrives_by_a_second_start(window: MainWindow, stage: Stage, folder: Path) -> None:
    (folder / "new.wav").write_bytes(b"new")
    Program.take(cast("Program", SimpleNamespace(window=window)), [str(folder / "new.wav")])
    stage.qtbot.waitUntil(lambda: len(stage.session.entries) == 2)


@pytest.mark.parametrize("arrive", [arrives_in_the_watched_folder, arrives_by_a_second_start])
def test_a_file_that_arrives_while_somebody_types_changes_neither_page_nor_focus_nor_caret(
    window: MainWindow,
    stage: Stage,
    entry: Entry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arrive: Callable[[MainWindow, Stage, Path], Any],
) -> None:
    monkeypatch.setattr(window, "raise_", lambda: None)  # which the offscreen screen cannot do
    (folder := tmp_path / "inbox").mkdir()
    before = entry.segments[0].text
    window.page.view.selection.put((0, 0), False)
    QTest.keyClicks(focused(), "one wo")
    arrive(window, stage, folder)
    QTest.keyClicks(focused(), "rd, ")
    new = next(iter(stage.session.entries.values()))
    assert new.file_name == "new.wav" and window.sidebar.model.row_of(new.id).isValid(), "it stands in the list"
    assert window.stack.currentWidget() is window.page and window.current.key == entry.id
    finish_queued(stage, new)
    QTest.keyClicks(focused(), "and more ")
    assert new.state == DONE and focused() is window.page.view
    assert entry.segments[0].text == "one word, and more " + before.lstrip()
    assert window.page.view.selection.caret == (0, len("one word, and more "))


def test_what_the_user_drops_is_shown_unless_they_go_on_typing(
    window: MainWindow, stage: Stage, entry: Entry, recording: Make, qtbot: QtBot
) -> None:
    window.page.view.selection.put((0, 0), False)
    window.add([str(recording("other.wav"))])
    QTest.keyClicks(focused(), "x")  # before the library has listed it
    qtbot.waitUntil(lambda: len(stage.session.entries) == 2)
    stage.settle()
    assert window.current.key == entry.id and entry.segments[0].text.startswith("x")
    window.add([str(recording("third.wav"))])
    qtbot.waitUntil(lambda: len(stage.session.entries) == 3)
    assert window.page.header.title.text() == "third.wav"


def found_by(window: MainWindow, qtbot: QtBot, wanted: str, count: int) -> None:
    """Search as by hand, and wait for the results."""
    QTest.keyClick(focused(), Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(focused(), wanted)
    model = window.sidebar.model
    qtbot.waitUntil(lambda: model.wanted == wanted and model.rowCount() == count + 1)  # and the heading


def test_arrow_keys_in_results_keep_the_focus_in_the_list_until_enter(
    window: MainWindow, stage: Stage, entry: Entry, recording: Make, qtbot: QtBot
) -> None:
    others = stage.drop(recording("two.wav"), recording("three.wav"))
    for other in others:
        finish(stage, other, talk(2))
    texts = {each.id: [it.text for it in each.segments] for each in (entry, *others)}
    finder = window.page.view.finder
    found_by(window, qtbot, "gutters", 3)
    seen = []
    for _step in range(3):
        QTest.keyClick(focused(), Key.Key_Down)
        assert focused() is window.sidebar.list
        qtbot.waitUntil(lambda: finder.hit is not None)  # the words are shown, and the focus stays
        assert focused() is window.sidebar.list
        seen.append(window.current.key)
    assert sorted(seen) == sorted(texts), "each result was shown"
    QTest.keyClick(focused(), Key.Key_Up)
    qtbot.waitUntil(lambda: window.current.key == seen[1] and finder.hit is not None)
    assert focused() is window.sidebar.list
    QTest.keyClick(focused(), Key.Key_Return)
    qtbot.waitUntil(window.page.view.hasFocus)
    assert {key: [it.text for it in stage.session.entries[key].segments] for key in texts} == texts


@pytest.mark.parametrize("step", [Key.Key_Return, Key.Key_F3])
def test_what_is_typed_after_a_search_goes_to_the_found_place(
    window: MainWindow, entry: Entry, qtbot: QtBot, step: Key
) -> None:
    view = window.page.view
    view.selection.put((0, 0), False)
    before = [it.text for it in entry.segments]
    QTest.keyClick(focused(), Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(focused(), "the")
    QTest.keyClick(focused(), step)
    line, begin, _end = view.finder.hits[1]
    found = view.flow.lines[line].text
    QTest.keyClick(focused(), Key.Key_Escape)
    QTest.keyClicks(focused(), "xy")
    assert view.flow.lines[line].text == f"{found[:begin]}xy{found[begin:]}"
    after = [it.text for it in entry.segments]
    assert [place for place, text in enumerate(after) if text != before[place]] == [line]
