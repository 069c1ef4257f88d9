"""From the first start to a subtitle file, a document and a page that plays, on the real engine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from desktop_app.app.recordings.entry import DONE, Entry
from desktop_app.ui.shell.app import Program
from tests.e2e.test_window import CLIP
from tests.event_loop import drain
from tests.program import opened
from tests.responsive import Guard

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")

_TIMES = re.compile(r"(\d\d):(\d\d):(\d\d),(\d{3}) --> (\d\d):(\d\d):(\d\d),(\d{3})")


@pytest.fixture
def program(qapp: QApplication) -> Iterator[Program]:
    with opened(qapp) as made:
        yield made


def _seconds(parts: tuple[str, ...]) -> float:
    hours, minutes, seconds, thousandths = map(int, parts)
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def test_first_run_to_exported_subtitles_document_and_page(
    program: Program, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, responsive: Guard
) -> None:
    sound = tmp_path / "My talk.flac"
    shutil.copy(CLIP, sound)
    window, places = program.window, list[Path]()
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda parent, title, name, pattern: (str(tmp_path / Path(name).name), pattern)
    )
    window.add([str(sound)])
    qtbot.waitUntil(lambda: bool(program.session.entries))
    (entry,) = program.session.entries.values()
    qtbot.waitUntil(lambda: entry.state == DONE)
    _type_a_word(program, qtbot)
    said = " ".join(segment.text.strip() for segment in entry.segments)
    for form in ("srt", "docx", "html"):
        with responsive(looks=1):
            _export(program, qtbot, form)
        places.append(tmp_path / f"My talk.{form}")
        assert places[-1].exists(), form
    _check_subtitles(places[0], said, entry)
    assert said in docx.Document(str(places[1])).paragraphs[-1].text
    assert 'src="My%20talk.flac"' in places[2].read_text(encoding="utf-8")


def _type_a_word(program: Program, qtbot: QtBot) -> None:
    view = program.window.page.view
    program.window.activateWindow()
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(view, "Listen, ")


def _export(program: Program, qtbot: QtBot, form: str) -> None:
    exports = program.window.exports
    program.window.all_actions["export"].trigger()
    qtbot.waitUntil(lambda: exports.sheet is not None)
    assert exports.sheet is not None
    exports.sheet.formats[form].click()
    drain()
    exports.sheet.save.click()
    qtbot.waitUntil(lambda: exports.sheet is not None and bool(exports.sheet.status.text()))
    exports.sheet.reject()


def _check_subtitles(place: Path, said: str, entry: Entry) -> None:
    cues = [cue.split("\n") for cue in place.read_text(encoding="utf-8").strip().split("\n\n")]
    assert [cue[0] for cue in cues] == [str(number) for number in range(1, len(cues) + 1)]
    assert " ".join(line for cue in cues for line in cue[2:]).split() == said.split()
    assert all(len(line) <= 42 for cue in cues for line in cue[2:])
    now = 0.0
    for cue in cues:
        found = _TIMES.fullmatch(cue[1])
        assert found is not None
        start, end = _seconds(found.groups()[:4]), _seconds(found.groups()[4:])
        assert now <= start < end <= start + 7.001
        now = end
    assert now <= entry.segments[-1].end + 1.5
