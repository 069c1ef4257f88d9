"""The real window, engine, models and PortAudio: a clip is played to a microphone, and its words are on the screen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.app.live.live_recording import OFF, RUNNING
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings.entry import DONE, IN_WORK, INTERRUPTED, RECORDING
from desktop_app.audio import length
from desktop_app.library.store import Library
from desktop_app.ui.recording.recovery_bar import RecoveryBar
from desktop_app.ui.shell.app import Program
from tests import random_models, virtual_microphone
from tests.e2e.test_window import CLIP
from tests.killed import MARK, marked
from tests.program import opened
from tests.responsive import Guard
from tests.virtual_microphone import VirtualMicrophone
from tests.waiting import LONGEST

CONTROL = Qt.KeyboardModifier.ControlModifier

# A window that records at once.
RECORD = """
from PySide6.QtWidgets import QApplication
from desktop_app.ui.shell.app import Program
app = QApplication([])
program = Program(app)
program.window.show()
program.live.start()
app.exec()
"""


@pytest.fixture
def microphone(monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualMicrophone]:
    if why := virtual_microphone.lacking():
        pytest.skip(why)
    with virtual_microphone.plugged(monkeypatch) as made:
        yield made


@pytest.fixture
def slow_model(home: Path) -> Path:
    """A model with the encoder of Whisper's small.en, which takes most computers over a second for a window. The
    bundled one is a quarter of that work."""
    models, small = home / "data" / "models", random_models.SMALL
    random_models.write(models / "large", replace(small, shape=replace(small.shape, decoder_layers=1), english=True))
    return models / "large"


@pytest.fixture
def program(qapp: QApplication, microphone: VirtualMicrophone) -> Iterator[Program]:
    with opened(qapp) as made:
        yield made


def test_what_is_spoken_is_written_kept_and_checked_though_the_engine_is_killed(
    program: Program, microphone: VirtualMicrophone, qtbot: QtBot, responsive: Guard
) -> None:
    window, live, library = program.window, program.live, program.library
    assert library is not None
    seen: list[str] = []
    program.session.text_changed.connect(
        lambda key: seen.extend(line.verified for line in program.session.entries[key].lines if line.verified)
    )
    with responsive():
        qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
        qtbot.waitUntil(lambda: live.phase == RUNNING)
        entry = live.entry
        assert entry is not None
        qtbot.waitUntil(lambda: entry.models is not None)
    pid = program.engine.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)  # another one goes on with the same recording
    playing = microphone.play(CLIP)
    with responsive():
        qtbot.waitUntil(lambda: window.live.strip.meter.share > 0.1)
    qtbot.waitUntil(lambda: playing.poll() is not None)
    with responsive():
        qtbot.waitUntil(lambda: bool(seen or entry.segments))  # while it is recorded, not after
        assert entry.state == RECORDING
        assert window.live.strip.isVisible()
        qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
        qtbot.waitUntil(lambda: live.phase == OFF)
        qtbot.waitUntil(lambda: entry.state not in IN_WORK)
    assert entry.state == DONE, entry.problem
    assert len(window.page.view.text().split()) > 3
    qtbot.waitUntil(lambda: library.recording(entry.id).state == "done")
    assert library.transcript(entry.id).segments == tuple(entry.segments)

    checks = program.core.checks
    with responsive():
        window.live.check.start.click()
        qtbot.waitUntil(lambda: checks.running[entry.id].transcript is not None)
        check = checks.running[entry.id]
        if check.changes:
            window.live.check.accept.click()
            assert window.page.view.text().split() == [
                word for segment in check.transcript.segments for word in segment.text.split()
            ]
    assert length.seconds(entry.path) == pytest.approx(entry.seconds, abs=0.1)


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
def test_the_lines_of_a_killed_window_stand_and_the_rest_is_written(
    qapp: QApplication, microphone: VirtualMicrophone, qtbot: QtBot, home: Path
) -> None:
    """Offered at the next start with one click; then a check against the file is offered, as after any recording."""
    killed = subprocess.Popen([sys.executable, "-c", RECORD])
    library = Library(home / "data" / "library")
    qtbot.waitUntil(lambda: any(one.state == "recording" for one in library.recordings()))
    (stored,) = library.recordings()
    qtbot.waitUntil(lambda: os.path.exists(stored.path) and os.path.getsize(stored.path) > 100)
    assert microphone.play(CLIP).wait(LONGEST) == 0
    qtbot.waitUntil(lambda: bool(library.transcript(stored.id).segments))
    library.close()
    assert microphone.play(CLIP).wait(LONGEST) == 0
    killed.kill()
    killed.wait(LONGEST)
    key, line = marked(home)
    with opened(qapp) as program:
        window = program.window
        qtbot.waitUntil(lambda: bool(program.core.recovery.found))
        window.findChild(RecoveryBar).transcribe.click()
        entry = program.session.entries[key]
        qtbot.waitUntil(lambda: entry.state not in (INTERRUPTED, *IN_WORK))
        assert entry.state == DONE, entry.problem
        assert entry.segments[0] == line
        window.show_entry(key)
        assert window.page.view.text().startswith(MARK)
        assert entry.seconds == pytest.approx(length.seconds(entry.path), abs=0.1)
        assert window.live.check.start.isVisible()


@pytest.mark.long
def test_a_smaller_target_writes_along_and_the_chosen_one_the_final_text(
    slow_model: Path, program: Program, microphone: VirtualMicrophone, qtbot: QtBot
) -> None:
    """A quarter of a gigabyte of random weights: for a computer that takes over a second for a window with them."""
    window, live = program.window, program.live
    program.preferences.choose(target=str(slow_model))
    qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
    qtbot.waitUntil(lambda: live.phase == RUNNING)
    entry = live.entry
    assert entry is not None
    qtbot.waitUntil(lambda: entry.models is not None)
    window.all_actions["speed"].trigger()
    panel = window.panel.live
    qtbot.waitUntil(lambda: panel.final.isVisible())
    assert (panel.now.text(), panel.final.text()) == ("base", "large")
    notice = next(each for each in entry.models.notices if each.code == "model.live_smaller")
    assert (notice.values["model"], notice.values["chosen"]) == ("base", "large")
    assert sentence(notice) in window.page.notice.text.text()
    assert microphone.play(CLIP).wait(LONGEST) == 0
    qtbot.waitUntil(lambda: bool(entry.segments or any(line.verified for line in entry.lines)))
    qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
    qtbot.waitUntil(lambda: entry.state == DONE)
    written = [segment.text for segment in entry.segments]
    window.live.check.start.click()
    checks = program.core.checks
    qtbot.waitUntil(lambda: checks.running[entry.id].transcript is not None)
    transcript = checks.running[entry.id].transcript
    assert transcript is not None
    assert transcript.models.target == "large"
    window.live.check.accept.click()
    assert [segment.text for segment in entry.segments] == [segment.text for segment in transcript.segments] != written
