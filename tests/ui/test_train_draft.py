"""A draft is trained in the window: what is said before, how it goes, and what becomes of the draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from desktop_app import texts
from desktop_app.app.models import draft_training
from desktop_app.app.models.draft_training import TRAINING, Torch
from desktop_app.messages.model_work import (
    AddTorch,
    Announced,
    Done,
    Refused,
    Remove,
    Step,
    Stopped,
)
from desktop_app.messages.training import Gain, MeasureDraft, TrainDraft
from desktop_app.problems import Problem
from desktop_app.ui.models.page import ModelsPage
from desktop_app.ui.models.training_card import TrainingCard
from desktop_app.ui.models.training_dialog import TrainDraftDialog
from desktop_app.ui.shell import main_window as window_module
from desktop_app.ui.shell.main_window import MainWindow
from tests.ui.staging import Stage, finish
from tests.works import BASE, Order

GAIN = Gain(118.0, 5.0, 0.0, 9.0, 2.64)
LENGTHS = (1800.0, 2400.0)

pytestmark = pytest.mark.qt_log_ignore("does not support")  # the offscreen screen has no windows over others


@pytest.fixture(autouse=True)
def english(use_language: None) -> None:
    """Here sentences are read word by word, so always in English."""
    texts.use("en")


@pytest.fixture
def page(window: MainWindow, stage: Stage, recording: Callable[[str], Path]) -> ModelsPage:
    """The page, on a computer with PyTorch; two recordings of 30 and 40 minutes are in the library."""
    stage.works.found = replace(stage.works.found, installed=(replace(BASE, training=200_000_000),))
    entries = stage.drop(recording("one.wav"), recording("two.wav"))
    for entry, seconds in zip(entries, LENGTHS, strict=True):
        finish(stage, entry)
        entry.seconds = seconds
    window.show_models()
    stage.qtbot.waitUntil(lambda: "base" in window.models.rows)
    return window.models


@pytest.fixture
def dialog(page: ModelsPage, stage: Stage, window: MainWindow) -> TrainDraftDialog:
    """What the menu of base opens."""
    menu = page.rows["base"].menu()
    (action,) = (each for each in menu.actions() if each.text() == "Train a draft on my recordings…")
    action.trigger()
    stage.qtbot.waitUntil(lambda: stage.core.training.torch is not None)
    return shown(window)


def shown(window: MainWindow) -> TrainDraftDialog:
    return next(each for each in window.findChildren(TrainDraftDialog) if each.isVisible())


def say(stage: Stage, order: Order, *messages: object) -> None:
    for message in messages:
        order.say(message)  # type: ignore[arg-type]
    stage.settle()


def buttons(card: TrainingCard) -> list[str]:
    """Those that can be pressed."""
    return [each.text() for each in card.findChildren(QPushButton) if not each.isHidden()]


def test_what_it_takes_is_said_before_it_begins(dialog: TrainDraftDialog, stage: Stage) -> None:
    assert dialog.summary.text() == "2 recordings, 1 h 10 min" and not dialog.advice.isVisible()
    assert dialog.costs.text().startswith("First, base transcribes the recordings. Then the draft is trained for 1 h.")
    assert "about 233 MB of disk space" in dialog.costs.text()
    dialog.minutes.group.button(1).click()
    assert "trained for 30 min" in dialog.costs.text()
    dialog.source.group.button(1).click()
    assert dialog.summary.text() == "None yet" and not dialog.start.isEnabled()
    dialog.list.setFocus()
    stage.qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
    assert dialog.summary.text().startswith("1 recording, ") and "At least an hour" in dialog.advice.text()
    dialog.list.turn(dialog.list.model().index(1))
    assert len(dialog.list.chosen) == 2
    dialog.list.turn(dialog.list.model().index(0))
    chosen = dialog.list.chosen[0]
    dialog.start.click()
    work = stage.works.of(TrainDraft).work
    assert isinstance(work, TrainDraft)
    assert (work.audio, work.minutes, work.language) == ((Path(chosen.path),), 30, "auto")
    assert not dialog.isVisible()


def test_a_folder_is_counted_and_named(
    dialog: TrainDraftDialog, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_training.length, "seconds", lambda path: 45.0)
    for number in range(3):
        (tmp_path / f"{number}.ogg").write_bytes(b"sound")
    dialog.source.group.button(2).click()
    assert not dialog.start.isEnabled() and dialog.folder.isVisible()
    dialog.use_folder(str(tmp_path))
    stage.qtbot.waitUntil(lambda: dialog.summary.text() == "5 recordings, 4 min")  # with those of the library
    assert dialog.advice.text().startswith("At least an hour is recommended")
    dialog.start.click()
    assert stage.works.of(TrainDraft).work.audio == tmp_path  # type: ignore[union-attr]


def test_pytorch_is_downloaded_from_the_sheet(
    dialog: TrainDraftDialog, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says from where, how far it is, and what to do where this Galley cannot."""
    training = stage.core.training
    training.torch = Torch(here=False, offered=False, index="")
    training.changed.emit()
    assert not dialog.start.isEnabled() and not dialog.torch.isVisible()
    assert "runs from source" in dialog.about_torch.text()
    training.torch = Torch(here=False, offered=True, index="")
    training.changed.emit()
    assert "galley devices add cuda --index" in dialog.about_torch.text()
    training.torch = found = Torch(here=False, offered=True, index="https://index.example.org/simple")
    training.changed.emit()
    monkeypatch.setattr(draft_training, "_torch", lambda: found)
    assert dialog.about_torch.text().startswith("Galley downloads it from index.example.org ")
    dialog.torch.click()
    order = stage.works.of(AddTorch)
    say(stage, order, Step("Downloading", 1_000_000_000, 2_000_000_000))
    assert dialog.about_torch.text().startswith("1.0 GB of 2.0 GB") and not dialog.torch.isVisible()
    say(stage, order, Refused(Problem("download.timeout")))
    assert "does not answer" in dialog.about_torch.text() and dialog.torch.isVisible()
    dialog.torch.click()
    monkeypatch.setattr(draft_training, "_torch", lambda: replace(found, here=True))
    say(stage, stage.works.of(AddTorch), Done("cuda"))
    stage.qtbot.waitUntil(dialog.start.isEnabled)


def test_the_card_says_how_it_goes_and_lets_it_be_stopped(
    dialog: TrainDraftDialog, page: ModelsPage, stage: Stage, window: MainWindow
) -> None:
    dialog.start.click()
    card, order = page.training, stage.works.of(TrainDraft)
    assert card.isVisible() and card.title.text() == "Draft for base" and buttons(card) == ["Stop training"]
    say(stage, order, Step("reading", 1, 2))
    assert card.line.text() == "Reading the recordings… 1 of 2"
    say(stage, order, Step("labelling", 300, 1200))
    assert card.line.text().startswith("Transcribing the recordings… 25%")
    skipped = Announced("skipped", {"name": "two.wav", "cause": Problem("file.not_media")})
    say(stage, order, skipped, Step("training", 900, 3600), Announced("training", {"agreement": "61.3%"}))
    assert card.line.text() == "Training… 25% · about 45 min left" and card.bar.value == 0.25
    assert card.details.text() == (
        "So far the draft is right in 61% of the text that it has not learnt from. 1 file was skipped."
    )
    assert "two.wav: This is not an audio or video file" in card.details.toolTip()
    stage.record()
    window.show_models()
    assert card.line.text() == "Paused while Galley records or transcribes"
    card.stop.click()
    say(stage, order, Stopped())
    assert card.line.text() == "Stopped after 15 min of 1 h of training. It resumes where it stopped."
    assert buttons(card) == ["Discard", "Continue"]
    card.resume.click()
    say(stage, stage.works.of(TrainDraft), Refused(Problem("disk.full")))
    assert card.problem.text().startswith("The disk is full.") and buttons(card) == ["Discard", "Try again"]
    card.discard.click()
    assert card.isHidden() and stage.core.training.current is None


def trained(dialog: TrainDraftDialog, stage: Stage, gain: Gain) -> None:
    dialog.start.click()
    say(stage, stage.works.of(TrainDraft), Done("base-draft", agreement=0.7))
    say(stage, stage.works.of(MeasureDraft), Step("Measuring", 1, 4), Done("base-draft", gain=gain))


def test_a_draft_that_pays_is_offered_with_its_figures(
    dialog: TrainDraftDialog, page: ModelsPage, stage: Stage
) -> None:
    trained(dialog, stage, GAIN)
    card = page.training
    assert card.line.text() == "This draft makes base 1.80 times as fast."
    assert card.details.text() == (
        "Measured on 2 min of your recordings that it has not learnt from:\n"
        "9.0 × real time with it · 5.0 × without a draft · 2.6 tokens per pass"
    )
    assert buttons(card) == ["Discard", "Use this draft"]


def test_one_that_does_not_pay_is_not_offered(
    dialog: TrainDraftDialog, page: ModelsPage, stage: Stage, window: MainWindow
) -> None:
    trained(dialog, stage, replace(GAIN, before=9.5))
    card = page.training
    assert card.line.text() == "This draft does not make base faster, so Galley does not use it."
    assert "9.5 × with the present draft" in card.details.text() and buttons(card) == ["Discard", "Train again…"]
    card.again.click()
    shown(window).reject()
    card.discard.click()
    assert stage.works.of(Remove).work == Remove("base-draft") and card.isHidden()


def test_a_second_training_waits_for_what_becomes_of_the_first(
    dialog: TrainDraftDialog, page: ModelsPage, stage: Stage, window: MainWindow
) -> None:
    dialog.start.click()
    told: list[str] = []
    stage.models.told.connect(told.append)
    page._train("base")
    assert told == ["Finish or discard the training of the draft for base first."]
    assert not any(each.isVisible() for each in window.findChildren(TrainDraftDialog))


def test_closing_while_a_draft_is_trained_asks_and_keeps(
    dialog: TrainDraftDialog, window: MainWindow, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.start.click()
    asked: list[str] = []
    monkeypatch.setattr(window_module, "confirm", lambda parent, question, *_: asked.append(question))
    assert not window.close()
    assert asked == ["A draft is being trained"] and TRAINING in stage.models.jobs


def test_ten_thousand_recordings_are_no_widgets(page: ModelsPage, stage: Stage, window: MainWindow) -> None:
    entry = next(iter(stage.session.entries.values()))
    many = [replace(entry, id=str(number)) for number in range(10_000)]
    model = stage.models.find("base")
    assert model is not None
    parts = (page._theme, stage.models, stage.preferences, stage.core.training)
    made = TrainDraftDialog(*parts, many, model, window)
    stage.qtbot.addWidget(made)
    assert made.list.model().rowCount() == 10_000 and len(made.findChildren(QPushButton)) < 20
    assert made.summary.text().startswith("10000 recordings")
