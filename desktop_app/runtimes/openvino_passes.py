"""Passes of a decoder whose KV cache is on the host: slot p of each layer's keys and values is the token at position p.

A rewind costs nothing: the slots of rejected tokens lie after the text and are overwritten before a token attends them.
There are two ways to run the same text. `FlexiblePasses` takes any number of tokens; `SlotPasses` takes a few fixed
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
BLOCK = 32  # the attention's length is a multiple of it, so that padding with zeros changes no sum
WIDTHS = (2, 4, 8)  # of graphs with fixed shapes
PADDED = 16  # tokens of a pass, where that many are needed for the same scores
WIDEST = 33  # tokens of a pass behind the prefill: one, and the longest draft (live, the text of the update before)
USUAL = (2, 3, 4, 5, 8, 12, 16, 24, BLOCK, WIDEST)  # tokens of a flexible pass, which is padded to the next of these


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
    """Slots of the KV cache for a text of so many positions and the padding after it, in full blocks."""
    return _blocks(positions + PADDED)


def _blocks(slots: int) -> int:
    """So many slots, rounded up to full blocks."""
    return -(-slots // BLOCK) * BLOCK


def _padded(count: int) -> int:
    """How wide a pass of so many tokens is. A long one, as a prefill, is padded to full blocks: the CPU keeps what it
    prepares for each width, megabytes for a long pass, and a file of hours has passes of hundreds of lengths."""
    return _blocks(count) if count > WIDEST else count


class HostCache:
    """The KV cache of a text on the host: for each layer's keys and values [1, heads, slots, head], of which slot p is
    the token at position p. There are as many slots as the passes need, in full blocks: all of them are attended."""

    def __init__(self, names: Sequence[str], positions: int, heads: int, head: int, kind: ov.Type) -> None:
        self.positions = positions
        self.capacity = capacity(positions)
        self.slots = 0
        self._names, self._heads, self._head = names, heads, head
        self._tensor = ov.Tensor(kind, ov.Shape([len(names), heads, self.capacity, head]))
        places = np.arange(self.capacity)
        self._mask = np.where(places <= places[:, None], np.float32(0), np.float32(HIDDEN))

    def bind(self, decoder: ov.InferRequest, slots: int, count: int) -> None:
        """Give a decoder the cache with so many slots, of which the first `count` are kept. The others become zeros,
        because a NaN would spoil a sum even where it is masked."""
        kept = np.array(_bytes(self._tensor)[:, :, :count]) if count else None
        heads, head = self._heads, self._head
        self._tensor.shape = ov.Shape([len(self._names), heads, slots, head])  # in the same memory
        self.slots = slots
        self._bytes = _bytes(self._tensor)  # as plain bytes, because numpy has no bf16
        self._bytes.fill(0)
        if kept is not None:
            self._bytes[:, :, :count] = kept
        for at, name in enumerate(self._names):
            decoder.set_tensor(name, ov.Tensor(self._tensor, [at, 0, 0, 0], [at + 1, heads, slots, head]))

    def mask(self, position: int, width: int) -> npt.NDArray[np.float32]:
        """Of so many tokens from a position on: none attends what follows it, [1, 1, width, slots]."""
        return self._mask[None, None, position : position + width, : self.slots]

    def keep(self, new: ov.Tensor, position: int, count: int) -> None:
        """Store the keys and values that a pass computed for its first `count` tokens."""
        self._bytes[:, :, position : position + count] = _bytes(new)[:, :, :count]


def _bytes(tensor: ov.Tensor) -> npt.NDArray[np.uint8]:
    return tensor.data.view(np.uint8)


class FlexiblePasses:
    """Passes of a decoder whose shapes are dynamic: any number of tokens in one pass.

    On the CPU a row of a matrix product does not depend on how many rows there are, from two on (f32 and bf16; int8
    weights with activations in groups), and masked slots up to a full block change no sum: so scores are the same to
    the last bit. Where that does not hold, all passes after a prefill are padded to `width`. Others are padded a
    little, because the CPU keeps a megabyte of what it prepares for each number of tokens and of slots.
    """

    widths = (2, PADDED)  # for a single token the CPU uses other kernels, which sum in another order

    def __init__(self, decoder: ov.InferRequest, cache: HostCache) -> None:
        self.width = self.widths[0]
        self.decoder, self._cache = decoder, cache

    def run(self, tokens: Sequence[int], position: int) -> tuple[Array, Array | None]:
        count, cache = max(len(tokens), self.width), self._cache
        width = next((each for each in USUAL if each >= count), _blocks(count))
        width = min(width, cache.capacity - position)
        slots = _blocks(position + width)
        if slots > cache.slots or position == 0:  # the decoder prepares itself anew for every other shape
            cache.bind(self.decoder, slots, position)
        return _pass(self.decoder, cache, tokens, position, width)


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
            cache.bind(decoder, cache.capacity, 0)

    def run(self, tokens: Sequence[int], position: int) -> tuple[Array, Array | None]:
        found = []
        at = 0
        while at < len(tokens):
            fitting = [width for width in sorted(self._decoders) if width >= self.width]
            width = next((width for width in fitting if width >= len(tokens) - at), fitting[-1])
            part = tokens[at : at + width]
            found.append(_pass(self._decoders[width], self._cache, part, position + at, width))
            at += width
        seen = [attention for _, attention in found if attention is not None]
        return np.concatenate([scores for scores, _ in found]), np.concatenate(seen, 1) if seen else None


def _pass(
    decoder: ov.InferRequest, cache: HostCache, tokens: Sequence[int], position: int, width: int
) -> tuple[Array, Array | None]:
    """A pass of `width` tokens, of which `tokens` are the first: their scores and attention, as copies; their keys and
    values are stored.

    Padding tokens follow the text and are masked; beyond the last position they have that position's embedding.
    """
    count, places = len(tokens), np.arange(position, position + width)
    numbers = np.zeros((1, width), np.int64)
    numbers[0, :count] = tokens
    decoder.set_tensor("tokens", ov.Tensor(numbers))
    decoder.set_tensor("positions", ov.Tensor(np.minimum(places, cache.positions - 1)[None]))
    decoder.set_tensor("places", ov.Tensor(places))
    decoder.set_tensor("mask", ov.Tensor(np.ascontiguousarray(cache.mask(position, width))))
    run(decoder)
    cache.keep(decoder.get_tensor("new"), position, count)
    scores = np.array(decoder.get_tensor("logits").data[0, :count], np.float32)
    if not any("attention" in output.get_names() for output in decoder.model_outputs):
        return scores, None
    return scores, np.array(decoder.get_tensor("attention").data[0, :, :count], np.float32)


class GraphCursor(Reading):
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
        width = _padded(count)
        end = stored + width
        if end > len(self._mask):
            self._mask = np.concatenate([self._mask, np.zeros(max(width, len(self._mask)), np.float32)])
        if width == 1:
            mask = self._mask[None, None, None, :end]
        else:
            mask = np.empty((1, 1, width, end), np.float32)
            mask[:] = self._mask[:end]
            mask[0, 0, :, stored:] = np.triu(np.full((width, width), HIDDEN, np.float32), 1)
        numbers = np.zeros((1, width), np.int64)
        numbers[0, :count] = tokens
        decoder = self._decoder
        decoder.set_tensor("tokens", ov.Tensor(numbers))
        places = np.minimum(np.arange(length, length + width), len(self._slots) - 1)
        decoder.set_tensor("positions", ov.Tensor(places[None]))
        decoder.set_tensor("mask", ov.Tensor(mask))
        run(decoder)
        self._slots[length : length + count] = np.arange(stored, stored + count)
        self._mask[stored + count : end] = HIDDEN  # the padding
        self._length, self._stored = length + count, end
        return np.array(decoder.get_tensor("logits").data[0, :count])


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
