"""A Whisper decoder that can learn, with the checkpoint's own names of its tensors."""

from __future__ import annotations

import timeit
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from desktop_app.checkpoints.shape import Shape


class Attention(nn.Module):
    """Multi-head attention; the keys have no bias."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)

    def split(self, x: Tensor, source: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries [B, heads, T, D / heads] of x, keys and values [B, heads, S, D / heads] of source."""
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.q_proj(x), self.k_proj(source), self.v_proj(source))
        )
        return q, k, v

    def weights(self, q: Tensor, k: Tensor, causal: bool = False) -> Tensor:
        """How much of each value every query takes, [B, heads, T, S]; if `causal`, none of those behind it."""
        alike = (q * q.shape[-1] ** -0.5).contiguous() @ k.contiguous().transpose(-1, -2)
        if causal:
            alike = alike + torch.full(alike.shape[-2:], -torch.inf, dtype=alike.dtype, device=q.device).triu(1)
        return alike.softmax(-1)

    def mixed(self, parts: Tensor) -> Tensor:
        """The heads' parts joined and mapped, [B, T, D]."""
        return self.out_proj(parts.transpose(1, 2).flatten(2))

    def forward(self, x: Tensor, source: Tensor, causal: bool = False) -> Tensor:
        """x [B, T, D] attends to source [B, S, D]."""
        q, k, v = self.split(x, source)
        if x.device.type == "cpu":  # less time than the fused one, causal or not: measured on one core and on two
            return self.mixed(self.weights(q, k, causal) @ v.contiguous())
        return self.mixed(F.scaled_dot_product_attention(q, k, v, is_causal=causal))


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

    def forward(self, x: Tensor, heard: Tensor) -> Tensor:
        normed = self.self_attn_layer_norm(x)
        x = x + self.self_attn(normed, normed, causal=True)
        x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), heard)
        return x + self.fc2(F.gelu(self.fc1(self.final_layer_norm(x))))


class Decoder(nn.Module):
    """The decoder of a checkpoint of this shape with `layers` layers."""

    def __init__(self, shape: Shape, layers: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.embed_positions = nn.Embedding(shape.text_positions, shape.width)
        self.layers = nn.ModuleList([Layer(shape) for _ in range(layers)])
        self.layer_norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(shape.width, shape.vocabulary, bias=False)
        if not shape.own_head:
            self.head.weight = self.embed_tokens.weight

    def forward(self, tokens: Tensor, heard: Tensor, wanted: Tensor) -> Tensor:
        """Scores [places, vocabulary] at the places where `wanted` [B, T] is true, for tokens [B, T] and the encoder's
        view [B, S, D]. The head runs there only: with a large vocabulary it is most of the work."""
        x = self.embed_tokens(tokens) + self.embed_positions.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x, heard)
        return self.head(self.layer_norm(x[wanted]))


def layers_to_keep(there: int, wanted: int) -> list[int]:
    """Which layers of a target a draft begins as: the first and the last, evenly between (distil-whisper's way)."""
    if wanted == 1:
        return [0]
    return [round(i * (there - 1) / (wanted - 1)) for i in range(wanted)]


def autocast(device: torch.device) -> torch.autocast:
    """Half precision where this device is faster with it."""
    if device.type == "cuda":
        kind = torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
        return torch.autocast("cuda", kind)
    return torch.autocast("cpu", torch.bfloat16, enabled=processor_is_faster_with_halves())


@cache
def processor_is_faster_with_halves() -> bool:
    """By trial: some processors multiply bf16 in units of their own, others can, but need more time than for f32."""
    if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return False
    return seconds_of_a_product(torch.bfloat16) < seconds_of_a_product(torch.float32)


def seconds_of_a_product(kind: torch.dtype) -> float:
    """What a layer's work on a few windows takes at best, of nine tries."""
    left, right = torch.ones(4096, 512, dtype=kind), torch.ones(512, 2048, dtype=kind)
    return min(timeit.repeat(lambda: F.gelu(left @ right), number=1, repeat=9))
