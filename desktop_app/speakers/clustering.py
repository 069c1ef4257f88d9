"""Which pieces are of one voice: agglomerative clustering in two stages, so that ten hours take no more memory at once
than five minutes. The pieces of some minutes are put together into clusters, and then the clusters of the whole
recording. There is never a matrix over everything.

Two clusters are as like as their pieces are on average (average linkage), divided by how like the pieces inside each
are: pieces of noisy or lively voices differ among themselves, too. That is Spearman's correction for attenuation (The
proof and measurement of association between two things, 1904); it is 1 for two parts of one voice, however noisy.
Chance takes away from it, and the less the more speech there is: errors of the first order cancel out in the quotient,
and what is left falls with one over the seconds. So more is asked of clusters the more they have of speech.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from desktop_app.speakers.networks import Array, VoiceLimits

MOST = 400
"""Clusters that are compared at once."""

CLEAR = 0.15
"""By how much clusters have to be more alike than is asked to be joined before all of the recording is known."""

SHARE = 0.015
"""A cluster with less than this share of the speech is no speaker of its own."""

SECONDS = 1.2
"""Nor is one with less than these seconds of speech."""

_PRIOR = 3.75  # seconds squared: pairs of pieces that count as if they were as alike as pieces usually are
_LEAST = 0.05  # nobody's pieces are less alike than this


def unit(vectors: Array) -> Array:
    """The vectors with length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float32)


@dataclass(frozen=True)
class Clusters:
    """Clusters of runs; a run is speech of one voice without a pause, whose pieces overlap and are not compared.

    Attributes:
        sums: the vectors of all pieces together, times their seconds, [clusters, dims].
        seconds: of speech, [clusters].
        lengths: the squared lengths of the sums of the runs together, [clusters].
        squares: the squared seconds of the runs together, [clusters].
    """

    sums: Array
    seconds: Array
    lengths: Array
    squares: Array

    @staticmethod
    def of(sums: Array, seconds: Array) -> Clusters:
        """A cluster for each run."""
        return Clusters(sums, seconds, np.asarray((sums**2).sum(1)), seconds**2)

    @staticmethod
    def together(parts: Sequence[Clusters]) -> Clusters:
        """The clusters of all parts, one after another."""
        columns = zip(*((part.sums, part.seconds, part.lengths, part.squares) for part in parts), strict=True)
        return Clusters(*(np.concatenate(column) for column in columns))

    def __len__(self) -> int:
        return len(self.seconds)

    def __getitem__(self, which: slice | Array) -> Clusters:
        return Clusters(self.sums[which], self.seconds[which], self.lengths[which], self.squares[which])


def merged(
    clusters: Clusters, limits: VoiceLimits, margin: float = 0.0, count: int | None = None, enough: float = 0.0
) -> Clusters:
    """The clusters after those are joined that are of one voice: first who is the most alike beyond what is asked, down
    to those who are by `margin`. At most some hundred clusters.

    Where somebody knows the `count`, it is gone on until no two with `enough` seconds can be joined without there being
    fewer than that.
    """
    sums, seconds = clusters.sums.copy(), clusters.seconds.copy()
    lengths, squares = clusters.lengths.copy(), clusters.squares.copy()
    left = np.ones(len(seconds), bool)

    def beyond(rows: slice) -> Array:
        """By how much clusters are more alike than is asked of them, [rows, clusters]."""
        inside = ((sums**2).sum(1) - lengths + _PRIOR * limits.alike) / (seconds**2 - squares + _PRIOR)
        inside = np.sqrt(np.maximum(inside, _LEAST)) * seconds
        likeness = (sums[rows] @ sums.T) / (inside[rows, None] * inside)
        asked = 1.0 - limits.doubt / np.minimum(seconds[rows, None], seconds)
        return np.asarray(likeness - np.clip(asked, limits.least, limits.same))

    gain = beyond(slice(None))
    np.fill_diagonal(gain, -np.inf)
    for _ in range(len(seconds) - 1):
        one, other = divmod(int(gain.argmax()), len(gain))
        if count is None:
            settled = gain[one, other] < margin
        else:
            settled = min(seconds[one], seconds[other]) >= enough and (seconds[left] >= enough).sum() <= count
        if settled:
            break
        for column in (sums, seconds, lengths, squares):
            column[one] += column[other]
        left[other] = False
        gain[one] = gain[:, one] = np.where(left, beyond(slice(one, one + 1))[0], -np.inf)
        gain[one, one] = gain[other] = gain[:, other] = -np.inf
    return Clusters(sums[left], seconds[left], lengths[left], squares[left])


def voices(parts: Sequence[Clusters], limits: VoiceLimits, least: float, count: int | None) -> Array:
    """The mean direction of each speaker, [speakers, dims], out of the clusters of all parts of a recording.

    Who has less than `least` seconds of speech, or less than SHARE of all, is nobody. `count` is the number of speakers
    where somebody knows it.
    """
    found = Clusters.together(parts)
    while len(found) > MOST:  # many hours: neighbours in time first
        found = _reduced(found, limits)
    enough = max(least, SHARE * float(found.seconds.sum()))
    found = merged(found, limits, 0.0, count, enough)
    if count is None:
        return unit(found.sums[found.seconds >= min(enough, float(found.seconds.max()))])
    return unit(found.sums[np.sort(np.argsort(-found.seconds, kind="stable")[:count])])


def _reduced(found: Clusters, limits: VoiceLimits) -> Clusters:
    half = MOST // 2
    fewer = Clusters.together([merged(part, limits, CLEAR) for part in _cut(found, half)])
    if len(fewer) > 0.9 * len(found):  # they are all different: the shortest say least
        return found[np.sort(np.argsort(found.seconds)[-half:])]
    return fewer


def _cut(found: Clusters, size: int) -> Iterator[Clusters]:
    return (found[at : at + size] for at in range(0, len(found), size))
