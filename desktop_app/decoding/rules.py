"""Whisper's decoding rules as pure functions of the prefix: which tokens are allowed next, and which one is chosen.

Follows openai/whisper's `decoding.py` (SuppressBlank, SuppressTokens, ApplyTimestampRules, in this order). Nothing is
shared or mutable, so that draft and target can apply the same rules to different prefixes without disturbing each
other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.problems import Problem

NEVER = np.float32(-np.inf)
Row = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Written:
    """What the rules need to know of the tokens written so far in this window (the prefill does not count)."""

    count: int = 0
    last: int | None = None
    before_last: int | None = None
    last_timestamp: int | None = None


@dataclass(frozen=True)
class Decision:
    """The token chosen at one position, its log-probability under the rules, and its margin.

    `margin` is the smallest change of a difference of two logits that could have led to another token.
    """

    token: int
    log_probability: float
    margin: float


@dataclass(frozen=True)
class Rules:
    """The rules for one text: with timestamps or without, greedy or drawn by `sampling`."""

    vocabulary: Vocabulary
    timestamps: bool = True
    sampling: Sampling | None = None

    @cached_property
    def _never(self) -> npt.NDArray[np.int64]:
        listed = [*self.vocabulary.suppress, *([self.vocabulary.no_timestamps] if self.timestamps else [])]
        return np.array(sorted({token for token in listed if 0 <= token < self.vocabulary.size}), dtype=np.int64)

    @cached_property
    def _never_first(self) -> npt.NDArray[np.int64]:
        listed = self.vocabulary.begin_suppress
        return np.array([token for token in listed if 0 <= token < self.vocabulary.size], dtype=np.int64)

    def follow(self, written: Written, token: int) -> Written:
        """The state after `token` has been written."""
        timestamp = token if self.vocabulary.is_timestamp(token) else written.last_timestamp
        return Written(written.count + 1, token, written.last, timestamp)

    def written(self, tokens: Sequence[int]) -> Written:
        """The state after all of `tokens` have been written."""
        timestamps = (token for token in reversed(tokens) if self.vocabulary.is_timestamp(token))
        last, before_last = (tokens[-back] if len(tokens) >= back else None for back in (1, 2))
        return Written(len(tokens), last, before_last, next(timestamps, None))

    def decide(self, scores: Row, written: Written) -> Decision:
        """The choice after the prefix that led to `written`; `scores` are raw logits, [vocabulary].

        The log-probability is that at temperature 1, whatever the sampling. Problem where the best score is infinite
        or no number, as of a model whose weights are none: it would write anything, without end.
        """
        allowed = self.allow(scores, written)
        times = self.vocabulary.first_timestamp
        text_best = float(allowed[:times].max(initial=NEVER))
        times_total = _log_sum_exp(allowed[times:])
        margin = np.inf
        if self.timestamps and np.isfinite(text_best) and np.isfinite(times_total):
            # When all timestamps together are likelier than the best text, a timestamp it is.
            # This choice can be a near tie of its own.
            margin = abs(times_total - text_best)
            if times_total > text_best:
                allowed[:times] = NEVER
        temperature, drawn = 1.0, allowed
        if self.sampling is not None:
            temperature = self.sampling.temperature
            drawn = allowed / np.float32(temperature) + self.sampling.noise(written.count, len(allowed))
        token = int(drawn.argmax())
        best = float(drawn[token])  # the first that is no number, if there is one
        if math.isnan(best) or best == math.inf:
            raise Problem("engine.not_finite")
        log_probability = float(allowed[token]) - _log_sum_exp(allowed)
        drawn[token] = NEVER
        margin = min(margin, (best - float(drawn.max())) * temperature)
        return Decision(token, log_probability, float(margin))

    def allow(self, scores: Row, written: Written) -> Row:
        """A copy of `scores` with minus infinity wherever the prefix alone forbids a token."""
        vocabulary, times = self.vocabulary, self.vocabulary.first_timestamp
        allowed = np.array(scores, dtype=np.float32)
        paired = False
        if written.count == 0:
            allowed[self._never_first] = NEVER
        allowed[self._never] = NEVER
        if not self.timestamps:
            return allowed
        if written.last is not None and vocabulary.is_timestamp(written.last):
            paired = written.before_last is None or vocabulary.is_timestamp(written.before_last)
            if paired:
                allowed[times:] = NEVER
            else:
                allowed[: vocabulary.end] = NEVER
        if written.last_timestamp is not None:
            # A time may stand twice only as the end of one segment and the start of the next.
            opens_pair = written.last == written.last_timestamp and not paired
            allowed[times : written.last_timestamp + (0 if opens_pair else 1)] = NEVER
        if written.count == 0:
            allowed[:times] = NEVER
            if vocabulary.max_initial_timestamp is not None:
                allowed[times + vocabulary.max_initial_timestamp + 1 :] = NEVER
        return allowed


def _log_sum_exp(row: Row) -> float:
    best = float(row.max(initial=NEVER))
    if not np.isfinite(best):
        return best
    return best + float(np.log(np.exp(row - best).sum()))
