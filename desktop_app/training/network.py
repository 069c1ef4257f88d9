"""A Whisper decoder that can learn, with the checkpoint's own names of its tensors."""

from __future__ import annotations

import timeit
from collections.abc import Callable, Sequence
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from desktop_app.checkpoints.shape import Shape

_DROPOUT = 0.1

Memory = list[tuple[Tensor, Tensor]]
"""Keys and values [B, heads, n, head] of each layer."""


class Attention(nn.Module):
    """Multi-head attention; the keys have no bias."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)

    def queries(self, x: Tensor) -> Tensor:
        """Queries [B, heads, T, head] of x [B, T, D]."""
        return self._split(self.q_proj(x))

    def memory(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values [B, heads, S, head] of source [B, S, D]."""
        return self._split(self.k_proj(source)).contiguous(), self._split(self.v_proj(source)).contiguous()

    def attend(self, q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
        """What the queries find, mapped: [B, T, D]. If `causal`, a token sees none behind it. Keys and values may be of
        another kind of numbers."""
        if q.device.type == "cpu":  # less time than the fused one, causal or not: measured on one core and on two
            found = (self._weights(q.to(k.dtype), k, causal) @ v).to(q.dtype)
        else:
            found = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        mapped: Tensor = self.out_proj(found.transpose(1, 2).flatten(2))
        return mapped

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _weights(self, q: Tensor, k: Tensor, causal: bool) -> Tensor:
        alike = (q * q.shape[-1] ** -0.5).contiguous() @ k.transpose(-1, -2)
        if causal:
            alike = alike + torch.full(alike.shape[-2:], -torch.inf, dtype=alike.dtype, device=q.device).triu(1)
        return alike.softmax(-1)


class Layer(nn.Module):
    """One layer of the decoder, normalised before each part."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, heads = shape.width, shape.decoder_heads
        self.self_attn = Attention(width, heads)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        self.encoder_attn = Attention(width, heads)
        self.encoder_attn_layer_norm = nn.LayerNorm(width)
        self.fc1 = nn.Linear(width, shape.decoder_inner)
        self.fc2 = nn.Linear(shape.decoder_inner, width)
        self.final_layer_norm = nn.LayerNorm(width)

    def forward(
        self, x: Tensor, encoded: tuple[Tensor, Tensor], past: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """x [B, T, D] further on, and the keys and values of the text so far. With a `past`, T is 1."""
        normed = self.self_attn_layer_norm(x)
        k, v = self.self_attn.memory(normed)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        x = x + self._drop(self.self_attn.attend(self.self_attn.queries(normed), k, v, causal=past is None))
        q = self.encoder_attn.queries(self.encoder_attn_layer_norm(x))
        x = x + self._drop(self.encoder_attn.attend(q, *encoded))
        return x + self._drop(self.fc2(F.gelu(self.fc1(self.final_layer_norm(x))))), (k, v)

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, _DROPOUT, self.training)


class Decoder(nn.Module):
    """The decoder of a checkpoint of this shape. `head` are the tokens that it scores, all of them without."""

    def __init__(self, shape: Shape, head: Sequence[int] | None = None) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.embed_positions = nn.Embedding(shape.text_positions, shape.width)
        self.layers = nn.ModuleList([Layer(shape) for _ in range(shape.decoder_layers)])
        self.layer_norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(shape.width, shape.vocabulary if head is None else len(head), bias=False)

    def load(
        self, read: Callable[[str], Tensor], shape: Shape, kept: Sequence[int], head: Sequence[int] | None
    ) -> None:
        """Take the tensors that `read` gives by the checkpoint's names; layer n is the checkpoint's `kept[n]`."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name == "head.weight":
                    rows = read("proj_out.weight" if shape.own_head else "decoder.embed_tokens.weight")
                    parameter.copy_(rows if head is None else rows[torch.as_tensor(head)])
                    continue
                if name.startswith("layers."):
                    number, _, rest = name.removeprefix("layers.").partition(".")
                    name = f"layers.{kept[int(number)]}.{rest}"
                parameter.copy_(read(f"decoder.{name}"))

    def forward(self, tokens: Tensor, encoded: Tensor, wanted: Tensor) -> Tensor:
        """Scores [places, head] at the places where `wanted` [B, T] is true, for tokens [B, T] and the encoder's output
        [B, S, D]. The head runs there only: with a large vocabulary it is most of the work."""
        x = self.embed_tokens(tokens) + self.embed_positions.weight[: tokens.shape[1]]
        for layer, memory in zip(self._layers(), self.memory(encoded), strict=True):
            x, _ = layer(x, memory)
        scores: Tensor = self.head(self.layer_norm(x[wanted]))
        return scores

    def _layers(self) -> list[Layer]:
        return [layer for layer in self.layers if isinstance(layer, Layer)]

    def memory(self, encoded: Tensor) -> Memory:
        """Keys and values of each layer's cross-attention for the encoder's output [B, S, D]."""
        return [layer.encoder_attn.memory(encoded) for layer in self._layers()]

    def step(self, tokens: Tensor, position: int, encoded: Memory, past: Memory | None) -> tuple[Tensor, Memory]:
        """Scores [B, head] behind one token [B] each at `position`, and the KV cache with it."""
        x = (self.embed_tokens(tokens) + self.embed_positions.weight[position])[:, None]
        kept = []
        for number, layer in enumerate(self._layers()):
            x, memory = layer(x, encoded[number], past[number] if past else None)
            kept.append(memory)
        return self.head(self.layer_norm(x[:, 0])), kept


def layers_to_keep(there: int, wanted: int) -> list[int]:
    """Which layers of a target a draft begins as: the first and the last, evenly between (distil-whisper's way)."""
    if wanted == 1:
        return [0]
    return [round(i * (there - 1) / (wanted - 1)) for i in range(wanted)]


def autocast(device: torch.device) -> torch.autocast:
    """Half precision where this device is faster with it."""
    return torch.autocast(device.type, half(device) or torch.bfloat16, enabled=half(device) is not None)


def half(device: torch.device) -> torch.dtype | None:
    """The numbers of 16 bits that this device is faster with; None where it is not."""
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    return torch.bfloat16 if processor_is_faster_with_halves() else None


@cache
def processor_is_faster_with_halves() -> bool:
    """By trial: some processors multiply bf16 in units of their own, others can, but need more time than for f32."""
    if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return False
    return seconds_of_a_product(torch.bfloat16) < seconds_of_a_product(torch.float32)


def seconds_of_a_product(kind: torch.dtype) -> float:
    """The least time of nine for a layer's work on a few windows."""
    left, right = torch.ones(4096, 512, dtype=kind), torch.ones(512, 2048, dtype=kind)
    return min(timeit.repeat(lambda: F.gelu(left @ right), number=1, repeat=9))
