"""Whisper as OpenVINO graphs, made for verification and built straight from a checkpoint's tensors: no torch, no
conversion.

Three graphs. The encoder: features [1, bins, frames] -> [1, positions, width]. The window: that -> keys and values of
the cross-attention of every decoder layer, once a window, the keys transposed as the attention reads them. The decoder:
k tokens at given positions in one pass, with an additive mask over everything in its cache, so that rejected entries
are masked instead of trimmed.

The CPU plugin fuses attention and cache (no copy of it in a pass) only for ReadValue -> Gather(beam) -> Concat(new) ->
{Assign, attention}.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from openvino import Model, Node, Output, PartialShape, Type
from openvino import opset13 as op
from openvino.op.util import Variable, VariableInfo

from desktop_app.checkpoints.shape import Shape
from desktop_app.checkpoints.tensors import Tensors

Array = npt.NDArray[np.float32]

_EPSILON = 1e-5  # of Whisper's normalisations


class Weights:
    """A checkpoint's tensors as graph nodes: matrices in int8 with one scale a row (symmetric) if `int8`, all else as
    numbers of 32 bits.
    """

    def __init__(self, tensors: Tensors, int8: bool) -> None:
        self._tensors = tensors
        self._int8 = int8

    def linear(self, x: Node, name: str, *, bias: bool = True, scale: float = 1.0) -> Node:
        """x W^T + b, both times `scale`."""
        y = op.matmul(x, self._matrix(name, scale), transpose_a=False, transpose_b=True)
        return op.add(y, constant(self._read(f"{name}.bias") * np.float32(scale))) if bias else y

    def norm(self, x: Node, name: str) -> Node:
        """Layer normalisation over the last axis."""
        unit = op.mvn(x, op.constant(np.array([-1])), normalize_variance=True, eps=_EPSILON, eps_mode="inside_sqrt")
        return op.add(op.multiply(unit, constant(self._read(f"{name}.weight"))), constant(self._read(f"{name}.bias")))

    def convolution(self, x: Node, name: str, stride: int) -> Node:
        """A convolution of width 3 and the activation behind it."""
        y = op.convolution(x, constant(self._read(f"{name}.weight")), [stride], [1], [1], [1])
        return op.gelu(op.add(y, constant(self._read(f"{name}.bias")[None, :, None])), "erf")

    def positions(self, name: str) -> Node:
        """A table of positions."""
        return constant(self._read(f"{name}.weight"))

    def block(self, x: Node, name: str) -> Node:
        """The two matrices at the end of a layer, with what they are added to."""
        inner = op.gelu(self.linear(self.norm(x, f"{name}.final_layer_norm"), f"{name}.fc1"), "erf")
        return op.add(x, self.linear(inner, f"{name}.fc2"))

    def vocabulary(self, name: str, head: str) -> tuple[Callable[[Output], Node], Callable[[Node], Node]]:
        """How token ids become vectors and vectors become scores; one constant serves both if `name` is `head`."""
        nodes = {each: self._rows(f"{each}.weight") for each in {name, head}}

        def embed(ids: Output) -> Node:
            numbers, scales = nodes[name]
            rows = op.gather(numbers, ids, op.constant(np.array(0)))
            if scales is None:
                return rows
            return op.multiply(op.convert(rows, Type.f32), op.gather(scales, ids, op.constant(np.array(0))))

        def score(x: Node) -> Node:
            return op.matmul(x, self._scaled(*nodes[head]), transpose_a=False, transpose_b=True)

        return embed, score

    def _read(self, name: str) -> Array:
        return self._tensors[name].read()

    def _matrix(self, name: str, scale: float) -> Node:
        return self._scaled(*self._rows(f"{name}.weight", scale))

    def _rows(self, name: str, scale: float = 1.0) -> tuple[Node, Node | None]:
        """A matrix: its numbers, and the scale of each row where they are int8."""
        matrix = self._read(name)
        if scale != 1.0:
            matrix = matrix * np.float32(scale)
        if not self._int8:
            return constant(matrix), None
        scales = np.maximum(np.abs(matrix).max(1, keepdims=True), 1e-12) / 127
        return op.constant(np.rint(matrix / scales).astype(np.int8)), constant(scales)

    @staticmethod
    def _scaled(numbers: Node, scales: Node | None) -> Node:
        return numbers if scales is None else op.multiply(op.convert(numbers, Type.f32), scales)


def constant(array: Array) -> Node:
    """A constant of 32-bit numbers that shares the array's memory, which may be the checkpoint's file itself."""
    return op.constant(np.require(array, np.float32, ["C", "W"]), shared_memory=True)


class Heads:
    """Attention heads: [1, n, width] <-> [1, heads, n, head]."""

    def __init__(self, width: int, heads: int) -> None:
        self.heads = heads
        self.head = width // heads
        self.scale = self.head**-0.5
        self._apart = op.constant(np.array([0, -1, heads, self.head]))
        self._together = op.constant(np.array([0, -1, width]))

    def split(self, x: Node) -> Node:
        """Each head on its own."""
        return op.transpose(op.reshape(x, self._apart, special_zero=True), op.constant(np.array([0, 2, 1, 3])))

    def transposed(self, x: Node) -> Node:
        """Each head on its own, [1, heads, head, n]."""
        return op.transpose(op.reshape(x, self._apart, special_zero=True), op.constant(np.array([0, 2, 3, 1])))

    def merge(self, x: Node) -> Node:
        """The heads side by side again."""
        return op.reshape(op.transpose(x, op.constant(np.array([0, 2, 1, 3]))), self._together, special_zero=True)


def _input(shape: list[int], kind: Type, name: str) -> Node:
    node = op.parameter(PartialShape(shape), kind, name)
    node.output(0).get_tensor().set_names({name})
    return node


def _output(node: Node, name: str) -> Node:
    node.output(0).get_tensor().set_names({name})
    return op.result(node)


def encoder(tensors: Tensors, shape: Shape, int8: bool) -> Model:
    """features [1, bins, 2 * positions] -> [1, positions, width]."""
    weights, heads = Weights(tensors, int8), Heads(shape.width, shape.encoder_heads)
    features = _input([1, shape.mel_bins, 2 * shape.audio_positions], Type.f32, "features")
    x = weights.convolution(weights.convolution(features, "encoder.conv1", 1), "encoder.conv2", 2)
    x = op.add(op.transpose(x, op.constant(np.array([0, 2, 1]))), weights.positions("encoder.embed_positions"))
    for layer in range(shape.encoder_layers):
        name = f"encoder.layers.{layer}"
        h = weights.norm(x, f"{name}.self_attn_layer_norm")
        q = heads.split(weights.linear(h, f"{name}.self_attn.q_proj"))
        k = heads.split(weights.linear(h, f"{name}.self_attn.k_proj", bias=False))
        v = heads.split(weights.linear(h, f"{name}.self_attn.v_proj"))
        attended = heads.merge(op.scaled_dot_product_attention(q, k, v))
        x = op.add(x, weights.linear(attended, f"{name}.self_attn.out_proj"))
        x = weights.block(x, name)
    return Model([_output(weights.norm(x, "encoder.layer_norm"), "encoded")], [features], "encoder")


def window(tensors: Tensors, shape: Shape, int8: bool) -> Model:
    """encoded [1, positions, width] -> for each decoder layer cross.N.k [1, heads, head, positions] and cross.N.v [1,
    heads, positions, head].
    """
    weights, heads = Weights(tensors, int8), Heads(shape.width, shape.decoder_heads)
    encoded = _input([1, shape.audio_positions, shape.width], Type.f32, "encoded")
    results = []
    for layer in range(shape.decoder_layers):
        name = f"decoder.layers.{layer}.encoder_attn"
        k = heads.transposed(weights.linear(encoded, f"{name}.k_proj", bias=False))
        v = heads.split(weights.linear(encoded, f"{name}.v_proj"))
        results += [_output(k, f"cross.{layer}.k"), _output(v, f"cross.{layer}.v")]
    return Model(results, [encoded], "window")


def decoder(tensors: Tensors, shape: Shape, int8: bool, watched: Sequence[tuple[int, int]] = ()) -> Model:
    """One pass of k tokens, logits [1, k, vocabulary].

    With `watched` heads, each a layer and a head of it, a second output "attention" [1, heads, k, audio positions]:
    their cross-attention before the softmax.

    Inputs: tokens [1, k] and positions [1, k] i64, mask [1, 1, k, cached + k] f32 (0, or a large negative number where
    a token must not look), beam [1] i32 (always 0), cross.N.k and cross.N.v of `window`. State: keys and values of
    everything read since the last reset.
    """
    weights, heads = Weights(tensors, int8), Heads(shape.width, shape.decoder_heads)
    tokens, positions = _input([1, -1], Type.i64, "tokens"), _input([1, -1], Type.i64, "positions")
    mask, beam = _input([1, 1, -1, -1], Type.f32, "mask"), _input([-1], Type.i32, "beam")
    inputs, sinks = [tokens, positions, mask, beam], []
    axis = op.constant(np.array(0))
    seen = []

    def cached(new: Node, name: str) -> Node:
        info = VariableInfo()
        info.data_shape = PartialShape([-1, heads.heads, -1, heads.head])
        info.data_type, info.variable_id = Type.f32, name
        variable = Variable(info)
        past = op.read_value(constant(np.zeros((1, heads.heads, 0, heads.head), np.float32)), variable)
        full = op.concat([op.gather(past, beam, axis), new], 2)
        sinks.append(op.assign(full, variable))
        return full

    embed, score = weights.vocabulary("decoder.embed_tokens", "proj_out" if shape.own_head else "decoder.embed_tokens")
    x = op.add(embed(tokens.output(0)), op.gather(weights.positions("decoder.embed_positions"), positions, axis))
    for layer in range(shape.decoder_layers):
        name = f"decoder.layers.{layer}"
        h = weights.norm(x, f"{name}.self_attn_layer_norm")
        q = heads.split(weights.linear(h, f"{name}.self_attn.q_proj", scale=heads.scale))
        k = cached(heads.split(weights.linear(h, f"{name}.self_attn.k_proj", bias=False)), f"self.{layer}.k")
        v = cached(heads.split(weights.linear(h, f"{name}.self_attn.v_proj")), f"self.{layer}.v")
        attended = op.scaled_dot_product_attention(q, k, v, mask, constant(np.array(1.0, np.float32)), causal=False)
        x = op.add(x, weights.linear(heads.merge(attended), f"{name}.self_attn.out_proj"))

        h = weights.norm(x, f"{name}.encoder_attn_layer_norm")
        q = heads.split(weights.linear(h, f"{name}.encoder_attn.q_proj", scale=heads.scale))
        cross_k = _input([1, heads.heads, heads.head, shape.audio_positions], Type.f32, f"cross.{layer}.k")
        cross_v = _input([1, heads.heads, shape.audio_positions, heads.head], Type.f32, f"cross.{layer}.v")
        inputs += [cross_k, cross_v]
        looks = op.matmul(q, cross_k, transpose_a=False, transpose_b=False)
        if here := [head for each, head in watched if each == layer]:
            seen.append(op.gather(looks, op.constant(np.array(here)), op.constant(np.array(1))))
        attended = op.matmul(op.softmax(looks, -1), cross_v, transpose_a=False, transpose_b=False)
        x = op.add(x, weights.linear(heads.merge(attended), f"{name}.encoder_attn.out_proj"))

        x = weights.block(x, name)
    outputs = [_output(score(weights.norm(x, "decoder.layer_norm")), "logits")]
    if seen:
        outputs.append(_output(op.concat(seen, 1), "attention"))
    return Model(outputs, sinks, inputs, "decoder")
