"""The look-ahead follows what things cost and how often the draft is right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.lookahead import LookAhead, best_look_ahead, expected_tokens

cost = st.floats(1e-5, 1.0)


def test_expected_tokens_are_those_of_the_paper() -> None:
    assert expected_tokens(0.0, 4) == 1
    assert expected_tokens(0.8, 4) == pytest.approx(1 + 0.8 + 0.64 + 0.512 + 0.4096)
    assert expected_tokens(1.0, 4) == 5


def test_a_free_draft_looks_as_far_as_it_may_and_a_useless_one_as_little() -> None:
    assert best_look_ahead(draft=0, base=1, slope=0, acceptance=0.9, least=2, most=8) == 8
    assert best_look_ahead(draft=1, base=1, slope=0.1, acceptance=0.05, least=2, most=8) == 2


@given(cost, cost, cost, st.floats(0, 0.99), st.floats(0, 0.99))
def test_a_better_draft_never_looks_less_far(draft: float, base: float, slope: float, one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert best_look_ahead(draft, base, slope, low, 0, 12) <= best_look_ahead(draft, base, slope, high, 0, 12)


def test_measured_costs_are_learned() -> None:
    policy = LookAhead()
    for width in (1, 5, 3, 8, 2) * 20:
        policy.passed(width, 0.010 + 0.002 * width)
        policy.drafted(3, 0.003)
        policy.compared(4, 3)
    base, slope = policy._pass_cost()
    assert base == pytest.approx(0.010, rel=0.05)
    assert slope == pytest.approx(0.002, rel=0.05)
    assert policy.choose() == best_look_ahead(0.001, base, slope, 0.75, 2, 8)


def test_passes_of_one_width_are_enough_to_begin() -> None:
    policy = LookAhead()
    assert 2 <= policy.choose() <= 8
    policy.passed(3, 0.01)
    policy.drafted(2, 0.001)
    assert 2 <= policy.choose() <= 8


def test_what_is_known_of_a_draft_does_not_fade_while_it_is_silent() -> None:
    policy = LookAhead()
    policy.passed(3, 0.01)
    policy.drafted(2, 0.001)
    for _ in range(50_000):
        policy.compared(0, 0)
    assert 2 <= policy.choose() <= 8
