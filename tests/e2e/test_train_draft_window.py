"""A user trains a draft in the window, stops it, closes Galley, resumes, and uses what was made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app import folders
from desktop_app.app.models.draft_training import TORCH, TRAINING
from desktop_app.checkpoints import choice, installed
from desktop_app.engine import probe
from desktop_app.messages.training import Gain
from desktop_app.texts import _
from desktop_app.ui.models import training_dialog
from desktop_app.ui.models.training_dialog import TrainDraftDialog
from desktop_app.ui.shell.app import Program
from tests.program import opened
from tests.small_pair import SMALL_PAIR

CLIPS = Path(__file__).resolve().parents[1] / "data" / "clips"
MODEL, DRAFT = "mine", "mine-draft"

pytestmark = pytest.mark.qt_log_ignore("does not support")  # the offscreen screen has no windows over others


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    """A folder of clips, in all less than a minute, which is enough here."""
    return Path(shutil.copytree(CLIPS, tmp_path / "talks"))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A model without a draft of its own, installed."""
    plain = Path(shutil.copytree(SMALL_PAIR, tmp_path / "plain", ignore=shutil.ignore_patterns("draft")))
    return installed.add(plain, MODEL, lambda what, done, total: None).folder


def stages(program: Program) -> list[str]:
    """The steps of the training, as they come."""
    found: list[str] = []

    def note(name: str) -> None:
        job = program.models.jobs.get(name)
        if name == TRAINING and job is not None and job.what not in found:
            found.append(job.what)

    program.models.moved.connect(note)
    return found


def test_a_draft_is_trained_stopped_resumed_measured_and_used(
    qapp: QApplication, qtbot: QtBot, target: Path, audio: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(training_dialog, "LEAST", 1.0)
    monkeypatch.setattr(training_dialog, "MINUTES", (0.02,))
    monkeypatch.setattr(training_dialog, "_USUAL", 0.02)
    monkeypatch.setattr(Gain, "pays", property(lambda gain: True))  # how good it gets in seconds is not what is tested
    room = folders.cache() / "drafts" / DRAFT
    with opened(qapp) as program:
        window, page = program.window, program.window.models
        window.show_models()
        qtbot.waitUntil(lambda: MODEL in page.rows and page.rows[MODEL]._model.folder is not None)
        asks = _("Train a draft on my recordings…")
        next(each for each in page.rows[MODEL].menu().actions() if each.text() == asks).trigger()
        (dialog,) = (each for each in window.findChildren(TrainDraftDialog) if each.isVisible())
        dialog.source.group.button(2).click()
        dialog.use_folder(str(audio))
        qtbot.waitUntil(dialog.start.isEnabled)
        assert TORCH not in program.models.jobs
        seen = stages(program)
        dialog.start.click()
        qtbot.waitUntil(lambda: "training" in seen)
        page.training.stop.click()
        qtbot.waitUntil(page.training.resume.isVisible)
        assert {"reading", "loading", "labelling"} <= set(seen) and DRAFT not in installed.names()
        assert not page.training.problem.text()
    labels = sorted(room.glob("windows-*/*.npz"))
    assert labels
    with opened(qapp) as program:
        page = program.window.models
        program.window.show_models()
        qtbot.waitUntil(page.training.resume.isVisible)
        assert page.training.title.text() == _("Draft for {model}", model=MODEL)
        seen = stages(program)
        page.training.resume.click()
        qtbot.waitUntil(page.training.use.isVisible)
        assert "training" in seen and "Measuring" in seen and "loading" not in seen, "no window is labelled again"
        assert sorted(room.glob("windows-*/*.npz")) == labels
        current = program.core.training.current
        assert current is not None and current.gain is not None
        assert current.gain.alone > 0 and current.gain.after > 0 and current.gain.before == 0
        page.training.use.click()
        qtbot.waitUntil(lambda: choice.registered_draft(target) == installed.home() / DRAFT and not room.exists())
        assert page.training.isHidden()
    assert probe.verified(DRAFT)
