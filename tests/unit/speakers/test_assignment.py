"""The best pairs of rows and columns: the sum is that of trying all, and that of SciPy where there are too many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from desktop_app.speakers.assignment import best_assignment

SHAPES = [(1, 1), (1, 5), (5, 1), (2, 2), (3, 3), (3, 5), (5, 3), (4, 6), (6, 4), (6, 6)]


def drawn(kind: str, shape: tuple[int, int], seed: int) -> np.ndarray:
    """Gains without ties; with many, of few values; of people most of whom never speak at the same time."""
    rng = np.random.default_rng(seed)
    if kind == "ties":
        return rng.integers(-1, 2, shape).astype(np.float64)
    gains = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4)
    return np.maximum(gains, 0) if kind == "zeros" else gains


def is_assignment(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> bool:
    return len(rows) == len(columns) == min(shape) and bool((np.diff(rows) > 0).all()) and len({*columns}) == len(rows)


@pytest.mark.parametrize("kind", ["different", "ties", "zeros"])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_other_pairs_have_a_larger_sum(shape: tuple[int, int], kind: str) -> None:
    for seed in range(20):
        gains = drawn(kind, shape, seed)
        rows, columns = best_assignment(gains)
        assert is_assignment(rows, columns, shape)
        wide = gains if shape[0] <= shape[1] else gains.T
        every = itertools.permutations(range(wide.shape[1]), wide.shape[0])
        best = max(wide[np.arange(len(wide)), list(chosen)].sum() for chosen in every)
        assert gains[rows, columns].sum() == pytest.approx(best, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", ["different", "ties", "zeros"])
def test_the_same_as_scipy(kind: str) -> None:
    """And not only the same sum: the same pairs, but for those of which others are as good."""
    for seed in range(100):
        shape = tuple(int(size) for size in np.random.default_rng(seed).integers(1, 40, 2))
        gains = drawn(kind, shape, seed)
        mine, theirs = best_assignment(gains), linear_sum_assignment(-gains)
        assert is_assignment(*mine, shape)
        assert gains[mine].sum() == pytest.approx(gains[theirs].sum(), rel=1e-12, abs=1e-12)
        if kind == "different":
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_who_has_nobody_to_be_paired_with_stays_alone(shape: tuple[int, int]) -> None:
    rows, columns = best_assignment(np.zeros(shape))
    assert rows.size == columns.size == 0
