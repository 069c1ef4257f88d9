"""The way of a recording's sound to the engine."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np

from desktop_app.app.recordings.engine_port import EnginePort
from desktop_app.messages.jobs import LiveOptions
from desktop_app.messages.options import Options


class Feed:
    """Hands the blocks of one recording on.

    Until it is opened it keeps them: the engine writes one recording at a time, and the last words of the one before
    may still be in work.

    `push` is called from the recorder's thread, the rest from the main thread.

    Attributes: job (the recording's id); is_open.
    """

    def __init__(self, engine: EnginePort, job: str, path: str, options: Callable[[], Options]) -> None:
        self._engine, self.job, self._path, self._options = engine, job, path, options
        self._lock = Lock()
        self._kept: list[tuple[int, np.ndarray]] = []
        self.is_open = self._stopped = False

    def open(self) -> None:
        """Let the engine begin with this recording."""
        with self._lock:
            self.is_open = True
            self._engine.start_live(self.job, self._options(), LiveOptions(self._path))
            for start, samples in self._kept:
                self._engine.live_audio(self.job, start, samples)
            self._kept = []
            if self._stopped:
                self._engine.stop_live(self.job)

    def push(self, samples: np.ndarray, start: int) -> None:
        """The next block; `start` is the recording's sample that it begins with."""
        with self._lock:
            if self.is_open:
                self._engine.live_audio(self.job, start, samples)
            else:
                self._kept.append((start, samples))

    def stop(self) -> None:
        """That was all."""
        with self._lock:
            self._stopped = True
            if self.is_open:
                self._engine.stop_live(self.job)
