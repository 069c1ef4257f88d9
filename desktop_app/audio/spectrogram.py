"""The features of a recording's windows, cut out of the spectrogram of the whole as openai/whisper's `transcribe` and
transformers' long form do: scaled by the loudest sound of the whole recording, with frames that reach across the
window's edges, and zeros after the end of the recording instead of silence.

That spectrogram is never in memory: the recording is read once to find its loudest sound, then window by window.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from desktop_app.audio.logmel import EDGE, HOP, WINDOW, features, frames, log_mel

Samples = npt.NDArray[np.float32]


class Spectrogram:
    """The features of one recording for models with some numbers of mel bins.

    A recording of one window is taken by itself and padded with silence, as `decode` of openai/whisper and the short
    form of transformers do.
    """

    def __init__(self, blocks: Iterable[Samples], bins: Collection[int]) -> None:
        """`blocks` are all of it, mono at 16 kHz; a second or so is kept at a time."""
        self._loudest = dict.fromkeys(bins, 0.0)
        self._samples, begun = 0, False
        waiting = np.zeros(0, np.float32)
        for block in blocks:
            self._samples += len(block)
            waiting = np.concatenate([waiting, block])
            if not begun and len(waiting) > EDGE:
                begun = True
                waiting = np.concatenate([waiting[EDGE:0:-1], waiting])  # reflected, as a centred transform does
            if begun:
                waiting = self._measure(waiting)
        self._measure(np.concatenate([waiting, np.zeros(WINDOW, np.float32)]))

    def features(self, samples: Samples, bins: int, before: Samples, behind: Samples) -> Samples:
        """float32 [bins, frames] of a window, with the samples around it as for `LogMel.part`."""
        if self._samples <= log_mel(bins).samples:
            return features(samples, bins)
        return log_mel(bins).part(samples, before, behind, self._loudest[bins])

    def _measure(self, samples: Samples) -> Samples:
        """Measure all whole frames; returns the samples left for the next one."""
        if len(samples) < WINDOW:
            return samples
        whole = frames(samples)
        for bins, loudest in self._loudest.items():
            self._loudest[bins] = log_mel(bins).loudest(whole, loudest)
        return samples[len(whole) * HOP :]
