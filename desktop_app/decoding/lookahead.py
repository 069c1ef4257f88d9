"""How many tokens to draft before the target verifies them, none where drafting costs time: a pure function of the
measured rounds.

The expected number of tokens of a round is E(k) = (1 - a^(k+1)) / (1 - a) with acceptance a (Leviathan, Kalman and
Matias, "Fast inference from transformers via speculative decoding", 2023); a round costs k drafted tokens and one
pass of k + 1.

Whether to draft at all is not left to that formula. The tokens of the last rounds are counted, and their time is
compared with that of the target alone just before or after, for about as long, so that a busy machine delays both
alike; the median of several such comparisons is the cost of a round. Where hardly a token is accepted, no comparison is
needed: the draft's own time is then more than it could save.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, median, quantiles, stdev
from typing import Any

MOST = 8  # tokens drafted, where a longer pass takes longer
PRIOR_SLOPE = 0.07  # what a further token adds to a pass, as a share of a one-token pass, until it was measured
PRIOR_LOOK_AHEAD = 3  # no processor that was tried takes much longer for four tokens than for one
PRIOR_ACCEPTANCE, PRIOR_WEIGHT = 0.8, 10.0
PRIOR_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9
HEAD_ALONE = 1.0
"""The confidence with which only the CTC head of a draft proposes: no token is worth a pass of the draft's model."""

DISABLE_BELOW, ENABLE_ABOVE = 0.98, 1.02  # speeds with the draft, the target alone being 1
KEPT, NEWEST = 64, 16  # rounds with a draft that count, while it is enabled and while it is disabled
COMPARISONS, LATEST = 15, 5  # comparisons that count, while it is enabled and while it is disabled
ENOUGH_ROUNDS, ENOUGH_COMPARISONS = 20, 3  # needed before a draft is disabled
FEW_ROUNDS = 8  # needed before it is, where hardly a token is accepted
SURE = 2.0  # standard errors of a round's cost

EARLY, LATER, RARELY = 12, 40, 200
"""Rounds between comparisons: nothing measured yet, in doubt, drafting is clearly faster."""
ALONE = 5  # rounds without the draft for a comparison; the first is slow, behind a pass of another size, and left out
TRIAL = 4  # rounds of a disabled draft, to see whether it would pay again
ROUNDS = 2  # with a draft, that take about as long as those without
BUDGET = 0.005  # what trials may cost, as a share of the time between them
OFTEN, SELDOM = 64, 2000  # rounds between two trials, at least and at most
EXPENSIVE = 0.1  # of a one-token pass of the target: where a draft pass takes longer, the head alone is faster
TRY = 8  # rounds before the time of draft passes is judged
RETRY = 1000  # rounds before it is measured again; twice as many each time, as what a device prepares for it stays
WINDOWS = 8  # whose tokens are counted
TOKENS_A_WINDOW = 100  # before one is done
DECIDE_EVERY, NEWS = 4, 1 / 4  # rounds, at least, and as a share of those that count: a decision takes 0.3 ms
KEPT_PASSES = 300  # whose cost is remembered
NEWEST_PASSES, LEAST_PASSES = 15, 4  # of a size: those that count, and those needed to know its cost
STEADY = 0.15  # spread of these costs, as a share of their median, above which they are not believed


@dataclass(frozen=True)
class Round:
    """The tokens and seconds of one round."""

    asked: int  # tokens that the drafter might propose; 0 where it was not asked
    drafted: int  # tokens that it proposed
    compared: int
    accepted: int
    written: int
    passes: int  # of the draft's model
    draft_seconds: float
    pass_seconds: float  # the target's pass over `drafted` + 1 tokens, with what is made of its scores

    @property
    def seconds(self) -> float:
        """Draft and pass together."""
        return self.draft_seconds + self.pass_seconds


@dataclass(frozen=True)
class Comparison:
    """The time of rounds with a draft as a multiple of that of rounds without, measured side by side."""

    cost: float  # a round with a draft, all in all
    slope: float | None  # a further token of the target's pass; None where nothing was drafted


@dataclass(frozen=True)
class Plan:
    """How to draft: if `drafting`, at most `look_ahead` tokens, and no more once the draft is right with a probability
    below `confidence`. `worth` is the speed with the draft relative to the target alone, None while unknown; `sure` is
    whether it is significantly above 1."""

    look_ahead: int
    confidence: float = 0.0
    worth: float | None = None
    drafting: bool = True
    sure: bool = False


def expected_tokens(acceptance: float, look_ahead: int) -> float:
    """Mean number of tokens of a round: the accepted ones and the target's own after them."""
    if acceptance >= 1.0:
        return look_ahead + 1.0
    return float((1.0 - acceptance ** (look_ahead + 1)) / (1.0 - acceptance))


def best_look_ahead(
    draft: float,
    base: float,
    slope: float,
    acceptance: float,
    least: int,
    most: int,
    passes: Mapping[int, float] | None = None,
    *,
    once: float = 0.0,
) -> int:
    """The look-ahead between `least` and `most` with the most tokens per second.

    `draft` is the cost of one drafted token, `once` that of a draft however long it is, `passes` that of the target's
    pass for each look-ahead that was measured; others cost `base` + `slope` * k, of k tokens, and no less than shorter
    ones. In any unit. The look-ahead is at most one token longer than the longest that was measured.
    """
    measured = passes or {}

    def target(look_ahead: int) -> float:
        shorter = [cost for each, cost in measured.items() if each < look_ahead]
        return measured.get(look_ahead, max([base + slope * (look_ahead + 1), *shorter]))

    def speed(look_ahead: int) -> float:
        cost = once + look_ahead * draft + target(look_ahead)
        return expected_tokens(acceptance, look_ahead) / max(cost, 1e-9)

    longest = max(measured, default=most) + 1
    return max(range(least, max(least, min(most, longest)) + 1), key=speed)


def least_confidence(rounds: Sequence[Round], draft: float, slope: float, acceptance: float) -> float:
    """How likely a draft has to be right so far for one more token to be worth its cost, `draft` and `slope` one-token
    passes of the target.

    If the draft is right up to there, with the probability p, the next token is accepted with `acceptance`, and saves
    what a token costs on average: so p * `acceptance` times that has to be more than its own cost.
    """
    passes = draft * fmean(each.passes for each in rounds) + 1.0 + slope * fmean(each.drafted for each in rounds)
    token = passes / fmean(each.written for each in rounds)
    return min((draft + slope) / (acceptance * token), MOST_CONFIDENCE)


def compare(rounds: Sequence[Round], alone: Sequence[Round]) -> Comparison:
    """Compare rounds with a draft with rounds without one, run at about the same time and for as long."""
    one = max(fmean(each.seconds for each in alone), 1e-9)
    slopes = [(each.pass_seconds / one - 1.0) / each.drafted for each in rounds if each.drafted]
    return Comparison(fmean(each.seconds for each in rounds) / one, fmean(slopes) if slopes else None)


def highest_speed(rounds: Sequence[Round], encoding: float) -> float:
    """The highest speed with a draft that these rounds leave possible, the target alone being 1; `encoding` as in
    `decide`.

    Only the draft's own time counts as its cost: the target's pass over one token would hardly have taken longer than
    those over several. The accepted tokens are taken for a compound Poisson process; where none was accepted, its upper
    limit is three, that of the rule of three.
    """
    accepted = [each.written - 1 for each in rounds]
    most = 1.0 + sum(accepted) + SURE * math.sqrt(1.0 + sum(each**2 for each in accepted))
    return (1.0 + most / len(rounds)) / (_own_cost(rounds) + encoding)


def steady(passes: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The median cost of a pass for each look-ahead whose costs agree; on a busy machine none may. `passes` are the
    look-ahead and the cost of each one that was measured.

    Costs need not grow evenly with the look-ahead: processors multiply rows by fours or eights.
    """
    costs: dict[int, list[float]] = {}
    for look_ahead, cost in passes:
        costs.setdefault(look_ahead, []).append(cost)
    known = {}
    for look_ahead, each in costs.items():
        if len(each) >= LEAST_PASSES:
            low, middle, high = quantiles(each[-NEWEST_PASSES:])
            if high - low <= STEADY * middle:
                known[look_ahead] = middle
    return known


def decide(
    rounds: Sequence[Round],
    comparisons: Sequence[Comparison],
    encoding: float,
    plan: Plan,
    may_disable_draft: bool,
    least: int,
    most: int,
    passes: Mapping[int, float] | None = None,
) -> Plan:
    """The next plan after `plan` and some `rounds` with a draft, at least one. `encoding` is the draft's time for
    encoding a window, per round and in one-token passes of the target; `passes` as for `best_look_ahead`, in that unit.

    The look-ahead is `least` to `most` tokens. If it `may_disable_draft`, drafting stops once it is measurably slower,
    and starts again once it is measurably faster; between the two it stays as it is.
    """
    worth, slow, sure = None, len(rounds) >= FEW_ROUNDS and highest_speed(rounds, encoding) < DISABLE_BELOW, False
    if len(comparisons) >= ENOUGH_COMPARISONS:
        written = [each.written for each in rounds]
        worth = fmean(written) / (median(each.cost for each in comparisons) + encoding)
        doubt = math.exp(_relative_error(written) + SURE * _error([math.log(each.cost) for each in comparisons]))
        slow = slow or (len(rounds) >= ENOUGH_ROUNDS and worth * doubt < DISABLE_BELOW)
        sure = worth / doubt > ENABLE_ABOVE
    drafting = (not slow if plan.drafting else sure) if may_disable_draft else plan.drafting
    if not drafting:  # few comparisons may be far off: its own time alone allows no more than the limit
        limit = fmean(each.written for each in rounds) / (_own_cost(rounds) + encoding)
        worth = limit if worth is None else min(worth, limit)
    slopes = [each.slope for each in comparisons if each.slope is not None]
    slope = max(0.0, median(slopes)) if slopes else PRIOR_SLOPE
    # With a head, and without a model, a draft takes as long whatever its length.
    by_token = plan.confidence < HEAD_ALONE and any(each.passes for each in rounds)
    passes_of = [max(1, each.passes) if by_token else 1 for each in rounds]
    drafts = zip(rounds, passes_of, strict=True)
    draft = median(each.draft_seconds / count / _one(each, slope) for each, count in drafts)
    # Where the draft stopped by itself, a longer look-ahead would have changed nothing.
    acceptance = _acceptance([each for each in rounds if each.drafted == each.asked])
    token, once = (draft, 0.0) if by_token else (0.0, draft)
    look_ahead = best_look_ahead(token, 1.0 - slope, slope, acceptance, least, most, passes, once=once)
    confidence = plan.confidence
    if confidence < HEAD_ALONE and least < most:
        confidence = least_confidence(rounds, draft, slope, _acceptance(rounds))
    return Plan(look_ahead, confidence, worth, drafting, sure)


def _acceptance(rounds: Sequence[Round]) -> float:
    """The probability that a token is accepted, with a prior that outweighs few rounds."""
    compared = PRIOR_WEIGHT + sum(each.compared for each in rounds)
    return (PRIOR_ACCEPTANCE * PRIOR_WEIGHT + sum(each.accepted for each in rounds)) / compared


def _own_cost(rounds: Sequence[Round]) -> float:
    """The median cost of a round, as a multiple of the target's pass in it."""
    return median(each.seconds / max(each.pass_seconds, 1e-9) for each in rounds)


def _relative_error(written: Sequence[int]) -> float:
    """The standard error of the mean number of tokens of a round, as a share of it."""
    return stdev(written) / fmean(written) / math.sqrt(len(written))


def _error(values: Sequence[float]) -> float:
    """About the standard error of a median: large where a busy machine scatters the values."""
    low, _, high = quantiles(values)
    return (high - low) / math.sqrt(len(values))


def _one(each: Round, slope: float) -> float:
    """What a one-token pass would have taken in the round."""
    return max(each.pass_seconds, 1e-9) / (1.0 + slope * each.drafted)


@dataclass
class _Way:
    """One way to draft: what was measured of it, and the plan that came of that."""

    plan: Plan
    rounds: deque[Round] = field(default_factory=lambda: deque(maxlen=KEPT))
    comparisons: deque[Comparison] = field(default_factory=lambda: deque(maxlen=COMPARISONS))
    encoding_shares: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))  # seconds of each round

    def as_json(self) -> dict[str, Any]:
        return {
            "plan": asdict(self.plan),
            "rounds": list(map(asdict, self.rounds)),
            "comparisons": list(map(asdict, self.comparisons)),
            "encoding_shares": list(self.encoding_shares),
        }

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> _Way:
        way = cls(Plan(**kept["plan"]))
        way.rounds.extend(Round(**each) for each in kept["rounds"])
        way.comparisons.extend(Comparison(**each) for each in kept["comparisons"])
        way.encoding_shares.extend(map(float, kept["encoding_shares"]))
        return way


class LookAhead:
    """Measures target and drafter while they work and says how far to draft next.

    If it `may_disable_draft`, nothing is drafted where drafting is measurably slower. To know that, some rounds now and
    then run without the draft (a comparison), or with a disabled one (a trial), and are compared with their neighbours.

    A draft that `has_head` drafts with its model, or with its CTC head alone where that is faster. One whose
    `head_alone` is to draft does so in any case.
    """

    def __init__(
        self,
        least: int = 2,
        most: int = MOST,
        may_disable_draft: bool = False,
        has_head: bool = False,
        head_alone: bool = False,
    ) -> None:
        self._least, self._most, self._may_disable = least, most, may_disable_draft
        model = _Way(Plan(self._start, PRIOR_CONFIDENCE if least < most else 0.0))
        self._way = self._head_alone() if head_alone else model
        self._has_head = has_head
        self._other_way = self._head_alone() if has_head else None
        self._rounds_this_way = 0  # rounds since the way changed
        self._retry = RETRY  # of them, with the head alone, before the draft's model is measured again
        self._alone: deque[Round] = deque(maxlen=ALONE - 1)
        # Drafted tokens and cost in one-token passes. A size that was slow is not chosen again until it is forgotten.
        self._pass_costs: deque[tuple[int, float]] = deque(maxlen=KEPT_PASSES)
        self._encoding = 0.0  # seconds that the draft took for this window
        self._windows: deque[int] = deque(maxlen=WINDOWS)  # tokens of the windows before
        self._written = 0  # tokens of this window
        self._news = 0  # rounds with a draft since the last decision
        self._since = 0  # rounds since the last comparison or trial
        self._other = 0  # rounds of a comparison or a trial that are still to come
        self._wait = OFTEN

    @property
    def left_out(self) -> float | None:
        """The speed with the draft relative to the target alone, while the draft is disabled; else None."""
        return None if self._way.plan.drafting else self._way.plan.worth

    @property
    def asks_model(self) -> bool:
        """Whether the draft's model is to draft in the next rounds: not while its CTC head does that alone, or while
        the draft is disabled."""
        return self._way.plan.drafting and self._way.plan.confidence < HEAD_ALONE

    def as_json(self) -> dict[str, Any]:
        """What was measured, for a file."""
        return {
            "ways": [way.as_json() for way in (self._way, self._other_way) if way],
            "alone": list(map(asdict, self._alone)),
            "pass_costs": list(self._pass_costs),
            "windows": list(self._windows),
            "since": self._since,
            "wait": self._wait,
        }

    def resume(self, kept: Mapping[str, Any]) -> None:
        """Begin with what `as_json` gave. Raises KeyError, TypeError or ValueError, and changes nothing, where it is
        something else."""
        way, *others = map(_Way.of_json, kept["ways"])
        alone = [Round(**each) for each in kept["alone"]]
        costs = [(int(look_ahead), float(cost)) for look_ahead, cost in kept["pass_costs"]]
        since, wait, windows = int(kept["since"]), int(kept["wait"]), [*map(int, kept["windows"])]
        self._way, self._other_way = way, others[0] if others else None
        self._since, self._wait = since, wait
        self._alone.extend(alone)
        self._pass_costs.extend(costs)
        self._windows.extend(windows)

    def restart(self) -> None:
        """Another recording begins. Measurements are kept and a disabled draft stays disabled, but its next trial
        counts only this recording. A head that was given up may draft again, where the draft's model does: it may have
        been slow by chance.
        """
        self._retry = RETRY
        if self._has_head and self._other_way is None and self._way.plan.drafting:
            self._other_way = self._head_alone()
        if not self._way.plan.drafting:
            self._way.rounds.clear()
            self._way.encoding_shares.clear()
            self._news = 0

    def _head_alone(self) -> _Way:
        """The way to draft with the head alone, of which nothing is known."""
        return _Way(Plan(self._start, HEAD_ALONE))

    @property
    def _start(self) -> int:
        """The look-ahead while nothing is known."""
        return min(max(PRIOR_LOOK_AHEAD, self._least), self._most)

    def choose(self) -> int:
        """The look-ahead for the next round."""
        drafting = self._way.plan.drafting
        if self._may_disable and not self._other and self._since >= (self._pause() if drafting else self._wait):
            self._other = ALONE if drafting else TRIAL
        return self._way.plan.look_ahead if drafting != (self._other > 0) else 0

    @property
    def confidence(self) -> float:
        """How likely a draft has to be right so far for one more token to be drafted."""
        return self._way.plan.confidence

    def window(self) -> None:
        """A new window begins."""
        if self._written:
            self._windows.append(self._written)
        self._written, self._encoding = 0, 0.0

    def began(self, seconds: float) -> None:
        """The draft took `seconds` to encode this window."""
        self._encoding = seconds

    def record(self, done: Round) -> None:
        """A round is done. A window's first round is not recorded: its pass reads the prefill too."""
        self._since += 1
        self._written += done.written
        drafting = self._way.plan.drafting
        if done.asked:
            self._way.rounds.append(done)
            # A window is encoded once for all its tokens: a trial, which writes few of them, is charged its part.
            tokens = fmean(self._windows) if self._windows else TOKENS_A_WINDOW
            self._way.encoding_shares.append(self._encoding * done.written / tokens)
            self._news += 1
            self._rounds_this_way += 1
            self._measure_pass(done)
        else:
            self._alone.append(done)
        if self._other and drafting != (done.asked > 0):
            self._other -= 1
            if not self._other:
                self._compare()
        counted = min(len(self._way.rounds), KEPT if drafting else NEWEST)
        if self._news >= max(DECIDE_EVERY, NEWS * counted):
            self._decide()
            self._choose_way()

    def _measure_pass(self, done: Round) -> None:
        """Note what a pass of this size costs."""
        if self._alone:
            one = max(median(each.pass_seconds for each in self._alone), 1e-9)
            self._pass_costs.append((done.drafted, done.pass_seconds / one))

    def _choose_way(self) -> None:
        """Ask the head alone where passes of the draft's model are expensive or not worth their time; give up the head
        where it is not worth its own."""
        way, other = self._way, self._other_way
        if other is None:
            return
        with_head = way.plan.confidence == HEAD_ALONE
        if not way.plan.drafting or (self._rounds_this_way >= self._retry if with_head else self._is_expensive()):
            if with_head:
                self._retry *= 2
            other.rounds.clear()
            self._way, self._other_way = other, None if with_head and not way.plan.drafting else way
            self._rounds_this_way = self._since = self._other = 0

    def _is_expensive(self) -> bool:
        """Whether a pass of the draft's model takes long compared with one of the target."""
        drafts = [each.draft_seconds / each.passes for each in self._way.rounds if each.passes]
        if len(drafts) < TRY:
            return False
        return median(drafts) > EXPENSIVE * median(each.pass_seconds for each in self._alone or self._way.rounds)

    def _pause(self) -> int:
        """Rounds from one comparison to the next."""
        if self._way.plan.worth is None:
            return EARLY
        return RARELY if self._way.plan.sure else LATER

    def _compare(self) -> None:
        """A comparison or a trial is done. The next trial waits until the loss of this one is small."""
        self._since = 0
        rounds = list(self._way.rounds)[-ROUNDS:]
        if rounds and self._alone:
            self._way.comparisons.append(compare(rounds, self._alone))
            one = max(fmean(each.seconds for each in self._alone), 1e-9)
            tried = list(self._way.rounds)[-TRIAL:]
            lost = TRIAL * _own_cost(tried) - sum(each.written for each in tried) + self._encoding / one
            self._wait = round(min(max(lost / BUDGET, OFTEN), SELDOM))

    def _decide(self) -> None:
        self._news, before = 0, self._way.plan.drafting
        rounds = list(self._way.rounds)[-KEPT if before else -NEWEST :]
        comparisons = list(self._way.comparisons)[-COMPARISONS if before else -LATEST :]
        one = fmean(each.pass_seconds for each in self._alone or rounds)
        encoding = fmean(list(self._way.encoding_shares)[-len(rounds) :]) / max(one, 1e-9)
        self._way.plan = decide(
            rounds,
            comparisons,
            encoding,
            self._way.plan,
            self._may_disable,
            self._least,
            self._most,
            steady(self._pass_costs),
        )
        if before != self._way.plan.drafting:
            self._way.rounds = deque(rounds[-NEWEST:], maxlen=KEPT)
            self._way.comparisons = deque(comparisons[-LATEST:], maxlen=COMPARISONS)
            self._since = self._other = 0
            self._wait = OFTEN
