"""One window of audio with its log-mel features and each model's encoding of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.protocol import Model
from desktop_app.transcript.constants import SAMPLE_RATE

Samples = npt.NDArray[np.float32]
Features = npt.NDArray[np.float32]
FeatureExtractor = Callable[[Samples, int], Features]
"""Computes log-mel features [bins, frames] of up to 30 s of mono samples at 16 kHz, for a number of mel bins."""

NOTHING: Samples = np.zeros(0, np.float32)

MARGIN = 200
"""Samples around a part of a recording that its features may depend on: half a frame."""

BEFORE = 6 * SAMPLE_RATE
"""Samples before a window for the guard: it looks for speech that began up to four seconds before, and its voice
detector takes two more to settle."""


class PartFeatureExtractor(Protocol):
    """Computes the features of a part of a recording."""

    def __call__(self, samples: Samples, bins: int, before: Samples, behind: Samples, place: int) -> Features:
        """As FeatureExtractor; `before` and `behind` are MARGIN samples around the part, none at the start of the
        recording and fewer at its end, and `place` is where in the recording it begins, in samples."""


class AudioWindow:
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
            self._encoded[model] = model.encode(self.features(model.mel_bins))
        return self._encoded[model]

    def features(self, bins: int) -> Features:
        """The features of the window for a number of mel bins."""
        if bins not in self._features:
            self._features[bins] = self._extract(self.samples, bins)
        return self._features[bins]

    def keep(self, model: Model, encoded: Any) -> None:
        """Take over an encoding by `model` that was computed together with those of other windows."""
        self._encoded[model] = encoded

    def rest(self, start: int) -> AudioWindow:
        """The window from a sample of the recording on, which lies in it or is its end."""
        done = start - self.place
        if not done:
            return self
        before = np.concatenate([self.before, self.samples[:done]])[-BEFORE:]
        return AudioWindow(self.samples[done:], self._extract, start, before)
