"""A user fetches a model in the window, from a hub on loopback that breaks off, and transcribes with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.app.presentation.wording import size
from desktop_app.app.recordings.entry import DONE, IN_WORK, Entry
from desktop_app.checkpoints import catalogue, installed
from desktop_app.texts import _
from desktop_app.ui.shell.app import Program
from tests import random_models
from tests.e2e.test_window import CLIP
from tests.event_loop import drain
from tests.hub_server import HubServer, serving
from tests.program import opened
from tests.responsive import Guard

WEIGHTS = "model.safetensors"


@pytest.fixture
def server(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub with a model where the catalogue has kotoba-whisper-v2.0, of which it knows no hash."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    entry = catalogue.find("kotoba-whisper-v2.0")
    assert entry is not None
    with serving() as running:
        running.repositories[entry.repository] = random_models.toy(tmp_path / entry.name)
        (home / "data").mkdir(exist_ok=True)
        (home / "data" / "settings.ini").write_text(f"[General]\nmirror={running.url}\n")
        yield running


@pytest.fixture
def program(qapp: QApplication, server: HubServer, bundled: None) -> Iterator[Program]:
    with opened(qapp) as made:
        yield made


def test_a_model_is_fetched_chosen_used_and_removed(
    program: Program, server: HubServer, qtbot: QtBot, responsive: Guard
) -> None:
    window, page, name = program.window, program.window.models, "kotoba-whisper-v2.0"
    window.sidebar.models.click()
    qtbot.waitUntil(page.fold.isVisible)
    page.fold.click()
    qtbot.waitUntil(lambda: name in page.rows)
    qtbot.waitUntil(lambda: program.models.draft_in_use is not None)
    assert server.requests == []  # the page asks nobody
    row = page.rows[name]
    host, takes = server.url.removeprefix("http://"), _("about {size}", size=size(1_500_000_000))
    assert row.get.accessibleName() == _("Download {model} from {host}: {size}", model=name, host=host, size=takes)
    # Buttons that are shown for the first time cost 20 ms of styling on an idle computer, and 50 where its processors
    # share their cores with other work; a model of real size read or hashed in this thread takes seconds.
    with responsive(slack=2):
        server.stall = (WEIGHTS, 200_000)
        row.get.click()
        qtbot.waitUntil(lambda: (job := program.models.jobs[name]).done > 200_000 or job.done == 200_000)
        drain()
        window.show_idle()  # the page is left, the work goes on
        drain()
        window.show_models()
        drain()
        row.cancel.click()
        qtbot.waitUntil(lambda: row.get.isVisible() and row.get.text().startswith(_("Resume")))
        assert installed.unfinished()[name] > 200_000

        server.stall, server.cuts = None, {WEIGHTS: [50_000, 1, 20_000]}
        row.get.click()
        qtbot.waitUntil(lambda: row.use.isVisible() or program.models.in_use == name)
        assert server.fetched(WEIGHTS)[1].endswith("bytes=200000-")
        weights = installed.home() / name / WEIGHTS
        assert weights.read_bytes() == (server.repositories["kotoba-tech/kotoba-whisper-v2.0"] / WEIGHTS).read_bytes()
        row.use.click()  # it knows one language: where none is known the bundled model writes
        qtbot.waitUntil(lambda: row.tag.text() == _("In use"))

    (entry,) = _drop(program, qtbot)
    qtbot.waitUntil(lambda: entry.state not in IN_WORK)
    assert (entry.state, entry.problem) == (DONE, None)
    assert entry.models is not None
    assert entry.models.target == name

    window.show_models()
    program.models.remove(name)
    qtbot.waitUntil(lambda: name in page.rows and row.get.isVisible())
    assert not weights.exists()
    assert program.models.in_use == "base"


def _drop(program: Program, qtbot: QtBot) -> list[Entry]:
    program.window.add([CLIP])
    qtbot.waitUntil(lambda: len(program.session.entries) == 1)
    return list(program.session.entries.values())
