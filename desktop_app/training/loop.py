"""Train a network on the labels of windows: a decoder (`distil`) or a CTC head (`ctc`).

A run ends when its minutes are spent; its state is written down every so often, and a stopped run goes on from there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from desktop_app.training.windows import CHANGED

KEPT_BACK = 0.05
"""The share of windows held back for measuring."""
SAVE_SECONDS = 30.0
REPORTS = 10
"""How often a run reports its agreement."""
_WARM_UP = 0.05  # of the run
_LEAST_RATE = 0.01  # of the rate, at the end
Progress = Callable[[str, float, float], None]
"""Called with the step ("reading", "loading", "labelling" or "training"), how much of it is done, and its total; a few
times a minute at least, since work that makes no progress is ended."""


@dataclass(frozen=True)
class TrainingSettings:
    """`batch` windows a step for `minutes`; the learning rate falls from `rate` to nothing."""

    minutes: float
    rate: float
    batch: int = 16
    seed: int = 1


@dataclass(frozen=True)
class Report:
    """Where a run is: minutes spent, steps done, the mean loss since the last report, and the agreement with the
    target on held-back windows."""

    minutes: float
    steps: int
    loss: float
    agreement: float


class Lesson(Protocol):
    """A network that learns, and how it is judged."""

    @property
    def network(self) -> nn.Module: ...

    def loss(self, files: Sequence[Path]) -> Tensor:
        """The loss on a batch of windows."""

    def agreement(self, files: Sequence[Path]) -> tuple[int, int]:
        """How many of its tokens for a batch of windows are the target's, and of how many."""


def split(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Windows to learn from, and every twentieth of those as they were recorded, at least one, to measure on. What is
    measured on is not learnt from in its changed form either."""
    every = round(1 / KEPT_BACK)
    recorded = [file for file in files if not file.stem.endswith(CHANGED)]
    kept = [file for i, file in enumerate(recorded) if i % every == every // 2] or recorded[-1:] or list(files[-1:])
    known = {file.stem for file in kept}
    return [file for file in files if file.stem.removesuffix(CHANGED) not in known] or list(files), kept


def train(
    lesson: Lesson,
    files: Sequence[Path],
    settings: TrainingSettings,
    state: Path,
    progress: Progress,
    report: Callable[[Report], None],
    clock: Callable[[], float] = time.monotonic,
) -> float:
    """Train on the labels in `files`; gives the agreement on those kept back. `state` is the file of the run's
    progress.

    Raises FloatingPointError if the loss is not finite.
    """
    network = lesson.network
    learn, measured = split(files)
    parameters = [each for each in network.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=0.0, betas=(0.9, 0.98), weight_decay=0.01)
    spent, steps = _resume(state, network, optimiser)
    rng = random.Random(settings.seed + steps)
    budget, last = 60 * settings.minutes, clock()
    saved, losses = last, list[float]()
    network.train()

    def step() -> None:
        progress("training", min(spent, budget), budget)

    while spent < budget:
        done = spent / budget
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * min(1.0, (done + 1e-3) / _WARM_UP) * max(_LEAST_RATE, 1 - done)
        loss = lesson.loss(rng.sample(learn, min(settings.batch, len(learn))))
        if not torch.isfinite(loss):
            raise FloatingPointError(f"loss {loss.item()}")
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        steps += 1
        losses.append(loss.item())
        now = clock()
        spent += now - last
        step()
        last = clock()  # a pause is not training
        if int(REPORTS * spent / budget) > int(REPORTS * done) and spent < budget:
            reached = _agreement(lesson, measured, settings.batch, step)
            report(Report(spent / 60, steps, float(np.mean(losses)), reached))
            losses, last = [], clock()  # measuring is not training
        if now - saved > SAVE_SECONDS:
            _save(state, network, optimiser, spent, steps)
            saved = now
    _save(state, network, optimiser, spent, steps)
    reached = _agreement(lesson, measured, settings.batch, step)
    if losses:
        report(Report(spent / 60, steps, float(np.mean(losses)), reached))
    return reached


@torch.no_grad()
def _agreement(lesson: Lesson, files: Sequence[Path], size: int, step: Callable[[], None]) -> float:
    """The agreement on windows in batches of `size`; `step` is called before each."""
    right = total = 0
    lesson.network.eval()
    for start in range(0, len(files), size):
        step()
        found, of = lesson.agreement(files[start : start + size])
        right, total = right + found, total + of
    lesson.network.train()
    return right / max(1, total)


def _save(path: Path, network: nn.Module, optimiser: torch.optim.Optimizer, spent: float, steps: int) -> None:
    partial = path.with_suffix(".partial")
    learnt = {name: each.detach() for name, each in network.named_parameters() if each.requires_grad}
    states = {"network": learnt, "optimiser": optimiser.state_dict(), "spent": spent, "steps": steps}
    torch.save(states, partial)
    partial.replace(path)


def _resume(path: Path, network: nn.Module, optimiser: torch.optim.Optimizer) -> tuple[float, int]:
    """Resume a run: seconds spent and steps done, 0 and 0 where there was none."""
    if not path.exists():
        return 0.0, 0
    device = next(network.parameters()).device
    states = torch.load(path, map_location=device, weights_only=True)
    network.load_state_dict(states["network"], strict=False)
    optimiser.load_state_dict(states["optimiser"])
    return float(states["spent"]), int(states["steps"])
