"""Train a draft's decoder to predict the target's text: distillation from labels with the target's likeliest tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from desktop_app.training.labels import Labels
from desktop_app.training.network import Decoder, autocast

RATE = 8e-4
"""The learning rate at its highest."""
_MASKED = 0.1  # share of the encoder's output that is masked, so that few windows last for many steps
_ROOM = 1e-6


@dataclass(frozen=True)
class TrainingBatch:
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
    """Makes batches for a head of so many tokens, by their ids; `pooling` of the encoder's positions become one."""

    def __init__(self, head_tokens: Sequence[int], pooling: int, device: torch.device) -> None:
        self._pooling, self._device = pooling, device
        self._places = np.full(max(head_tokens) + 1, -1)
        self._places[np.asarray(head_tokens)] = np.arange(len(head_tokens))

    def load(self, files: Sequence[Path]) -> TrainingBatch:
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
            np.stack([window.pooled(self._pooling) for window in windows]),
            read,
            wanted,
            self._places[np.concatenate([window.wrote for window in windows])],
            np.maximum(choices, 0),
            np.where(choices >= 0, np.concatenate([window.shares for window in windows]), np.float32(0)),
        )
        return TrainingBatch(*(torch.from_numpy(array).to(self._device) for array in arrays))


def cross_entropy(likely: Tensor, batch: TrainingBatch) -> Tensor:
    """Cross-entropy of the draft on the target's tokens; `likely` [P, head] are its log-probabilities."""
    known = batch.wrote >= 0
    return -likely[known].gather(1, batch.wrote[known, None]).sum() / known.sum().clamp_min(1)


def divergence(likely: Tensor, batch: TrainingBatch) -> Tensor:
    """Kullback-Leibler divergence of the draft from the target's choices; all others count as one."""
    own = likely.gather(1, batch.choices)
    rest, its_rest = _rest(_shared(own, batch)), _rest(batch.shares)
    known = (batch.shares * (batch.shares.clamp_min(_ROOM).log() - own)).sum(-1)
    return (known + its_rest * (its_rest.log() - rest.log())).mean()


def total_variation(likely: Tensor, batch: TrainingBatch) -> Tensor:
    """Total variation distance between draft and target: one minus the chance that a drawn token is accepted."""
    own = _shared(likely.gather(1, batch.choices), batch)
    apart = (own - batch.shares).abs().sum(-1) + (_rest(own) - _rest(batch.shares)).abs()
    return 0.5 * apart.mean()


def mix(likely: Tensor, batch: TrainingBatch) -> Tensor:
    """The sum of all three: divergence helps at first, total variation at the end, cross-entropy keeps the top
    token."""
    return divergence(likely, batch) + 0.3 * cross_entropy(likely, batch) + total_variation(likely, batch)


LOSSES = {"cross-entropy": cross_entropy, "divergence": divergence, "total-variation": total_variation, "mix": mix}


def _shared(own: Tensor, batch: TrainingBatch) -> Tensor:
    """The draft's probabilities of the choices that its head has."""
    return torch.where(batch.shares > 0, own.exp(), torch.zeros((), device=own.device))


def _rest(shares: Tensor) -> Tensor:
    return (1 - shares.sum(-1)).clamp_min(_ROOM)


class Distillation:
    """How a draft's decoder learns: `loop.Lesson`. `loss` is one of LOSSES."""

    def __init__(self, draft: Decoder, batches: Batches, loss: str = "mix") -> None:
        self.network = draft
        self._batches, self._loss = batches, LOSSES[loss]
        self._device = next(draft.parameters()).device

    def loss(self, files: Sequence[Path]) -> Tensor:
        batch = self._batches.load(files)
        with autocast(self._device):
            scores = self.network(batch.read, torch.nn.functional.dropout(batch.encoded, _MASKED), batch.wanted)
        return self._loss(scores.float().log_softmax(-1), batch)

    def agreement(self, files: Sequence[Path]) -> tuple[int, int]:
        """At how many places the draft's likeliest token is the target's, and how many there are."""
        batch = self._batches.load(files)
        with autocast(self._device):
            scores = self.network(batch.read, batch.encoded, batch.wanted)
        return int((scores.argmax(-1) == batch.wrote).sum()), len(batch.wrote)
