"""What a recorder has recorded: 16 kHz mono, on the disk first, then told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr

from desktop_app.audio.files import Samples
from desktop_app.audio.flac import FlacWriter
from desktop_app.transcript.constants import SAMPLE_RATE

_FULL = 2**15


class Tape:
    """A new file; `tell` gets the samples that are in it, with the index of the first. Every method raises OSError.

    The recording is 16 bits: the listener gets exactly the samples of the file, so that a live text and the file's
    text come from the same sound. Whisper hears nothing that 16 kHz leave out.

    Attributes:
        samples: the length so far at 16 kHz, with what is still on its way to the file.
    """

    def __init__(self, path: Path, tell: Callable[[Samples, int], None]) -> None:
        self._file = FlacWriter(path, SAMPLE_RATE)
        self._tell = tell
        self._rate = SAMPLE_RATE
        self._resampler: Any = None
        self._untold: list[npt.NDArray[np.int16]] = []
        self._told = 0
        self.samples = 0

    @property
    def seconds(self) -> float:
        return self.samples / SAMPLE_RATE

    def add(self, sound: Samples, rate: int) -> None:
        """Mono sound of any rate."""
        if rate != self._rate:
            self.cut()
            self._rate = rate
        if rate != SAMPLE_RATE and self._resampler is None:
            self._resampler = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32")
        self._keep(self._resampler.resample_chunk(sound) if self._resampler else sound)

    def cut(self) -> None:
        """What comes next does not follow on from what was added last."""
        if self._resampler is not None:
            self._keep(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True))
            self._resampler = None

    def silence(self, samples: int) -> None:
        """Let so many samples of silence stand for what never came."""
        self.cut()
        while samples > 0:
            piece = min(samples, SAMPLE_RATE)
            self._keep(np.zeros(piece, np.float32))
            samples -= piece

    def sync(self) -> None:
        """Wait until the disk has what was written."""
        self._file.sync()

    def close(self) -> None:
        """Complete the file."""
        self.cut()
        self._file.close()
        self._tell_written()

    def abandon(self) -> None:
        """Close the file with what is in it, for a disk that takes no more. Never raises."""
        self._file.abandon()
        self.samples = self._file.samples

    def _keep(self, sound: Samples) -> None:
        if not sound.size:
            return
        whole = np.clip(np.rint(np.nan_to_num(sound) * _FULL), -_FULL, _FULL - 1).astype(np.int16)
        self._untold.append(whole)
        self.samples += whole.size
        self._file.write(whole)
        self._tell_written()

    def _tell_written(self) -> None:
        ready = self._file.samples - self._told
        if not ready:
            return
        sound = np.concatenate(self._untold)
        self._untold = [sound[ready:]] if ready < sound.size else []
        start, self._told = self._told, self._file.samples
        self._tell(np.divide(sound[:ready], _FULL, dtype=np.float32), start)
