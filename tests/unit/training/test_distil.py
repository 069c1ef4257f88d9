"""The trainer of drafts: its losses are least at the target's own scores, and a stopped run goes on."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch

from desktop_app.checkpoints.shape import Shape
from desktop_app.training import loop
from desktop_app.training.distil import LOSSES, Batches, Distillation, TrainingBatch
from desktop_app.training.labels import Labels
from desktop_app.training.loop import Report, TrainingSettings
from desktop_app.training.network import Decoder, layers_to_keep

SHAPE = Shape(16, 1, 2, 32, 1, 2, 32, 80, 30, 20, 50, own_head=False)
HEAD = range(50)


def windows(folder: Path, number: int) -> list[Path]:
    """Labels of a target that always writes the same token."""
    rng, files = np.random.default_rng(0), []
    for i in range(number):
        read = (np.arange(8) + rng.integers(0, 30)).astype(np.int32)
        wrote = np.full(6, 7)
        labels = Labels(
            rng.standard_normal((30, 16)).astype(np.float16),
            read,
            wrote.astype(np.int32),
            np.stack([wrote, wrote + 1], 1).astype(np.int32),
            np.tile(np.array([0.9, 0.05], np.float32), (6, 1)),
            "en",
        )
        labels.save(folder / f"{i}.npz")
        files.append(folder / f"{i}.npz")
    return files


def run(files: list[Path], state: Path, told: list[tuple[object, ...]], reports: list[Report]) -> float:
    clock = count().__next__  # a second a step
    settings = TrainingSettings(minutes=0.5, rate=3e-2)
    return loop.train(
        lesson(Decoder(SHAPE)), files, settings, state, lambda *what: told.append(what), reports.append, clock
    )


def lesson(draft: Decoder) -> Distillation:
    return Distillation(draft, Batches(HEAD, 1, torch.device("cpu")))


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_least_where_the_draft_thinks_as_the_target(name: str) -> None:
    target = torch.tensor([[4.0, 2.0, 0.0, -1.0, -2.0]])
    shares = target.softmax(-1)
    batch = TrainingBatch(*(torch.zeros(1),) * 3, torch.tensor([0]), torch.tensor([[0, 1]]), shares[:, :2])
    near, far = (float(LOSSES[name](scores.log_softmax(-1), batch)) for scores in (target, target.flip(-1)))
    assert near < far
    if name in ("divergence", "total-variation"):
        assert near == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_a_token_that_the_head_has_not_teaches_nothing(name: str, tmp_path: Path) -> None:
    """Tokens are named by their places in the head; what is missing there must not be taken for its first token."""
    (file,) = windows(tmp_path, 1)
    with_it, without = (Batches(head, 1, torch.device("cpu")).load([file]) for head in (HEAD, [3, 8, *range(20, 50)]))
    assert with_it.wrote.tolist() == [7] * 6 and with_it.choices[0].tolist() == [7, 8]
    assert without.wrote.tolist() == [-1] * 6
    assert without.choices[0].tolist() == [0, 1] and without.shares[0].tolist() == pytest.approx([0.0, 0.05])
    places = torch.zeros(6, 32)
    if name == "cross-entropy":
        return
    favoured = places.clone()
    favoured[:, 0] = 5.0
    flat, wrong = (float(LOSSES[name](each.log_softmax(-1), without)) for each in (places, favoured))
    assert wrong >= flat - 1e-3, "to favour the first token of the head is no merit"


def test_a_draft_learns_and_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    torch.manual_seed(0)
    files, told, reports = windows(tmp_path, 40), list[tuple[object, ...]](), list[Report]()
    after = run(files, tmp_path / "state.pt", told, reports)
    assert after > 0.9
    assert told[-1][1] == told[-1][2]
    assert [report.steps for report in reports] == sorted(report.steps for report in reports)
    assert reports[-1].loss < reports[0].loss and reports[-1].agreement == after
    told.clear()
    again = run(files, tmp_path / "state.pt", told, reports)
    assert again == pytest.approx(after)
    assert told and all(done == total for _work, done, total in told), "it is only measured"


def test_only_what_learns_is_written_down(tmp_path: Path) -> None:
    """The state of a run holds no embeddings: with a large vocabulary they are most of a model."""
    draft = Decoder(SHAPE)
    draft.embed_tokens.requires_grad_(requires_grad=False)
    files, settings = windows(tmp_path, 4), TrainingSettings(minutes=0.01, rate=1e-3)
    loop.train(lesson(draft), files, settings, tmp_path / "x", lambda *what: None, lambda report: None)
    assert "embed_tokens.weight" not in torch.load(tmp_path / "x", weights_only=True)["network"]


def test_what_measures_is_not_learnt_from() -> None:
    files = [Path(str(i)) for i in range(45)]
    learn, kept = loop.split(files)
    assert len(kept) == 2 and not set(learn) & set(kept) and len(learn) + len(kept) == 45
    assert loop.split(files[:1]) == (files[:1], files[:1])


def test_a_draft_begins_as_the_first_and_the_last_layers() -> None:
    assert [layers_to_keep(32, n) for n in (1, 2, 4)] == [[0], [0, 31], [0, 10, 21, 31]]
