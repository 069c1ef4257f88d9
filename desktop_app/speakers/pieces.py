"""The voice in a piece of speech, as a vector: statistics pooling over the frames that are one person's, and what the
embedding network makes of it.
"""

from __future__ import annotations

import numpy as np

from desktop_app.speakers.networks import Array, Embed

BATCH = 9
"""Pieces that run together, never fewer: OpenVINO keeps memory for every batch size that it has seen."""


def pooled(features: Array, weights: Array) -> Array:
    """The weighted mean and standard deviation of features [frames, dims], for each row of weights [n, frames]:
    [n, 2 dims]. With weights of 0 and 1 it is the pooling that the network was trained with (Desplanques et al., 2020;
    weighted as in pyannote.audio).
    """
    total = np.maximum(weights.sum(1, keepdims=True), 1e-6)
    free = np.maximum(total - (weights**2).sum(1, keepdims=True) / total, 1e-3)
    mean = weights @ features / total
    spread = np.maximum(weights @ features**2 - total * mean**2, 0.0) / free
    return np.concatenate([mean, np.sqrt(spread + 1e-7)], 1)


def embedded(embed: Embed, statistics: Array) -> Array:
    """The vectors [n, size] of length 1 of pooled pieces [n, 2 dims]."""
    full = np.resize(statistics, (-(-len(statistics) // BATCH) * BATCH, statistics.shape[1]))
    found = np.concatenate([embed(full[at : at + BATCH]) for at in range(0, len(full), BATCH)])[: len(statistics)]
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))
