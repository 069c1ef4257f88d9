"""Words for measuring: what is compared, how two texts match, and how often one is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

_STEP_BOTH, _STEP_LEFT, _STEP_RIGHT = range(3)


def normalised(text: str) -> list[str]:
    """Lower-case words of letters, digits and apostrophes."""
    return re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("\u2019", "'"))


def matched(gold: Sequence[str], heard: Sequence[str]) -> tuple[list[tuple[int, int]], int]:
    """The pairs of places with equal words in an alignment of least edit distance, and the distance."""
    rows, columns = len(gold) + 1, len(heard) + 1
    ids = {word: number for number, word in enumerate({*gold, *heard})}
    right = np.array([ids[word] for word in heard], np.int64)
    steps = np.zeros((rows, columns), np.int8)
    steps[0, :] = _STEP_RIGHT
    row = np.arange(columns)
    for i, word in enumerate(gold, 1):
        both = row[:-1] + (right != ids[word])
        left = row[1:] + 1
        best = np.concatenate([[row[0] + 1], np.minimum(both, left)])
        # A step to the right costs one more than its neighbour: a running minimum of what is left after its place.
        row = np.minimum.accumulate(best - np.arange(columns)) + np.arange(columns)
        steps[i, 0] = _STEP_LEFT
        steps[i, 1:] = np.where(row[1:] == both, _STEP_BOTH, np.where(row[1:] == left, _STEP_LEFT, _STEP_RIGHT))
    pairs = []
    i, j = len(gold), len(heard)
    while i or j:
        step = steps[i, j]
        if step == _STEP_BOTH:
            i, j = i - 1, j - 1
            if gold[i] == heard[j]:
                pairs.append((i, j))
        elif step == _STEP_LEFT:
            i -= 1
        else:
            j -= 1
    return pairs[::-1], int(row[-1])


def word_error_rate(gold: Sequence[str], heard: Sequence[str]) -> float:
    """Substituted, deleted and inserted words for each word that was said."""
    return matched(gold, heard)[1] / max(1, len(gold))
