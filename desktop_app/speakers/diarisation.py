"""Who speaks when in a recording of any length, read once as a stream.

The segmentation network says when somebody speaks, when the speaker changes, and when two speak at once. The embedding
network says who: the vectors of its pieces are clustered, and each local speaker of each window gets the voices of the
pieces around. The windows vote. What is kept of an hour of speech is about 12 MB.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.clustering import CLEAR, SECONDS, Clusters, merged, unit, voices
from desktop_app.speakers.filterbanks import FRAME
from desktop_app.speakers.networks import Array, Networks
from desktop_app.speakers.powerset import CENTRE, FRAMES, SHIFT, spans
from desktop_app.speakers.stream import (
    FEATURE,
    HOP,
    STEP,
    WINDOW_FEATURES,
    VoicePieces,
    VoiceStream,
)
from desktop_app.speakers.turns import Turn, joined, named
from desktop_app.transcript.constants import SAMPLE_RATE

EVERY = 4
"""Steps after which voices are looked at in a file."""

BLOCK = 600
"""Pieces that are clustered together in the first stage: two and a half minutes of speech."""

ROUNDS = 2
"""How often the voices are made anew from the pieces that they won."""

SURE = 0.1
"""By how much a piece has to be more like one voice than like any other to say something about that voice."""

STEADY = 0.3
"""Pieces 1 s before and behind another are of one voice from this cosine on."""

GAP = 0.1
"""Seconds; a shorter silence in somebody's turn is a part of it."""

MOST_AT_ONCE = 2
"""Voices that speak at once, at most."""

_HALF = 4  # pieces: about 1 s
_SHARPNESS = 20.0  # of a cosine: pieces as much more like one voice as another as 0.1 are seven times as likely its
_NEAR, _FAR = 0.4, 5.0  # seconds: how far pieces speak for their surroundings, and where there are none
_LITTLE = 1e-4  # how much less the far ones count
_FAINT = 1e-3  # how much the voices around count for somebody who never speaks alone: where two speak, the other of
# them is most likely who speaks next or spoke last (Otterson and Ostendorf, 2007)


class Diarisation:
    """Takes a recording block by block, and returns who spoke when.

    `count` is the number of speakers where somebody knows it; None finds it out.
    """

    def __init__(self, networks: Networks, count: int | None = None) -> None:
        self._networks, self._count = networks, count
        self._stream = VoiceStream(networks, EVERY)

    def feed(self, samples: Array) -> None:
        """The next samples, any number, mono at 16 kHz."""
        self._stream.feed(samples)

    def finish(self) -> list[Turn]:
        """The turns of the whole recording in order of time; speakers are called S1, S2, ... as they come."""
        self._stream.finish()
        pieces = self._stream.pieces()
        if not len(pieces.places):
            return []
        return named(turns_by(self._stream, pieces, centres_of(pieces, self._networks, self._count)))


def centres_of(pieces: VoicePieces, networks: Networks, count: int | None = None, least: float = SECONDS) -> Array:
    """The centre of each speaker, [speakers, size]; at least one. Who speaks for less than `least` seconds is
    nobody.
    """
    parts = []
    for runs in _blocks(pieces):
        seconds = np.array([len(run) for run in runs], np.float32) * np.float32(HOP * FEATURE / SAMPLE_RATE)
        sums = np.stack([run.mean(0) for run in runs]) * seconds[:, None]
        parts.append(merged(Clusters.of(sums, seconds), networks.limits, CLEAR))
    centre = voices(parts, networks.limits, least, count)
    for _ in range(ROUNDS):
        centre = _again(pieces, centre)
    return centre


def _again(pieces: VoicePieces, centre: Array) -> Array:
    """The centres of the pieces that are clearly of one of the voices."""
    sums = np.zeros_like(centre)
    for at in range(0, len(pieces.places), BLOCK):
        block = pieces.vectors[at : at + BLOCK].astype(np.float32)
        likeness = block @ centre.T
        ordered = np.sort(likeness, 1)
        clear = ordered[:, -1] - (ordered[:, -2] if len(centre) > 1 else 0.0) > SURE
        np.add.at(sums, likeness.argmax(1)[clear], block[clear])
    return np.where(np.linalg.norm(sums, axis=1, keepdims=True) > 0, unit(sums), centre)


def _blocks(pieces: VoicePieces) -> Iterator[list[Array]]:
    """The vectors of each run of pieces of one voice, about BLOCK at a time; never all of a recording."""
    for at in range(0, len(pieces.places), BLOCK):
        block = pieces[at : at + BLOCK]
        vectors, places = block.vectors.astype(np.float32), np.arange(len(block.places))
        before, behind = np.maximum(places - _HALF, 0), np.minimum(places + _HALF, len(places) - 1)
        near = block.places[behind] - block.places[before] <= (2 * _HALF + 1) * HOP
        changes = near & ((vectors[before] * vectors[behind]).sum(1) < STEADY)
        yield np.split(vectors, np.flatnonzero(~block.follows | changes)[1:] if len(places) else [])


def turns_by(stream: VoiceStream, pieces: VoicePieces, centre: Array, first: int = 0) -> list[Turn]:
    """The turns by these voices from window `first` on; speakers are the numbers of the voices."""
    speaking = np.concatenate(list(_speaking(stream, pieces, centre, first)))
    begin = stream.windows[first].begin * FEATURE + CENTRE - SHIFT / 2
    found = []
    for voice in range(len(centre)):
        for start, end in spans(speaking[:, voice]):
            times = ((begin + SHIFT * frame) / SAMPLE_RATE for frame in (start, end))
            start_time, end_time = (min(max(time, 0.0), stream.seconds) for time in times)
            if end_time > start_time:
                found.append(Turn(start_time, end_time, str(voice)))
    return joined(found, GAP)


def _speaking(stream: VoiceStream, pieces: VoicePieces, centre: Array, first: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Which voices speak in each frame, [frames, voices], window by window: the windows' votes."""
    likeness = _SHARPNESS * (pieces.vectors.astype(np.float32) @ centre.T)
    whose = np.exp(likeness - likeness.max(1, keepdims=True))
    whose /= whose.sum(1, keepdims=True)
    votes = np.zeros((FRAMES, len(centre)), np.float32)
    active, weight = np.zeros(FRAMES, np.float32), np.zeros(FRAMES, np.float32)
    for number, window in enumerate(stream.windows[first:], 1):
        inside = slice(*np.searchsorted(pieces.places, (window.begin, window.begin + WINDOW_FEATURES)))
        places = pieces.places[inside] - window.begin
        alone = window.alone[places].astype(np.float32)
        near = _KERNEL[:, None, places] * np.where(alone > 0.5, alone, 0.0).T
        mine = near @ whose[inside]
        mine /= np.maximum(mine.sum(2, keepdims=True), 1e-9)
        mine += _FAINT * (_KERNEL[:, places] @ whose[inside])[:, None]
        probability = window.active.astype(np.float32) / 255
        votes += window.weight * (probability[:, :, None] * mine[_FEATURE]).sum(1)
        active += window.weight * probability.sum(1)
        weight += window.weight
        done = (
            round(number * STEP / SHIFT) - round((number - 1) * STEP / SHIFT)
            if number < len(stream.windows) - first
            else FRAMES
        )
        yield _chosen(votes[:done] / weight[:done, None], active[:done] / weight[:done])
        for array in (votes, active, weight):
            array[:] = np.concatenate([array[done:], np.zeros_like(array[:done])])


def _chosen(votes: Array, active: Array) -> npt.NDArray[np.bool_]:
    """Who speaks, [frames, voices], by the votes for each voice and by how many speak at once, [frames]."""
    count = np.minimum(np.floor(active + 0.5), MOST_AT_ONCE)
    rank = np.argsort(np.argsort(-votes, 1, kind="stable"), 1, kind="stable")
    return np.asarray((rank < count[:, None]) & (votes > 0.0))


_DISTANCE = np.abs(np.subtract.outer(np.arange(WINDOW_FEATURES), np.arange(WINDOW_FEATURES))) * np.float32(
    FEATURE / SAMPLE_RATE
)
_KERNEL = np.exp(-_DISTANCE / np.float32(_NEAR)) + np.float32(_LITTLE) * np.exp(-_DISTANCE / np.float32(_FAR))
_FEATURE = np.clip(np.round((SHIFT * np.arange(FRAMES) + CENTRE - FRAME / 2) / FEATURE), 0, WINDOW_FEATURES - 1).astype(
    int
)
"""The frame of features that is nearest to each frame of a window."""
