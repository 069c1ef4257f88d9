"""What the target is taught: its text to the token, its times to a neighbour or two."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from models.training.batches import IGNORED
from models.training.network import Decoder, Whisper
from models.training.settings import recipe
from models.training.train_target import NEIGHBOURS, Run, token_loss

TIME0, SIZE = 20, 40


def small_run() -> Run:
    """A run of a tiny pair that has taken one step, so that the optimiser has a momentum."""
    model, draft = Whisper(SIZE, 3, width=8, heads=2, layers=1), Decoder(SIZE, 8, 2, 1)
    parameters = [*model.parameters(), *draft.parameters()]
    run = Run(model, draft, torch.optim.AdamW(parameters, lr=0.1))
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    run.optimiser.step()
    return run


def raise_all(run: Run, by: float) -> None:
    with torch.no_grad():
        for parameter in (*run.model.parameters(), *run.draft.parameters()):
            parameter += by


def test_a_pair_settles_between_itself_and_the_one_before(tmp_path: Path) -> None:
    torch.manual_seed(5)
    run = small_run()
    run.settle(1.0)
    before = {name: value.clone() for name, value in run.pair().items()}
    heard = run.model.phone_head.weight.detach().clone()
    raise_all(run, 1.0)
    run.save(tmp_path / "target.pt")
    again = small_run()
    again.load(tmp_path / "target.pt", torch.device("cpu"))
    again.settle(0.6)
    for name, value in again.pair().items():
        assert torch.allclose(value, before[name] + 0.6, atol=1e-5), name
        assert torch.equal(value, again.anchor[name])
    assert torch.equal(again.model.phone_head.weight, heard + 1.0), "no published pair has one to take a mean with"
    assert all(not state["exp_avg"].any() for state in again.optimiser.state.values())


def test_a_run_that_has_grown_is_taken_up_and_settles(tmp_path: Path) -> None:
    torch.manual_seed(6)
    run = small_run()
    run.settle(1.0)
    run.grow(3)
    assert run.anchor.keys() == run.pair().keys(), "the pair settled on before hears the same with more layers"
    optimised = {id(p) for group in run.optimiser.param_groups for p in group["params"]}
    assert optimised == {id(p) for p in (*run.model.parameters(), *run.draft.parameters())}
    run.save(tmp_path / "target.pt")
    again = small_run()
    again.load(tmp_path / "target.pt", torch.device("cpu"))
    assert len(again.model.encoder.layers) == 3
    for name, value in run.pair().items():
        assert torch.equal(again.pair()[name], value)
    optimiser = again.optimiser
    again.grow(3)
    assert again.optimiser is optimiser, "one that has so many layers keeps its optimiser"
    again.settle(0.5)


def test_the_first_pair_has_none_to_take_a_mean_with() -> None:
    with pytest.raises(ValueError, match="settled on before"):
        small_run().settle(0.6)


def test_the_recipe_takes_no_mean_before_it_has_settled() -> None:
    shares = [leg["share"] for leg in recipe()["target"]["legs"] if "share" in leg]
    assert shares[0] == 1.0 and all(0 < share <= 1 for share in shares)


def test_a_token_of_text_is_right_or_wrong_and_a_time_may_be_nearly_right() -> None:
    torch.manual_seed(4)
    scores = torch.randn(2, 3, SIZE)
    labels = torch.tensor([[7, IGNORED, 30], [IGNORED, 19, TIME0]])
    likely = scores.log_softmax(-1)
    text = likely[0, 0, 7] + likely[1, 1, 19]
    # Before the first time there is none: what would be its earlier neighbours' falls to itself.
    times = sum(
        share * (likely[0, 2, 30 + step] + likely[1, 2, max(TIME0, TIME0 + step)]) for step, share in NEIGHBOURS.items()
    )
    assert torch.isclose(token_loss(scores, labels, TIME0), -(text + times) / 4)


def test_the_loss_pulls_nothing_where_nothing_is_labelled() -> None:
    scores = torch.randn(1, 3, SIZE, requires_grad=True)
    token_loss(scores, torch.tensor([[5, IGNORED, 25]]), TIME0).backward()
    assert scores.grad is not None
    assert not scores.grad[0, 1].any() and scores.grad[0, 0].any() and scores.grad[0, 2].any()
