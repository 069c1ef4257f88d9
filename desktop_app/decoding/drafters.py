"""Drafters propose tokens for the target to verify: their base class, and the drafter that runs a draft model.

A drafter learns what the target accepted from the text in the next call of `propose`. `drafter_names` lists the
drafters that need no model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.mapping import Ids
from desktop_app.decoding.protocol import Cursor, Model, Scores
from desktop_app.decoding.rules import Decision, Rules
from desktop_app.decoding.steps import Read, Steps, alone
from desktop_app.decoding.task import is_able, prefix
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.transcript.settings import Settings

UNSURE = 0.3
"""Drafting stops before a token that the draft itself gives less than this probability: it would rarely be accepted.
Tried with base's draft from 0.1 to 0.4, look-ahead 4, on 30 windows that it did not learn from: 3.33, 3.30, 3.25 and
3.13 tokens per pass at an acceptance of 0.85, 0.87, 0.89 and 0.90."""


class Drafter(ABC):
    """Proposes tokens that the target verifies. No proposal can change the text: it only decides how fast it comes.

    A new kind of drafter needs `propose`; the other methods do nothing unless it has a use for them.
    """

    @property
    def passes(self) -> int:
        """Forward passes of its own models so far, the measure of its cost; 0 without a model."""
        return 0

    @property
    def is_head(self) -> bool:
        """Whether its last proposal is the text of a CTC head."""
        return False

    def begin(self, window: AudioWindow, settings: Settings, rules: Rules) -> None:  # noqa: B027
        """A new text begins: the window, its settings in the target's tokens, and the target's rules."""

    @abstractmethod
    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        """Up to `count` tokens to follow the text `tokens`, perhaps none.

        `count` and `confidence` limit the cost: once the draft so far is right with a probability below `confidence`,
        another pass of a draft model is not worth its time. A drafter without a model may propose more than `count`.
        """

    def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Steps[list[int]]:
        """`propose` in steps, so that the passes of a draft model can be shared with other texts."""
        yield from ()
        return self.propose(tokens, count, confidence)

    def learn(self, tokens: Sequence[int]) -> None:  # noqa: B027
        """The text of a window is final: `tokens` are the target's."""


class InSteps(Drafter):
    """The base of drafters that run a draft model: they need `steps` instead of `propose`."""

    @abstractmethod
    def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Steps[list[int]]: ...

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        return alone(self.steps(tokens, count, confidence))


class Draft:
    """A draft model on one window, in its own tokens: it encodes the window once, and runs only tokens that are new.

    `encoder` is the model whose encoder it uses: itself, or one whose encoder is equal. Attributes: passes (of its
    decoder so far).
    """

    def __init__(self, model: Model, encoder: Model, vocabulary: Vocabulary) -> None:
        self._model, self._encoder, self._vocabulary = model, encoder, vocabulary
        self.passes = 0
        self._cursor: Cursor | None = None

    def begin(self, window: AudioWindow, settings: Settings) -> None:
        """Start a new text. For what the model cannot do there will be no scores."""
        self._cursor = None
        if is_able(self._vocabulary, settings):
            self._prefill = prefix(self._vocabulary, settings, self._model.positions)
            self._cursor = self._model.open(window.encoded(self._encoder))
            self._read: list[int] = []

    def scores(self, tokens: Sequence[int], last: int = 1) -> Steps[Scores | None]:
        """The scores [last, vocabulary] of the tokens after the text `tokens` and before its `last` - 1 tokens, all in
        one pass; None where the model cannot do what is asked or has no position left."""
        text = [*self._prefill, *tokens] if self._cursor else []
        if self._cursor is None or len(text) > self._model.positions:
            return None
        known = min(common(self._read, text), len(text) - last)  # the last tokens are always run
        self._cursor.rewind(known)
        self._read = text
        self.passes += 1
        reply = yield Read(self._model, self._cursor, text[known:])
        return reply.scores[-last:]


class ModelDrafter(InSteps):
    """Drafts with a model whose tokens are the target's, perhaps under other ids.

    It follows the target's rules and noise, which raises acceptance and cannot change the text.
    """

    def __init__(self, draft: Draft, ids: Ids) -> None:
        self._draft, self._ids = draft, ids

    def begin(self, window: AudioWindow, settings: Settings, rules: Rules) -> None:
        self._rules = self._ids.rules(rules)
        self._draft.begin(window, settings.respelled(self._ids.to_draft))

    @property
    def passes(self) -> int:
        return self._draft.passes

    def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Steps[list[int]]:
        rules, text = self._rules, self._ids.to_draft(tokens)
        written, likely = self._ids.written(rules, text), 1.0
        proposal: list[int] = []
        while len(proposal) < count and likely >= confidence:
            scores = yield from self._draft.scores(text)
            if scores is None:
                break
            decision = rules.decide(scores[-1], written)
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

    def corrected(self, tokens: Sequence[int], proposal: Sequence[int]) -> Steps[list[int]]:
        """What the model, which reads it in one pass, takes of a `proposal` to follow the text `tokens`, up to the
        first token that it would not have written, with its own in that place. Tokens that it cannot write it takes,
        and all of them where it has no scores. Its inputs must be the target's ids."""
        rules, text = self._rules, [*tokens, *proposal]
        rows = yield from self._draft.scores(text[:-1], len(proposal))
        if rows is None:
            return [*proposal]
        written = self._ids.written(rules, tokens)
        for index, (row, token) in enumerate(zip(rows, proposal, strict=True)):
            decision = rules.decide(row, written)
            own, chosen = self._ids.to_target(decision.token), self._ids.chosen(token)
            if own is not None and chosen not in (-1, decision.token) and not is_unsure(decision, rules):
                return [*proposal[:index], own]
            written = rules.follow(written, chosen)
        return [*proposal]


def probability(decision: Decision, rules: Rules) -> float:
    """How likely a draft holds a token to be right. Under the target's noise both draw rare tokens alike, so that every
    one is likely."""
    return 1.0 if rules.sampling is not None else float(np.exp(decision.log_probability))


def is_unsure(decision: Decision, rules: Rules) -> bool:
    """Whether drafting ends before this token."""
    return probability(decision, rules) < UNSURE


def common(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens the two begin with alike."""
    length = min(len(left), len(right))
    return next((i for i in range(length) if left[i] != right[i]), length)
