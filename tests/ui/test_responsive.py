"""What holds a window up is counted, and the stack says where."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.app.signals import Signal
from tests.responsive import MOST, Responsive, responsive


def run(work: Callable[[], object], qtbot: QtBot) -> Responsive:
    """Do something in a turn of its own, called from a module of Galley's."""
    signal: Signal[[]] = Signal()
    signal.connect(lambda: (work(), done.append(1)))
    done: list[int] = []
    watch = Responsive()
    QTimer.singleShot(0, signal.emit)
    qtbot.waitUntil(lambda: bool(done))
    watch.stop()
    return watch


def wait_for_a_thread() -> None:
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "work",
    [
        lambda: Path(__file__).read_text(encoding="utf-8"),
        lambda: sqlite3.connect(":memory:").close(),
        lambda: subprocess.run([sys.executable, "-c", ""], check=True),
        lambda: list(os.scandir(".")),
        lambda: time.sleep(0),
        wait_for_a_thread,
    ],
    ids=["file", "library", "process", "folder", "sleep", "thread"],
)
def test_a_call_that_may_block_is_seen(work: Callable[[], object], qtbot: QtBot) -> None:
    watch = run(work, qtbot)
    assert watch.blocking and "signals.py" in watch.blocking[0]


def test_a_statement_of_an_open_library_is_seen(qtbot: QtBot) -> None:
    library = sqlite3.connect(":memory:")
    watch = run(lambda: library.execute("SELECT 1").fetchone(), qtbot)
    assert len(watch.blocking) == 2
    library.close()


def test_looking_at_a_path_is_counted(qtbot: QtBot) -> None:
    watch = run(lambda: (Path(__file__).is_file(), Path(__file__).is_dir()), qtbot)
    assert (watch.looks, watch.blocking) == (2, [])


def test_what_the_test_itself_does_is_no_ones_fault(qtbot: QtBot) -> None:
    with responsive():
        Path(__file__).read_text(encoding="utf-8")


def test_much_in_one_turn_is_too_much_and_in_many_turns_it_is_not(qtbot: QtBot) -> None:
    def work() -> None:
        for _ in range(MOST // 2):
            abs(1)

    assert MOST // 2 < run(work, qtbot).most < MOST
    with pytest.raises(AssertionError, match="too many calls"), responsive():
        run_twice(work, qtbot, turns=1)
    with responsive():
        run_twice(work, qtbot, turns=2)


def run_twice(work: Callable[[], object], qtbot: QtBot, turns: int) -> None:
    done: list[int] = []
    QTimer.singleShot(0, lambda: (work(), turns == 1 and work(), done.append(1)))
    qtbot.waitUntil(lambda: bool(done))
    QApplication.processEvents()
    if turns == 2:
        run_twice(work, qtbot, turns=0)
