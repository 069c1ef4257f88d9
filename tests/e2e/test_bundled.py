"""The model that Galley ships, as somebody uses it who chose none: from the command line and in the window."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import resources
from desktop_app.app.recordings.entry import DONE, IN_WORK
from desktop_app.export.json_format import read_json
from desktop_app.ui.shell.app import Program
from tests.command import GALLEY
from tests.program import opened

SAMPLE = resources.path("resources", "sample", "conversation.flac")

pytestmark = pytest.mark.usefixtures("bundled")


def words(text: str) -> set[str]:
    return {word.strip(".,?!") for word in text.lower().split()}


@pytest.fixture
def program(qapp: QApplication, bundled: None) -> Iterator[Program]:
    with opened(qapp) as made:
        yield made


def test_the_command_line_transcribes_the_sample(tmp_path: Path) -> None:
    """Most of its words, so that nobody meets nonsense; in the language that is spoken, which nobody named."""
    figures = tmp_path / "figures.json"
    run = [*GALLEY, "transcribe", "--format", "json", "--stats", str(figures), str(SAMPLE)]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    transcript = read_json(done.stdout)
    assert (transcript.models.target, transcript.models.notices, transcript.language) == ("base", (), "en")
    said = words(SAMPLE.with_suffix(".txt").read_text(encoding="utf-8"))
    recognised = words(" ".join(segment.text for segment in transcript.segments))
    assert len(said & recognised) > 0.8 * len(said)
    assert json.loads(figures.read_text(encoding="utf-8"))["total"]["tokens"] > 0


def test_the_window_transcribes_with_it(program: Program, qtbot: QtBot) -> None:
    assert program.preferences.models_in_words == "base"
    program.window.add([str(SAMPLE)])
    qtbot.waitUntil(lambda: len(program.session.entries) == 1)
    (entry,) = program.session.entries.values()
    qtbot.waitUntil(lambda: entry.state not in IN_WORK)
    assert (entry.state, entry.problem) == (DONE, None)
    assert entry.models is not None
    assert (entry.models.target, entry.models.notices) == ("base", ())
    assert not program.window.page.notice.isVisible()
