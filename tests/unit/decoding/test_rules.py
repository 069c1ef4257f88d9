"""The rules against a plain re-telling of openai/whisper's filters over the whole prefix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.rules import Rules, Written
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.problems import Problem

from .toys import END, FIRST_TIME, NO_TIMES, SIZE, TEXT, vocabulary


def reference(scores: np.ndarray, prefix: list[int], words: Vocabulary) -> np.ndarray:
    """Masked scores by the letter of the filters, with no state but the prefix."""
    row = scores.astype(np.float64)
    if not prefix:
        row[list(words.begin_suppress)] = -np.inf
    row[[*words.suppress, words.no_timestamps]] = -np.inf
    times = words.first_timestamp
    last_is_time = len(prefix) >= 1 and prefix[-1] >= times
    one_before_is_time = len(prefix) < 2 or prefix[-2] >= times
    if last_is_time:
        if one_before_is_time:
            row[times:] = -np.inf
        else:
            row[: words.end] = -np.inf
    written_times = [token for token in prefix if token >= times]
    if written_times:
        lowest = written_times[-1] + (0 if last_is_time and not one_before_is_time else 1)
        row[times:lowest] = -np.inf
    if not prefix:
        row[:times] = -np.inf
        if words.max_initial_timestamp is not None:
            row[times + words.max_initial_timestamp + 1 :] = -np.inf
    if np.isfinite(row[times:]).any() and np.logaddexp.reduce(row[times:]) > row[:times].max():
        row[:times] = -np.inf
    return row


prefixes = st.lists(st.one_of(st.integers(0, TEXT), st.integers(FIRST_TIME, SIZE - 1)), max_size=8)


@given(prefixes, st.integers(0, 10_000), st.sampled_from([None, 0, 3]), st.sampled_from([0.0, 4.0]))
def test_decisions_are_the_reference_s(prefix: list[int], seed: int, initial: int | None, lean: float) -> None:
    words = vocabulary(max_initial_timestamp=initial)
    rules, written = Rules(words), Written()
    for token in prefix:
        written = rules.follow(written, token)
    scores = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32) * 3
    scores[FIRST_TIME:] += lean
    expected = reference(scores, prefix, words)
    if not np.isfinite(expected).any():
        return
    decision = rules.decide(scores, written)
    assert decision.token == int(expected.argmax())
    assert decision.log_probability == pytest.approx(expected.max() - np.logaddexp.reduce(expected), abs=1e-4)


@given(prefixes, st.integers(0, 10_000))
def test_nothing_changes_a_decision_by_less_than_half_its_margin(prefix: list[int], seed: int) -> None:
    """The margin is what the tie guard trusts: no shake that moves every difference by less can change the token."""
    rules, written = Rules(vocabulary()), Written()
    for token in prefix:
        written = rules.follow(written, token)
    draw = np.random.default_rng(seed)
    scores = draw.normal(size=SIZE).astype(np.float32)
    decision = rules.decide(scores, written)
    if np.isfinite(decision.margin):
        reach = 0.49 * max(decision.margin, 0)
        shaken = scores + draw.uniform(-reach, reach, SIZE).astype(np.float32)
        assert decision.margin < 1e-5 or rules.decide(shaken, written).token == decision.token


def test_scores_are_left_as_they_were() -> None:
    scores = np.arange(SIZE, dtype=np.float32)
    kept = scores.copy()
    Rules(vocabulary()).decide(scores, Written())
    assert (scores == kept).all()


def test_a_balance_between_times_and_text_is_a_near_tie() -> None:
    rules, words = Rules(vocabulary()), vocabulary()
    written = rules.follow(rules.follow(Written(), FIRST_TIME), 1)
    scores = np.full(SIZE, -50, np.float32)
    scores[2] = 1.0
    scores[words.first_timestamp + 4 : words.first_timestamp + 6] = 1.0 - np.log(2) - 1e-4
    decision = rules.decide(scores, written)
    assert decision.token == 2
    assert decision.margin == pytest.approx(1e-4, abs=2e-5)


def test_the_no_timestamps_token_is_never_written() -> None:
    scores = np.zeros(SIZE, np.float32)
    scores[NO_TIMES] = 100
    rules = Rules(vocabulary())
    written = rules.follow(Written(), FIRST_TIME)
    assert rules.decide(scores, written).token != NO_TIMES
    assert rules.decide(scores, rules.follow(written, 3)).token != NO_TIMES


def test_an_english_only_vocabulary_suppresses_ids_beyond_its_size_harmlessly() -> None:
    words = vocabulary(suppress=(3, SIZE, SIZE + 100, -1), begin_suppress=(END, SIZE, -1), max_initial_timestamp=None)
    rules = Rules(words)
    assert rules.decide(np.zeros(SIZE, np.float32), Written()).token >= FIRST_TIME
    last = np.zeros(SIZE, np.float32)
    last[-1] = 100
    for written in (Written(), rules.follow(rules.follow(Written(), FIRST_TIME), 3)):
        assert rules.decide(last, written).token == SIZE - 1, "-1 is no token, and not the last one"
    zero = np.full(SIZE, -50, np.float32)
    zero[0] = 100
    assert Rules(vocabulary(suppress=(0,))).decide(zero, Written(1, 5)).token != 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_no_numbers_decide_nothing(bad: float) -> None:
    """A model whose weights are none would write anything; where the rules forbid the token it does not matter."""
    words = vocabulary(suppress=(3,))
    row = np.zeros(SIZE, np.float32)
    row[3] = bad
    assert Rules(words).decide(row, Written(1, 5)).token != 3
    row[4] = bad
    with pytest.raises(Problem, match="not_finite"):
        Rules(words).decide(row, Written(1, 5))
