"""Whisper's log-mel spectrogram: 25 ms Hann windows every 10 ms, triangular filters on Slaney's mel scale, log10, the
top 80 dB, scaled.

As in openai/whisper's `audio.log_mel_spectrogram` and transformers' `WhisperFeatureExtractor`, which it equals to 1e-4.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

RATE = 16_000
WINDOW = 400
HOP = 160

_LINEAR = 200.0 / 3  # Hz a mel below 1 kHz
_BREAK = 1000.0 / _LINEAR  # the mel of 1 kHz, where the scale becomes logarithmic
_STEP = np.log(6.4) / 27


class LogMel:
    """Features of one window of at most `window_seconds` for a model with `bins` mel bins (80 or 128). Holds no state
    between calls.
    """

    def __init__(self, bins: int, window_seconds: int = 30) -> None:
        self.samples = window_seconds * RATE
        self.frames = self.samples // HOP
        self._hann = np.hanning(WINDOW + 1)[:-1].astype(np.float32)
        self._filters = _filters(bins)

    def features(self, samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """float32 [bins, frames] of mono `samples` at 16 kHz, padded with silence to the whole window; ValueError if
        longer than that.
        """
        if len(samples) > self.samples:
            raise ValueError(f"{len(samples)} samples in a window of {self.samples}")
        padded = np.zeros(self.samples + WINDOW, np.float32)
        padded[WINDOW // 2 : WINDOW // 2 + len(samples)] = samples
        # Reflected at both edges, as a centred transform does.
        padded[: WINDOW // 2] = padded[WINDOW : WINDOW // 2 : -1]
        padded[-(WINDOW // 2) :] = padded[-WINDOW // 2 - 2 : -WINDOW - 2 : -1]
        heard = min(self.frames, -(-(len(samples) + WINDOW) // HOP))  # all frames after these are silent
        windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[: heard * HOP : HOP]
        spectrum = np.fft.rfft(windows * self._hann)
        power = np.zeros((self.frames, WINDOW // 2 + 1), np.float32)
        power[:heard] = spectrum.real**2 + spectrum.imag**2
        mel = np.log10(np.maximum(self._filters @ power.T, 1e-10))
        return ((np.maximum(mel, mel.max() - 8) + 4) / 4).astype(np.float32)


def features(samples: npt.NDArray[np.float32], bins: int) -> npt.NDArray[np.float32]:
    """Features of one window of at most 30 s for a model with `bins` mel bins."""
    return _log_mel(bins).features(samples)


@lru_cache
def _log_mel(bins: int) -> LogMel:
    return LogMel(bins)


def _filters(bins: int) -> npt.NDArray[np.float32]:
    """[bins, frequencies] triangles of equal area from 0 Hz to half the rate (Slaney's Auditory Toolbox, as in
    librosa).
    """
    edges = _hertz(np.linspace(0, _mel(RATE / 2), bins + 2))
    frequencies = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    slopes = edges[:, None] - frequencies
    widths = np.diff(edges)[:, None]
    rising, falling = -slopes[:-2] / widths[:-1], slopes[2:] / widths[1:]
    areas = 2 / (edges[2:] - edges[:-2])[:, None]
    return (np.maximum(0, np.minimum(rising, falling)) * areas).astype(np.float32)


def _mel(hertz: float) -> float:
    return float(_BREAK + np.log(hertz / 1000) / _STEP) if hertz >= 1000 else hertz / _LINEAR


def _hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(mel < _BREAK, mel * _LINEAR, 1000 * np.exp((mel - _BREAK) * _STEP))
