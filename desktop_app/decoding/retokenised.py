"""A draft whose tokenizer differs from the target's: its text is tokenised again for the target.

"Universal assisted generation" (Timor et al., "Accelerating LLM Inference with Lossless Speculative Decoding Algorithms
for Heterogeneous Vocabularies", 2025). Verified text is tokenised for the draft each time; the draft runs the tokens
from the first one that differs from its KV cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Draft, InSteps, is_unsure, probability
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.steps import Steps
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.transcript.settings import Settings

Content = list[bytes | float]
"""Text and times independent of a vocabulary: UTF-8 bytes, perhaps cut inside a character, and seconds."""


@dataclass(frozen=True, eq=False)
class Spelling:
    """A vocabulary's tokenizer: `pieces` are the bytes of each token, b"" for special ones; `split` tokenises any
    bytes without loss."""

    vocabulary: Vocabulary
    pieces: Sequence[bytes]
    split: Callable[[bytes], Sequence[int]]

    def decode(self, tokens: Sequence[int]) -> Content:
        """Text and times of tokens, without the special ones."""
        content: Content = []
        for token in tokens:
            if self.vocabulary.is_timestamp(token):
                content.append(self.vocabulary.seconds(token))
            elif content and isinstance(content[-1], bytes):
                content[-1] += self.pieces[token]
            elif self.pieces[token]:
                content.append(self.pieces[token])
        return content

    def encode(self, content: Content) -> list[int]:
        """The tokens of text and times, without times beyond the vocabulary's last."""
        tokens: list[int] = []
        for each in content:
            if isinstance(each, bytes):
                tokens += self.split(each)
            elif (time := self.vocabulary.timestamp(each)) is not None:
                tokens.append(time)
        return tokens


class RetokenisedDrafter(InSteps):
    """Drafts with a model that has another tokenizer: under the rules of its own vocabulary, and greedily, since the
    target's noise belongs to other tokens."""

    def __init__(self, draft: Draft, target: Spelling, own: Spelling) -> None:
        self._draft, self._target, self._own = draft, target, own

    def begin(self, window: AudioWindow, settings: Settings, rules: Rules) -> None:
        self._rules = replace(rules, vocabulary=self._own.vocabulary, sampling=None)
        self._draft.begin(window, settings.respelled(self._in_own_tokens))

    @property
    def passes(self) -> int:
        return self._draft.passes

    def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Steps[list[int]]:
        own, rules = self._own, self._rules
        text = self._in_own_tokens(tokens)
        open_from = _behind_times(text, own.vocabulary)
        written, likely, ended = rules.written(text), 1.0, False
        for _ in range(count):
            if likely < confidence or (scores := (yield from self._draft.scores(text))) is None:
                break
            decision = rules.decide(scores[-1], written)
            if is_unsure(decision, rules):
                break
            ended = decision.token == own.vocabulary.end
            if ended:
                break
            likely *= probability(decision, rules)
            written = rules.follow(written, decision.token)
            text.append(decision.token)
        verified = tokens[_behind_times(tokens, self._target.vocabulary) :]
        proposal = self._continued(verified, own.decode(text[open_from:]))
        return [*proposal, *([self._target.vocabulary.end] if ended else [])][:count]

    def _in_own_tokens(self, tokens: Sequence[int]) -> list[int]:
        return self._own.encode(self._target.decode(tokens))

    def _continued(self, verified: Sequence[int], content: Content) -> list[int]:
        """The target's tokens of `content`, the text behind the last timestamp, without the `verified` ones."""
        whole = self._target.encode(content)
        if whole[: len(verified)] == list(verified):
            return whole[len(verified) :]
        # The target's own tokens need not be those of its tokenizer, so only the rest is tokenised.
        known = sum(len(self._target.pieces[token]) for token in verified)
        if content and isinstance(content[0], bytes):
            content = [content[0][known:], *content[1:]]
        return self._target.encode(content)


def _behind_times(tokens: Sequence[int], vocabulary: Vocabulary) -> int:
    """The index behind the last timestamp."""
    times = (index for index in reversed(range(len(tokens))) if vocabulary.is_timestamp(tokens[index]))
    return next(times, -1) + 1
