"""How many tokens to draft before the target looks, none where drafting costs time: a pure function of what rounds did
and cost.

The expected number of tokens a round writes is E(k) = (1 - a^(k+1)) / (1 - a) with acceptance a (Leviathan, Kalman and
Matias, "Fast inference from transformers via speculative decoding", 2023); a round costs k drafted tokens and one
pass of k + 1.

Whether to draft at all is not left to that formula. What the last rounds wrote is counted, and what they took is
compared with what the target alone took just before or after, for about as long: then a busy machine delays both alike,
and the median of some such comparisons says what a round costs.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, mean, median, quantiles, stdev

PRIOR_SLOPE = 0.07  # what a further token adds to a pass, as a share of a one-token pass, until it was measured
PRIOR_ACCEPTANCE, PRIOR_WEIGHT = 0.8, 10.0
PRIOR_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9

LEAVE, COME_BACK = 0.98, 1.02  # a draft is left out when the text comes so much slower with it, and back when faster
KEPT, NEWEST = 64, 16  # rounds with a draft that count, while it is used and while it is left out
LOOKS, LATEST = 15, 5  # comparisons that count, while it is used and while it is left out
ENOUGH_ROUNDS, ENOUGH_LOOKS = 20, 3  # before a draft may be left out
SURE = 2.0  # standard errors of what a round costs

EARLY, LATER, RARELY = 12, 40, 200  # rounds between looks: nothing is known, in doubt, the draft surely pays
LOOK = 5  # rounds of a look; the first one is slow, as a pass of another size came before it, and does not count
TRIAL = 4  # rounds of a draft that was left out, to see whether it would pay again
ROUNDS = 2  # with a draft, that take about as long as a look
BUDGET = 0.01  # what trials may cost, as a share of the time between them
OFTEN, SELDOM = 64, 2000  # rounds between two trials, at least and at most
WINDOWS = 8  # whose tokens are counted
TOKENS_A_WINDOW = 100  # before one is done
THOUGHT = 4  # rounds from one decision to the next: deciding takes a tenth of a millisecond


@dataclass(frozen=True)
class Round:
    """What one round did and what it took, in tokens and seconds."""

    asked: int  # tokens that the draft might propose; 0 where it was left out
    drafted: int  # tokens that it proposed
    compared: int
    accepted: int
    written: int
    passes: int  # of the draft's model
    draft_seconds: float
    pass_seconds: float  # the target's pass over `drafted` + 1 tokens, with what is made of its scores

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.draft_seconds + self.pass_seconds


@dataclass(frozen=True)
class Look:
    """What rounds with a draft took beside rounds without, as a multiple of them."""

    cost: float  # a round with a draft, all in all
    slope: float | None  # a further token of the target's pass; None where nothing was drafted


@dataclass(frozen=True)
class Plan:
    """At most `look_ahead` tokens are best drafted, if it is `drafting`, and none behind one that is right with less
    than the probability `confidence`. `worth` is how fast the text comes with the draft, the target alone being 1, or
    None while that is not known; `sure` is whether it is above 1 for sure."""

    look_ahead: int
    confidence: float = 0.0
    worth: float | None = None
    drafting: bool = True
    sure: bool = False


def expected_tokens(acceptance: float, look_ahead: int) -> float:
    """Tokens that a round writes on average: the accepted ones and the target's own after them."""
    if acceptance >= 1.0:
        return look_ahead + 1.0
    return float((1.0 - acceptance ** (look_ahead + 1)) / (1.0 - acceptance))


def best_look_ahead(draft: float, base: float, slope: float, acceptance: float, least: int, most: int) -> int:
    """The look-ahead between `least` and `most` that writes most tokens a second.

    `draft` is the cost of one drafted token, `base` + `slope` * k that of a target pass of k tokens, in any unit.
    """

    def speed(look_ahead: int) -> float:
        cost = look_ahead * draft + base + slope * (look_ahead + 1)
        return expected_tokens(acceptance, look_ahead) / max(cost, 1e-9)

    return max(range(least, most + 1), key=speed)


def least_confidence(rounds: Sequence[Round], draft: float, slope: float, acceptance: float) -> float:
    """How likely a draft has to be right so far for one more token to be worth its cost, `draft` and `slope` one-token
    passes of the target.

    If the draft is right up to there, with the probability p, the next token is accepted with `acceptance`, and saves
    what a token costs on average: so p * `acceptance` times that has to be more than its own cost.
    """
    passes = draft * fmean(each.passes for each in rounds) + 1.0 + slope * fmean(each.drafted for each in rounds)
    token = passes / fmean(each.written for each in rounds)
    return min((draft + slope) / (acceptance * token), MOST_CONFIDENCE)


def compare(rounds: Sequence[Round], alone: Sequence[Round]) -> Look:
    """Some rounds with a draft, and some without, of about the same time and as long."""
    one = max(mean(each.seconds for each in alone), 1e-9)
    slopes = [(each.pass_seconds / one - 1.0) / each.drafted for each in rounds if each.drafted]
    return Look(mean(each.seconds for each in rounds) / one, mean(slopes) if slopes else None)


def decide(
    rounds: Sequence[Round], looks: Sequence[Look], hearing: float, plan: Plan, spares: bool, least: int, most: int
) -> Plan:
    """What to do next, after `plan` and some `rounds` with a draft, at least one. `hearing` is what the draft takes to
    hear a window, as one-token passes of the target for each round.

    `least` to `most` tokens; but if it `spares`, none when the text surely comes slower with the draft, until it surely
    comes faster. Between the two it goes on as before.
    """
    worth, drafting, sure = None, plan.drafting, False
    if len(looks) >= ENOUGH_LOOKS:
        written = [each.written for each in rounds]
        worth = mean(written) / (median(each.cost for each in looks) + hearing)
        doubt = math.exp(_luck(written) + SURE * _error([math.log(each.cost) for each in looks]))
        sure = worth / doubt > COME_BACK
        if spares and not drafting:
            drafting = sure
        elif spares and len(rounds) >= ENOUGH_ROUNDS:
            drafting = worth * doubt >= LEAVE
    slopes = [each.slope for each in looks if each.slope is not None]
    slope = max(0.0, median(slopes)) if slopes else PRIOR_SLOPE
    draft = median(each.draft_seconds / max(1, each.passes) / _one(each, slope) for each in rounds)
    # Where the draft stopped by itself, a longer look-ahead would have changed nothing.
    look_ahead = best_look_ahead(
        draft, 1.0 - slope, slope, _acceptance([each for each in rounds if each.drafted == each.asked]), least, most
    )
    confidence = least_confidence(rounds, draft, slope, _acceptance(rounds)) if least < most else 0.0
    return Plan(look_ahead, confidence, worth, drafting, sure)


def _acceptance(rounds: Sequence[Round]) -> float:
    """The chance that a token is accepted, few rounds weighing little against what is usual."""
    compared = PRIOR_WEIGHT + sum(each.compared for each in rounds)
    return (PRIOR_ACCEPTANCE * PRIOR_WEIGHT + sum(each.accepted for each in rounds)) / compared


def _luck(written: Sequence[int]) -> float:
    """The standard error of the tokens that a round writes, as a share of them."""
    return stdev(written) / mean(written) / math.sqrt(len(written))


def _error(values: Sequence[float]) -> float:
    """About the standard error of a median: large where a busy machine throws the values about."""
    low, _, high = quantiles(values)
    return (high - low) / math.sqrt(len(values))


def _one(each: Round, slope: float) -> float:
    """What a one-token pass would have taken in the round."""
    return max(each.pass_seconds, 1e-9) / (1.0 + slope * each.drafted)


class LookAhead:
    """Watches a pair while it works and says how far to draft next.

    Only if it `spares` is a draft left out that costs time. Then some rounds go without the draft now and then (a
    look), or with one that was left out (a trial): side by side they show what each costs.
    """

    def __init__(self, least: int = 2, most: int = 8, spares: bool = False) -> None:
        self._least, self._most, self._spares = least, most, spares
        self._plan = Plan((least + most) // 2, PRIOR_CONFIDENCE if least < most else 0.0)
        self._rounds: deque[Round] = deque(maxlen=KEPT)
        self._alone: deque[Round] = deque(maxlen=LOOK - 1)
        self._looks: deque[Look] = deque(maxlen=LOOKS)
        self._hearing: deque[float] = deque(maxlen=KEPT)  # seconds of hearing that belong to each of the rounds
        self._encoding = 0.0  # what the draft took to hear this window
        self._windows: deque[int] = deque(maxlen=WINDOWS)  # tokens of the windows before
        self._written = 0  # tokens of this window
        self._news = 0  # rounds with a draft since the last decision
        self._since = 0  # rounds since the last look or trial
        self._other = 0  # rounds of a look or a trial that are still to come
        self._wait = OFTEN

    @property
    def left_out(self) -> float | None:
        """How fast the text would come with the draft, the target alone being 1, while it is left out for that."""
        return None if self._plan.drafting else self._plan.worth

    def again(self) -> None:
        """Another recording begins. What was learned about the pair stays known, and a draft that was left out stays
        out; but when it is tried next, only this recording says how often it is right.
        """
        if not self._plan.drafting:
            self._rounds.clear()
            self._hearing.clear()
            self._news = 0

    def choose(self) -> int:
        """The look-ahead for the next round."""
        drafting = self._plan.drafting
        if self._spares and not self._other and self._since >= (self._pause() if drafting else self._wait):
            self._other = LOOK if drafting else TRIAL
        return self._plan.look_ahead if drafting != (self._other > 0) else 0

    @property
    def confidence(self) -> float:
        """How likely a draft has to be right so far for one more token to be drafted."""
        return self._plan.confidence

    def window(self) -> None:
        """A new window begins."""
        if self._written:
            self._windows.append(self._written)
        self._written, self._encoding = 0, 0.0

    def began(self, seconds: float) -> None:
        """The draft took so long to hear this window."""
        self._encoding = seconds

    def record(self, done: Round) -> None:
        """A round is done. A window's first round, whose pass reads what stands before the text, is no such round."""
        self._since += 1
        self._written += done.written
        drafting = self._plan.drafting
        if done.asked:
            self._rounds.append(done)
            # A window is heard once for all its tokens: a trial, which writes few of them, answers for its part.
            tokens = mean(self._windows) if self._windows else TOKENS_A_WINDOW
            self._hearing.append(self._encoding * done.written / tokens)
            self._news += 1
        else:
            self._alone.append(done)
        if self._other and drafting != (done.asked > 0):
            self._other -= 1
            if not self._other:
                self._compare()
        if self._news >= THOUGHT:
            self._decide()

    def _pause(self) -> int:
        """Rounds from one look to the next."""
        if self._plan.worth is None:
            return EARLY
        return RARELY if self._plan.sure else LATER

    def _compare(self) -> None:
        """A look or a trial is done. The next trial is put off until the loss of this one is small."""
        self._since = 0
        rounds = list(self._rounds)[-ROUNDS:]
        if rounds and self._alone:
            self._looks.append(compare(rounds, self._alone))
            one = max(mean(each.seconds for each in self._alone), 1e-9)
            lost = TRIAL * self._looks[-1].cost * (1.0 - (self._plan.worth or 0.0)) + self._encoding / one
            self._wait = round(min(max(lost / BUDGET, OFTEN), SELDOM))

    def _decide(self) -> None:
        self._news, before = 0, self._plan.drafting
        rounds = list(self._rounds)[-KEPT if before else -NEWEST :]
        looks = list(self._looks)[-LOOKS if before else -LATEST :]
        hearing = 0.0
        if self._alone:
            one = max(mean(each.seconds for each in self._alone), 1e-9)
            hearing = mean(list(self._hearing)[-len(rounds) :]) / one
        self._plan = decide(rounds, looks, hearing, self._plan, self._spares, self._least, self._most)
        if before != self._plan.drafting:
            self._rounds = deque(rounds[-NEWEST:], maxlen=KEPT)
            self._looks = deque(looks[-LATEST:], maxlen=LOOKS)
            self._since = self._other = 0
            self._wait = OFTEN
