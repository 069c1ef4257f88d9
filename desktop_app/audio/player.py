"""Playing a stretch of a recording. Sound is read and played in a thread of its own: nobody waits for a device."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event, Thread
from typing import Any, Protocol

import numpy as np
import soxr

from desktop_app.audio import microphone
from desktop_app.audio.files import AudioFile, Samples
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

_PIECE = SAMPLE_RATE // 20  # samples written at once: this often progress is reported, and this soon it stops


class Output(Protocol):
    """Where sound goes. `latency` is the delay in seconds from writing to hearing it."""

    latency: float

    def write(self, samples: Samples) -> None:
        """Take in 16 kHz mono, and wait while there is no room."""

    def drain(self) -> None:
        """Wait until all of it was played."""


class PlayerListener(Protocol):
    """Receives progress in the player's thread; `run` is the number that `play` returned."""

    def moved(self, run: int, seconds: float) -> None: ...

    def ended(self, run: int, problem: Problem | None) -> None: ...


class Player:
    """Plays one thing at a time. Attributes: volume (0 to 1, heard at once)."""

    def __init__(
        self, listener: PlayerListener, open_output: Callable[[], AbstractContextManager[Output]] | None = None
    ) -> None:
        self._listener, self._open_output = listener, open_output or Loudspeaker
        self._runs = itertools.count(1)
        self._stop = Event()
        self._thread: Thread | None = None
        self.volume = 1.0

    def play(self, path: str | Path, start: float, end: float | None = None, speed: float = 1.0) -> int:
        """Play a file from `start` to `end` in seconds, instead of what is played now; `speed` times as fast, at the
        same pitch. Gives the run's number."""
        self.stop()
        run, self._stop, before = next(self._runs), Event(), self._thread
        arguments = (run, Path(path), start, end, speed, self._stop, before)
        self._thread = Thread(target=self._work, args=arguments, name="player", daemon=True)
        self._thread.start()
        return run

    def stop(self) -> None:
        """Stop soon; `ended` is not called."""
        self._stop.set()

    def close(self) -> None:
        """Stop, and release the device."""
        self.stop()
        if self._thread is not None:
            self._thread.join(2.0)

    def _work(
        self,
        run: int,
        path: Path,
        start: float,
        end: float | None,
        speed: float,
        stop: Event,
        before: Thread | None,
    ) -> None:
        if before is not None:
            before.join()  # one device, one player
        if stop.is_set():
            return
        trouble: Problem | None = None
        try:
            with AudioFile(path, start, speed) as file, self._open_output() as output:
                left = round((end - start) / speed * SAMPLE_RATE) if end is not None else None
                for sent in self._pour(file, output, left, stop):
                    self._listener.moved(run, start + max(sent / SAMPLE_RATE - output.latency, 0.0) * speed)
                if not stop.is_set():
                    output.drain()
        except Problem as problem:
            trouble = problem
        except Exception as error:  # whatever a driver raises, it must not look as if it were playing
            trouble = Problem("output.failed", error=str(error))
        if not stop.is_set():
            self._listener.ended(run, trouble)

    def _pour(self, file: AudioFile, output: Output, left: int | None, stop: Event) -> Iterator[int]:
        """Write at most `left` samples; gives how many were written, after each piece."""
        sent = 0
        for block in file:
            for first in range(0, len(block), _PIECE):
                piece = block[first : first + _PIECE][: None if left is None else left - sent]
                if stop.is_set() or not piece.size:
                    return
                output.write(piece * np.float32(self.volume))
                sent += piece.size
                yield sent


class Loudspeaker:
    """The system's own choice of an output, at the rate that it likes. Raises Problem on entering."""

    def __init__(self) -> None:
        self.latency = 0.0

    def __enter__(self) -> Loudspeaker:
        self._lent = microphone.lent(self._begin)
        self._stream = self._lent.__enter__()
        self.latency = float(self._stream.latency)
        return self

    def __exit__(self, *error: Any) -> None:
        self._lent.__exit__(None, None, None)

    def write(self, samples: Samples) -> None:
        self._put(self._resampler.resample_chunk(samples))

    def drain(self) -> None:
        self._put(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True))
        self._stream.stop()

    def _put(self, sound: Samples) -> None:
        try:
            self._stream.write(np.repeat(sound[:, None], self._channels, axis=1))
        except self._error as error:
            raise Problem("output.gone") from error

    def _begin(self, sounddevice: Any) -> Any:
        self._error = sounddevice.PortAudioError
        try:
            device = sounddevice.query_devices(kind="output")
            rate, self._channels = int(device["default_samplerate"]), min(int(device["max_output_channels"]), 2)
            self._resampler = soxr.ResampleStream(SAMPLE_RATE, rate, 1, dtype="float32")
            stream = sounddevice.OutputStream(rate, channels=self._channels, dtype="float32")
            stream.start()
        except (self._error, ValueError) as error:  # ValueError: no device of that kind
            raise Problem("output.none") from error
        return stream
