"""Drafts in two tiers: the CTC head writes, and the layers of the draft correct that before the target sees it.

After VIA-SD (2026), which has a slim verifier between draft and target that may accept without the target. Here it only
filters: the target verifies every token.
"""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.decoding.ctc import CtcDrafter
from desktop_app.decoding.steps import Steps

READINGS = 2
"""Passes of the layers for a proposal, at most. With Whisper base, a look-ahead of 8 and 75 s each of read and of
crowd-sourced English: 1 / 2 gave 2.90 / 3.01 and 2.90 / 3.39 tokens a pass."""


class TiersDrafter(CtcDrafter):
    """Proposes the head's text as the layers correct it; where the head has no text, what they write themselves."""

    def steps(self, tokens: Sequence[int], count: int, confidence: float = 0.0) -> Steps[list[int]]:
        text = self._written()
        if text is None:
            return (yield from self._by_model(tokens, count, confidence))
        proposal, layers, end = text.after(tokens, count), self._ready_model(), self._spelling.vocabulary.end
        for _ in range(READINGS):
            taken = yield from layers.corrected(tokens, proposal)
            if taken == proposal or len(taken) == count or taken[-1] == end:
                return taken
            proposal = [*taken, *text.after([*tokens, *taken], count - len(taken))]
        return proposal
