"""The real window, the real engine and a small pair, on the sample conversation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import resources
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import CANCELLED, DONE, FAILED, IN_WORK, Entry
from desktop_app.ui.shell.app import Program
from desktop_app.ui.widgets.labels import NONE
from tests.program import opened
from tests.responsive import Guard

SAMPLE = str(resources.path("resources", "sample", "conversation.flac"))
CLIP = str(Path(__file__).resolve().parents[1] / "data" / "clips" / "00.flac")


@pytest.fixture
def program(qapp: QApplication) -> Iterator[Program]:
    with opened(qapp) as made:
        yield made


def _drop(program: Program, qtbot: QtBot, *files: str) -> list[Entry]:
    program.window.add(files)
    qtbot.waitUntil(lambda: len(program.session.entries) == len(files))
    return list(reversed(program.session.entries.values()))


def test_a_dropped_recording_is_read_to_its_end(program: Program, qtbot: QtBot, responsive: Guard) -> None:
    drafts: list[str] = []
    program.session.text_changed.connect(
        lambda key: drafts.extend(line.draft for line in program.session.entries[key].lines if line.draft)
    )
    with responsive(looks=1):
        (entry,) = _drop(program, qtbot, SAMPLE)
        qtbot.waitUntil(lambda: entry.state not in IN_WORK)
    assert entry.state == DONE, entry.problem
    window = program.window
    assert drafts  # the user has seen the draft before it was verified
    assert window.page.view.text() == "\n".join(segment.text.strip() for segment in entry.segments)
    assert len(window.page.view.text().split()) > 40
    assert window.page.notice.isVisible()
    shown = {name: label.text() for name, label in window.panel.values.items()}
    assert NONE not in shown.values()
    assert shown["acceptance"].endswith("%")
    assert program.library is not None
    qtbot.waitUntil(lambda: program.library.recording(entry.id).state == "done")
    assert program.library.transcript(entry.id).segments == tuple(entry.segments)


def test_what_is_typed_is_there_at_the_next_start_and_no_engine_replaces_it(
    program: Program, qapp: QApplication, qtbot: QtBot
) -> None:
    (entry,) = _drop(program, qtbot, CLIP)
    qtbot.waitUntil(lambda: entry.state == DONE)
    view, heard = program.window.page.view, [segment.text.strip() for segment in entry.segments]
    program.window.activateWindow()
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(view, "Listen: ")
    qtbot.keyClick(view, Qt.Key.Key_Return)
    mine = ["Listen:", *heard]
    assert view.text().splitlines() == mine
    program.session.transcribe_again(entry.id)
    qtbot.waitUntil(lambda: program.core.checks.running[entry.id].transcript is not None)
    assert [segment.text for segment in entry.segments] == mine
    qtbot.keyClicks(view, "so ")  # and closed at once
    program.close()
    with opened(qapp) as later:
        qtbot.waitUntil(lambda: entry.id in later.session.entries)
        later.window.show_entry(entry.id)
        found = later.session.entries[entry.id]
        qtbot.waitUntil(lambda: bool(found.segments))
        assert [segment.text for segment in found.segments] == ["Listen:", f"so {heard[0]}", *heard[1:]]
        assert found.reworded


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_an_engine_that_is_killed_twice_over_a_file_is_said_and_the_next_file_works(
    program: Program, qtbot: QtBot
) -> None:
    entry, other = _drop(program, qtbot, SAMPLE, CLIP)
    killed: set[int | None] = {None}

    def kill() -> bool:
        """The engine as soon as it writes; a new one resumes the file once."""
        if (pid := program.engine.pid) not in killed and entry.lines:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
            entry.lines = ()
        return entry.state not in IN_WORK

    qtbot.waitUntil(kill)
    assert len(killed) == 3
    assert entry.state == FAILED
    assert program.window.page.problem.isVisible()
    assert program.window.page.problem.text.text() == sentence(entry.problem)
    assert program.window.page.try_again.isVisible()
    qtbot.waitUntil(lambda: other.state not in IN_WORK)
    assert other.state == DONE
    assert other.segments
    program.window.page.try_again.click()
    qtbot.waitUntil(lambda: bool(entry.lines))  # and so does the one that was broken off


def test_cancelling_keeps_the_text_and_the_queue_goes_on(program: Program, qtbot: QtBot) -> None:
    entry, other = _drop(program, qtbot, SAMPLE, CLIP)
    qtbot.waitUntil(lambda: bool(entry.lines))
    program.window.page.strip.cancel.click()
    qtbot.waitUntil(lambda: entry.state not in IN_WORK)
    assert entry.state == CANCELLED
    qtbot.waitUntil(lambda: other.state == DONE)


def test_the_process_of_the_window_loads_no_engine_and_nothing_that_fetches() -> None:
    code = (
        "import sys; from PySide6.QtWidgets import QApplication; app = QApplication([]);"
        " from desktop_app.ui.shell.app import Program; program = Program(app); program.window.show();"
        " app.processEvents(); program.window.show_models(); app.processEvents(); program.close();"
        " print(sorted({'torch', 'openvino', 'transformers', 'huggingface_hub', 'httpx2'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
