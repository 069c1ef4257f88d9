"""Who writes ahead.

A drafter proposes tokens for a prefix; what the target accepted of them shows in the next prefix it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from desktop_app.decoding.protocol import Cursor, Model
from desktop_app.decoding.rules import Rules, Written

UNSURE = 0.4
"""Drafting stops after a token that the draft itself gives less than this probability: what follows would
rarely be accepted."""


class Drafter(Protocol):
    """Writes ahead of the target.

    The loop that verifies knows nothing else of it, and no proposal can change the text.
    """

    def begin(self, features: npt.NDArray[np.float32], encoded: Any, prefill: Sequence[int], rules: Rules) -> None:
        """A new text: the window's features [bins, frames], the target's encoding of them, the tokens before the text,
        and the rules that the target will follow."""

    def propose(self, tokens: Sequence[int], written: Written, count: int) -> list[int]:
        """Up to `count` tokens to follow the text `tokens`, whose state under the rules is `written`; none is a
        valid answer."""


class ModelDrafter:
    """A small model writes ahead under the target's rules and its noise, which raises acceptance and cannot change
    the text."""

    def __init__(self, model: Model, shares_encoder: bool) -> None:
        self._model, self._shares_encoder = model, shares_encoder
        self._cursor: Cursor | None = None
        self._features: npt.NDArray[np.float32] | None = None
        self._encoded: Any = None

    def begin(self, features: npt.NDArray[np.float32], encoded: Any, prefill: Sequence[int], rules: Rules) -> None:
        if self._features is not features:  # a window that is written again is not heard again
            self._features = features
            self._encoded = encoded if self._shares_encoder else self._model.encode(features)
        self._cursor = self._model.open(self._encoded)
        self._prefill, self._rules = list(prefill), rules
        self._read: list[int] = []

    def propose(self, tokens: Sequence[int], written: Written, count: int) -> list[int]:
        assert self._cursor is not None, "begin comes before propose"
        prefix = [*self._prefill, *tokens]
        known = _common(self._read, prefix[:-1])  # the last token is always run: its scores are what is asked for
        self._cursor.rewind(known)
        unread = prefix[known:]
        proposal: list[int] = []
        while len(proposal) < count and self._cursor.length + len(unread) <= self._model.positions:
            decision = self._rules.decide(self._cursor.run(unread)[-1], written)
            proposal.append(decision.token)
            if decision.token == self._rules.vocabulary.end or decision.log_probability < np.log(UNSURE):
                break
            written = self._rules.follow(written, decision.token)
            unread = [decision.token]
        self._read = [*prefix, *proposal][: self._cursor.length]
        return proposal


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    length = min(len(left), len(right))
    return next((i for i in range(length) if left[i] != right[i]), length)
