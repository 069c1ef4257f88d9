"""The probability of speech in a stream, by Silero's network."""

from __future__ import annotations

import numpy as np

from desktop_app.audio.silero import FRAME, Silero
from desktop_app.speakers.networks import Array

_QUIET = 5e-4  # of full scale, -66 dB: no microphone's speech is below it, and the network need not be asked


class SileroVoice:
    """A `networks.Voice`: hears one stream from its begin to its end."""

    def __init__(self) -> None:
        self._network = Silero()

    def __call__(self, samples: Array) -> Array:
        chunks = samples.reshape(-1, FRAME)
        loud = np.abs(chunks).max(axis=1) >= _QUIET
        found = np.zeros(len(chunks), np.float32)
        found[loud] = self._network(chunks[loud])
        return found
