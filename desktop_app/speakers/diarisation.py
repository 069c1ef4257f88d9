"""Who speaks when in a recording of any length, heard once as a stream.

Speech is cut into overlapping pieces of 1.5 s, each piece becomes a vector, vectors of one voice are put together, and
every stretch of speech is then read again against the voices that were found. What is kept of an hour is about 4 MB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.clustering import CLEAR, SECONDS, Clusters, merged, unit, voices
from desktop_app.speakers.filterbanks import SHIFT
from desktop_app.speakers.networks import RATE, Array, Networks, Voice
from desktop_app.speakers.pieces import HOP, LENGTH, embedded, pieces
from desktop_app.speakers.powerset import spans
from desktop_app.speakers.speech import LONGEST, SpeechFinder
from desktop_app.speakers.turns import Turn, changes, joined, loudness, named, path, snapped

Half = npt.NDArray[np.float16]

BLOCK = 600
"""Pieces that are clustered together in the first stage: two and a half minutes of speech."""

ROUNDS = 2
"""How often the voices are made anew from the pieces that they won."""

SURE = 0.1
"""By how much a piece has to be more like one voice than like any other to say something about that voice."""

STEADY = 0.25
"""Pieces half a piece before and behind another are of one voice from this cosine on."""

GAP = 0.3
"""Seconds; a shorter silence in somebody's turn is a part of it."""


_HALF = LENGTH // HOP // 2  # pieces


@dataclass(frozen=True)
class Stretch:
    """A stretch of speech: its begin and length in seconds, its level every 10 ms, its pieces: where the middle of each
    is, in seconds from the begin, and the vector of each.
    """

    begin: float
    seconds: float
    level: Half
    middles: Array
    vectors: Half


class Diarisation:
    """Hears a recording block by block, and then tells who spoke when.

    `count` is the number of speakers where somebody knows it; None finds it out. No stretch of speech is longer than
    `longest` seconds, and who is heard for less than `least` seconds is not a speaker.

    Attributes:
        stretches: the speech so far, as far as `flush` has brought it.
    """

    def __init__(
        self,
        networks: Networks,
        voice: Voice,
        count: int | None = None,
        longest: float = LONGEST,
        least: float = SECONDS,
    ) -> None:
        self._networks, self._count, self._least = networks, count, least
        self._speech = SpeechFinder(voice, longest)
        self.stretches: list[Stretch] = []
        self._waiting: list[tuple[int, Array]] = []

    def hear(self, samples: Array) -> None:
        """The next samples, any number, mono at 16 kHz."""
        self._waiting += self._speech.hear(samples)
        if sum(samples.size for _, samples in self._waiting) > 20 * RATE:
            self.flush()

    def finish(self) -> list[Turn]:
        """The turns of the whole recording in order of time; speakers are called S1, S2, ... as they come."""
        self._waiting += self._speech.finish()
        self.flush()
        if not self.stretches:
            return []
        found = centres_of(self.stretches, self._networks, self._count, self._least)
        return named(joined([turn for stretch in self.stretches for turn in read(stretch, found)], GAP))

    def flush(self) -> None:
        """Make pieces and vectors of the stretches that wait, in common batches."""
        cut = [pieces(samples) for _, samples in self._waiting]
        banks = [piece for part, _ in cut for piece in part]
        vectors = embedded(self._networks.embed, banks) if banks else np.zeros((0, 1), np.float32)
        at = 0
        for (begin, samples), (part, middles) in zip(self._waiting, cut, strict=True):
            mine, at = vectors[at : at + len(part)], at + len(part)
            level = loudness(samples).astype(np.float16)
            if len(part):
                stretch = Stretch(begin / RATE, samples.size / RATE, level, middles, mine.astype(np.float16))
                self.stretches.append(stretch)
        self._waiting = []


def centres_of(
    stretches: Sequence[Stretch], networks: Networks, count: int | None = None, least: float = SECONDS
) -> Array:
    """The centre of each speaker of some speech, [speakers, dims]; at least one if there is any speech. Who is heard
    for less than `least` seconds is not a speaker.
    """
    parts = []
    for runs in _blocks(stretches):
        # A piece counts for what it adds to the one before: short stretches, which say little of a voice, count little.
        seconds = np.array([len(run) for run in runs], np.float32) * np.float32(HOP * SHIFT / RATE)
        sums = np.stack([run.mean(0) for run in runs]) * seconds[:, None]
        parts.append(merged(Clusters.of(sums, seconds), networks.limits, CLEAR))
    centre = voices(parts, networks.limits, least, count)
    for _ in range(ROUNDS):
        centre = _again(stretches, centre)
    return centre


def _again(stretches: Sequence[Stretch], centre: Array) -> Array:
    """The centres of the pieces that are clearly of one of the voices."""
    sums = np.zeros_like(centre)
    for runs in _blocks(stretches):
        block = np.concatenate(runs)
        likeness = block @ centre.T
        ordered = np.sort(likeness, 1)
        clear = ordered[:, -1] - (ordered[:, -2] if len(centre) > 1 else 0.0) > SURE
        np.add.at(sums, likeness.argmax(1)[clear], block[clear])
    return np.where(np.linalg.norm(sums, axis=1, keepdims=True) > 0, unit(sums), centre)


def _blocks(stretches: Sequence[Stretch]) -> Iterator[list[Array]]:
    """The vectors that say something of one voice, run by run, about BLOCK at a time; never all of a recording."""
    block, size = [], 0
    for number, stretch in enumerate(stretches, 1):
        block.append(stretch)
        size += len(stretch.vectors)
        if size >= BLOCK or number == len(stretches):
            yield [run for each in block for run in _steady(each.vectors.astype(np.float32))]
            block, size = [], 0


def _steady(vectors: Array) -> list[Array]:
    """The runs of vectors in a stretch that are each of one voice: without those of pieces in which the voice changes,
    where half a piece before and half a piece behind is not the same voice.
    """
    if len(vectors) < 2 * _HALF:
        return [vectors]
    places = np.arange(len(vectors))
    before, behind = vectors[np.maximum(places - _HALF, 0)], vectors[np.minimum(places + _HALF, len(vectors) - 1)]
    steady = (before * behind).sum(1) > STEADY
    return [vectors[begin:end] for begin, end in spans(steady)] or [vectors]


def read(stretch: Stretch, centre: Array) -> list[Turn]:
    """The turns in a stretch of speech; speakers are the numbers of the centres."""
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
