"""Passes of a decoder whose KV cache is on the host: row p of each layer's keys and values is the token at position p.

A rewind costs nothing: the rows of rejected tokens lie after the text and are overwritten before a token attends them.
There are two ways to run the same text. `JoinedPasses` takes any number of tokens; `SlotPasses` takes a few fixed
widths, as the NPU needs, and pads a pass of fewer tokens. Their docstrings say how each keeps a token's scores the same
to the last bit; `largest_difference` tries it on the device itself.
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

HIDDEN = -6e4  # of the mask: exactly 0 after the softmax, and within the range of half precision
BLOCK = 16  # the attention's length is a multiple of it, so that padding with zeros changes no sum
WIDTHS = (2, 4, 8)  # of graphs with fixed shapes
WIDEST = 33  # tokens of a pass behind the prefill: one, and the longest draft (live, the text of the update before)


class Passes(Protocol):
    """Runs tokens on a decoder; `decoder` is that decoder, or the widest of several.

    A pass of fewer than `width` tokens is padded; `widths` are the least and the greatest useful width.
    """

    decoder: ov.InferRequest
    width: int
    widths: tuple[int, int]

    def run(self, tokens: Sequence[int], position: int) -> tuple[Array, Array | None]:
        """Scores [k, vocabulary] that follow each of `tokens`, the first of which is at `position`; and the
        cross-attention of the watched heads, [heads, k, audio positions], if the graph has that output."""


def capacity(positions: int) -> int:
    """Rows of the KV cache for a text of so many positions and the padding after it, in full blocks."""
    return -(-(positions + WIDTHS[-1]) // BLOCK) * BLOCK


class HostCache:
    """The KV cache of a text on the host: a tensor [1, capacity, width] for each layer's keys and values. It starts as
    zeros, because a NaN would spoil a sum even where it is masked."""

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
        """Less than a block of padding rows."""
        return ov.Tensor(self._zeros, [0, 0, 0], [1, count, self.width])

    def upto(self, name: str, end: int) -> ov.Tensor:
        """The rows of a layer before position `end`, not copied."""
        return ov.Tensor(self.tensors[name], [0, 0, 0], [1, end, self.width])

    def keep(self, decoder: ov.InferRequest, position: int, count: int) -> None:
        """Store the keys and values that a pass computed for its first `count` tokens."""
        for name, kept in self._bytes.items():
            kept[0, position : position + count] = _bytes(decoder.get_tensor(f"new.{name}"))[0, :count]


def _bytes(tensor: ov.Tensor) -> npt.NDArray[np.uint8]:
    return tensor.data.view(np.uint8)


class JoinedPasses:
    """Passes of a decoder with the KV cache `Joined`: any number of tokens in one pass.

    On the CPU a row of a matrix product does not depend on how many rows there are, from two on (f32 and bf16; int8
    weights with activations in groups), and zeros up to a full block change no sum: so scores are the same to the last
    bit. Where that does not hold, all passes after a prefill are padded to `width`.
    """

    widths = (2, 16)  # for a single token the CPU uses other kernels, which sum in another order

    def __init__(self, decoder: ov.InferRequest, cache: HostCache) -> None:
        self.width = self.widths[0]
        self.decoder, self._cache = decoder, cache

    def run(self, tokens: Sequence[int], position: int) -> tuple[Array, Array | None]:
        decoder, cache = self.decoder, self._cache
        width = max(len(tokens), self.width)
        length = -(-(position + width) // BLOCK) * BLOCK
        _inputs(decoder, tokens, position, width, length, cache.positions)
        decoder.set_tensor("padding", cache.zeros(length - position - width))
        for name in cache.tensors:
            decoder.set_tensor(name, cache.upto(name, position))
        return _result(decoder, cache, position, len(tokens))


class SlotPasses:
    """Passes of decoders with the KV cache `Slots`, one for each of a few widths; they share the cache.

    More tokens than the widest pass takes are run in several passes. Decoders narrower than `width` are not used: one
    width for all passes is the last resort on a device whose passes of different widths differ.
    """

    def __init__(self, decoders: dict[int, ov.InferRequest], cache: HostCache) -> None:
        self.widths = (min(decoders), max(decoders))
        self.width = self.widths[0]
        self.decoder = decoders[max(decoders)]
        self._decoders, self._cache = decoders, cache
        for decoder in decoders.values():
            for name, tensor in cache.tensors.items():
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
        places = _inputs(decoder, tokens, position, width, self._cache.capacity, self._cache.positions)
        decoder.set_tensor("places", ov.Tensor(places))
        return _result(decoder, self._cache, position, len(tokens))


def _inputs(
    decoder: ov.InferRequest, tokens: Sequence[int], position: int, width: int, length: int, positions: int
) -> npt.NDArray[np.int64]:
    """Set the inputs of a pass of `width` tokens that attend `length` slots; returns the tokens' slots.

    Padding tokens follow the text and are masked; beyond the last position they have that position's embedding.
    """
    places = np.arange(position, position + width)
    numbers = np.zeros((1, width), np.int64)
    numbers[0, : len(tokens)] = tokens
    mask = np.where(np.arange(length) <= places[:, None], np.float32(0), np.float32(HIDDEN))
    decoder.set_tensor("tokens", ov.Tensor(numbers))
    decoder.set_tensor("positions", ov.Tensor(np.minimum(places, positions - 1)[None]))
    decoder.set_tensor("mask", ov.Tensor(mask[None, None]))
    return places


def _result(decoder: ov.InferRequest, cache: HostCache, position: int, count: int) -> tuple[Array, Array | None]:
    """Run a pass and store its keys and values; returns scores and attention of its first `count` tokens, as copies."""
    run(decoder)
    cache.keep(decoder, position, count)
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
        """As `run`, with the cross-attention of the watched heads."""
        self.check_room(len(tokens))
        found = self._passes.run(tokens, self._length)
        self._length += len(tokens)
        return found


class AppendedCursor(Reading):
    """A place in the text of one window: `decoding.protocol.Cursor`."""

    def __init__(self, decoder: ov.InferRequest, positions: int) -> None:
        super().__init__(positions)
        self._decoder = decoder
        self._slots = np.zeros(positions, np.int64)  # by position: where in the cache its token is
        self._mask = np.zeros(2 * positions, np.float32)  # of every entry in the cache
        self._stored = 0

    def rewind(self, length: int) -> None:
        """Mask the tokens from position `length` on."""
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


def largest_difference(passes: Passes, positions: int, vocabulary: int) -> float:
    """How far the scores of a token, or its margin, are apart on this device when the tokens are grouped into passes
    otherwise; 0 if they are the same to the last bit.

    Passes of each number of tokens up to WIDEST are tried against passes of one, with rejected tokens behind them: all
    at the end of a text, some at its beginning, to save time, and some after each other. Then prefills of many tokens
    with and without a draft.
    """
    draw = np.random.default_rng(2)
    count = min(WIDEST, positions // 2)
    tokens = draw.integers(0, vocabulary, count).tolist()
    before = draw.integers(0, vocabulary, positions - count).tolist()
    found = [0.0]
    for start in (0, positions - count):
        if start:
            passes.run(before, 0)
        alone = np.concatenate([passes.run([token], start + at)[0] for at, token in enumerate(tokens)])
        passes.run(tokens[::-1], start)
        for width in range(count, 1, -1) if start else (count, 9, 2):
            found.append(_apart(alone[:width], passes.run(tokens[:width], start)[0]))
        at = 0
        for width in (5, 2, 9, 1, count):
            part = tokens[at : at + width]
            found += [_apart(alone[at : at + width], passes.run(part, start + at)[0])] if part else []
            at += width
    for prefill in (before[:60], before[:200]):
        alone, drafted = passes.run(prefill, 0)[0], passes.run(prefill + tokens[:8], 0)[0]
        found.append(_apart(alone, drafted[: len(prefill)]))
    return max(found)


def _apart(one: Array, other: Array) -> float:
    """How far two scorings of the same tokens are apart: in a score, or in the difference of two."""
    if np.array_equal(one, other):
        return 0.0
    between = other - one
    return float(max(np.abs(between).max(), np.ptp(between, axis=1).max()))
