"""A draft that spells its text in other tokens than the target: its text is tokenised again for the target.

After "universal assisted generation" (Timor et al., "Accelerating LLM Inference with Lossless Speculative Decoding
Algorithms for Heterogeneous Vocabularies", 2025). Two things keep such a draft agreeing:

- The verified text may end inside of a token of the draft's, which such a draft has never seen. So the last of its
  tokens are not taken for granted: where the draft would rather have written another beginning with the same letters,
  it goes on from there.
- Text is split by the target's tokenizer as a whole since the last timestamp, as the target's was in training.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.drafters import Draft, is_last
from desktop_app.decoding.hearing import Window
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.task import Task
from desktop_app.decoding.vocabulary import Vocabulary

OPEN_TOKENS = 3
"""How many of the draft's last tokens it may write in another way."""

Said = list[bytes | float]
"""What is said, in no vocabulary: stretches of text in UTF-8, perhaps cut inside of a character, and times in
seconds."""


@dataclass(frozen=True, eq=False)
class Spelling:
    """How a vocabulary spells: the bytes of each of its tokens, none for the special ones, and the tokens of any bytes,
    which must spell exactly these."""

    vocabulary: Vocabulary
    pieces: Sequence[bytes]
    split: Callable[[bytes], list[int]]

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

    def beginnings(self, text: bytes) -> npt.NDArray[np.int64]:
        """The tokens that `text` may begin with if it goes on: those that spell its first bytes, and those that begin
        with all of it."""
        pieces, tokens = self._sorted
        size = len(text)
        first = bisect_left(pieces, text, key=lambda piece: piece[:size])
        last = bisect_right(pieces, text, key=lambda piece: piece[:size])
        shorter = [self._by_piece[text[:end]] for end in range(1, size) if text[:end] in self._by_piece]
        return np.concatenate([tokens[first:last], np.array(shorter, np.int64)])

    @cached_property
    def _by_piece(self) -> dict[bytes, int]:
        return {piece: token for token, piece in enumerate(self.pieces) if piece}

    @cached_property
    def _sorted(self) -> tuple[list[bytes], npt.NDArray[np.int64]]:
        pieces = sorted(self._by_piece)
        return pieces, np.array([self._by_piece[piece] for piece in pieces], np.int64)


class RetokenisedDrafter:
    """A small model writes ahead in its own tokens, by its own rules and greedily: the target's noise belongs to other
    tokens at other places."""

    def __init__(self, draft: Draft, target: Spelling, own: Spelling) -> None:
        self._draft, self._target, self._own = draft, target, own

    def begin(self, window: Window, task: Task, rules: Rules) -> None:
        self._rules = replace(rules, vocabulary=self._own.vocabulary, sampling=None)
        prompt = self._own.tokens(self._target.said(task.prompt))
        self._draft.begin(window, replace(task, prompt=tuple(prompt)))

    def propose(self, tokens: Sequence[int], count: int) -> list[int]:
        verified = self._own.tokens(self._target.said(tokens))
        text = self._reconsidered(verified)
        ended = False
        for _ in range(count):
            scores = self._draft.scores(text)
            if scores is None:
                break
            decision = self._rules.decide(scores[-1], self._rules.written(text))
            ended = decision.token == self._own.vocabulary.end
            text += [] if ended else [decision.token]
            if is_last(decision, self._rules):
                break
        proposal = self._continued(
            _open_part(tokens, self._target.vocabulary),
            self._own.said(text[len(verified) - len(_open_part(verified, self._own.vocabulary)) :]),
        )
        return [*proposal, *([self._target.vocabulary.end] if ended else [])][:count]

    def _reconsidered(self, text: Sequence[int]) -> list[int]:
        """The draft's text with its last tokens as the draft itself would write them; then it may go on a little."""
        given = list(_open_part(text, self._own.vocabulary)[-OPEN_TOKENS:])
        kept, rest = list(text[: len(text) - len(given)]), self._spell(given)
        while rest:
            scores = self._draft.scores([*kept, *given], len(given) + 1)
            if scores is None:
                return list(text)
            for token, row in zip(given, scores[:-1], strict=True):
                allowed = self._own.beginnings(rest)
                chosen = int(allowed[row[allowed].argmax()])
                kept.append(chosen)
                rest = rest[len(self._own.pieces[chosen]) :]
                if chosen != token:
                    break
            given = self._own.split(rest)
        return kept

    def _continued(self, verified: Sequence[int], said: Said) -> list[int]:
        """The target's tokens for what is said from the last timestamp on, of which it has written `verified`."""
        whole = self._target.tokens(said)
        if whole[: len(verified)] == list(verified):
            return whole[len(verified) :]
        # The target has not split its text as its tokenizer does, or will not: only what is new is split.
        known = sum(len(self._target.pieces[token]) for token in verified)
        return self._target.tokens([said[0][known:], *said[1:]] if said and isinstance(said[0], bytes) else said)

    def _spell(self, tokens: Sequence[int]) -> bytes:
        return b"".join(self._own.pieces[token] for token in tokens)


def _open_part(tokens: Sequence[int], vocabulary: Vocabulary) -> Sequence[int]:
    """What stands behind the last timestamp."""
    last = next((i for i in reversed(range(len(tokens))) if vocabulary.is_timestamp(tokens[i])), -1)
    return tokens[last + 1 :]
