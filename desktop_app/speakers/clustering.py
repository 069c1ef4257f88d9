"""Which pieces are of one voice: agglomerative clustering by mean cosine, in two stages, so that ten hours take no more
memory at once than five minutes.

The pieces of some minutes are put together into clusters, and then the clusters of the whole recording, by their
centres. There is never a matrix over everything.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage

from desktop_app.speakers.networks import Array

Labels = npt.NDArray[np.intp]

MOST = 800
"""Vectors that are clustered at once."""

SHARE = 0.015
"""A cluster with less than this share of the speech is no speaker of its own."""

SECONDS = 2.5
"""Nor is one with less than these seconds of speech."""


def unit(vectors: Array) -> Array:
    """The vectors with length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float32)


def together(vectors: Array, least: float, count: int | None = None) -> Labels:
    """A label from 0 for each of at most some thousand vectors of length 1: average linkage down to the mean cosine
    `least`, or until `count` clusters are left.
    """
    if len(vectors) < 2:
        return np.zeros(len(vectors), np.intp)
    upper = np.triu_indices(len(vectors), 1)
    tree = linkage(np.maximum(0.0, 1.0 - (vectors @ vectors.T)[upper]), "average")
    found = fcluster(tree, 1.0 - least, "distance") if count is None else fcluster(tree, count, "maxclust")
    return np.asarray(np.unique(found, return_inverse=True)[1], np.intp)


def centres(vectors: Array, labels: Labels, weights: Array) -> tuple[Array, Array]:
    """The mean direction of each cluster [clusters, dims], and the weight of its vectors together."""
    sums = np.zeros((int(labels.max()) + 1, vectors.shape[1]), np.float32)
    np.add.at(sums, labels, vectors * weights[:, None])
    return unit(sums), np.bincount(labels, weights).astype(np.float32)


def voices(found: Array, weights: Array, least: float, same: float, count: int | None) -> Array:
    """The centres of the speakers, [speakers, dims], out of the centres of clusters of the whole recording.

    `weights` are the seconds of speech in a cluster; one with less than `least` does not count, and who has less than
    SHARE of all is nobody. `count` is the number of speakers where somebody knows it.
    """
    if not len(found):
        return found
    while len(found) > MOST:  # many hours: neighbours in time first
        found, weights = _reduced(found, weights, same)
    large = weights >= min(least, float(weights.max()))
    if count is None or large.sum() >= count:
        found, weights = found[large], weights[large]
    total = float(weights.sum())
    labels = together(found, same, None if count is None else min(count, len(found)))
    people, heard = centres(found, labels, weights)
    return people if count is not None else people[heard >= min(SHARE * total, float(heard.max()))]


def _reduced(found: Array, weights: Array, same: float) -> tuple[Array, Array]:
    half = MOST // 2
    parts = [
        centres(found[at : at + half], together(found[at : at + half], same), weights[at : at + half])
        for at in range(0, len(found), half)
    ]
    fewer = np.concatenate([part for part, _ in parts])
    if len(fewer) > 0.9 * len(found):  # they are all different: the lightest say least
        keep = np.sort(np.argsort(weights)[-half:])
        return found[keep], weights[keep]
    return fewer, np.concatenate([heavy for _, heavy in parts])
