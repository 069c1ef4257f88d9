"""How decoding sees a model: encode a window, open a cursor on it, run tokens, rewind.

Target, draft and test doubles are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
"""Raw logits, [tokens, vocabulary]."""


class Cursor(Protocol):
    """A place in the text of one window, with the decoder's memory of everything before it."""

    @property
    def length(self) -> int:
        """How many tokens the decoder has read; the next one stands at this position."""

    def run(self, tokens: Sequence[int]) -> Scores:
        """Read `tokens` in one pass and give the scores that follow each of them, [len(tokens), vocabulary]."""

    def rewind(self, length: int) -> None:
        """Forget everything from position `length` on. Free of cost, or paid for in the next pass."""


class Model(Protocol):
    """A Whisper model that is ready to run. One cursor is open at a time: opening another ends the first."""

    @property
    def positions(self) -> int:
        """The most tokens a text may have, prefill included (448 in Whisper)."""

    @property
    def epsilon(self) -> float:
        """The largest difference that one- and many-token passes show in a margin of two logits on this device
        and precision."""

    @property
    def mel_bins(self) -> int:
        """How many mel bins the encoder hears."""

    def encode(self, features: npt.NDArray[np.float32]) -> Any:
        """The encoder's view of one window of log-mel features [bins, frames]: opaque, for `open`."""

    def open(self, encoded: Any) -> Cursor:
        """A cursor at position 0 of the window."""

    def attend(self, encoded: Any, tokens: Sequence[int]) -> tuple[Scores, npt.NDArray[np.float32]]:
        """The scores that follow each of `tokens`, read from position 0 on, and where the heads that follow the words
        looked while they were read: attention before the softmax, [heads, len(tokens), frames]. Ends the cursor."""
