"""Training a draft as the application knows it: begun, paused, stopped, resumed after a restart, measured, decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app import folders
from desktop_app.app.models import draft_training
from desktop_app.app.models.draft_training import TORCH, TRAINING, Counted, DraftTraining, Torch
from desktop_app.engine import model_list, pytorch
from desktop_app.engine.model_list import ListedModel
from desktop_app.messages.jobs import Finished
from desktop_app.messages.model_work import (
    AddTorch,
    Announced,
    Done,
    Measure,
    Message,
    Refused,
    Remove,
    Step,
    Stopped,
    Try,
    Work,
)
from desktop_app.messages.training import Gain, MeasureDraft, TrainDraft
from desktop_app.problems import Problem
from desktop_app.transcript.statistics import Speed
from tests.staging import Stage, finish, transcript
from tests.works import BASE, SMALL, Order

GAIN = Gain(118.0, 5.0, 6.0, 9.0, 2.6)
FILES = (Path("/talks/one.wav"), Path("/talks/two.wav"))


@pytest.fixture
def training(stage: Stage) -> DraftTraining:
    stage.works.install(SMALL)
    stage.models.refresh()
    stage.until(lambda: stage.models.find("small") and stage.models.find("small").folder)  # type: ignore[union-attr]
    return stage.core.training


def begin(stage: Stage, model: ListedModel = BASE, minutes: float = 60) -> Order:
    stage.core.training.begin(model, FILES, "en", minutes)
    return stage.works.of(TrainDraft)


def say(stage: Stage, order: Order, *messages: Message) -> None:
    for message in messages:
        order.say(message)
    done: list[None] = []
    stage.post(lambda: done.append(None))
    stage.until(lambda: bool(done))


def count(stage: Stage, kind: type[Work]) -> int:
    return sum(isinstance(each.work, kind) for each in stage.works.all)


def room(name: str = "base-draft") -> Path:
    return folders.cache() / "drafts" / name


def test_what_is_asked_for_is_what_is_trained(stage: Stage, training: DraftTraining) -> None:
    order = begin(stage)
    assert BASE.folder is not None
    asked = TrainDraft(BASE.folder, FILES, "base-draft", minutes=60, language="en", room=room())
    assert order.work == asked and training.runs and not training.held
    stage.works.install(replace(SMALL, name="small-draft"))
    stage.models.refresh()
    stage.until(lambda: stage.models.find("small-draft"))
    begin(stage, replace(BASE, name="other"))
    assert count(stage, TrainDraft) == 1, "one at a time"
    training.stop()
    assert order.cancelled
    say(stage, order, Stopped())
    training.discard()
    begin(stage, replace(SMALL, folder=Path("/models/small")))
    assert stage.works.of(TrainDraft).work.name == "small-draft-2"  # type: ignore[union-attr]


def test_it_waits_for_what_is_recorded_transcribed_or_measured(
    stage: Stage, training: DraftTraining, recording: Callable[[str], Path]
) -> None:
    """And keeps all that it has in memory."""
    order = begin(stage)
    entry = stage.record()
    assert order.held and training.held
    stage.stop()
    assert order.held, "its last words are transcribed"
    stage.say(Finished(entry.id, transcript()))
    stage.until(lambda: not order.held)
    (entry,) = stage.drop(recording("talk.wav"))
    stage.until(lambda: order.held)
    finish(stage, entry)
    stage.until(lambda: not order.held)
    stage.models.measure()
    assert order.held
    say(stage, stage.works.of(Measure), Refused(Problem("file.not_media")))
    assert not order.held and not training.held and not order.cancelled
    stage.drop(recording("other.wav"))
    training.stop()
    say(stage, order, Stopped())
    training.resume()
    assert stage.works.of(TrainDraft).held, "what begins while something goes before waits too"


def test_a_stopped_training_goes_on_after_a_restart(stage: Stage, training: DraftTraining) -> None:
    order = begin(stage)
    say(
        stage,
        order,
        Step("training", 1200, 3600),
        Announced("skipped", {"name": "notes.txt", "cause": Problem("file.not_media")}),
        Announced("training", {"agreement": "61.3%"}),
    )
    assert training.seconds_left == 2400
    training.stop()
    say(stage, order, Stopped())
    again = stage.restart().core.training
    stage.until(lambda: again.current is not None)
    assert again.current == training.current
    assert again.current is not None and again.current.trained == 20 and again.current.agreement == 0.613
    assert len(again.current.skipped) == 1 and not again.runs
    again.resume()
    assert stage.works.of(TrainDraft).work == order.work and count(stage, TrainDraft) == 2


def test_one_that_the_end_of_the_program_broke_off_is_known(stage: Stage, training: DraftTraining) -> None:
    begin(stage)
    again = stage.restart().core.training
    stage.until(lambda: again.current is not None)
    assert not again.runs and not again.problem


def test_the_end_of_the_program_keeps_how_far_it_is(stage: Stage, training: DraftTraining) -> None:
    say(stage, begin(stage), Step("training", 630, 3600))
    training.close()
    stage.settle()
    kept = draft_training._kept()
    assert kept is not None and kept.trained == 10.5


def test_the_computer_stays_awake_while_a_draft_is_trained(stage: Stage, training: DraftTraining) -> None:
    awake = stage.core._awake
    order = begin(stage)
    assert awake.wanted and not awake.is_busy
    training.stop()
    say(stage, order, Stopped())
    assert not awake.wanted


def test_what_cannot_be_read_of_it_is_as_if_it_were_not_there(stage: Stage, training: DraftTraining) -> None:
    begin(stage)
    stage.settle()
    (room() / "training.json").write_text('{"request": 1}')
    assert draft_training._kept() is None


def trained(stage: Stage, gain: Gain = GAIN) -> None:
    """A draft that was trained and measured."""
    say(stage, begin(stage), Done("base-draft", agreement=0.7))
    say(stage, stage.works.of(MeasureDraft), Done("base-draft", gain=gain))


def test_what_it_brings_is_measured_at_once_and_the_draft_used_when_the_user_says_so(
    stage: Stage, training: DraftTraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered: list[tuple[str, str]] = []
    monkeypatch.setattr(model_list, "register_draft", lambda *names: registered.append(names))
    order = begin(stage)
    say(stage, order, Done("base-draft", agreement=0.7))
    measured = stage.works.of(MeasureDraft)
    assert measured.work == MeasureDraft(order.work, "auto")  # type: ignore[arg-type]
    say(stage, measured, Done("base-draft", gain=GAIN))
    assert training.current is not None and training.current.gain == GAIN and not training.runs
    assert registered == [] and room().is_dir()
    tried = count(stage, Try)
    stage.models.speeds.keep((str(BASE.folder), "auto", "auto"), Speed(5.0, 6.0))
    stage.models.speeds.keep((str(BASE.folder), "off", "auto"), Speed(5.0, 0.0))
    with stage.emits(stage.models.told) as told:
        training.use()
    assert registered == [("base", "base-draft")] and told.args == ["base-draft is now the draft model of base."]
    assert stage.models.speed is None, "it was that of another draft"
    assert stage.models.speeds.latest(str(BASE.folder)) == Speed(5.0, 0.0)
    assert training.current is None and count(stage, Try) == tried + 1 and count(stage, Remove) == 0
    stage.settle()
    assert not room().exists(), "labels hold what was said"


def test_a_measurement_that_failed_is_made_again(stage: Stage, training: DraftTraining) -> None:
    say(stage, begin(stage), Done("base-draft", agreement=0.7))
    say(stage, stage.works.of(MeasureDraft), Refused(Problem("engine.work_silent")))
    assert training.problem
    training.resume()
    assert count(stage, MeasureDraft) == 2 and count(stage, TrainDraft) == 1 and not training.problem


def test_a_draft_that_is_discarded_leaves_nothing(stage: Stage, training: DraftTraining) -> None:
    trained(stage)
    training.discard()
    assert stage.works.of(Remove).work == Remove("base-draft")
    stage.settle()
    assert training.current is None and not room().exists()


def test_another_training_of_the_same_model_learns_from_the_labels_that_are_there(
    stage: Stage, training: DraftTraining
) -> None:
    trained(stage, replace(GAIN, after=5.0))
    begin(stage, minutes=120)
    asked = stage.works.of(TrainDraft).work
    assert isinstance(asked, TrainDraft) and asked.room == room() and asked.minutes == 120
    assert stage.works.of(Remove).work == Remove("base-draft")


def test_a_draft_that_cannot_be_registered_says_why(
    stage: Stage, training: DraftTraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(target: str, draft: str) -> None:
        raise Problem("model.built_in", name=target)

    monkeypatch.setattr(model_list, "register_draft", fail)
    trained(stage)
    with stage.emits(stage.models.told) as told:
        training.use()
    assert "now the draft" not in told.args[0]


def test_pytorch_comes_from_the_index_of_the_build(
    stage: Stage, training: DraftTraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytorch, "is_here", lambda: False)
    monkeypatch.setattr(pytorch, "is_offered", lambda: True)
    training.get_torch()
    assert count(stage, AddTorch) == 0, "nothing is asked of a server before it is known who that is"
    training.look_for_torch()
    stage.until(lambda: training.torch is not None)
    assert training.torch == Torch(here=False, offered=True, index="")
    training.torch = Torch(here=False, offered=True, index="https://index.example.org/simple")
    training.get_torch()
    order = stage.works.of(AddTorch)
    assert order.work == AddTorch("https://index.example.org/simple") and TORCH in stage.models.jobs
    monkeypatch.setattr(pytorch, "is_here", lambda: True)
    say(stage, order, Done("cuda"))
    stage.until(lambda: training.torch is not None and training.torch.here)
    assert TRAINING not in stage.models.jobs, "a download alone begins nothing"


def test_the_recordings_of_a_folder_are_counted_in_portions(
    stage: Stage, training: DraftTraining, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(45):
        (tmp_path / f"{number:02}.wav").write_bytes(b"sound")
    (tmp_path / "notes.txt").write_text("no sound")
    monkeypatch.setattr(draft_training.length, "seconds", lambda path: 10.0)
    told: list[Counted] = []
    training.count(str(tmp_path), told.append)
    stage.until(lambda: told and told[-1].files == told[-1].total)
    assert told == [Counted(done, 45, 10.0 * done) for done in (0, 20, 40, 45)]
    training.count(str(tmp_path), told.append)
    training.stop_counting()
    (tmp_path / "none").mkdir()
    training.count(str(tmp_path / "none"), told.append)
    stage.until(lambda: told[-1].total == 0)
    assert len(told) == 5, "nobody is told of a folder that is not wanted any more"
