"""The file of a live recording, 16 kHz mono: samples are delivered to a listener only once they are on the disk."""

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


class RecordingFile:
    """A new FLAC file; `deliver` is called with samples that are in it and the index of the first. Every method may
    raise OSError.

    The file has 16 bits, and the listener gets exactly its samples, so that the live text and the file's text come from
    the same sound. 16 kHz is Whisper's own sample rate.

    Attributes:
        samples: the length so far at 16 kHz, including what is not in the file yet.
    """

    def __init__(self, path: Path, deliver: Callable[[Samples, int], None]) -> None:
        self._file = FlacWriter(path, SAMPLE_RATE)
        self._deliver = deliver
        self._rate = SAMPLE_RATE
        self._resampler: Any = None
        self._undelivered: list[npt.NDArray[np.int16]] = []
        self._delivered = 0
        self.samples = 0

    @property
    def seconds(self) -> float:
        return self.samples / SAMPLE_RATE

    def add(self, sound: Samples, rate: int) -> None:
        """Add mono sound of any sample rate."""
        if rate != self._rate:
            self.cut()
            self._rate = rate
        if rate != SAMPLE_RATE and self._resampler is None:
            self._resampler = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32")
        self._keep(self._resampler.resample_chunk(sound) if self._resampler else sound)

    def cut(self) -> None:
        """The next sound does not continue the last: finish the resampler."""
        if self._resampler is not None:
            self._keep(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True))
            self._resampler = None

    def silence(self, samples: int) -> None:
        """Add so many samples of silence in place of sound that was lost."""
        self.cut()
        while samples > 0:
            piece = min(samples, SAMPLE_RATE)
            self._keep(np.zeros(piece, np.float32))
            samples -= piece

    def sync(self) -> None:
        """Let the disk take what was written, beside what follows."""
        self._file.sync()

    def close(self) -> None:
        """Complete the file."""
        self.cut()
        self._file.close()
        self._deliver_written()

    def abandon(self) -> None:
        """Close the file as it is, where the disk is full. Never raises."""
        self._file.abandon()
        self.samples = self._file.samples

    def _keep(self, sound: Samples) -> None:
        if not sound.size:
            return
        whole = np.clip(np.rint(np.nan_to_num(sound) * _FULL), -_FULL, _FULL - 1).astype(np.int16)
        self._undelivered.append(whole)
        self.samples += whole.size
        self._file.write(whole)
        self._deliver_written()

    def _deliver_written(self) -> None:
        ready = self._file.samples - self._delivered
        if not ready:
            return
        sound = np.concatenate(self._undelivered)
        self._undelivered = [sound[ready:]] if ready < sound.size else []
        start, self._delivered = self._delivered, self._file.samples
        self._deliver(np.divide(sound[:ready], _FULL, dtype=np.float32), start)
