"""Cut recordings into windows to learn from: short files are joined, because a window costs the same however little is
said in it, and long ones are cut.

Some windows are left shorter than the model's, as in live transcription.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from desktop_app.audio.files import AudioFile
from desktop_app.decoding.audio_window import Samples
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

FULL_SECONDS = 29.5
CHANGED = "-changed"
"""How the key of a window ends that an `Augmenter` changes; the rest is the key of the window as it was recorded."""
SHORTEST_SECONDS = 3.0
_SHORT_SHARE = 0.25
_PAUSE_SECONDS = (0.2, 1.0)


@dataclass(frozen=True)
class Piece:
    """So many seconds of a recording, with a pause before them."""

    recording: Path
    start: float
    seconds: float
    pause: float


@dataclass(frozen=True)
class TrainingWindow:
    """The pieces of one window, in order. `key` changes with the files and with what is taken of them."""

    key: str
    pieces: tuple[Piece, ...]

    @property
    def seconds(self) -> float:
        """How long it is, pauses included."""
        return sum(piece.pause + piece.seconds for piece in self.pieces)

    @property
    def is_changed(self) -> bool:
        """Whether an `Augmenter` changes it."""
        return self.key.endswith(CHANGED)

    def samples(self) -> Samples:
        """Mono samples at 16 kHz as they were recorded. A piece that can no longer be read is left out."""
        found: list[Samples] = []
        for piece in self.pieces:
            try:
                sound = _read(piece)
            except Problem:
                continue
            found += [np.zeros(round(piece.pause * SAMPLE_RATE), np.float32), sound]
        return np.concatenate(found) if found else np.zeros(0, np.float32)


def cut(recordings: Mapping[Path, float], seed: int = 1) -> list[TrainingWindow]:
    """The windows of some recordings, whose lengths in seconds are given, and each once more to be changed. Files of
    one folder share windows."""
    rng, found, pieces, room = random.Random(seed), [], list[Piece](), 0.0
    for piece in _pieces(recordings, rng):
        elsewhere = bool(pieces) and pieces[-1].recording.parent != piece.recording.parent
        if pieces and (elsewhere or piece.pause + piece.seconds > room):
            found.append(_window(pieces))
            pieces = []
        if not pieces:
            short = rng.random() < _SHORT_SHARE
            room = rng.uniform(SHORTEST_SECONDS, FULL_SECONDS) if short else FULL_SECONDS
        pieces.append(piece)
        room -= piece.pause + piece.seconds
    if pieces:
        found.append(_window(pieces))
    return [*found, *(replace(window, key=f"{window.key}{CHANGED}") for window in found)]


def _pieces(recordings: Mapping[Path, float], rng: random.Random) -> Iterator[Piece]:
    most = FULL_SECONDS - _PAUSE_SECONDS[1]
    for recording, seconds in recordings.items():
        start = 0.0
        while seconds - start > 0.1:
            length = min(most, seconds - start)
            yield Piece(recording, start, length, rng.uniform(*_PAUSE_SECONDS))
            start += length


def _window(pieces: list[Piece]) -> TrainingWindow:
    state = hashlib.sha256()
    for piece in pieces:
        about = piece.recording.stat()
        state.update(f"{piece} {about.st_size} {about.st_mtime_ns}".encode())
    return TrainingWindow(state.hexdigest()[:24], tuple(pieces))


def _read(piece: Piece) -> Samples:
    left, blocks = round(piece.seconds * SAMPLE_RATE), []
    with AudioFile(piece.recording, piece.start) as audio:
        for block in audio:
            blocks.append(block[:left])
            left -= len(blocks[-1])
            if left <= 0:
                break
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)
