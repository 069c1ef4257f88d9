"""How loud a recording is all along, for its waveform: read in the background, by a decoding process of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Protocol

import numpy as np

from desktop_app.audio.decoder_process import BLOCK, DecoderProcess
from desktop_app.audio.files import Samples
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

RATE = 100
"""Peaks a second: a bar of a waveform that shows five seconds on a wide screen."""

_EVERY = 0.2  # seconds between two batches
_SIZE = SAMPLE_RATE // RATE


def loudest(blocks: Iterable[Samples]) -> Iterator[Samples]:
    """The largest magnitude of each 10 ms of 16 kHz sound, in batches of a fifth of a second's work."""
    rest, batch, sent = np.zeros(0, np.float32), list[Samples](), monotonic()
    for block in blocks:
        sound = np.concatenate((rest, np.abs(block)))
        whole = sound.size - sound.size % _SIZE
        batch.append(sound[:whole].reshape(-1, _SIZE).max(axis=1))
        rest = sound[whole:]
        if monotonic() - sent > _EVERY:
            yield np.concatenate(batch)
            batch, sent = [], monotonic()
    if rest.size:
        batch.append(rest.max(keepdims=True))
    if batch:
        yield np.concatenate(batch)


class PeaksListener(Protocol):
    """Receives peaks in the reader's thread; `run` is the number that `read` returned."""

    def opened(self, run: int, has_pictures: bool) -> None:
        """The file can be read, and is a video or not."""

    def came(self, run: int, peaks: Samples) -> None:
        """The next ones."""

    def ended(self, run: int, problem: Problem | None) -> None:
        """There are no more, or the rest cannot be read."""


class PeakReader:
    """Reads one file at a time."""

    def __init__(self, listener: PeaksListener) -> None:
        self._listener = listener
        self._runs = itertools.count(1)
        self._stop = Event()

    def read(self, path: str | Path) -> int:
        """Read a file, instead of the one before. Gives the run's number."""
        self.stop()
        run, self._stop = next(self._runs), Event()
        Thread(target=self._work, args=(run, path, self._stop), name="peaks", daemon=True).start()
        return run

    def stop(self) -> None:
        """Read no more; `ended` is not called."""
        self._stop.set()

    def _work(self, run: int, path: str | Path, stop: Event) -> None:
        trouble: Problem | None = None
        try:
            decoder = DecoderProcess()
            try:
                decoder.ask(path, peaks=True)
                self._listener.opened(run, bool(decoder.receive()[1]["pictures"]))
                while (message := decoder.receive())[0] == BLOCK:
                    if stop.is_set():
                        return
                    self._listener.came(run, np.frombuffer(message[1], "<f4"))
            finally:
                decoder.close()
        except Problem as problem:
            trouble = problem
        if not stop.is_set():
            self._listener.ended(run, trouble)
