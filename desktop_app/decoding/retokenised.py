"""A draft that spells its text in other tokens than the target: its text is tokenised again for the target.

"Universal assisted generation" (Timor et al., "Accelerating LLM Inference with Lossless Speculative Decoding Algorithms
for Heterogeneous Vocabularies", 2025). What is verified is tokenised for the draft each time, and the draft reads on
from where that differs from what it has read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from desktop_app.decoding.drafters import Draft, is_unsure, probability
from desktop_app.decoding.hearing import Window
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.task import Task
from desktop_app.decoding.vocabulary import Vocabulary

Said = list[bytes | float]
"""What is said, in no vocabulary: stretches of text in UTF-8, perhaps cut inside of a character, and times in
seconds."""


@dataclass(frozen=True, eq=False)
class Spelling:
    """How a vocabulary spells: the bytes of each of its tokens, none for the special ones, and the tokens of any bytes,
    which must spell exactly these."""

    vocabulary: Vocabulary
    pieces: Sequence[bytes]
    split: Callable[[bytes], Sequence[int]]

    def said(self, tokens: Sequence[int]) -> Said:
        """What tokens say; special ones say nothing."""
        said: Said = []
        for token in tokens:
            if self.vocabulary.is_timestamp(token):
                said.append(self.vocabulary.seconds(token))
            elif said and isinstance(said[-1], bytes):
                said[-1] += self.pieces[token]
            elif self.pieces[token]:
                said.append(self.pieces[token])
        return said

    def tokens(self, said: Said) -> list[int]:
        """The tokens that say it, without times that this vocabulary has not."""
        tokens: list[int] = []
        for each in said:
            if isinstance(each, bytes):
                tokens += self.split(each)
            elif (time := self.vocabulary.timestamp(each)) is not None:
                tokens.append(time)
        return tokens


class RetokenisedDrafter:
    """A small model writes ahead in its own tokens, by its own rules and greedily: the target's noise belongs to other
    tokens at other places."""

    def __init__(self, draft: Draft, target: Spelling, own: Spelling) -> None:
        self._draft, self._target, self._own = draft, target, own

    def begin(self, window: Window, task: Task, rules: Rules) -> None:
        self._rules = replace(rules, vocabulary=self._own.vocabulary, sampling=None)
        self._draft.begin(window, task.respelled(self._in_own_tokens))

    @property
    def passes(self) -> int:
        return self._draft.passes

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        own, rules = self._own, self._rules
        text = self._in_own_tokens(tokens)
        open_from = _behind_times(text, own.vocabulary)
        written, likely, ended = rules.written(text), 1.0, False
        for _ in range(count):
            scores = self._draft.scores(text) if likely >= confidence else None
            if scores is None:
                break
            decision = rules.decide(scores, written)
            if is_unsure(decision, rules):
                break
            ended = decision.token == own.vocabulary.end
            if ended:
                break
            likely *= probability(decision, rules)
            written = rules.follow(written, decision.token)
            text.append(decision.token)
        verified = tokens[_behind_times(tokens, self._target.vocabulary) :]
        proposal = self._continued(verified, own.said(text[open_from:]))
        return [*proposal, *([self._target.vocabulary.end] if ended else [])][:count]

    def _in_own_tokens(self, tokens: Sequence[int]) -> list[int]:
        return self._own.tokens(self._target.said(tokens))

    def _continued(self, verified: Sequence[int], said: Said) -> list[int]:
        """The target's tokens for what is said from the last timestamp on, of which it has written `verified`."""
        whole = self._target.tokens(said)
        if whole[: len(verified)] == list(verified):
            return whole[len(verified) :]
        # It has not split its text as its tokenizer would, at least not if the draft is right: only the rest is split.
        known = sum(len(self._target.pieces[token]) for token in verified)
        return self._target.tokens([said[0][known:], *said[1:]] if said and isinstance(said[0], bytes) else said)


def _behind_times(tokens: Sequence[int], vocabulary: Vocabulary) -> int:
    """Where the text behind the last timestamp begins."""
    times = (index for index in reversed(range(len(tokens))) if vocabulary.is_timestamp(tokens[index]))
    return next(times, -1) + 1
