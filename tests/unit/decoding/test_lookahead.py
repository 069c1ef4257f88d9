"""The look-ahead follows what things cost and how often the draft is right; a draft that cannot pay is left out.

The costs are recorded ones (`traces`, written by benchmarks/round_costs.py): passes of a target of 12 layers and of
drafts of 2 and of 12, each line within some tenths of a second, with precedence over all else on two cores, and beside
programs that wanted more than these.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import cycle, groupby
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.lookahead import (
    DECIDE_EVERY,
    EXPENSIVE,
    HEAD_ALONE,
    KEPT_PASSES,
    NEWEST_PASSES,
    RARELY,
    RETRY,
    TRY,
    Comparison,
    LookAhead,
    Plan,
    Round,
    best_look_ahead,
    compare,
    decide,
    expected_tokens,
    highest_speed,
    least_confidence,
    steady,
)

cost = st.floats(1e-5, 1.0)
TRACES = Path(__file__).parent / "traces"
Row = dict[str, float]


@cache
def trace(name: str) -> list[Row]:
    """Seconds of a pass of the draft and of the target's passes of 1 to 9 tokens, line by line."""
    with (TRACES / f"{name}.csv").open(encoding="utf-8") as file:
        return [{key: int(each) / 1e6 for key, each in row.items()} for row in csv.DictReader(file)]


@dataclass
class Played:
    """What came of a text that was written with a look-ahead."""

    rounds: int = 0
    with_draft: int = 0
    cost: float = 0.0  # in one-token passes of the target, by the trace's medians
    tokens: int = 0

    @property
    def speed(self) -> float:
        return self.tokens / self.cost


def play(policy: LookAhead, costs: Iterator[Row], usual: Row, acceptance: float, rounds: int, seed: int = 0) -> Played:
    """Write a text of so many rounds: tokens are accepted by lot, each round costs what the next line says."""
    draw, played = np.random.default_rng(seed), Played()
    one = usual["1"]
    for _ in range(rounds):
        count = policy.choose()
        drafts = sum(next(costs)["draft"] for _ in range(count))
        row = next(costs)
        lots = draw.random(count) < acceptance
        accepted = count if lots.all() else int(lots.argmin())
        compared = min(count, accepted + 1)
        policy.record(Round(count, count, compared, accepted, accepted + 1, count, drafts, row[str(count + 1)]))
        played.rounds += 1
        played.with_draft += count > 0
        played.tokens += accepted + 1
        played.cost += (count * usual["draft"] + usual[str(count + 1)]) / one
    return played


def usual(name: str) -> Row:
    """The medians of a trace."""
    rows = trace(name)
    return {key: median(row[key] for row in rows) for key in rows[0]}


def test_expected_tokens_are_those_of_the_paper() -> None:
    assert expected_tokens(0.0, 4) == 1
    assert expected_tokens(0.8, 4) == pytest.approx(1 + 0.8 + 0.64 + 0.512 + 0.4096)
    assert expected_tokens(1.0, 4) == 5


def test_a_free_draft_looks_as_far_as_it_may_and_a_useless_one_as_little() -> None:
    assert best_look_ahead(draft=0, base=1, slope=0, acceptance=0.9, least=2, most=8) == 8
    assert best_look_ahead(draft=1, base=1, slope=0.1, acceptance=0.05, least=2, most=8) == 2


@pytest.mark.parametrize(
    ("draft", "base", "slope", "acceptance"),
    [(0.05, 0.93, 0.07, 0.8), (0.2, 0.9, 0.1, 0.9), (0.02, 0.5, 0.5, 0.95), (0.01, 0.99, 0.01, 0.6), (0.1, 1, 0, 1.0)],
)
def test_the_best_look_ahead_is_the_one_with_the_most_tokens_per_second(
    draft: float, base: float, slope: float, acceptance: float
) -> None:
    speeds = [
        sum(acceptance**accepted for accepted in range(count + 1)) / (draft * count + base + slope * (count + 1))
        for count in range(2, 31)
    ]
    assert best_look_ahead(draft, base, slope, acceptance, 2, 30) == 2 + int(np.argmax(speeds))


def test_a_look_ahead_before_a_step_of_the_cost_is_kept() -> None:
    """A processor that multiplies four rows at a time: a fifth token costs as much as the first four."""
    steps = {drafted: 1.0 + drafted // 4 for drafted in range(2, 9)}
    best = best_look_ahead(draft=0.05, base=0.8, slope=0.2, acceptance=0.65, least=2, most=8, passes=steps)
    assert best == 3
    del steps[3]
    best = best_look_ahead(0.05, 0.95, 0.05, 0.8, 2, 8, steps)
    assert best == 3, "what was not measured is taken from the slope"


def test_behind_a_step_nothing_is_taken_to_cost_less() -> None:
    """A longer one may seem cheap by the slope; what costs more than a shorter one is not tried again and again."""
    best = best_look_ahead(draft=0.0, base=1.0, slope=0.01, acceptance=0.8, least=2, most=8, passes={3: 1.0, 4: 2.0})
    assert best == 3


def test_what_was_not_measured_is_tried_by_one_token_at_a_time() -> None:
    free = partial(best_look_ahead, draft=0.0, base=1.0, slope=0.0, acceptance=0.9, least=2, most=8)
    assert [free(passes=dict.fromkeys(range(2, longest), 1.0)) for longest in (4, 6, 9)] == [4, 6, 8]
    assert free(passes={0: 1.0, 1: 1.0}) == 2, "and never less than the least"
    assert free(passes={}) == free() == 8, "on a busy machine, where none is known"


def test_a_draft_that_takes_as_long_whatever_its_length_is_not_shortened() -> None:
    passes = {drafted: 1.0 + 0.05 * drafted for drafted in range(9)}
    by_token = best_look_ahead(0.1, 1.0, 0.05, 0.6, 2, 8, passes)
    by_draft = best_look_ahead(0.0, 1.0, 0.05, 0.6, 2, 8, passes, once=0.1)
    assert by_token < by_draft < best_look_ahead(0.0, 1.0, 0.05, 0.6, 2, 8, passes, once=5.0)
    rounds = [Round(3, 3, 3, 2, 3, 0, 0.1, 1.15)] * 30
    head, model = (decide(each, [], 0.0, Plan(3), True, 2, 8, passes) for each in (rounds, with_passes(rounds)))
    assert head.look_ahead > model.look_ahead
    corrected = [replace(each, passes=2) for each in rounds]  # of all tokens at once
    assert decide(corrected, [], 0.0, Plan(3, HEAD_ALONE), True, 2, 8, passes).look_ahead == head.look_ahead


def with_passes(rounds: Sequence[Round]) -> list[Round]:
    """The same, drafted by a model: each token costs what the whole did."""
    return [replace(each, passes=each.drafted, draft_seconds=each.draft_seconds * each.drafted) for each in rounds]


def test_the_cost_of_a_pass_is_known_where_few_measurements_agree() -> None:
    def cost(*measured: float) -> dict[int, float]:
        return steady([(3, each) for each in measured])

    assert cost(1.0, 1.04, 1.02, 1.02) == {3: pytest.approx(1.02)}
    assert cost(1.0, 1.04, 1.02) == {}, "too few"
    assert cost(1.0, 1.04, 1.02, 1.02, 9.0, 1.03, 1.01) == {3: pytest.approx(1.02)}, "one was disturbed"
    assert cost(1.0, 1.1, 1.2, 1.3) == {}, "a busy machine"
    assert cost(*[2.0] * 40, *[1.0] * NEWEST_PASSES) == {3: 1.0}, "the newest count"
    assert steady([(2, 1.0), (4, 1.5)] * 4) == {2: 1.0, 4: 1.5}


def stepped(look_ahead: LookAhead, rounds: int, step: int = 4) -> list[int]:
    """The look-aheads of a free draft of which 65% are accepted, where a pass takes 10 ms, one of more than `step`
    tokens 20, and the first behind one of another size, or by chance one of ten, 30 more."""
    draw, asked, before = np.random.default_rng(0), list[int](), 0
    for _ in range(rounds):
        count = look_ahead.choose()
        lots = draw.random(count) < 0.65
        right = count if lots.all() else int(lots.argmin())
        seconds = 0.01 * (1 + (count >= step) + 3 * (count != before or draw.random() < 0.1))
        look_ahead.record(Round(count, count, min(count, right + 1), right, right + 1, 0, 0.0, seconds))
        asked += [count] if count else []
        before = count
    return asked


def test_the_look_ahead_stays_before_a_step_of_the_cost_once_it_has_seen_it() -> None:
    late = stepped(LookAhead(may_disable_draft=True), 1500)[500:]
    assert late.count(3) > 0.9 * len(late)


@pytest.mark.parametrize("acceptance", [0.0, 0.7], ids=["disabled", "drafting"])
def test_a_look_ahead_resumes_from_a_file_as_if_it_had_never_stopped(acceptance: float) -> None:
    """Rounds of the head and of a draft whose passes take long, of which it knows that they do."""

    def further(policy: LookAhead, seed: int) -> list[tuple[int, float]]:
        draw, asked = np.random.default_rng(seed), list[tuple[int, float]]()
        for at in range(300):
            if at % 100 == 0:
                policy.window()
            count = policy.choose()
            lots = draw.random(count) < acceptance
            right = count if lots.all() else int(lots.argmin())
            passes = 0 if policy.confidence == HEAD_ALONE else count
            took = 0.005 * passes + 0.001 * (count > 0)
            cost = 0.01 + 0.001 * count + 0.0001 * draw.random()
            policy.record(Round(count, count, min(count, right + 1), right, right + 1, passes, took, cost))
            asked.append((count, policy.confidence))
        return asked

    before, later = (LookAhead(may_disable_draft=True, has_head=True) for _ in range(2))
    further(before, 1)
    later.resume(json.loads(kept := json.dumps(before.as_json())))
    assert json.dumps(later.as_json()) == kept
    for each in (before, later):
        each.window()
        each.restart()
    assert before.left_out == later.left_out
    assert (before.left_out is None) == (acceptance > 0)
    fresh = LookAhead(may_disable_draft=True, has_head=True)
    asked, resumed = further(before, 2), further(later, 2)
    assert resumed[:30] == asked[:30], "neither tries what is known"
    assert resumed[:30] != further(fresh, 2)[:30], "which a new one has to find out"


def test_a_disabled_draft_is_tried_again_however_short_the_recordings_are() -> None:
    def rounds(policy: LookAhead, count: int, right: bool) -> int:
        asked = 0
        for _ in range(count):
            drafted = policy.choose()
            accepted = drafted if right else 0
            policy.record(
                Round(
                    drafted, drafted, min(drafted, accepted + 1), accepted, accepted + 1, drafted, 0.004 * drafted, 0.01
                )
            )
            asked += drafted > 0
        return asked

    policy = LookAhead(may_disable_draft=True)
    rounds(policy, 100, right=False)
    assert policy.left_out is not None
    for _ in range(60):
        kept, policy = policy.as_json(), LookAhead(may_disable_draft=True)
        policy.resume(kept)
        policy.restart()
        rounds(policy, 20, right=True)
    assert policy.left_out is None


@pytest.mark.parametrize("missing", ["ways", "alone", "pass_costs", "windows", "since", "wait"])
def test_what_is_no_measurement_changes_nothing(missing: str) -> None:
    policy = LookAhead(may_disable_draft=True, has_head=True)
    begun, kept = policy.as_json(), policy.as_json()
    kept["ways"][0]["plan"]["look_ahead"] = 7
    for damaged in (kept | {missing: [{"seconds": 1}]}, {key: kept[key] for key in kept if key != missing}):
        with pytest.raises((KeyError, TypeError, ValueError)):
            policy.resume(damaged)
        assert policy.as_json() == begun


def test_a_draft_that_stopped_early_does_not_make_longer_passes_look_cheap() -> None:
    policy, asked = LookAhead(may_disable_draft=True), list[int]()
    for at in range(300):
        count = policy.choose()
        drafted = count if at % 3 else min(count, 1)
        right = min(drafted, 2)
        seconds = 0.01 * (1 + (drafted >= 4))
        policy.record(Round(count, drafted, min(drafted, right + 1), right, right + 1, 0, 0.0, seconds))
        asked += [count] if count else []
    assert asked[100:].count(3) > 0.9 * len(asked[100:])


def test_a_step_that_comes_or_goes_is_noticed() -> None:
    policy = LookAhead(2, 5, may_disable_draft=True)
    assert fmean(stepped(policy, 250, step=9)[-50:]) > 4
    assert fmean(stepped(policy, 250)[-50:]) < 3.5, "another program takes the time of long passes"
    assert fmean(stepped(policy, 2 * KEPT_PASSES, step=9)[-200:]) > 4, "and no longer does"


def test_a_comparison_is_of_means_side_by_side() -> None:
    rounds = [Round(4, 4, 4, 2, 3, 4, 0.004, 0.014), Round(4, 0, 0, 0, 1, 1, 0.002, 0.010), wrote(5)[0]]
    alone = [Round(0, 0, 0, 0, 1, 0, 0.0, seconds) for seconds in (0.008, 0.012)]
    assert compare(rounds, alone) == Comparison(
        pytest.approx((0.018 + 0.012 + 0.040) / 3 / 0.010), pytest.approx((0.4 / 4 + 0.0 / 6) / 2)
    )
    assert compare(rounds[1:2], alone).slope is None


@pytest.mark.parametrize("passes", [0, 1, 3])
@pytest.mark.parametrize(
    ("slopes", "slope"), [((0.02, 0.05, 0.4), 0.05), ((None, 0.05, None), 0.05), ((-0.3, -0.1, 0.2), 0.0), ((), 0.07)]
)
def test_a_plan_follows_from_what_was_measured(slopes: tuple[float | None, ...], slope: float, passes: int) -> None:
    """The draft's pass is 0.1 of a one-token pass; ten tokens at an acceptance of 0.8 are the prior."""
    seconds = 0.001 * max(1, passes)
    rounds = [Round(3, 3, 3, 2, 3, passes, seconds, 0.010 * (1 + 3 * slope))] * 30
    rounds += [Round(9, 2, 2, 0, 1, passes, seconds, 0.010 * (1 + 2 * slope))] * 9  # ended early, by itself
    plan = decide(rounds, [Comparison(2.0, each) for each in slopes], 0.0, Plan(4), True, 2, 60)
    token, once = (0.1, 0.0) if passes else (0.0, 0.1)
    assert plan.look_ahead == best_look_ahead(token, 1 - slope, slope, (8 + 60) / (10 + 90), 2, 60, once=once)
    assert plan.confidence == pytest.approx(least_confidence(rounds, 0.1, slope, (8 + 60) / (10 + 90 + 18)))
    assert decide(rounds, [], 0.0, Plan(4), True, 4, 4).confidence == 0.0


@given(cost, cost, cost, st.floats(0, 0.99), st.floats(0, 0.99))
def test_a_better_draft_never_looks_less_far(draft: float, base: float, slope: float, one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert best_look_ahead(draft, base, slope, low, 0, 12) <= best_look_ahead(draft, base, slope, high, 0, 12)


def test_a_dearer_token_has_to_be_surer() -> None:
    """What a token costs is compared with what tokens cost on average; a sure draft always goes on."""
    rounds = wrote(*[4] * 10)
    costs = [least_confidence(rounds, draft, 0.05, 0.9) for draft in (0.0, 0.05, 0.2, 0.4)]
    assert costs == sorted(costs) and costs[0] < 0.2 and costs[-1] > 0.5
    assert least_confidence(rounds, 9.0, 0.05, 0.1) == 0.9
    assert least_confidence(rounds, 0.1, 0.05, 0.9) == pytest.approx((0.1 + 0.05) / (0.9 * (1 + 6 * 0.15) / 4))
    assert least_confidence(rounds, 0.1, 0.05, 0.5) > least_confidence(rounds, 0.1, 0.05, 0.9)


def test_a_draft_that_stops_by_itself_may_go_far_where_it_is_sure() -> None:
    """Rounds that it ended early say nothing against a longer look-ahead."""
    sure, unsure = Round(4, 4, 4, 4, 5, 4, 0.002, 0.010), Round(4, 2, 2, 1, 2, 3, 0.0015, 0.010)
    assert decide([sure, unsure] * 10, [], 0.0, Plan(4), True, 2, 8).look_ahead > 6


@pytest.mark.parametrize("name", ["quiet", "busy"])
@pytest.mark.parametrize("seed", range(5))
def test_a_good_draft_is_never_left_out(name: str, seed: int) -> None:
    policy = LookAhead(may_disable_draft=True)
    played = play(policy, cycle(trace(name)), usual("quiet"), 0.8, 1500, seed)
    assert policy.left_out is None
    assert played.with_draft > 0.85 * played.rounds  # the others were comparisons with the target alone
    assert played.speed > 1.3


@pytest.mark.parametrize(("name", "acceptance"), [("_as_large", 0.8), ("", 0.1)])
@pytest.mark.parametrize(("load", "rounds"), [("quiet", 250), ("busy", 1500)])
@pytest.mark.parametrize("seed", range(5))
def test_a_draft_that_cannot_pay_is_left_out(load: str, rounds: int, name: str, acceptance: float, seed: int) -> None:
    policy, costs = LookAhead(may_disable_draft=True), cycle(trace(load + name))
    play(policy, costs, usual("quiet" + name), acceptance, rounds, seed)
    assert policy.left_out is not None
    assert policy.left_out < 0.98
    later = play(policy, costs, usual("quiet" + name), acceptance, 3000, seed)
    assert 0 < later.with_draft < 0.1 * later.rounds  # tried now and then
    assert load == "busy" or later.speed > 0.98


@pytest.mark.parametrize(("load", "least"), [("quiet", 20), ("busy", 4)])
def test_it_comes_back_when_it_pays_again(load: str, least: int) -> None:
    """Of twenty texts; on a busy machine few comparisons are believed."""
    back = 0
    for seed in range(20):
        policy, costs = LookAhead(may_disable_draft=True), cycle(trace(load))
        play(policy, costs, usual("quiet"), 0.1, 1500, seed)
        assert policy.left_out is not None
        play(policy, costs, usual("quiet"), 0.9, 5000, 20 + seed)
        back += policy.left_out is None
    assert back >= least


def test_what_was_learned_in_one_recording_is_known_in_the_next() -> None:
    """Short recordings: each alone ends before a draft that cannot pay is found out, all together do not."""
    policy, costs = LookAhead(may_disable_draft=True), cycle(trace("quiet_as_large"))
    first = play(policy, costs, usual("quiet_as_large"), 0.8, 15)
    assert first.with_draft > 10
    later = []
    for seed in range(120):
        policy.restart()
        later.append(play(policy, costs, usual("quiet_as_large"), 0.8, 15, seed))
    assert policy.left_out is not None
    late = later[30:]
    assert sum(each.with_draft for each in late) < 0.02 * sum(each.rounds for each in late)


def test_only_the_trials_of_this_recording_count() -> None:
    """What a draft did in the one before says nothing of this one's text: trials of four rounds are enough."""
    policy = LookAhead(4, 4, may_disable_draft=True)

    def rounds(count: int, accepted: int) -> list[bool]:
        drafted = []
        for _ in range(count):
            ahead = policy.choose()
            drafted.append(ahead > 0)
            right = min(ahead, accepted)
            policy.record(Round(ahead, ahead, ahead, right, right + 1, ahead, 0.25 * ahead, 1.0))
        return drafted

    rounds(60, 0)
    assert policy.left_out == pytest.approx(0.5)
    policy.restart()
    drafted = rounds(3000, 4)
    first = drafted.index(True)
    assert drafted[first : first + 4] == [True] * 4
    assert policy.left_out is None
    assert drafted.count(False) < first + 200, "taken back at the first trial"


def test_a_draft_that_was_left_out_is_tried_in_the_next_recording() -> None:
    policy = LookAhead(may_disable_draft=True)
    play(policy, cycle(trace("quiet")), usual("quiet"), 0.1, 6000)
    assert policy.left_out is not None
    policy.restart()
    play(policy, cycle(trace("quiet")), usual("quiet"), 0.9, 1500)
    assert policy.left_out is None


def test_a_machine_that_grows_busy_and_quiet_again_misleads_nobody() -> None:
    policy = LookAhead(may_disable_draft=True)
    for load in ("quiet", "busy") * 8:
        play(policy, cycle(trace(load)), usual("quiet"), 0.75, 60)
        assert policy.left_out is None


def judge(rounds: list[Round], cost: float, comparisons: int = 6, drafting: bool = True, encoding: float = 0.0) -> Plan:
    """A decision after rounds whose cost is known."""
    return decide(rounds, [Comparison(cost, 0.0)] * comparisons, encoding, Plan(4, drafting=drafting), True, 2, 8)


def wrote(*tokens: int) -> list[Round]:
    """Rounds that drafted six tokens each and wrote so many."""
    return [Round(6, 6, 6, each - 1, each, 6, 0.030, 0.010) for each in tokens]


def test_between_the_two_thresholds_it_stays_as_it_is() -> None:
    """A draft that makes the text neither slower nor faster is neither left out nor taken back."""
    for drafting in (True, False):
        plan = judge(wrote(*[4] * 40), 4.0, drafting=drafting)
        assert plan.worth == pytest.approx(1.0)
        assert plan.drafting is drafting
    assert not judge(wrote(*[4] * 40), 4.2).drafting
    assert judge(wrote(*[4] * 40), 3.8, drafting=False).drafting


@pytest.mark.parametrize(
    ("worth", "drafting", "after"),
    [(0.975, True, False), (0.985, True, True), (1.015, False, False), (1.025, False, True)],
)
def test_the_two_thresholds(worth: float, drafting: bool, after: bool) -> None:
    assert judge(wrote(*[4] * 40), 4.0 / worth, drafting=drafting).drafting is after


@pytest.mark.parametrize(("worth", "drafting"), [(0.938, False), (0.945, True)])
def test_rounds_that_differ_are_believed_by_their_standard_error(worth: float, drafting: bool) -> None:
    """Of 3 and 5 tokens in turn: 0.0400 of their mean."""
    assert judge(wrote(*[3, 5] * 20), 4.0 / worth).drafting is drafting


@pytest.mark.parametrize(("apart", "drafting"), [(0.031, False), (0.033, True)])
def test_costs_that_differ_are_believed_by_twice_their_standard_error(apart: float, drafting: bool) -> None:
    """Five of them, each so far from the next: their quartiles are three of that apart."""
    costs = [Comparison(4.0 / 0.9 * math.exp(apart * place), 0.0) for place in (-2, -1, 0, 1, 2)]
    assert decide(wrote(*[4] * 40), costs, 0.0, Plan(4), True, 2, 8).drafting is drafting


def test_a_draft_is_sure_to_pay_where_it_does_so_beyond_doubt() -> None:
    assert [judge(wrote(*[4] * 40), 4.0 / worth).sure for worth in (1.01, 1.03)] == [False, True]
    assert [judge(wrote(*[3, 5] * 20), 4.0 / worth).sure for worth in (1.05, 1.08)] == [False, True]
    unknown = judge(wrote(*[4] * 40), 1.0, comparisons=2)
    assert (unknown.worth, unknown.drafting, unknown.sure) == (None, True, False)


@pytest.mark.parametrize(("tokens", "cost"), [(None, 2.25 / 1.25 + 0.2 / 1.25), (50, 2.25 + 0.4)])
def test_a_draft_pays_for_a_window_by_the_tokens_that_windows_have(tokens: int | None, cost: float) -> None:
    """Those of the last eight; a hundred while the first one is not over. It takes 20 passes' time to hear one, where a
    pass that verifies takes 1.25; until one without a draft was seen, that counts as one."""
    policy, written = LookAhead(4, 4, may_disable_draft=True), 0
    policy.window()
    while written < (60 if tokens is None else 12_000):
        if tokens and written and written % tokens == 0:
            policy.window()
        count = policy.choose()
        if count:
            policy.began(20.0)
        policy.record(Round(count, count, min(count, 1), 0, 1, count, 0.25 * count, 1.25 if count else 1.0))
        written += 1
    assert policy.left_out == pytest.approx(1 / cost, rel=0.02)


def test_the_first_round_behind_another_size_of_pass_is_not_compared() -> None:
    """It takes longer than those after it."""
    policy, before = LookAhead(4, 4, may_disable_draft=True), 0
    for _ in range(60):
        count = policy.choose()
        seconds = 1.0 if count == before else 3.0
        policy.record(Round(count, count, min(count, 1), 0, 1, count, 0.25 * count, seconds))
        before = count
    assert policy.left_out == pytest.approx(1 / 2.0)


def test_little_evidence_leaves_nothing_out() -> None:
    assert judge(wrote(*[4] * 19), 9.0).drafting
    assert judge(wrote(*[4] * 40), 9.0, comparisons=2).drafting
    assert not judge(wrote(*[4] * 40), 9.0, comparisons=3).drafting


def test_few_rounds_are_enough_where_nothing_is_accepted() -> None:
    """Their drafts take three passes' time: they could not pay even if each round had written two more."""
    assert judge(wrote(*[1] * 7), 9.0, comparisons=0).drafting
    plan = judge(wrote(*[1] * 8), 9.0, comparisons=0)
    assert not plan.drafting and plan.worth == pytest.approx(1 / 4)
    assert not judge(wrote(*[1] * 8), 0.5).drafting, "whatever comparisons on a busy machine say"
    assert decide(wrote(*[1] * 8), [], 0.0, Plan(4), False, 2, 8).drafting, "it was asked for whatever it costs"


def test_what_few_rounds_leave_possible() -> None:
    """Three tokens more where none was accepted; the more, the more the rounds differ."""
    assert highest_speed(wrote(*[1] * 10), 0.0) == pytest.approx((1 + 3 / 10) / 4)
    assert highest_speed(wrote(*[1] * 10), 1.2) == pytest.approx((1 + 3 / 10) / 5.2)
    assert highest_speed(wrote(*[1] * 6, *[2] * 4), 0.0) == pytest.approx((1 + (1 + 4 + 2 * math.sqrt(5)) / 10) / 4)
    assert highest_speed(wrote(*[1] * 9, 5), 0.0) == pytest.approx((1 + (1 + 4 + 2 * math.sqrt(17)) / 10) / 4)


def test_a_draft_that_costs_nothing_is_not_given_up_before_it_was_compared() -> None:
    rounds = [Round(6, 6, 1, 0, 1, 0, 0.0, 0.010)] * 64
    assert decide(rounds, [], 0.0, Plan(4), True, 2, 8).drafting


def test_a_draft_that_is_left_out_is_not_said_to_be_faster_than_its_own_time_allows() -> None:
    """Two comparisons on a busy machine may say what they like: it takes three passes' time to draft four tokens."""
    plan = judge(wrote(*[4] * 16), 0.5, comparisons=3, drafting=False)
    assert plan.drafting and plan.worth == pytest.approx(8.0)
    doubtful = [Comparison(cost, 0.0) for cost in (0.2, 2.0, 20.0)]
    assert decide(wrote(*[4] * 16), doubtful, 0.0, Plan(4, drafting=False), True, 2, 8).worth == pytest.approx(1.0)


def test_one_that_came_back_by_comparisons_is_not_sent_away_by_what_was_before() -> None:
    assert judge(wrote(*[1] * 16), 0.5, drafting=False).drafting


@pytest.mark.parametrize("seed", range(20))
def test_a_useful_draft_is_not_given_up_for_its_first_rounds(seed: int) -> None:
    """Of 60% accepted, which make a text a third faster here."""
    policy = LookAhead(may_disable_draft=True)
    play(policy, cycle(trace("quiet")), usual("quiet"), 0.6, 40, seed)
    assert policy.left_out is None


def test_what_may_have_been_bad_luck_leaves_nothing_out() -> None:
    """Twenty rounds that wrote 7% too little say little where rounds differ much; four hundred say more."""
    few = wrote(*[1, 7] * 9, 1, 1)
    assert judge(few, 4.0).drafting
    assert not judge(few * 20, 4.0).drafting


def test_costs_that_lie_far_apart_leave_nothing_out() -> None:
    apart = [Comparison(cost, 0.0) for cost in (1.0, 2.0, 4.5, 9.0, 20.0)]
    assert decide(wrote(*[4] * 40), apart, 0.0, Plan(4), True, 2, 8).drafting
    assert not decide(wrote(*[4] * 40), [Comparison(4.5, 0.0)] * 5, 0.0, Plan(4), True, 2, 8).drafting


def test_what_a_draft_needs_to_hear_a_window_counts() -> None:
    assert judge(wrote(*[4] * 40), 2.0).worth == pytest.approx(2.0)
    assert judge(wrote(*[4] * 40), 5.0, encoding=3.0).worth == pytest.approx(0.5)
    policy = LookAhead(may_disable_draft=True)
    for number in range(300):  # a draft that would pay, but for the second that it listens every ten rounds
        count = policy.choose()
        if count and not number % 10:
            policy.began(1.0)
        policy.record(Round(count, count, count, count, count + 1, count, 0.001 * count, 0.010))
    assert policy.left_out is not None


@pytest.mark.parametrize(
    ("accepted", "draft", "encoding", "turns"),
    [
        (4, 0.1, 0.0, [12, 5, 12, 5, 12, 5, 200, 5, 200, 5]),  # clearly faster
        (1, 0.249, 0.0, [12, 5, 12, 5, 12, 5, 40, 5, 40, 5]),  # in doubt: 2 tokens for the time of 1.996
        (0, 0.25, 0.0, [8, 64, 4, 800]),  # left out: 4 rounds of 2 passes' time, of which a half is worth it
        (0, 2.0, 0.0, [8, 64, 4, 2000]),
        (1, 0.249, 3.75, [12, 5, 12, 5, 12, 5, 4, 64, 4, 747]),  # 4 rounds of 1.996 for 2 each, and the encoding
    ],
)
def test_measuring_costs_half_a_hundredth_of_the_time(
    accepted: int, draft: float, encoding: float, turns: list[int]
) -> None:
    """Rounds with and without the draft, in turn, in units of a pass: comparisons and trials are short, and the less
    there is to learn the rarer."""
    policy, drafted = LookAhead(4, 4, may_disable_draft=True), []
    while len(drafted) < sum(turns):
        count = policy.choose()
        drafted.append(count > 0)
        if count:
            policy.began(encoding)
        right = min(accepted, count)
        policy.record(Round(count, count, min(count, right + 1), right, right + 1, count, draft * count, 1.0))
    assert [len(list(each)) for _, each in groupby(drafted)] == turns
    assert drafted[0]


def test_one_that_was_asked_for_whatever_it_costs_is_not_left_out() -> None:
    policy = LookAhead()
    played = play(policy, cycle(trace("quiet_as_large")), usual("quiet_as_large"), 0.1, 500)
    assert policy.left_out is None
    assert played.with_draft == played.rounds


def test_before_anything_is_measured_it_drafts_three_tokens_and_stops_in_doubt() -> None:
    policy = LookAhead(2, 8)
    assert (policy.choose(), policy.confidence, policy.left_out) == (3, 0.5, None)
    assert (LookAhead(4, 8).choose(), LookAhead(1, 2).choose()) == (4, 2)


def test_the_more_rounds_are_known_the_less_often_it_decides() -> None:
    policy, decided = LookAhead(2, 8), []
    for at in range(1, 401):
        before = policy._way.plan
        policy.record(Round(4, 4, 4, 3, 4, 4, 0.001, 0.01))
        decided += [at] if policy._way.plan is not before else []
    assert decided[:4] == [4, 8, 12, 16]
    assert {later - earlier for earlier, later in zip(decided[-9:], decided[-8:], strict=False)} == {16}


def test_a_fixed_look_ahead_is_kept() -> None:
    policy = LookAhead(4, 4)
    for _ in range(100):
        assert (policy.choose(), policy.confidence) == (4, 0.0)
        policy.record(Round(4, 4, 4, 3, 4, 4, 0.001, 0.01))


def test_a_left_out_draft_with_an_encoder_of_its_own_comes_back_when_it_is_right() -> None:
    """A trial writes a few tokens of a window that the draft has to hear whole: it must not pay for all of it."""

    def play_windows(policy: LookAhead, count: int, accepted: float) -> float:
        """With windows of 100 tokens, heard in ten passes' time: the share of rounds that were drafted in."""
        drafted = rounds = 0
        for _ in range(count):
            policy.window()
            left, encoded = 100, False
            while left > 0:
                ahead = policy.choose()
                if ahead and not encoded:
                    policy.began(0.1)
                    encoded = True
                right = int(ahead * accepted)
                seconds = 0.0005 * ahead
                policy.record(Round(ahead, ahead, ahead, right, right + 1, ahead, seconds, 0.010 + seconds))
                left -= right + 1
                drafted += ahead > 0
                rounds += 1
        return drafted / rounds

    policy = LookAhead(may_disable_draft=True)
    play_windows(policy, 20, accepted=0.0)
    assert policy.left_out is not None
    play_windows(policy, 80, accepted=0.8)
    assert policy.left_out is None
    assert play_windows(policy, 10, accepted=0.8) > 0.9


class Both:
    """A draft with a head, for which a pass of the target alone takes a second and one that verifies 1.1. Head and
    model write so many tokens a round; a pass of the model takes `draft` seconds, a proposal of the head `head_draft`.
    Counts the rounds of each, and all seconds."""

    def __init__(self, policy: LookAhead) -> None:
        self._policy = policy
        self.head = self.model = self.alone = 0
        self.seconds = 0.0

    def play(self, rounds: int, draft: float, tokens: int = 4, head_tokens: int = 3, head_draft: float = 0.0) -> Both:
        for _ in range(rounds):
            ahead, with_head = self._policy.choose(), self._policy.confidence == HEAD_ALONE
            if not ahead:
                self.alone += 1
                done = Round(0, 0, 0, 0, 1, 0, 0.0, 1.0)
            elif with_head:
                self.head += 1
                done = Round(ahead, ahead, ahead, head_tokens - 1, head_tokens, 0, head_draft, 1.1)
            else:
                self.model += 1
                done = Round(ahead, ahead, ahead, tokens - 1, tokens, ahead, draft * ahead, 1.1)
            self.seconds += done.seconds
            self._policy.record(done)
        return self


def both() -> Both:
    return Both(LookAhead(may_disable_draft=True, has_head=True))


def test_the_head_is_asked_where_passes_of_the_model_are_expensive() -> None:
    cheap, expensive = both().play(400, draft=0.9 * EXPENSIVE), both().play(400, draft=1.1 * EXPENSIVE)
    assert cheap.head == 0 and cheap.model > 300
    assert TRY <= expensive.model <= 20 and expensive.head > 300, "a comparison says what a pass of the target takes"
    assert both().play(400, draft=0.15).head > 300, "base's draft in f32 on a Zen 5 processor: the head was faster"
    early = both().play(TRY + DECIDE_EVERY, draft=0.5)
    assert (early.model, early.head) == (TRY, DECIDE_EVERY), "a comparison is not waited for"


def test_a_model_that_proposed_nothing_has_no_cost() -> None:
    policy = LookAhead(may_disable_draft=True, has_head=True)
    for _ in range(100):
        ahead = policy.choose()
        policy.record(Round(ahead, 0, 0, 0, 1, 0, 0.0, 1.0))
        assert policy.confidence < HEAD_ALONE or policy.left_out is not None


def test_the_model_is_measured_again_behind_a_thousand_rounds() -> None:
    text = both().play(200, draft=2 * EXPENSIVE)
    before = text.model
    text.play(RETRY, draft=2 * EXPENSIVE)
    assert TRY <= text.model - before <= 2 * TRY
    text.play(3 * RETRY, draft=0.5 * EXPENSIVE)
    assert text.model > RETRY / 2, "it has become cheap"


def test_it_is_measured_again_half_as_often_each_time_until_another_recording_begins() -> None:
    """Hours of a recording cost a few measurements, because a device keeps what it prepares for each."""
    policy = LookAhead(may_disable_draft=True, has_head=True)
    text = Both(policy).play(40 * RETRY, draft=2 * EXPENSIVE)
    assert 5 * TRY <= text.model <= 7 * 2 * TRY, "at first, and behind 1, 3, 7, 15 and 31 thousand rounds"
    before = text.model
    policy.restart()
    text.play(RETRY + RARELY, draft=2 * EXPENSIVE)
    assert text.model > before


def test_a_head_that_does_not_pay_is_given_up() -> None:
    text = both().play(300, draft=1.1 * EXPENSIVE, tokens=6, head_tokens=1)
    before = text.head
    text.play(2000, draft=1.1 * EXPENSIVE, tokens=6, head_tokens=1)
    assert text.head == before and text.model > 1500


def test_a_head_that_was_given_up_has_another_chance_with_the_next_recording() -> None:
    policy = LookAhead(may_disable_draft=True, has_head=True)
    text = Both(policy).play(300, draft=1.1 * EXPENSIVE, tokens=6, head_tokens=1)
    before = text.head
    policy.restart()
    text.play(300, draft=1.1 * EXPENSIVE, tokens=6, head_tokens=5)
    assert text.head > before + 200


def test_a_head_of_a_disabled_draft_is_not_tried_with_each_recording() -> None:
    policy = LookAhead(may_disable_draft=True, has_head=True)
    text = Both(policy).play(1000, draft=1.0, tokens=1, head_tokens=1)
    before = text.head
    assert policy.left_out is not None
    for _ in range(5):
        policy.restart()
        text.play(200, draft=1.0, tokens=1, head_tokens=1)
    assert text.head == before


def test_a_model_that_does_not_pay_leaves_it_to_the_head() -> None:
    text = both().play(1000, draft=0.9 * EXPENSIVE, tokens=1)
    assert text.head > 500


def test_nothing_is_drafted_where_neither_pays() -> None:
    assert both().play(1000, draft=1.0, tokens=1, head_tokens=1).alone > 700


def test_a_draft_without_a_head_is_never_asked_for_one() -> None:
    policy = LookAhead(may_disable_draft=True)
    for _ in range(2):
        policy.restart()
        assert Both(policy).play(300, draft=5.0).head == 0


def test_a_useless_draft_costs_five_minutes_of_speech_two_percent() -> None:
    """1,150 tokens; the head proposes in a third of a pass's time, the model two tokens in a little more."""
    text = both().play(1150, draft=0.2, tokens=1, head_tokens=1, head_draft=0.33)
    assert text.model and text.head and text.alone
    assert text.seconds < 1.02 * 1150
