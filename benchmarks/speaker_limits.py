"""Calibrates what `desktop_app.speakers.clustering` asks of two clusters of one speaker (the limits of the embedding in
models/catalogue.toml), on conversations of real voices: `python -m benchmarks.speaker_limits FOLDER`.

FOLDER has clips of known speakers (docs/speakers.md says which were used). Half of the speakers serve to choose limits,
the other half to check them. Somebody's clips are heard through two microphones, drawn for each, because people move,
and a recording of a corpus is more even than anything at home. Each conversation goes through the networks once; the
limits are then tried on what they said.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.optimize import linear_sum_assignment

from desktop_app.audio.files import Samples
from desktop_app.engine.speakers import networks
from desktop_app.measure.conversations import Phrase, clips, make, phrases
from desktop_app.measure.recordings import Reference
from desktop_app.speakers.diarisation import EVERY, centres_of
from desktop_app.speakers.networks import Array, Limits, Networks
from desktop_app.speakers.stream import FEATURE, Pieces, Stream
from desktop_app.transcript.constants import SAMPLE_RATE

DOUBTS, SAMES, LEASTS = (1.0, 1.5, 2.0, 2.5, 3.0), (0.7, 0.75), (0.4, 0.45, 0.5, 0.55, 0.6)

_TILT, _BUMP = 6.0, 4.0  # decibels: over the whole band, and of each of three smooth bumps
_FAR = 4 * SAMPLE_RATE // FEATURE  # frames of features between two pieces whose likeness is looked at


@dataclass(frozen=True)
class Heard:
    """A conversation as the networks heard it: its pieces, who says each, -1 where several do or nobody, and how many
    people there are.
    """

    pieces: Pieces
    people: np.ndarray
    count: int


def main() -> None:
    """Print how often the number is right, and the pieces given to the wrong voice, for each of the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=40, help="conversations of each half (default: %(default)s)")
    arguments = parser.parse_args()
    found, hearing = clips(arguments.folder), networks()
    everybody = sorted({clip.speaker for clip in found})
    halves = []
    for half in (0, 1):
        mine = set(everybody[half::2])
        pool = [clip for clip in found if clip.speaker in mine]
        halves.append([_heard(seed, pool, hearing) for seed in range(arguments.count)])
    alike = round(float(np.mean([_likeness(each) for each in halves[0]])), 2)
    sys.stdout.write(f"alike {alike}\n doubt same least | chosen on: right, one off, confusion | checked on\n")
    for doubt, same, least in itertools.product(DOUBTS, SAMES, LEASTS):
        limits = replace(hearing, limits=Limits(alike, doubt, same, least))
        columns = " | ".join(_score(half, limits) for half in halves)
        sys.stdout.write(f"{doubt:6} {same:4} {least:5} | {columns}\n")


def _heard(seed: int, pool: Sequence[Reference], hearing: Networks) -> Heard:
    """The conversation of this seed, of people of one corpus: voices of two would differ by their microphones."""
    kinds = sorted({clip.speaker[0] for clip in pool})
    mine = [clip for clip in pool if clip.speaker[0] == kinds[seed % len(kinds)]]
    talk = make(10_000 + seed // len(kinds), mine, through_two_microphones)
    stream = Stream(hearing, EVERY)
    stream.hear(talk.samples)
    stream.finish()
    pieces = stream.pieces()
    times = (pieces.places + 0.5) * FEATURE / SAMPLE_RATE
    names = sorted({turn.speaker for turn in talk.turns})
    speaking = np.zeros((len(names), len(times)), bool)
    for turn in talk.turns:
        speaking[names.index(turn.speaker)] |= (times >= turn.start) & (times < turn.end)
    sys.stderr.write(".")
    sys.stderr.flush()
    return Heard(pieces, np.where(speaking.sum(0) == 1, speaking.argmax(0), -1), len(names))


def through_two_microphones(clip: Reference) -> list[Phrase]:
    """The phrases of a clip, through one of the speaker's two microphones, by the clip's name; those of a clip without
    a number are halved between the two.
    """
    said = phrases(clip)
    number = crc32(clip.path.stem.encode()) % 2
    only = sum(1 for _ in clip.path.parent.iterdir()) == 1
    return [
        replace(phrase, samples=_coloured(phrase.samples, clip.speaker, 2 * at // len(said) if only else number))
        for at, phrase in enumerate(said)
    ]


def _coloured(samples: Samples, speaker: str, number: int) -> Samples:
    rng = np.random.default_rng(crc32(f"{speaker} {number}".encode()))
    octaves = np.log2(np.maximum(np.fft.rfftfreq(samples.size, 1 / SAMPLE_RATE), 60.0) / 1000.0)
    gain = rng.uniform(-_TILT, _TILT) * octaves / 4
    for _ in range(3):
        gain += rng.uniform(-_BUMP, _BUMP) * np.exp(-(((octaves - rng.uniform(-3, 3)) / 0.7) ** 2))
    return np.asarray(np.fft.irfft(np.fft.rfft(samples) * 10 ** (gain / 20), samples.size), np.float32)


def _likeness(heard: Heard) -> float:
    """The mean cosine of two pieces of one voice, some seconds apart."""
    here = heard.people >= 0
    vectors, people = heard.pieces.vectors[here].astype(np.float32), heard.people[here]
    places = heard.pieces.places[here]
    far = np.abs(np.subtract.outer(places, places)) > _FAR
    return float((vectors @ vectors.T)[far & np.equal.outer(people, people)].mean())


def _score(half: Sequence[Heard], found: Networks) -> str:
    off, wrong, size = [], 0.0, 0.0
    for heard in half:
        here = heard.people >= 0
        centre: Array = centres_of(heard.pieces, found)
        voices = (heard.pieces.vectors[here].astype(np.float32) @ centre.T).argmax(1)
        common = np.zeros((heard.count, len(centre)))
        np.add.at(common, (heard.people[here], voices), 1)
        rows, columns = linear_sum_assignment(-common)
        wrong, size = wrong + common.sum() - common[rows, columns].sum(), size + common.sum()
        off.append(len(np.unique(voices)) - heard.count)
    right, near = np.mean(np.equal(off, 0)), np.mean(np.abs(off) <= 1)
    return f"{right:4.0%} {near:4.0%} {wrong / size:6.2%} ({np.mean(off):+.2f})"


if __name__ == "__main__":
    main()
