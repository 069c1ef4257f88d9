"""Whisper's log-mel spectrogram: 25 ms Hann windows every 10 ms, triangular filters on Slaney's mel scale, log10, the
top 80 dB, scaled.

As in openai/whisper's `audio.log_mel_spectrogram` and transformers' `WhisperFeatureExtractor`, which it equals to 1e-4.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS

WINDOW = 400
HOP = 160
EDGE = WINDOW // 2  # samples of a frame on each side of its middle
LEAST = 1e-10
RANGE = 8  # powers of ten below the loudest sound, which are kept
AT_ONCE = 100  # frames that are transformed together, so that their spectrum stays in the processor's cache

Samples = npt.NDArray[np.float32]

_LINEAR = 200.0 / 3  # Hz a mel below 1 kHz
_BREAK = 1000.0 / _LINEAR  # the mel of 1 kHz, where the scale becomes logarithmic
_STEP = np.log(6.4) / 27


class LogMel:
    """Features of windows of at most `window_seconds` for a model with `bins` mel bins (80 or 128). Holds no state
    between calls.
    """

    def __init__(self, bins: int, window_seconds: int = WINDOW_SECONDS) -> None:
        self.samples = window_seconds * SAMPLE_RATE
        self.frames = self.samples // HOP
        self._bins = bins
        self._hann = np.hanning(WINDOW + 1)[:-1].astype(np.float32)
        self._filters = _filters(bins)

    def features(self, samples: Samples) -> Samples:
        """float32 [bins, frames] of mono `samples` at 16 kHz, padded with silence to the whole window; ValueError if
        longer than that.
        """
        self._check(samples)
        padded = np.zeros(self.samples + WINDOW, np.float32)
        padded[EDGE : EDGE + len(samples)] = samples
        # Reflected at both edges, as a centred transform does.
        padded[:EDGE] = padded[WINDOW:EDGE:-1]
        padded[-EDGE:] = padded[-EDGE - 2 : -WINDOW - 2 : -1]
        count = min(self.frames, -(-(len(samples) + WINDOW) // HOP))  # all frames after these are silent
        mel = np.full((self._bins, self.frames), np.log10(LEAST), np.float32)
        mel[:, :count] = _logarithm(self.mel(frames(padded)[:count]))
        return _scaled(mel, float(mel.max()))

    def part(self, samples: Samples, before: Samples, behind: Samples) -> Samples:
        """The energies [bins, count] of a part of a recording, for `scaled`. `before` and `behind` are EDGE samples on
        each side, none at the start and fewer at the end.
        """
        self._check(samples)
        start = before[-EDGE:] if len(before) else samples[EDGE:0:-1]
        end = np.zeros(EDGE, np.float32)
        end[: len(behind)] = behind[:EDGE]
        return self.mel(frames(np.concatenate([start, samples, end]))[: len(samples) // HOP])

    def scaled(self, mel: Samples, loudest: float) -> Samples:
        """float32 [bins, frames] of a part with the energies `mel` [bins, count] in a recording of which `loudest` is
        the largest: 0 behind the part."""
        found = np.zeros((self._bins, self.frames), np.float32)
        found[:, : mel.shape[1]] = _scaled(_logarithm(mel), float(np.log10(max(loudest, LEAST))))
        return found

    def mel(self, some: Samples) -> Samples:
        """The energy [bins, count] in frames [count, WINDOW]."""
        found = np.empty((self._bins, len(some)), np.float32)
        for at in range(0, len(some), AT_ONCE):
            spectrum = np.fft.rfft(some[at : at + AT_ONCE] * self._hann)
            found[:, at : at + AT_ONCE] = self._filters @ (spectrum.real**2 + spectrum.imag**2).T
        return found

    def _check(self, samples: Samples) -> None:
        if len(samples) > self.samples:
            raise ValueError(f"{len(samples)} samples in a window of {self.samples}")


def frames(samples: Samples) -> Samples:
    """All whole frames [count, WINDOW] of some samples, a view."""
    return np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP]


def features(samples: Samples, bins: int) -> Samples:
    """Features of one window of at most 30 s by itself, for a model with `bins` mel bins."""
    return log_mel(bins).features(samples)


@lru_cache
def log_mel(bins: int) -> LogMel:
    """For windows of 30 s."""
    return LogMel(bins)


def _logarithm(mel: Samples) -> Samples:
    return np.log10(np.maximum(mel, LEAST))


def _scaled(mel: Samples, loudest: float) -> Samples:
    """Logarithms, those more than 80 dB below the loudest cut off."""
    return ((np.maximum(mel, loudest - RANGE) + 4) / 4).astype(np.float32)


def _filters(bins: int) -> npt.NDArray[np.float32]:
    """[bins, frequencies] triangles of equal area from 0 Hz to half the rate (Slaney's Auditory Toolbox, as in
    librosa).
    """
    edges = _hertz(np.linspace(0, _mel(SAMPLE_RATE / 2), bins + 2))
    frequencies = np.linspace(0, SAMPLE_RATE / 2, WINDOW // 2 + 1)
    slopes = edges[:, None] - frequencies
    widths = np.diff(edges)[:, None]
    rising, falling = -slopes[:-2] / widths[:-1], slopes[2:] / widths[1:]
    areas = 2 / (edges[2:] - edges[:-2])[:, None]
    return (np.maximum(0, np.minimum(rising, falling)) * areas).astype(np.float32)


def _mel(hertz: float) -> float:
    return float(_BREAK + np.log(hertz / 1000) / _STEP) if hertz >= 1000 else hertz / _LINEAR


def _hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(mel < _BREAK, mel * _LINEAR, 1000 * np.exp((mel - _BREAK) * _STEP))
