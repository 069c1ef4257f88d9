"""Whisper in PyTorch, made for draft-and-verify and built straight from a checkpoint's tensors: no transformers.

The decoder's KV cache is static: every position of a text has its slot, and a pass writes its keys and values there. A
token attends the slots up to its own position only, so those after a rewind are never attended and are overwritten.
Only the values of two small tensors change from pass to pass, as a CUDA graph needs it.

There is a row for each text that is decoded side by side, with a window, a KV cache and positions of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from desktop_app.checkpoints.shape import Shape

_EPSILON = 1e-5  # of Whisper's normalisations

# In full precision attention is plain matrix products and a softmax: the fused kernels would split f32 into shorter
# numbers. cuDNN's kernels are not used: they are built anew for each shape.
_EXACT = [SDPBackend.MATH]
_FUSED = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


@dataclass(frozen=True)
class Linear:
    """x W^T + b."""

    weight: Tensor
    bias: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)


@dataclass(frozen=True)
class Norm:
    """Layer normalisation over the last axis."""

    weight: Tensor
    bias: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, _EPSILON)


@dataclass(frozen=True)
class Block:
    """The two matrices at the end of a layer, with what they are added to."""

    norm: Norm
    wide: Linear
    narrow: Linear

    def __call__(self, x: Tensor) -> Tensor:
        return x + self.narrow(F.gelu(self.wide(self.norm(x))))


class Weights:
    """The tensors that `read` gives by name, on one device in one kind of numbers."""

    def __init__(self, read: Callable[[str], Tensor], device: torch.device, dtype: torch.dtype) -> None:
        self._read = read
        self.device = device
        self.dtype = dtype

    def __getitem__(self, name: str) -> Tensor:
        return self._read(name).to(self.device, self.dtype)

    def linear(self, name: str) -> Linear:
        """A matrix and its bias."""
        return Linear(self[f"{name}.weight"], self[f"{name}.bias"])

    def fused(self, name: str, parts: str) -> Linear:
        """The projections `parts` ("qkv") of an attention as one matrix. Keys have no bias in Whisper."""
        weights = [self[f"{name}.{part}_proj.weight"] for part in parts]
        biases = [
            torch.zeros_like(weight[:, 0]) if part == "k" else self[f"{name}.{part}_proj.bias"]
            for part, weight in zip(parts, weights, strict=True)
        ]
        return Linear(torch.cat(weights), torch.cat(biases))

    def norm(self, name: str) -> Norm:
        """A normalisation."""
        return Norm(self[f"{name}.weight"], self[f"{name}.bias"])

    def block(self, name: str) -> Block:
        """The end of a layer."""
        return Block(self.norm(f"{name}.final_layer_norm"), self.linear(f"{name}.fc1"), self.linear(f"{name}.fc2"))


class Heads:
    """Attention heads, and how attention is computed for one kind of numbers."""

    def __init__(self, heads: int, dtype: torch.dtype) -> None:
        self._heads = heads
        self._backends = _EXACT if dtype == torch.float32 else _FUSED

    def split(self, x: Tensor, parts: int) -> tuple[Tensor, ...]:
        """[rows, n, parts * width] -> `parts` tensors [rows, heads, n, head]."""
        return x.unflatten(2, (parts, self._heads, -1)).permute(2, 0, 3, 1, 4).unbind()

    def attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
        """Attention [rows, n, width] over keys and values, with a mask that is added to the products."""
        with sdpa_kernel(self._backends):
            looked = F.scaled_dot_product_attention(q, k, v, mask)
        return looked.transpose(1, 2).flatten(2)


class Encoder:
    """features [rows, bins, 2 * positions] -> [rows, positions, width]."""

    def __init__(self, weights: Weights, shape: Shape) -> None:
        self._heads = Heads(shape.encoder_heads, weights.dtype)
        self._first, self._second = weights.linear("encoder.conv1"), weights.linear("encoder.conv2")
        self._positions = weights["encoder.embed_positions.weight"]
        names = [f"encoder.layers.{layer}" for layer in range(shape.encoder_layers)]
        self._layers = [
            (
                weights.norm(f"{name}.self_attn_layer_norm"),
                weights.fused(f"{name}.self_attn", "qkv"),
                weights.linear(f"{name}.self_attn.out_proj"),
                weights.block(name),
            )
            for name in names
        ]
        self._norm = weights.norm("encoder.layer_norm")

    def __call__(self, features: Tensor) -> Tensor:
        x = features.to(self._positions)
        x = F.gelu(F.conv1d(x, self._first.weight, self._first.bias, padding=1))
        x = F.gelu(F.conv1d(x, self._second.weight, self._second.bias, stride=2, padding=1))
        x = (x.transpose(1, 2) + self._positions).contiguous()
        for norm, projections, out, block in self._layers:
            x = x + out(self._heads.attend(*self._heads.split(projections(norm(x)), 3)))
            x = block(x)
        return self._norm(x)


@dataclass(frozen=True)
class DecoderLayer:
    """One layer's weights; its keys and values [2, rows, heads, slots, head] of the texts and of the windows."""

    norm: Norm
    projections: Linear
    out: Linear
    cross_norm: Norm
    cross_query: Linear
    cross_projections: Linear
    cross_out: Linear
    block: Block
    text: Tensor
    window: Tensor


class TorchDecoder:
    """k tokens at k positions of each text -> their scores. A window and a text in each row.

    There are `spare` slots after the last position, for the padding of a pass.

    Attributes: rows; positions (the most tokens that a text may have).
    """

    def __init__(
        self, weights: Weights, shape: Shape, spare: int, head_tokens: Sequence[int] | None = None, rows: int = 1
    ) -> None:
        """`head_tokens` are the tokens that it scores; None is all of them."""
        self.rows, self.positions = rows, shape.text_positions
        self._pooling = shape.audio_pooling
        self._heads = Heads(shape.decoder_heads, weights.dtype)
        self._embedding = weights["decoder.embed_tokens.weight"]
        self._position_embedding = F.pad(weights["decoder.embed_positions.weight"], (0, 0, 0, spare))
        self._norm = weights.norm("decoder.layer_norm")
        head = weights["proj_out.weight"] if shape.own_head else self._embedding
        if head_tokens is not None:
            head = head[torch.tensor(head_tokens, device=weights.device)]
        # Scores of 16 bits would be full of ties. CUDA makes scores of 32 bits from matrices of 16, the CPU does not.
        self._head = head if weights.device.type == "cuda" else head.float()
        slots = shape.text_positions + spare
        hidden = torch.full((slots, slots), -torch.inf, device=weights.device, dtype=weights.dtype)
        self._masks = hidden.triu(1)

        def cache(count: int) -> Tensor:
            sides = (2, rows, shape.decoder_heads, count, shape.width // shape.decoder_heads)
            return torch.zeros(sides, device=weights.device, dtype=weights.dtype)

        def layer(name: str) -> DecoderLayer:
            return DecoderLayer(
                norm=weights.norm(f"{name}.self_attn_layer_norm"),
                projections=weights.fused(f"{name}.self_attn", "qkv"),
                out=weights.linear(f"{name}.self_attn.out_proj"),
                cross_norm=weights.norm(f"{name}.encoder_attn_layer_norm"),
                cross_query=weights.linear(f"{name}.encoder_attn.q_proj"),
                cross_projections=weights.fused(f"{name}.encoder_attn", "kv"),
                cross_out=weights.linear(f"{name}.encoder_attn.out_proj"),
                block=weights.block(name),
                text=cache(slots),
                window=cache(shape.cross_positions),
            )

        self._layers = [layer(f"decoder.layers.{number}") for number in range(shape.decoder_layers)]

    def set_window(self, encoded: Tensor, row: int = 0) -> None:
        """Compute the cross-attention's keys and values of an encoded window [positions, width] for the text of a row,
        once for all passes."""
        if self._pooling > 1:
            encoded = encoded.unflatten(0, (-1, self._pooling)).mean(1)
        for layer in self._layers:
            parts = self._heads.split(layer.cross_projections(encoded[None]), 2)
            for (part,), kept in zip(parts, layer.window, strict=True):
                kept[row].copy_(part)

    def __call__(self, tokens: Tensor, positions: Tensor) -> Tensor:
        """Scores [rows, k, head] in 32 bits that follow each of `tokens` [rows, k], which are at `positions` [rows, k]
        of their texts."""
        return self._pass(tokens, positions, slice(None), lambda number, q, k: None)

    def watched(
        self, tokens: Tensor, positions: Tensor, watched: Sequence[tuple[int, int]], row: int = 0
    ) -> tuple[Tensor, Tensor]:
        """The scores [k, head] of k tokens of one row, and the cross-attention of some heads, each given as layer and
        head, before the softmax: [heads, k, audio positions] in 32 bits.
        """
        seen: list[Tensor] = []

        def watch(number: int, q: Tensor, k: Tensor) -> None:
            for layer, head in watched:
                if layer == number:
                    seen.append(q[0, head].float() @ k[0, head].float().T / q.shape[-1] ** 0.5)

        scores = self._pass(tokens[None], positions[None], slice(row, row + 1), watch)
        return scores[0], torch.stack(seen)

    def _pass(
        self, tokens: Tensor, positions: Tensor, rows: slice, watch: Callable[[int, Tensor, Tensor], None]
    ) -> Tensor:
        heads = self._heads
        mask = F.embedding(positions, self._masks)[:, None]
        x = F.embedding(tokens, self._embedding) + F.embedding(positions, self._position_embedding)
        for number, layer in enumerate(self._layers):
            text, window = layer.text[:, rows], layer.window[:, rows]
            q, *new = heads.split(layer.projections(layer.norm(x)), 3)
            for part, kept in zip(new, text, strict=True):
                kept.scatter_(2, positions[:, None, :, None].expand_as(part), part)
            x = x + layer.out(heads.attend(q, text[0], text[1], mask))
            (q,) = heads.split(layer.cross_query(layer.cross_norm(x)), 1)
            watch(number, q, window[0])
            x = x + layer.cross_out(heads.attend(q, window[0], window[1]))
            x = layer.block(x)
        return self._score(self._norm(x))

    def _score(self, x: Tensor) -> Tensor:
        if self._head.dtype == torch.float32:
            return F.linear(x.float(), self._head)
        return torch.mm(x.flatten(0, 1), self._head.T, out_dtype=torch.float32).unflatten(0, x.shape[:2])
