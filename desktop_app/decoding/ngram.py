"""N-gram drafting: proposes what followed the last words at their previous occurrence. It needs no draft model.

"Prompt lookup decoding" (Saxena, 2023), over the text of the recording so far.
"""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.rules import Rules
from desktop_app.transcript.settings import Settings

MEMORY, LENGTH = 4000, 3  # tokens of finished text to search; tokens per n-gram


class NGramDrafter(Drafter):
    """Proposes what followed the newest occurrence of the last tokens. A proposal of `inner` comes first."""

    def __init__(self, inner: Drafter | None = None) -> None:
        self._inner = inner
        self._finished: list[int] = []
        self._places: dict[tuple[int, ...], int] = {}  # behind the newest occurrence of each n-gram

    @property
    def passes(self) -> int:
        return self._inner.passes if self._inner is not None else 0

    def begin(self, window: AudioWindow, settings: Settings, rules: Rules) -> None:
        if self._inner is not None:
            self._inner.begin(window, settings, rules)

    def learn(self, tokens: Sequence[int]) -> None:
        self._finished = [*self._finished, *tokens][-MEMORY:]
        self._places = _places(self._finished)
        if self._inner is not None:
            self._inner.learn(tokens)

    def propose(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> list[int]:
        proposal = self._inner.propose(tokens, count, confidence) if self._inner is not None else []
        if proposal or len(tokens) < LENGTH:
            return proposal
        last = tuple(tokens[-LENGTH:])
        for text, places in ((tokens, _places(tokens)), (self._finished, self._places)):
            if last in places:
                return list(text[places[last] : places[last] + count])
        return []


def _places(text: Sequence[int]) -> dict[tuple[int, ...], int]:
    """The place behind the newest occurrence of each n-gram that something follows."""
    return {tuple(text[end - LENGTH : end]): end for end in range(LENGTH, len(text))}
