"""The interface of a model to decoding: encode a window, open a cursor on it, run tokens, rewind.

Target, draft and test doubles implement it alike. A `Batch` is one that decodes several texts side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
"""Raw logits, [tokens, vocabulary]."""


class Cursor(Protocol):
    """A position in the text of one window, with the decoder's KV cache up to it."""

    @property
    def length(self) -> int:
        """The number of tokens the decoder has read: the position of the next one."""

    def run(self, tokens: Sequence[int]) -> Scores:
        """Read `tokens` in one pass and give the scores that follow each of them, [len(tokens), vocabulary]."""

    def rewind(self, length: int) -> None:
        """Drop the KV cache from position `length` on. Costs nothing, or is paid for in the next pass."""


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
        """The number of mel bins that the encoder takes."""

    def encode(self, features: npt.NDArray[np.float32]) -> Any:
        """The encoder's output for one window of log-mel features [bins, frames]: opaque, for `open`."""

    def open(self, encoded: Any) -> Cursor:
        """A cursor at position 0 of the window."""

    def attend(self, encoded: Any, tokens: Sequence[int]) -> tuple[Scores, npt.NDArray[np.float32]]:
        """The scores that follow each of `tokens`, read from position 0 on, and the cross-attention weights of the
        alignment heads before the softmax, [heads, len(tokens), frames]. Ends the cursor."""


class Batch(Protocol):
    """A model with room for several texts. Its scores for one of them do not depend on the others."""

    @property
    def rows(self) -> Sequence[Model]:
        """A model for each text, all with the same weights. Each has one cursor open at a time."""

    def encode(self, features: Sequence[npt.NDArray[np.float32]]) -> Sequence[Any]:
        """The encoder's output for each of at most as many windows as there are rows, in one pass; for `open` of any
        row."""

    def run(self, reads: Sequence[tuple[Any, Sequence[int]]]) -> Sequence[Scores]:
        """Read tokens at the cursors of some rows, at most one of each row, in one pass; gives for each what
        `Cursor.run` does."""
