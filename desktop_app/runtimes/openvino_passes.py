"""Passes of a decoder whose memory is on the host: row p of each layer's keys and values is the token at position p.

A rewind costs nothing: what was read and rejected stands behind the text and is written over before it is seen. Two
ways to run the same text. `JoinedPasses` takes any number of tokens; `SlotPasses` a few fixed widths, as the NPU
needs, filled up where there are fewer tokens. How each keeps a token's scores the same to the last bit is said there,
and `is_steady` tries it on the device itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import openvino as ov

from desktop_app.runtimes.openvino_place import run
from desktop_app.runtimes.reading import Reading

Array = npt.NDArray[np.float32]

HIDDEN = -6e4  # of the mask: nothing is left of it after the softmax, and it fits half precision
BLOCK = 16  # the attention's length is a multiple of it: zeros at its end then change no sum
WIDTHS = (2, 4, 8)  # of graphs with fixed shapes


class Passes(Protocol):
    """Runs tokens of one decoder; `decoder` is it, or the widest of several.

    A pass of fewer than `width` tokens is filled up; `widths` are the narrowest and the widest that make sense.
    """

    decoder: ov.InferRequest
    width: int
    widths: tuple[int, int]

    def run(self, tokens: Sequence[int], position: int) -> tuple[Array, Array | None]:
        """Scores [k, vocabulary] that follow each of `tokens`, of which the first stands at `position`; and where the
        watched heads looked, [heads, k, audio positions], if the graph tells."""


def capacity(positions: int) -> int:
    """Rows for a text of so many positions and for what a pass is filled up with behind them: full blocks."""
    return -(-(positions + WIDTHS[-1]) // BLOCK) * BLOCK


class Rows:
    """Keys and values of a text, one tensor [1, capacity, width] for each layer's inputs of a decoder, zeros at first:
    what is no number would spoil a sum even behind a mask."""

    def __init__(self, names: Sequence[str], positions: int, width: int, kind: ov.Type) -> None:
        self.positions, self.width = positions, width
        self.capacity = capacity(positions)
        self.tensors = {name: ov.Tensor(kind, ov.Shape([1, self.capacity, width])) for name in names}
        self._zeros = ov.Tensor(kind, ov.Shape([1, BLOCK, width]))
        # As plain bytes, because numpy has no bf16.
        self._bytes = {name: _bytes(tensor) for name, tensor in self.tensors.items()}
        for each in (*self._bytes.values(), _bytes(self._zeros)):
            each.fill(0)

    def zeros(self, count: int) -> ov.Tensor:
        """Less than a block of empty rows."""
        return ov.Tensor(self._zeros, [0, 0, 0], [1, count, self.width])

    def upto(self, name: str, end: int) -> ov.Tensor:
        """The first rows of a layer, not copied."""
        return ov.Tensor(self.tensors[name], [0, 0, 0], [1, end, self.width])

    def keep(self, decoder: ov.InferRequest, position: int, count: int) -> None:
        """Take what a pass has made of its first `count` tokens."""
        for name, rows in self._bytes.items():
            rows[0, position : position + count] = _bytes(decoder.get_tensor(f"new.{name}"))[0, :count]


def _bytes(tensor: ov.Tensor) -> npt.NDArray[np.uint8]:
    return tensor.data.view(np.uint8)


class JoinedPasses:
    """Passes of a decoder with the memory `Joined`: any number of tokens in one.

    On the CPU a row of a matrix product does not depend on how many rows there are, from two on (f32 and bf16; int8
    weights with activations in groups), and zeros behind a full block change no sum: so scores are the same to the last
    bit. Where that does not hold, all passes behind a prefill are filled up to `width`.
    """

    widths = (2, 16)  # for one token alone the CPU takes other routines, which add up in another order

    def __init__(self, decoder: ov.InferRequest, rows: Rows) -> None:
        self.width = self.widths[0]
        self.decoder, self._rows = decoder, rows

    def run(self, tokens: Sequence[int], position: int) -> tuple[Array, Array | None]:
        decoder, rows = self.decoder, self._rows
        width = max(len(tokens), self.width)
        length = -(-(position + width) // BLOCK) * BLOCK
        _inputs(decoder, tokens, position, width, length, rows.positions)
        decoder.set_tensor("rest", rows.zeros(length - position - width))
        for name in rows.tensors:
            decoder.set_tensor(name, rows.upto(name, position))
        return _result(decoder, rows, position, len(tokens))


class SlotPasses:
    """Passes of decoders with the memory `Slots`, one for each of a few widths; they share the rows.

    More tokens than the widest has go in several passes. Narrower decoders than `width` are left alone: one width for
    all is the last thing to try on a device whose passes of different widths differ.
    """

    def __init__(self, decoders: dict[int, ov.InferRequest], rows: Rows) -> None:
        self.widths = (min(decoders), max(decoders))
        self.width = self.widths[0]
        self.decoder = decoders[max(decoders)]
        self._decoders, self._rows = decoders, rows
        for decoder in decoders.values():
            for name, tensor in rows.tensors.items():
                decoder.set_tensor(name, tensor)

    def run(self, tokens: Sequence[int], position: int) -> tuple[Array, Array | None]:
        found = []
        at = 0
        while at < len(tokens):
            fitting = [width for width in sorted(self._decoders) if width >= self.width]
            width = next((width for width in fitting if width >= len(tokens) - at), fitting[-1])
            found.append(self._pass(tokens[at : at + width], position + at, width))
            at += width
        seen = [attention for _, attention in found if attention is not None]
        return np.concatenate([scores for scores, _ in found]), np.concatenate(seen, 1) if seen else None

    def _pass(self, tokens: Sequence[int], position: int, width: int) -> tuple[Array, Array | None]:
        decoder = self._decoders[width]
        places = _inputs(decoder, tokens, position, width, self._rows.capacity, self._rows.positions)
        decoder.set_tensor("places", ov.Tensor(places))
        return _result(decoder, self._rows, position, len(tokens))


def _inputs(
    decoder: ov.InferRequest, tokens: Sequence[int], position: int, width: int, length: int, positions: int
) -> npt.NDArray[np.int64]:
    """Give a decoder a pass of `width` tokens that attend `length` places; gives their places.

    What fills it up stands behind the text, where nothing looks; behind the last position it has that one's vector.
    """
    places = np.arange(position, position + width)
    numbers = np.zeros((1, width), np.int64)
    numbers[0, : len(tokens)] = tokens
    mask = np.where(np.arange(length) <= places[:, None], np.float32(0), np.float32(HIDDEN))
    decoder.set_tensor("tokens", ov.Tensor(numbers))
    decoder.set_tensor("positions", ov.Tensor(np.minimum(places, positions - 1)[None]))
    decoder.set_tensor("mask", ov.Tensor(mask[None, None]))
    return places


def _result(decoder: ov.InferRequest, rows: Rows, position: int, count: int) -> tuple[Array, Array | None]:
    """Run a pass, and take what it makes of its first `count` tokens: copies."""
    run(decoder)
    rows.keep(decoder, position, count)
    scores = np.array(decoder.get_tensor("logits").data[0, :count], np.float32)
    if not any("attention" in output.get_names() for output in decoder.model_outputs):
        return scores, None
    return scores, np.array(decoder.get_tensor("attention").data[0, :, :count], np.float32)


class Cursor(Reading):
    """A place in the text of one window: `decoding.protocol.Cursor`."""

    def __init__(self, passes: Passes, positions: int) -> None:
        super().__init__(positions)
        self._passes = passes

    def run(self, tokens: Sequence[int]) -> Array:
        """Scores [k, vocabulary] after each of the k tokens, read in one pass; ValueError past the last position."""
        return self.watch(tokens)[0]

    def watch(self, tokens: Sequence[int]) -> tuple[Array, Array | None]:
        """As `run`, and where the watched heads looked."""
        self.check_room(len(tokens))
        found = self._passes.run(tokens, self._length)
        self._length += len(tokens)
        return found


class AppendedCursor(Reading):
    """A place in the text of one window: `decoding.protocol.Cursor`."""

    def __init__(self, decoder: ov.InferRequest, positions: int) -> None:
        super().__init__(positions)
        self._decoder = decoder
        self._slots = np.zeros(positions, np.int64)  # where in the cache the token at a position stands
        self._mask = np.zeros(2 * positions, np.float32)  # of every entry in the cache
        self._stored = 0

    def rewind(self, length: int) -> None:
        """Forget everything from position `length` on."""
        before = self._length
        super().rewind(length)
        self._mask[self._slots[length:before]] = HIDDEN

    def run(self, tokens: Sequence[int]) -> Array:
        """Scores [k, vocabulary] after each of the k tokens, read in one pass; ValueError past the last position."""
        count, length, stored = len(tokens), self._length, self._stored
        self.check_room(count)
        end = stored + count
        if end > len(self._mask):
            self._mask = np.concatenate([self._mask, np.zeros(max(count, len(self._mask)), np.float32)])
        if count == 1:
            mask = self._mask[None, None, None, :end]
        else:
            mask = np.empty((1, 1, count, end), np.float32)
            mask[:] = self._mask[:end]
            mask[0, 0, :, stored:] = np.triu(np.full((count, count), HIDDEN, np.float32), 1)
        decoder = self._decoder
        decoder.set_tensor("tokens", ov.Tensor(np.array([tokens], np.int64)))
        decoder.set_tensor("positions", ov.Tensor(np.arange(length, length + count)[None]))
        decoder.set_tensor("mask", ov.Tensor(mask))
        run(decoder)
        self._slots[length : length + count] = np.arange(stored, end)
        self._length, self._stored = length + count, end
        return np.array(decoder.get_tensor("logits").data[0])


def is_steady(passes: Passes, positions: int, vocabulary: int, groups: Sequence[int] = (5, 2, 9)) -> bool:
    """Whether a device gives the same scores to the last bit however a text is grouped, at both ends of a text and
    whatever was rejected before, and to a prefill of many tokens with the first draft behind it and without."""
    draw = np.random.default_rng(2)
    count = min(sum(groups), positions // 2)
    tokens = draw.integers(0, vocabulary, count).tolist()
    before = draw.integers(0, vocabulary, positions - count).tolist()
    for start in (0, positions - count):
        if start:
            passes.run(before, 0)
        alone = np.concatenate([passes.run([token], start + at)[0] for at, token in enumerate(tokens)])
        passes.run(tokens[::-1], start)
        at, together = 0, []
        for group in groups:
            part = tokens[at : at + group]
            if part:
                together.append(passes.run(part, start + at)[0])
            at += group
        if not np.array_equal(alone, np.concatenate(together)):
            return False
    for prefill in (before[:60], before[:200]):
        alone, drafted = passes.run(prefill, 0)[0], passes.run(prefill + tokens[:8], 0)[0]
        if not np.array_equal(alone, drafted[: len(prefill)]):
            return False
    return True
