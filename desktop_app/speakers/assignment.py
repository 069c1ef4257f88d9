"""The linear assignment problem: pairs of rows and columns of a matrix whose sum is the largest. Dense, and in numpy,
for matrices of some speakers by some speakers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]


def best_assignment(gains: npt.NDArray[np.floating[Any]]) -> tuple[Indices, Indices]:
    """The rows and the columns of the pairs, in order of rows: min(gains.shape) pairs, no row and no column twice.

    `gains` are finite, [rows, columns]. The method is that of shortest augmenting paths (Jonker and Volgenant, A
    shortest augmenting path algorithm for dense and sparse linear assignment problems, 1987): each row in turn gets a
    column, and rows before it change theirs where that is the best for all of them.
    """
    if gains.shape[0] > gains.shape[1]:
        columns, rows = best_assignment(gains.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    costs = -gains.astype(np.float64)
    height, width = costs.shape
    prices = np.zeros(width)  # of columns: less its price, no column costs its row more than any other would
    column_of, row_of = np.full(height, -1), np.full(width, -1)
    for row in range(height):
        # Dijkstra's algorithm, from this row to the nearest column without a row.
        distances, before = np.full(width, np.inf), np.full(width, -1)
        is_open = np.ones(width, bool)
        at, length = row, 0.0
        while True:
            found = length + costs[at] - prices
            nearer = is_open & (found < distances)
            distances[nearer], before[nearer] = found[nearer], at
            column = np.where(is_open, distances, np.inf).argmin()
            is_open[column] = False
            at = row_of[column]
            if at < 0:
                break
            length = distances[column] - (costs[at, column] - prices[column])
        prices[~is_open] += distances[~is_open] - distances[column]
        while column >= 0:  # back along the path: each of its rows takes the next column
            at = before[column]
            row_of[column] = at
            column_of[at], column = column, column_of[at]
    return np.arange(height), column_of
