"""Teach a draft's decoder what the target wrote: the one trainer of drafts, the starter's and a user's.

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
import torch.nn.functional as F
from torch import Tensor

from desktop_app.training.labels import Labels
from desktop_app.training.network import Decoder, autocast

KEPT_BACK = 0.05
"""The share of windows that only measure."""
SAVE_SECONDS = 30.0
_WARM_UP = 30
_ROOM = 1e-6

Told = Callable[[str, float, float], None]
"""Hears what is being done, how far it is, and of how much."""


@dataclass(frozen=True)
class Settings:
    """`batch` windows a step for `minutes`; the learning rate falls from `rate` to nothing. `loss` is one of LOSSES."""

    minutes: float
    rate: float = 5e-4
    batch: int = 12
    loss: str = "mix"
    seed: int = 1


@dataclass(frozen=True)
class Batch:
    """Windows together: `heard` [B, S, D], `read` [B, T], `wanted` [B, T] the places with a label; of those places
    `wrote` [P], `choices` and `shares` [P, k]."""

    heard: Tensor
    read: Tensor
    wanted: Tensor
    wrote: Tensor
    choices: Tensor
    shares: Tensor


def together(windows: Sequence[Labels], device: torch.device) -> Batch:
    """One batch of these windows."""
    longest = max(len(window.read) for window in windows)
    read = np.zeros((len(windows), longest), np.int64)
    wanted = np.zeros((len(windows), longest), bool)
    for i, window in enumerate(windows):
        read[i, : len(window.read)] = window.read
        wanted[i, len(window.read) - len(window.wrote) : len(window.read)] = True
    arrays = (
        np.stack([window.heard for window in windows]).astype(np.float32),
        read,
        wanted,
        np.concatenate([window.wrote for window in windows]).astype(np.int64),
        np.concatenate([window.choices for window in windows]).astype(np.int64),
        np.concatenate([window.shares for window in windows]),
    )
    return Batch(*(torch.from_numpy(array).to(device) for array in arrays))


def cross_entropy(scores: Tensor, batch: Batch) -> Tensor:
    """How surprised the draft is by what the target wrote."""
    return F.cross_entropy(scores, batch.wrote)


def divergence(scores: Tensor, batch: Batch) -> Tensor:
    """Kullback-Leibler divergence of the draft from the target's choices; all others count as one."""
    own = scores.log_softmax(-1).gather(1, batch.choices)
    rest, its_rest = _rest(own.exp()), _rest(batch.shares)
    known = (batch.shares * (batch.shares.clamp_min(_ROOM).log() - own)).sum(-1)
    return (known + its_rest * (its_rest.log() - rest.log())).mean()


def total_variation(scores: Tensor, batch: Batch) -> Tensor:
    """Half the distance between draft and target: one minus the chance that a drawn token is accepted."""
    own = scores.softmax(-1).gather(1, batch.choices)
    apart = (own - batch.shares).abs().sum(-1) + (_rest(own) - _rest(batch.shares)).abs()
    return 0.5 * apart.mean()


def mix(scores: Tensor, batch: Batch) -> Tensor:
    """All three: divergence leads from afar, total variation at the end, cross-entropy keeps the winner on top."""
    return divergence(scores, batch) + 0.3 * cross_entropy(scores, batch) + total_variation(scores, batch)


LOSSES = {"cross-entropy": cross_entropy, "divergence": divergence, "total variation": total_variation, "mix": mix}


def _rest(shares: Tensor) -> Tensor:
    return (1 - shares.sum(-1)).clamp_min(_ROOM)


def split(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Windows to learn from, and every twentieth, at least one, to measure on."""
    every = round(1 / KEPT_BACK)
    kept = [file for i, file in enumerate(files) if i % every == every // 2] or list(files[-1:])
    return [file for file in files if file not in set(kept)] or list(files), kept


@torch.no_grad()
def agreement(draft: Decoder, files: Sequence[Path], batch: int, device: torch.device) -> float:
    """At which share of places the draft's likeliest token is what the target wrote there."""
    right = total = 0
    for start in range(0, len(files), batch):
        windows = together([Labels.load(file) for file in files[start : start + batch]], device)
        with autocast(device):
            scores = draft(windows.read, windows.heard, windows.wanted)
        right += int((scores.argmax(-1) == windows.wrote).sum())
        total += len(windows.wrote)
    return right / max(1, total)


def train(
    draft: Decoder,
    files: Sequence[Path],
    settings: Settings,
    state: Path,
    told: Told,
    clock: Callable[[], float] = time.monotonic,
) -> float:
    """Train on the labels in `files`; gives the agreement on those kept back. `state` is where the run is written down.

    Raises FloatingPointError if the loss is no number.
    """
    device = next(draft.parameters()).device
    learn, measured = split(files)
    parameters = [each for each in draft.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=0.0, betas=(0.9, 0.98), weight_decay=0.0)
    spent, steps = _resume(state, draft, optimiser, device)
    rng, loss_of = random.Random(settings.seed + steps), LOSSES[settings.loss]
    budget, last = 60 * settings.minutes, clock()
    saved = last
    while spent < budget:
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * min(1.0, (steps + 1) / _WARM_UP) * max(0.01, 1 - spent / budget)
        chosen = rng.sample(learn, min(settings.batch, len(learn)))
        batch = together([Labels.load(file) for file in chosen], device)
        with autocast(device):
            scores = draft(batch.read, batch.heard, batch.wanted)
        loss = loss_of(scores.float(), batch)
        if not torch.isfinite(loss):
            raise FloatingPointError("the loss is no number")
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        steps += 1
        now = clock()
        spent, last = spent + now - last, now
        told("Training", min(spent, budget), budget)
        if now - saved > SAVE_SECONDS:
            _save(state, draft, optimiser, spent, steps)
            saved = now
    _save(state, draft, optimiser, spent, steps)
    return agreement(draft, measured, settings.batch, device)


def _save(path: Path, draft: Decoder, optimiser: torch.optim.Optimizer, spent: float, steps: int) -> None:
    partial = path.with_suffix(".partial")
    states = {"draft": draft.state_dict(), "optimiser": optimiser.state_dict(), "spent": spent, "steps": steps}
    torch.save(states, partial)
    partial.replace(path)


def _resume(path: Path, draft: Decoder, optimiser: torch.optim.Optimizer, device: torch.device) -> tuple[float, int]:
    """Take up a run where it stopped: seconds spent and steps done, 0 and 0 where there was none."""
    if not path.exists():
        return 0.0, 0
    states = torch.load(path, map_location=device, weights_only=True)
    draft.load_state_dict(states["draft"])
    optimiser.load_state_dict(states["optimiser"])
    return float(states["spent"]), int(states["steps"])
