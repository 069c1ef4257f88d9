"""Thousands of files that are dropped at once: what the window does for them grows with their number, and no faster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.app.recordings.session import Session
from desktop_app.ui.shell.main_window import MainWindow
from tests.ui.staging import Stage

FILES, CHANGES = 300, 2000


def test_many_files_are_listed_in_few_turns_and_cost_rows_and_sorts_by_their_number(
    window: MainWindow, stage: Stage, recording: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    sorted_rows: list[int] = []
    in_work = Session.in_work.fget
    assert in_work is not None

    def counted(session: Session) -> object:
        found = in_work(session)
        sorted_rows.append(len(found))
        return found

    monkeypatch.setattr(Session, "in_work", property(counted))
    rows: list[int] = []
    model = window.sidebar.model
    model.modelReset.connect(lambda: rows.append(model.rowCount()))
    writes: list[str] = []
    monkeypatch.setattr(stage.library, "add", lambda path, add=stage.library.add: writes.append(path) or add(path))
    dropped = stage.drop(*(recording(f"{number}.wav") for number in range(FILES)))
    stage.settle()
    assert [entry.file_name for entry in dropped] == [f"{number}.wav" for number in range(FILES)]
    assert [job for job, *_rest in stage.engine.jobs] == [dropped[0].id]
    assert len(writes) == FILES
    assert sum(rows) <= 4 * FILES, "each row is put in its place a few times"
    assert sum(sorted_rows) <= 40 * FILES, "and sorted so"


def test_many_changes_refresh_the_page_once_a_turn(
    window: MainWindow, stage: Stage, recording: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the recording that is shown, each is shown at once."""
    shown, *others = stage.drop(*(recording(f"{number}.wav") for number in range(5)))
    window.show_entry(shown.id)
    stage.settle()
    refreshed: list[str] = []
    page, refresh = window.page, window.page.refresh
    monkeypatch.setattr(page, "refresh", lambda queue: refreshed.append(window.current.key) or refresh(queue))
    for number in range(CHANGES):
        stage.session.changed.emit(others[number % len(others)].id)
    assert refreshed == []
    stage.settle()
    stage.settle()
    assert refreshed == [shown.id]
    stage.session.changed.emit(shown.id)
    assert refreshed == [shown.id] * 2
