"""Counting the passes of branches: by hand."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.branches import Change, Rows, passes
from desktop_app.decoding.ngram import NGramDrafter


class Text:
    """Goes on with the same text behind any beginning."""

    def __init__(self, *tokens: int) -> None:
        self._tokens = tokens

    def after(self, tokens: Sequence[int], count: int) -> list[int]:
        return [*self._tokens[len(tokens) :]][:count]


def rows(count: int, said: Sequence[int] = ()) -> Rows:
    retrieval = NGramDrafter()
    retrieval.learn(said)
    others = [
        Change(Text(1, 2, 8, 4), 0.3, -2.0),
        Change(Text(1, 9, 3, 4), 0.2, -1.0),
        Change(Text(1, 2, 3, 4, 9), 0.9, 0.0),
    ]
    return Rows(Text(1, 2, 3, 4), others, retrieval, count)  # type: ignore[arg-type]


def test_the_row_that_is_right_longest_counts_and_the_targets_own_token_behind_it() -> None:
    text = [1, 2, 8, 4, 5]
    assert passes(text, lambda done, count: [], 4) == 5
    assert passes(text, rows(1), 4) == 2, "1 2 and 8, then 4 and 5"
    assert passes(text, rows(8), 4) == 1


def test_rows_are_the_heads_text_then_the_likeliest_changes() -> None:
    found = [[1, 2, 3, 4], [1, 9, 3, 4], [1, 2, 8, 4]]
    assert rows(8)([], 4) == found, "a change that is not within reach is none"
    assert rows(2)([], 4) == found[:2] and rows(1)([], 4) == found[:1]


def test_what_was_retrieved_takes_a_row() -> None:
    assert rows(2, [1, 2, 3, 7, 7])([1, 2, 3], 2) == [[4], [7, 7]]
