"""A draft that scores only some of its target's tokens: it proposes what it can, under the target's rules, and changes
no text."""

from __future__ import annotations

import numpy as np
import pytest

from desktop_app.decoding.mapping import head_ids
from desktop_app.decoding.rules import Rules
from tests.unit.decoding.toys import END, FIRST_TIME, SIZE, vocabulary

HEAD = (*range(0, END, 3), *range(END, SIZE))


def test_places_are_the_targets_tokens() -> None:
    ids = head_ids(vocabulary(), HEAD)
    assert [ids.to_target(place) for place in range(len(HEAD))] == list(HEAD)
    assert [ids.read(place) for place in range(len(HEAD))] == list(HEAD)
    assert ids.vocabulary.size == len(HEAD) and ids.to_target(ids.vocabulary.end) == END
    first = ids.to_target(ids.vocabulary.first_timestamp)
    assert first == FIRST_TIME


def test_it_reads_every_token_of_its_target() -> None:
    assert head_ids(vocabulary(), HEAD).to_draft([1, 2, 3, FIRST_TIME]) == [1, 2, 3, FIRST_TIME]


@pytest.mark.parametrize(
    "text", [[], [FIRST_TIME], [FIRST_TIME, 1], [FIRST_TIME, 3, FIRST_TIME + 2], [FIRST_TIME, 1, 2]]
)
def test_its_choice_is_the_targets_among_the_tokens_that_it_scores(text: list[int]) -> None:
    """Behind any text, one with tokens that it cannot score too: the rules ask for timestamps, and those it has."""
    rules, ids = Rules(vocabulary()), head_ids(vocabulary(), HEAD)
    own = ids.rules(rules)
    for seed in range(20):
        row = np.random.default_rng(seed).standard_normal(SIZE).astype(np.float32)
        whole = np.full(SIZE, -np.inf, np.float32)
        whole[list(HEAD)] = row[list(HEAD)]
        wanted = rules.decide(whole, rules.written(text)).token
        assert ids.to_target(own.decide(row[list(HEAD)], ids.written(own, text)).token) == wanted
