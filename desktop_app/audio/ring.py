"""A ring buffer between PortAudio's callback, which must never wait, and the thread that reads it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

SECONDS = 30.0
"""How long the reader may be away before sound is lost."""

_MOST = 12_000_000  # bytes: the 30 s of 48 kHz stereo
_BLOCKS_A_SECOND = 500
_SAMPLE = 4
_LEAST_LOSS = 0.05


class Ring:
    """Holds float32 frames of `channels`, preallocated: one thread writes, one reads, and neither waits for the other.

    Each side moves only its own counters, which only grow; a block is written before it is counted.
    """

    def __init__(self, rate: int, channels: int, seconds: float = SECONDS) -> None:
        self.rate, self.channels = rate, channels
        self._frame = channels * _SAMPLE
        seconds = min(seconds, _MOST / self._frame / rate)
        self._capacity = round(rate * seconds)
        self._room = memoryview(bytearray(self._capacity * self._frame))
        # A row a block: frames, frames lost before it, when it came, whether the driver lost some.
        self._notes = np.zeros((max(8, round(_BLOCKS_A_SECOND * seconds)), 4), np.float64)
        self._written = self._noted = self._unnoted = 0
        self._read = self._taken = 0
        self._lag: float | None = None
        self._frames = 0.0

    def write(self, sound: Any, frames: int, driver_lost: bool) -> None:
        """Take a block of interleaved float32 `sound`; what finds no room is counted as lost. For the callback.

        `driver_lost` tells that the driver had to throw sound away before this block.
        """
        if self._written + frames - self._read > self._capacity or self._noted - self._taken >= len(self._notes):
            self._unnoted += frames
            return
        at = self._written % self._capacity
        first = min(frames, self._capacity - at)
        self._room[at * self._frame : (at + first) * self._frame] = sound[: first * self._frame]
        if first < frames:
            self._room[: (frames - first) * self._frame] = sound[first * self._frame :]
        note = self._notes[self._noted % len(self._notes)]
        note[0], note[1], note[2], note[3] = frames, self._unnoted, time.perf_counter(), driver_lost
        self._unnoted = 0
        self._written += frames
        self._noted += 1

    @property
    def room(self) -> int:
        """How many frames can be written now."""
        return self._capacity - (self._written - self._read)

    @property
    def waiting(self) -> bool:
        """Whether there is something to read."""
        return self._noted > self._taken

    def read(self) -> Iterator[tuple[npt.NDArray[np.float32], int]]:
        """The blocks that have come until now: float32 [frames, channels] and how many frames were lost before each."""
        noted = self._noted  # what comes meanwhile is for the next time: else a quick writer would let this never end
        while self._taken < noted:
            frames, lost, when, driver_lost = self._notes[self._taken % len(self._notes)]
            frames = int(frames)
            at = self._read % self._capacity
            first = min(frames, self._capacity - at)
            block = np.empty(frames * self.channels, np.float32)
            raw = block.data.cast("B")
            raw[: first * self._frame] = self._room[at * self._frame : (at + first) * self._frame]
            raw[first * self._frame :] = self._room[: (frames - first) * self._frame]
            self._read += frames
            self._taken += 1
            yield block.reshape(frames, self.channels), int(lost) + self._missed(frames, int(lost), when, driver_lost)

    def _missed(self, frames: int, lost: int, when: float, driver_lost: float) -> int:
        """How many frames the driver threw away. It tells only that it did, so the clock has to say how many."""
        self._frames += frames + lost
        lag = when - self._frames / self.rate
        if self._lag is None:
            self._lag = lag
        late = lag - self._lag
        if driver_lost and late > _LEAST_LOSS:
            missed = round(late * self.rate)
            self._frames += missed
            return missed
        self._lag += 0.05 * late  # the two clocks drift, and blocks come unevenly
        return 0
