"""Who speaks when in a recording of any length, heard once as a stream.

Speech is cut into overlapping pieces of 1.5 s, each piece becomes a vector, vectors of one voice are put together, and
every stretch of speech is then read again against the voices that were found. What is kept of an hour is about 4 MB.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.clustering import centres, together, unit, voices
from desktop_app.speakers.filterbanks import SHIFT
from desktop_app.speakers.networks import RATE, Array, Networks, Voice
from desktop_app.speakers.pieces import HOP, embedded, pieces
from desktop_app.speakers.speech import SpeechFinder
from desktop_app.speakers.turns import Turn, changes, joined, loudness, named, path, snapped

Half = npt.NDArray[np.float16]

BLOCK = 600
"""Pieces that are clustered together in the first stage: two and a half minutes of speech."""

ROUNDS = 2
"""How often the voices are made anew from the pieces that they won."""

GAP = 0.3
"""Seconds; a shorter silence in somebody's turn is a part of it."""


@dataclass(frozen=True)
class _Stretch:
    """A stretch of speech: its begin and length in seconds, its level every 10 ms, its pieces."""

    begin: float
    seconds: float
    level: Half
    middles: Array
    vectors: Half


class Diarisation:
    """Hears a recording block by block, and then tells who spoke when.

    `count` is the number of speakers where somebody knows it; None finds it out.
    """

    def __init__(self, networks: Networks, voice: Voice, count: int | None = None) -> None:
        self._networks, self._count = networks, count
        self._speech = SpeechFinder(voice)
        self._stretches: list[_Stretch] = []
        self._waiting: list[tuple[int, Array]] = []

    def hear(self, samples: Array) -> None:
        """The next samples, any number, mono at 16 kHz."""
        self._waiting += self._speech.hear(samples)
        if sum(samples.size for _, samples in self._waiting) > 20 * RATE:
            self._embed()

    def finish(self) -> list[Turn]:
        """The turns of the whole recording in order of time; speakers are called S1, S2, ... as they come."""
        self._waiting += self._speech.finish()
        self._embed()
        found = self._voices()
        turns = [turn for stretch in self._stretches for turn in _read(stretch, found)]
        return named(joined(turns, GAP))

    def _embed(self) -> None:
        """Make pieces and vectors of the stretches that wait, in common batches."""
        cut = [pieces(samples) for _, samples in self._waiting]
        banks = [piece for part, _ in cut for piece in part]
        vectors = embedded(self._networks.embed, banks) if banks else np.zeros((0, 1), np.float32)
        at = 0
        for (begin, samples), (part, middles) in zip(self._waiting, cut, strict=True):
            mine, at = vectors[at : at + len(part)], at + len(part)
            level = loudness(samples).astype(np.float16)
            if len(part):
                stretch = _Stretch(begin / RATE, samples.size / RATE, level, middles, mine.astype(np.float16))
                self._stretches.append(stretch)
        self._waiting = []

    def _voices(self) -> Array:
        """The centre of each speaker, [speakers, dims]."""
        found, weights = [], []
        for block in self._blocks():
            labels = together(block, self._networks.join)
            mine, heavy = centres(block, labels)
            found.append(mine)
            weights.append(heavy)
        if not found:
            return np.zeros((0, 1), np.float32)
        seconds = HOP * SHIFT / RATE
        centre = voices(np.concatenate(found), np.concatenate(weights), seconds, self._networks.same, self._count)
        for _ in range(ROUNDS):
            centre = self._again(centre)
        return centre

    def _again(self, centre: Array) -> Array:
        """The centres of the pieces that are clearly of one of the voices."""
        sums = np.zeros_like(centre)
        for block in self._blocks():
            likeness = block @ centre.T
            best = likeness.argmax(1)
            ordered = np.sort(likeness, 1)
            clear = ordered[:, -1] - (ordered[:, -2] if centre.shape[0] > 1 else 0) > 0.1
            np.add.at(sums, best[clear], block[clear])
        return np.where(np.linalg.norm(sums, axis=1, keepdims=True) > 0, unit(sums), centre)

    def _blocks(self) -> list[Array]:
        """All vectors, BLOCK at a time."""
        blocks, block, size = [], [], 0
        for stretch in self._stretches:
            block.append(stretch.vectors)
            size += len(stretch.vectors)
            if size >= BLOCK:
                blocks.append(np.concatenate(block).astype(np.float32))
                block, size = [], 0
        if block:
            blocks.append(np.concatenate(block).astype(np.float32))
        return blocks


def _read(stretch: _Stretch, centre: Array) -> list[Turn]:
    """The turns in a stretch of speech."""
    likeness = stretch.vectors.astype(np.float32) @ centre.T
    best = path(likeness)
    turns, begin, speaker = [], 0.0, int(best[0])
    level = stretch.level.astype(np.float32)
    for place, voice in changes(likeness, stretch.middles, best):
        at = min(max(snapped(place, level), begin), stretch.seconds)
        turns.append(Turn(stretch.begin + begin, stretch.begin + at, str(speaker)))
        begin, speaker = at, voice
    turns.append(Turn(stretch.begin + begin, stretch.begin + stretch.seconds, str(speaker)))
    return turns
