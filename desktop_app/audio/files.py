"""Audio and video files as a stream of 16 kHz mono blocks, which a process of its own decodes: `decoder.py`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType

import numpy as np
import numpy.typing as npt

from desktop_app import problems
from desktop_app.audio import decoder_process
from desktop_app.audio.decoder_process import BLOCK, DecoderProcess
from desktop_app.problems import Problem

Samples = npt.NDArray[np.float32]


class AudioFile:
    """One file, opened by `with`, read once by iterating: float32 blocks of 16 kHz mono, channels averaged.

    Time 0 is the start of the container, so that subtitles fit its video: sound that begins later is preceded by
    silence, and a gap in it is filled. With `start` the blocks begin there; beyond the end there are none. With `speed`
    the sound is that many times as fast, at the same pitch.

    Attributes:
        seconds: the length that the container tells; 0.0 where it tells none.
        damage: after reading, what could not be read, or None.

    Raises Problem, mostly on entering: the first block is decoded there.
    """

    def __init__(self, path: str | os.PathLike[str], start: float = 0.0, speed: float = 1.0) -> None:
        self._path, self._start, self._speed = path, start, speed
        self.seconds = 0.0
        self.damage: Problem | None = None

    def __enter__(self) -> AudioFile:
        self._decoder = DecoderProcess()
        try:
            self._decoder.ask(self._path, self._start, self._speed)
            self.seconds = float(self._decoder.receive()[1]["seconds"])
        except BaseException:
            self._decoder.close()
            raise
        decoder_process.prepare()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._decoder.close()

    def __iter__(self) -> Iterator[Samples]:
        while (message := self._decoder.receive())[0] == BLOCK:
            yield np.frombuffer(message[1], "<f4")
        damage = message[1]["damage"]
        self.damage = problems.from_plain(damage) if damage else None
