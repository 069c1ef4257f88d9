"""The features of a recording's windows, cut out of the spectrogram of the whole as openai/whisper's `transcribe` and
transformers' long form do: scaled by the loudest sound of the whole recording, with frames that reach across the
window's edges, and zeros after the end of the recording instead of silence.

The recording is read for that before it is read for its text. Of a short one the spectrogram is kept; of a longer one
only the loudest sound, and the features are computed window by window.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from desktop_app.audio.logmel import AT_ONCE, EDGE, HOP, WINDOW, features, frames, log_mel
from desktop_app.transcript.constants import SAMPLE_RATE

Samples = npt.NDArray[np.float32]

SHORT = 10 * 60 * SAMPLE_RATE
"""The most samples of a short recording, of which sound (38 MB) and spectrogram (19 MB with 80 mel bins) are kept."""


class Spectrogram:
    """The features of one recording for models with some numbers of mel bins.

    A recording of one window is taken by itself and padded with silence, as `decode` of openai/whisper and the short
    form of transformers do.
    """

    def __init__(self, blocks: Iterable[Samples], bins: Collection[int]) -> None:
        """`blocks` are all of it, mono at 16 kHz."""
        self._loudest = dict.fromkeys(bins, 0.0)
        self._samples, begun = 0, False
        parts: dict[int, list[Samples]] = {each: [] for each in bins}
        waiting = np.zeros(0, np.float32)
        for block in blocks:
            self._samples += len(block)
            waiting = np.concatenate([waiting, block])
            if not begun and len(waiting) > EDGE:
                begun = True
                waiting = np.concatenate([waiting[EDGE:0:-1], waiting])  # reflected, as a centred transform does
            if begun:
                waiting = self._measure(waiting, AT_ONCE, parts)
        self._measure(np.concatenate([waiting, np.zeros(WINDOW, np.float32)]), 1, parts)
        self._mel = {each: np.concatenate(blocks, 1) for each, blocks in parts.items() if blocks}

    def features(self, samples: Samples, bins: int, before: Samples, behind: Samples, place: int) -> Samples:
        """float32 [bins, frames] of a window that begins with the sample `place` of the recording; the samples around
        it are as for `LogMel.part`."""
        transform, loudest = log_mel(bins), self._loudest[bins]
        if self._samples <= transform.samples:
            return features(samples, bins)
        if bins in self._mel and place % HOP == 0:
            first = place // HOP
            return transform.scaled(self._mel[bins][:, first : first + len(samples) // HOP], loudest)
        return transform.part(samples, before, behind, loudest)

    def _measure(self, samples: Samples, at_once: int, parts: dict[int, list[Samples]]) -> Samples:
        """Measure whole frames, `at_once` or a multiple of that, and add them to the `parts` of a short recording;
        returns the samples left for the next ones."""
        if len(samples) < WINDOW + (at_once - 1) * HOP:
            return samples
        whole = frames(samples)
        whole = whole[: len(whole) // at_once * at_once]
        for bins, blocks in parts.items():
            mel = log_mel(bins).mel(whole)
            self._loudest[bins] = max(self._loudest[bins], float(mel.max()))
            if self._samples <= SHORT:
                blocks.append(mel)
            else:
                blocks.clear()
        return samples[len(whole) * HOP :]
