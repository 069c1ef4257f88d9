"""pyannote's segmentation-3.0: who of up to three people speaks in ten seconds, also two at once.

Its seven classes are sets of speakers: nobody, one of three, two of three (Plaquet and Bredin, Powerset multi-class
cross entropy loss for neural speaker diarization, 2023). Which of the three somebody is differs from window to window.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.networks import Array
from desktop_app.transcript.constants import SAMPLE_RATE

WINDOW = 10 * SAMPLE_RATE
"""Samples of one window of the network."""

FRAMES = 589
"""Frames of a window."""

SHIFT = 270
"""Samples from one frame to the next."""

CENTRE = 495
"""Samples from the begin of a window to the middle of its first frame."""

SPEAKERS = 3

CLASSES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]], bool)
"""Who speaks in each class."""


def probabilities(scores: Array) -> Array:
    """Scores [..., 7] -> the probability of each class."""
    if scores.shape[-1] != len(CLASSES):
        raise ValueError(f"a segmentation of {scores.shape[-1]} classes is not known, only of {len(CLASSES)}")
    found = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(found / found.sum(-1, keepdims=True))


def spans(frames: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The runs of True in [frames]: first frame, and the one behind the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], frames.astype(np.int8), [0]])))
    return [(int(begin), int(end)) for begin, end in zip(edges[::2], edges[1::2], strict=True)]
