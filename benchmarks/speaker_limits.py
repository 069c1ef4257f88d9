"""Calibrates what `desktop_app.speakers.clustering` asks of two clusters of one speaker (the limits of the embedding in
models/catalogue.toml), on conversations of real voices: `python -m benchmarks.speaker_limits FOLDER`.

FOLDER has clips of known speakers (docs/design/speakers.md says which were used). Half of the speakers serve to choose
limits, the other half to check them. Of a corpus with speakers who were recorded more than once, only those take part:
people move, and one session of a corpus is more even than anything at home. Each conversation goes through the networks
once; the limits are then tried on what they said.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from desktop_app.measure.conversations import clips, make
from desktop_app.measure.recordings import Reference
from desktop_app.speakers.assignment import best_assignment
from desktop_app.speakers.diarisation import EVERY, centres_of
from desktop_app.speakers.networks import Array, Networks, VoiceLimits
from desktop_app.speakers.stream import FEATURE, VoicePieces, VoiceStream
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.worker.file_speakers import networks

DOUBTS, SAMES, LEASTS = (1.0, 1.5, 2.5), (0.5, 0.55, 0.6, 0.65, 0.7), (0.35, 0.4, 0.45, 0.5)

_CLIPS = 2  # of each session, so that a conversation is not all of one
_FAR = 4 * SAMPLE_RATE // FEATURE  # frames of features between two pieces whose likeness is looked at


@dataclass(frozen=True)
class Labelled:
    """A conversation as the networks heard it: its pieces, who says each, -1 where several do or nobody, and how many
    people there are.
    """

    pieces: VoicePieces
    people: np.ndarray
    count: int


def main() -> None:
    """Print how often the number is right, and the pieces given to the wrong voice, for each of the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=40, help="conversations of each half (default: %(default)s)")
    arguments = parser.parse_args()
    found, found_networks = clips(arguments.folder), networks()
    halves = [[_labelled(seed, half, found, found_networks) for seed in range(arguments.count)] for half in (0, 1)]
    alike = round(float(np.mean([_likeness(each) for each in halves[0]])), 2)
    sys.stdout.write(f"alike {alike}\n doubt same least | chosen on: right, one off, confusion | checked on\n")
    for doubt, same, least in itertools.product(DOUBTS, SAMES, LEASTS):
        limits = replace(found_networks, limits=VoiceLimits(alike, doubt, same, least))
        columns = " | ".join(_score(half, limits) for half in halves)
        sys.stdout.write(f"{doubt:6} {same:4} {least:5} | {columns}\n")


def _labelled(seed: int, half: int, found: Sequence[Reference], found_networks: Networks) -> Labelled:
    """The conversation of this seed, of people of one corpus: voices of two would differ by their microphones."""
    kinds = sorted({clip.speaker[0] for clip in found})
    number, kind = divmod(seed, len(kinds))
    pool = drawn(number, half, [clip for clip in found if clip.speaker[0] == kinds[kind]])
    talk = make(20_000 + number, pool, mix_sessions=True)
    stream = VoiceStream(found_networks, EVERY)
    stream.feed(talk.samples)
    stream.finish()
    pieces = stream.pieces()
    times = (pieces.places + 0.5) * FEATURE / SAMPLE_RATE
    names = sorted({turn.speaker for turn in talk.turns})
    speaking = np.zeros((len(names), len(times)), bool)
    for turn in talk.turns:
        speaking[names.index(turn.speaker)] |= (times >= turn.start) & (times < turn.end)
    sys.stderr.write(".")
    sys.stderr.flush()
    return Labelled(pieces, np.where(speaking.sum(0) == 1, speaking.argmax(0), -1), len(names))


def drawn(number: int, half: int, found: Sequence[Reference]) -> list[Reference]:
    """Some clips of each session of the speakers of a half who were recorded more than once; here a file without a
    hyphen is a session of its own.
    """
    sessions: dict[str, dict[str, list[Reference]]] = {}
    for clip in found:
        sessions.setdefault(clip.speaker, {}).setdefault(clip.session or clip.path.stem, []).append(clip)
    rng = np.random.default_rng(777 + number)
    pool = []
    for speaker in sorted(who for who in sessions if len(sessions[who]) > 1)[half::2]:
        for _, mine in sorted(sessions[speaker].items()):
            pool += [mine[at] for at in rng.choice(len(mine), min(_CLIPS, len(mine)), replace=False)]
    return pool


def _likeness(labelled: Labelled) -> float:
    """The mean cosine of two pieces of one voice, some seconds apart."""
    here = labelled.people >= 0
    vectors, people = labelled.pieces.vectors[here].astype(np.float32), labelled.people[here]
    places = labelled.pieces.places[here]
    far = np.abs(np.subtract.outer(places, places)) > _FAR
    return float((vectors @ vectors.T)[far & np.equal.outer(people, people)].mean())


def _score(half: Sequence[Labelled], found: Networks) -> str:
    off, wrong, size = [], 0.0, 0.0
    for labelled in half:
        here = labelled.people >= 0
        centre: Array = centres_of(labelled.pieces, found)
        voices = (labelled.pieces.vectors[here].astype(np.float32) @ centre.T).argmax(1)
        common = np.zeros((labelled.count, len(centre)))
        np.add.at(common, (labelled.people[here], voices), 1)
        rows, columns = best_assignment(common)
        wrong, size = wrong + common.sum() - common[rows, columns].sum(), size + common.sum()
        off.append(len(np.unique(voices)) - labelled.count)
    right, near = np.mean(np.equal(off, 0)), np.mean(np.abs(off) <= 1)
    return f"{right:4.0%} {near:4.0%} {wrong / size:6.2%} ({np.mean(off):+.2f})"


if __name__ == "__main__":
    main()
