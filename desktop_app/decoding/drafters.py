"""Who writes ahead.

A drafter proposes tokens for a prefix; what the target accepted of them shows in the next prefix it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from desktop_app.decoding.hearing import Window
from desktop_app.decoding.mapping import Ids
from desktop_app.decoding.protocol import Cursor, Model
from desktop_app.decoding.rules import Decision, Row, Rules
from desktop_app.decoding.task import Task, is_able, prefix
from desktop_app.decoding.vocabulary import Vocabulary

UNSURE = 0.3
"""Drafting stops before a token that the draft itself gives less than this probability: it would rarely be accepted.
Tried with base's draft from 0.1 to 0.4, look-ahead 4, on 30 windows that it did not learn from: 3.33, 3.30, 3.25 and
3.13 tokens a pass at an acceptance of 0.85, 0.87, 0.89 and 0.90."""


class Drafter(Protocol):
    """Writes ahead of the target.

    The loop that verifies knows nothing else of it, and no proposal can change the text.
    """

    @property
    def passes(self) -> int:
        """Passes that a model of its own has run so far; 0 where it has none."""

    def begin(self, window: Window, task: Task, rules: Rules) -> None:
        """A new text: the window, what is asked for in the target's tokens, and the rules that the target will
        follow."""

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        """Up to `count` tokens to follow the text `tokens`; none is a valid answer.

        `count` and `confidence` weigh the cost of drafting: no pass is worth its time behind a draft that is right with
        less than this probability. What costs nothing may be more.
        """


class Draft:
    """A small model that reads along, in its own tokens: it hears a window once, and reads only what is new.

    It hears by the encoder of `encoder`, which is the model itself or one whose encoder is equal.
    """

    def __init__(self, model: Model, encoder: Model, vocabulary: Vocabulary) -> None:
        self._model, self._encoder, self._vocabulary = model, encoder, vocabulary
        self.passes = 0
        self._cursor: Cursor | None = None

    def begin(self, window: Window, task: Task) -> None:
        """A new text. A task that the model is not made for is left alone: there will be no scores."""
        self._cursor = None
        if is_able(self._vocabulary, task):
            self._prefill = prefix(self._vocabulary, task, self._model.positions)
            self._cursor = self._model.open(window.encoded(self._encoder))
            self._read: list[int] = []

    def scores(self, tokens: Sequence[int]) -> Row | None:
        """What follows the text `tokens`, [vocabulary]; None where the model does not do the task or has no position
        left."""
        text = [*self._prefill, *tokens] if self._cursor else []
        if self._cursor is None or len(text) > self._model.positions:
            return None
        known = min(_common(self._read, text), len(text) - 1)  # the last token is always run
        self._cursor.rewind(known)
        self._read = text
        self.passes += 1
        last: Row = self._cursor.run(text[known:])[-1]
        return last


class ModelDrafter:
    """A small model writes ahead under the target's rules and its noise, which raises acceptance and cannot change
    the text."""

    def __init__(self, draft: Draft, ids: Ids) -> None:
        self._draft, self._ids = draft, ids

    def begin(self, window: Window, task: Task, rules: Rules) -> None:
        self._rules = self._ids.rules(rules)
        self._draft.begin(window, task.respelled(self._ids.to_draft))

    @property
    def passes(self) -> int:
        return self._draft.passes

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        rules, text = self._rules, self._ids.to_draft(tokens)
        written, likely = self._ids.written(rules, text), 1.0
        proposal: list[int] = []
        while len(proposal) < count and likely >= confidence and (scores := self._draft.scores(text)) is not None:
            decision = rules.decide(scores, written)
            token = self._ids.to_target(decision.token)
            if token is None or is_unsure(decision, rules):
                break
            proposal.append(token)
            if decision.token == rules.vocabulary.end:
                break
            likely *= probability(decision, rules)
            written = rules.follow(written, decision.token)
            text.append(self._ids.read(decision.token))
        return proposal


def probability(decision: Decision, rules: Rules) -> float:
    """How likely a draft holds a token to be right. Under the target's noise both draw rare tokens alike, so that every
    one is likely."""
    return 1.0 if rules.sampling is not None else float(np.exp(decision.log_probability))


def is_unsure(decision: Decision, rules: Rules) -> bool:
    """Whether drafting ends before this token."""
    return probability(decision, rules) < UNSURE


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    length = min(len(left), len(right))
    return next((i for i in range(length) if left[i] != right[i]), length)
