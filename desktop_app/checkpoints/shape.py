"""The sizes of a Whisper model, and the tensors that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from desktop_app.problems import Problem

_MOST = {"vocab_size": 1_000_000} | dict.fromkeys(
    ("encoder_layers", "decoder_layers", "encoder_attention_heads", "decoder_attention_heads"), 1000
)
_MOST_ELSE = 100_000
"""Sizes far beyond any Whisper model. What follows from larger ones would fill the memory before it is compared with
the tensors."""


@dataclass(frozen=True)
class Shape:
    """Sizes of a checkpoint. `audio_positions` is the length of an encoded window (1500), `text_positions` the longest
    text (448).

    `own_head` tells a checkpoint whose output matrix is a tensor of its own ("proj_out") from the usual one, where it
    is the embedding. With `audio_pooling` the cross-attention reads the mean of so many encoded positions as one.
    """

    width: int
    encoder_layers: int
    encoder_heads: int
    encoder_inner: int
    decoder_layers: int
    decoder_heads: int
    decoder_inner: int
    mel_bins: int
    audio_positions: int
    text_positions: int
    vocabulary: int
    own_head: bool
    audio_pooling: int = 1

    @property
    def cross_positions(self) -> int:
        """How many positions the cross-attention reads."""
        return self.audio_positions // self.audio_pooling

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Name -> shape of every tensor that is used."""
        return self.encoder_tensors() | self.decoder_tensors()

    def encoder_tensors(self) -> dict[str, tuple[int, ...]]:
        """Name -> shape of the encoder's tensors."""
        width = self.width
        found: dict[str, tuple[int, ...]] = {
            "encoder.conv1.weight": (width, self.mel_bins, 3),
            "encoder.conv1.bias": (width,),
            "encoder.conv2.weight": (width, width, 3),
            "encoder.conv2.bias": (width,),
            "encoder.embed_positions.weight": (self.audio_positions, width),
        }
        for layer in range(self.encoder_layers):
            name = f"encoder.layers.{layer}."
            found |= self._attention(name + "self_attn") | self._block(name, self.encoder_inner)
        return found | self._norm("encoder.layer_norm")

    def decoder_tensors(self) -> dict[str, tuple[int, ...]]:
        """Name -> shape of the decoder's tensors."""
        found: dict[str, tuple[int, ...]] = {
            "decoder.embed_tokens.weight": (self.vocabulary, self.width),
            "decoder.embed_positions.weight": (self.text_positions, self.width),
        }
        for layer in range(self.decoder_layers):
            name = f"decoder.layers.{layer}."
            found |= self._attention(name + "self_attn") | self._attention(name + "encoder_attn")
            found |= self._block(name, self.decoder_inner)
        if self.own_head:
            found["proj_out.weight"] = (self.vocabulary, self.width)
        return found | self._norm("decoder.layer_norm")

    def _norm(self, name: str) -> dict[str, tuple[int, ...]]:
        return {f"{name}.weight": (self.width,), f"{name}.bias": (self.width,)}

    def _attention(self, name: str) -> dict[str, tuple[int, ...]]:
        """An attention and the normalisation before it. Keys have no bias in Whisper."""
        width = self.width
        return {
            **{f"{name}.{each}_proj.weight": (width, width) for each in ("q", "k", "v", "out")},
            **{f"{name}.{each}_proj.bias": (width,) for each in ("q", "v", "out")},
            **self._norm(f"{name}_layer_norm"),
        }

    def _block(self, name: str, inner: int) -> dict[str, tuple[int, ...]]:
        """The two matrices at the end of a layer."""
        return {
            f"{name}fc1.weight": (inner, self.width),
            f"{name}fc1.bias": (inner,),
            f"{name}fc2.weight": (self.width, inner),
            f"{name}fc2.bias": (self.width,),
        } | self._norm(f"{name}final_layer_norm")


def read_shape(config: dict[str, Any]) -> Shape:
    """The sizes that config.json gives; Problem where one is missing or absurd, or they do not fit together."""

    def size(key: str) -> int:
        found = config.get(key)
        if not isinstance(found, int) or isinstance(found, bool) or found < 1:
            raise Problem("model.config", key=key)
        if found > (most := _MOST.get(key, _MOST_ELSE)):
            raise Problem("model.config", key=f"{key} > {most}")
        return found

    shape = Shape(
        width=size("d_model"),
        encoder_layers=size("encoder_layers"),
        encoder_heads=size("encoder_attention_heads"),
        encoder_inner=size("encoder_ffn_dim"),
        decoder_layers=size("decoder_layers"),
        decoder_heads=size("decoder_attention_heads"),
        decoder_inner=size("decoder_ffn_dim"),
        mel_bins=size("num_mel_bins"),
        audio_positions=size("max_source_positions"),
        text_positions=size("max_target_positions"),
        vocabulary=size("vocab_size"),
        own_head=config.get("tie_word_embeddings", True) is False,
    )
    if shape.width % shape.encoder_heads or shape.width % shape.decoder_heads:
        raise Problem("model.config", key="encoder_attention_heads, decoder_attention_heads")
    activation = config.get("activation_function", "gelu")
    if activation != "gelu":
        raise Problem("model.not_whisper", found=f"activation_function {activation}")
    return shape
