"""Train a draft's decoder to predict the target's text: distillation from stored labels with the target's top choices.

A run ends when its minutes are spent; its state is written down every so often, and a stopped run goes on from there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from desktop_app.training.labels import Labels
from desktop_app.training.network import Decoder, autocast

KEPT_BACK = 0.05
"""The share of windows held back for measuring."""
SAVE_SECONDS = 30.0
REPORTS = 10
"""How often a run reports its agreement."""
_WARM_UP = 0.05  # of the run
_LEAST_RATE = 0.01  # of the rate, at the end
_MASKED = 0.1  # share of the encoder's output that is masked, so that few windows last for many steps
_ROOM = 1e-6

Progress = Callable[[str, float, float], None]
"""Called with the step ("reading", "loading", "labelling" or "training"), how much of it is done, and its total; a few
times a minute at least, since work that makes no progress is ended."""


@dataclass(frozen=True)
class Settings:
    """`batch` windows a step for `minutes`; the learning rate falls from `rate` to nothing. `loss` is one of LOSSES."""

    minutes: float
    rate: float = 8e-4
    batch: int = 16
    loss: str = "mix"
    seed: int = 1


@dataclass(frozen=True)
class Report:
    """Where a run is: minutes spent, steps done, the mean loss since the last report, and at which share of held-back
    places the draft's likeliest token is the target's."""

    minutes: float
    steps: int
    loss: float
    agreement: float


@dataclass(frozen=True)
class Batch:
    """Windows together: `encoded` [B, S, D], `read` [B, T], `wanted` [B, T] the places with a label. Of those places
    `wrote` [P], `choices` and `shares` [P, k] name tokens by their place in the head; `wrote` is -1 where the head has
    it not, and such choices have no share."""

    encoded: Tensor
    read: Tensor
    wanted: Tensor
    wrote: Tensor
    choices: Tensor
    shares: Tensor


class Batches:
    """Makes batches for a head of so many tokens, by their ids."""

    def __init__(self, head_tokens: Sequence[int], device: torch.device) -> None:
        self._device = device
        self._places = np.full(max(head_tokens) + 1, -1)
        self._places[np.asarray(head_tokens)] = np.arange(len(head_tokens))

    def load(self, files: Sequence[Path]) -> Batch:
        """One batch of the windows in these files."""
        windows = [Labels.load(file) for file in files]
        longest = max(len(window.read) for window in windows)
        read = np.zeros((len(windows), longest), np.int64)
        wanted = np.zeros((len(windows), longest), bool)
        for i, window in enumerate(windows):
            read[i, : len(window.read)] = window.read
            wanted[i, len(window.read) - len(window.wrote) : len(window.read)] = True
        choices = self._places[np.concatenate([window.choices for window in windows])]
        arrays = (
            np.stack([window.encoded for window in windows]).astype(np.float32),
            read,
            wanted,
            self._places[np.concatenate([window.wrote for window in windows])],
            np.maximum(choices, 0),
            np.where(choices >= 0, np.concatenate([window.shares for window in windows]), np.float32(0)),
        )
        return Batch(*(torch.from_numpy(array).to(self._device) for array in arrays))


def cross_entropy(likely: Tensor, batch: Batch) -> Tensor:
    """Cross-entropy of the draft on the target's tokens; `likely` [P, head] are its log-probabilities."""
    known = batch.wrote >= 0
    return -likely[known].gather(1, batch.wrote[known, None]).sum() / known.sum().clamp_min(1)


def divergence(likely: Tensor, batch: Batch) -> Tensor:
    """Kullback-Leibler divergence of the draft from the target's choices; all others count as one."""
    own = likely.gather(1, batch.choices)
    rest, its_rest = _rest(_shared(own, batch)), _rest(batch.shares)
    known = (batch.shares * (batch.shares.clamp_min(_ROOM).log() - own)).sum(-1)
    return (known + its_rest * (its_rest.log() - rest.log())).mean()


def total_variation(likely: Tensor, batch: Batch) -> Tensor:
    """Total variation distance between draft and target: one minus the chance that a drawn token is accepted."""
    own = _shared(likely.gather(1, batch.choices), batch)
    apart = (own - batch.shares).abs().sum(-1) + (_rest(own) - _rest(batch.shares)).abs()
    return 0.5 * apart.mean()


def mix(likely: Tensor, batch: Batch) -> Tensor:
    """The sum of all three: divergence helps at first, total variation at the end, cross-entropy keeps the top
    token."""
    return divergence(likely, batch) + 0.3 * cross_entropy(likely, batch) + total_variation(likely, batch)


LOSSES = {"cross-entropy": cross_entropy, "divergence": divergence, "total-variation": total_variation, "mix": mix}


def _shared(own: Tensor, batch: Batch) -> Tensor:
    """The draft's probabilities of the choices that its head has."""
    return torch.where(batch.shares > 0, own.exp(), torch.zeros((), device=own.device))


def _rest(shares: Tensor) -> Tensor:
    return (1 - shares.sum(-1)).clamp_min(_ROOM)


def split(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Windows to learn from, and every twentieth, at least one, to measure on."""
    every = round(1 / KEPT_BACK)
    kept = [file for i, file in enumerate(files) if i % every == every // 2] or list(files[-1:])
    return [file for file in files if file not in set(kept)] or list(files), kept


@torch.no_grad()
def agreement(
    draft: Decoder,
    batches: Batches,
    files: Sequence[Path],
    size: int,
    device: torch.device,
    step: Callable[[], None],
) -> float:
    """The share of places where the draft's likeliest token is the target's; `step` is called before each batch."""
    right = total = 0
    draft.eval()
    for start in range(0, len(files), size):
        step()
        batch = batches.load(files[start : start + size])
        with autocast(device):
            scores = draft(batch.read, batch.encoded, batch.wanted)
        right += int((scores.argmax(-1) == batch.wrote).sum())
        total += len(batch.wrote)
    draft.train()
    return right / max(1, total)


def train(
    draft: Decoder,
    head_tokens: Sequence[int],
    files: Sequence[Path],
    settings: Settings,
    state: Path,
    progress: Progress,
    report: Callable[[Report], None],
    clock: Callable[[], float] = time.monotonic,
) -> float:
    """Train on the labels in `files`; gives the agreement on those kept back. `state` is the file of the run's
    progress.

    Raises FloatingPointError if the loss is not finite.
    """
    device = next(draft.parameters()).device
    learn, measured = split(files)
    batches = Batches(head_tokens, device)
    parameters = [each for each in draft.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=0.0, betas=(0.9, 0.98), weight_decay=0.01)
    spent, steps = _resume(state, draft, optimiser, device)
    rng, loss_of = random.Random(settings.seed + steps), LOSSES[settings.loss]
    budget, last = 60 * settings.minutes, clock()
    saved, losses = last, list[float]()
    draft.train()

    def step() -> None:
        progress("training", min(spent, budget), budget)

    while spent < budget:
        done = spent / budget
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * min(1.0, (done + 1e-3) / _WARM_UP) * max(_LEAST_RATE, 1 - done)
        batch = batches.load(rng.sample(learn, min(settings.batch, len(learn))))
        with autocast(device):
            scores = draft(batch.read, torch.nn.functional.dropout(batch.encoded, _MASKED), batch.wanted)
        loss = loss_of(scores.float().log_softmax(-1), batch)
        if not torch.isfinite(loss):
            raise FloatingPointError(f"loss {loss.item()}")
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        steps += 1
        losses.append(loss.item())
        now = clock()
        spent, last = spent + now - last, now
        step()
        if int(REPORTS * spent / budget) > int(REPORTS * done) and spent < budget:
            reached = agreement(draft, batches, measured, settings.batch, device, step)
            report(Report(spent / 60, steps, float(np.mean(losses)), reached))
            losses, last = [], clock()  # measuring is not training
        if now - saved > SAVE_SECONDS:
            _save(state, draft, optimiser, spent, steps)
            saved = now
    _save(state, draft, optimiser, spent, steps)
    reached = agreement(draft, batches, measured, settings.batch, device, step)
    if losses:
        report(Report(spent / 60, steps, float(np.mean(losses)), reached))
    return reached


def _save(path: Path, draft: Decoder, optimiser: torch.optim.Optimizer, spent: float, steps: int) -> None:
    partial = path.with_suffix(".partial")
    learnt = {name: each.detach() for name, each in draft.named_parameters() if each.requires_grad}
    states = {"draft": learnt, "optimiser": optimiser.state_dict(), "spent": spent, "steps": steps}
    torch.save(states, partial)
    partial.replace(path)


def _resume(path: Path, draft: Decoder, optimiser: torch.optim.Optimizer, device: torch.device) -> tuple[float, int]:
    """Resume a run: seconds spent and steps done, 0 and 0 where there was none."""
    if not path.exists():
        return 0.0, 0
    states = torch.load(path, map_location=device, weights_only=True)
    draft.load_state_dict(states["draft"], strict=False)
    optimiser.load_state_dict(states["optimiser"])
    return float(states["spent"]), int(states["steps"])
