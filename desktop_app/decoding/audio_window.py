"""One window of audio with its log-mel features and each model's encoding of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.protocol import Model

Samples = npt.NDArray[np.float32]
Features = npt.NDArray[np.float32]
FeatureExtractor = Callable[[Samples, int], Features]
"""Computes log-mel features [bins, frames] of up to 30 s of mono samples at 16 kHz, for a number of mel bins."""

NOTHING: Samples = np.zeros(0, np.float32)

MARGIN = 200
"""Samples around a part of a recording that its features may depend on: half a frame."""


class PartFeatureExtractor(Protocol):
    """Computes the features of a part of a recording."""

    def __call__(self, samples: Samples, bins: int, before: Samples, behind: Samples) -> Features:
        """As FeatureExtractor; `before` and `behind` are MARGIN samples around the part, none at the start of the
        recording and fewer at its end."""


class Window:
    """A window of audio. Features are computed once for each number of mel bins, encodings once for each model, and
    only when they are needed.

    `place` is the index of its first sample in the recording; `before` are samples that precede it, as far as they are
    known.
    """

    def __init__(self, samples: Samples, extract: FeatureExtractor, place: int = 0, before: Samples = NOTHING) -> None:
        self.samples, self.place, self.before = samples, place, before
        self._extract = extract
        self._features: dict[int, Features] = {}
        self._encoded: dict[Model, Any] = {}

    def encoded(self, model: Model) -> Any:
        """The encoding of the window by `model`, for its `open`."""
        if model not in self._encoded:
            bins = model.mel_bins
            if bins not in self._features:
                self._features[bins] = self._extract(self.samples, bins)
            self._encoded[model] = model.encode(self._features[bins])
        return self._encoded[model]
