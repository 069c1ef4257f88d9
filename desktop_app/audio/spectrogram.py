"""The features of a recording's windows, cut out of the spectrogram of the whole as openai/whisper's `transcribe` and
transformers' long form do: scaled by the loudest sound of the whole recording, with frames that reach across the
window's edges, and zeros after the end of the recording instead of silence.

The recording is read for that before it is read for its text. Of a short one the spectrogram is kept; of a longer one
only the loudest sound, and the features are computed window by window.

A long one need not be read to its end before: the features of its beginning are scaled by the loudest sound so far, and
when all is read, `settle` tells whether they are as they would have become. They are where nothing in them is so soft
that the loudest sound cuts it off.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from desktop_app.audio.logmel import AT_ONCE, EDGE, HOP, LEAST, RANGE, WINDOW, features, frames, log_mel
from desktop_app.transcript.constants import SAMPLE_RATE

Samples = npt.NDArray[np.float32]

_ROUNDING = 1e-5  # of logarithms as float32

SHORT = 10 * 60 * SAMPLE_RATE
"""The most samples of a short recording, of which sound (38 MB) and spectrogram (19 MB with 80 mel bins) are kept."""


class Spectrogram:
    """The features of one recording for models with some numbers of mel bins.

    A recording of one window is taken by itself and padded with silence, as `decode` of openai/whisper and the short
    form of transformers do.
    """

    def __init__(self, blocks: Iterable[Samples], bins: Collection[int], *, is_whole: bool = True) -> None:
        """`blocks` are all of it, mono at 16 kHz; or, where it is not yet `is_whole`, its beginning, and `add` takes
        the rest up to `finish`."""
        self._loudest = dict.fromkeys(bins, 0.0)
        self._samples, self._begun = 0, False
        self._parts: dict[int, list[Samples]] = {each: [] for each in bins}
        self._mel: dict[int, Samples] = {}
        self._waiting = np.zeros(0, np.float32)
        for block in blocks:
            self.add(block)
        self._scale, self._softest = dict(self._loudest), dict.fromkeys(bins, math.inf)
        if is_whole:
            self.finish()
            self.settle()

    @property
    def seconds(self) -> float:
        """How much of it was read."""
        return self._samples / SAMPLE_RATE

    def add(self, block: Samples) -> None:
        """Take the next block. `features` may run meanwhile."""
        self._samples += len(block)
        waiting = np.concatenate([self._waiting, block])
        if not self._begun and len(waiting) > EDGE:
            self._begun = True
            waiting = np.concatenate([waiting[EDGE:0:-1], waiting])  # reflected, as a centred transform does
        self._waiting = self._measure(waiting, AT_ONCE) if self._begun else waiting

    def finish(self) -> None:
        """That was the last block."""
        self._measure(np.concatenate([self._waiting, np.zeros(WINDOW, np.float32)]), 1)
        self._mel = {each: np.concatenate(blocks, 1) for each, blocks in self._parts.items() if blocks}

    def settle(self) -> bool:
        """From now on scale by the loudest sound of all that was read; whether the features that were given before
        would have been the same."""
        stand = all(
            scale == loudest or _logarithm(self._softest[bins]) >= _logarithm(loudest) - RANGE + _ROUNDING
            for (bins, scale), loudest in zip(self._scale.items(), self._loudest.values(), strict=True)
        )
        self._scale, self._softest = dict(self._loudest), dict.fromkeys(self._loudest, math.inf)
        return stand

    def features(self, samples: Samples, bins: int, before: Samples, behind: Samples, place: int) -> Samples:
        """float32 [bins, frames] of a window that begins with the sample `place` of the recording; the samples around
        it are as for `LogMel.part`."""
        transform = log_mel(bins)
        if self._samples <= transform.samples:
            return features(samples, bins)
        if bins in self._mel and place % HOP == 0:
            first = place // HOP
            mel = self._mel[bins][:, first : first + len(samples) // HOP]
        else:
            mel = transform.part(samples, before, behind)
        self._softest[bins] = min(self._softest[bins], float(mel.min(initial=math.inf)))
        return transform.scaled(mel, self._scale[bins])

    def _measure(self, samples: Samples, at_once: int) -> Samples:
        """Measure whole frames, `at_once` or a multiple of that, and keep those of a short recording;
        returns the samples left for the next ones."""
        if len(samples) < WINDOW + (at_once - 1) * HOP:
            return samples
        whole = frames(samples)
        whole = whole[: len(whole) // at_once * at_once]
        for bins, blocks in self._parts.items():
            mel = log_mel(bins).mel(whole)
            self._loudest[bins] = max(self._loudest[bins], float(mel.max()))
            if self._samples <= SHORT:
                blocks.append(mel)
            else:
                blocks.clear()
        return samples[len(whole) * HOP :]


def _logarithm(energy: float) -> float:
    return math.log10(max(energy, LEAST))
