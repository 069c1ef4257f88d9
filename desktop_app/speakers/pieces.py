"""Short pieces of speech and the voice in each, as a vector."""

from __future__ import annotations

import numpy as np

from desktop_app.speakers.filterbanks import FRAME, SHIFT, filterbanks
from desktop_app.speakers.networks import RATE, Array, Embed

LENGTH = 150
"""Frames of a piece: 1.5 s. Shorter ones say little of a voice, longer ones hold two more often."""

HOP = 25
"""Frames from one piece to the next."""

BATCH = 4
"""Pieces that run together, never fewer: OpenVINO keeps 2 MB for every batch size that it has seen. Larger batches take
no less processor time a piece, and smaller ones waste nothing on the pieces that fill up the last.
"""


def embedded(embed: Embed, banks: list[Array]) -> Array:
    """The vectors [n, dims] of length 1 of pieces given as filter banks [frames, bins]; shorter ones than LENGTH are
    repeated until they are as long, so that all run in batches of one size.
    """
    found = []
    for at in range(0, len(banks), BATCH):
        part = banks[at : at + BATCH]
        full = [*part, *part[-1:] * (BATCH - len(part))]
        batch = np.stack([np.resize(each, (LENGTH, each.shape[1])) for each in full])
        vectors = embed(batch - batch.mean(1, keepdims=True))[: len(part)]
        found.append(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))
    return np.concatenate(found)


def pieces(samples: Array) -> tuple[list[Array], Array]:
    """Overlapping pieces of a stretch of speech as filter banks, and the middle of each in seconds from its start.

    The last piece ends where the stretch ends; a stretch that is too short for a frame has none.
    """
    banks = filterbanks(samples)
    if not len(banks):
        return [], np.zeros(0, np.float32)
    last = max(0, len(banks) - LENGTH)
    begins = [*range(0, last, HOP), last]
    cut = [banks[begin : begin + LENGTH] for begin in begins]
    middles = [
        (begin + len(part) / 2) * SHIFT / RATE + (FRAME - SHIFT) / 2 / RATE
        for begin, part in zip(begins, cut, strict=True)
    ]
    return cut, np.array(middles, np.float32)
