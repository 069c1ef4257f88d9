"""Whisper as OpenVINO graphs, made for verification and built straight from a checkpoint's tensors: no torch, no
conversion.

Three graphs. The encoder: features [1, bins, frames] -> [1, positions, width]. The window: that -> keys and values of
the cross-attention of every decoder layer, once a window; `openvino_cross` has what they look like. The decoder: k
tokens at given positions in one pass, with an additive mask over all tokens read. Its KV cache is in `openvino_memory`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from openvino import Model, Node, Output, Shape, Tensor, Type
from openvino import opset13 as op
from openvino.op import Constant

from desktop_app.checkpoints.quantised import Matrix, Quantised
from desktop_app.checkpoints.shape import Shape as Sizes
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.runtimes import openvino_int8
from desktop_app.runtimes.openvino_cross import Cross
from desktop_app.runtimes.openvino_memory import Memory, as_kind, constant, give, take

Array = npt.NDArray[np.float32]

_EPSILON = 1e-5  # of Whisper's normalisations


class Weights:
    """A checkpoint's tensors as graph nodes: quantised matrices where there are `quantised` ones; with `halves`,
    matrices whose numbers 16 bits hold as f16, which the device widens; all else as f32.
    """

    def __init__(self, tensors: Tensors, quantised: Quantised | None = None, *, halves: bool = False) -> None:
        self._tensors = tensors
        self._quantised = quantised
        self._halves = halves

    def linear(self, x: Node, name: str, *, bias: bool = True, scale: float = 1.0) -> Node:
        """x W^T + b, both times `scale`."""
        y = op.matmul(x, self._matrix(name), transpose_a=False, transpose_b=True)
        y = op.add(y, constant(self._read(f"{name}.bias"))) if bias else y
        return y if scale == 1.0 else op.multiply(y, constant(np.array([scale], np.float32)))

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

    def vocabulary(
        self, name: str, head: str, head_tokens: Sequence[int] | None = None
    ) -> tuple[Callable[[Output], Node], Callable[[Node], Node]]:
        """How token ids become vectors and vectors become scores, those of all tokens or of the `head_tokens`; one
        constant serves both if `name` is `head` and all are scored."""
        nodes = {each: self._rows(f"{each}.weight") for each in {name, head}}
        scored = nodes[head] if head_tokens is None else self._rows(f"{head}.weight", list(head_tokens))

        def embed(ids: Output) -> Node:
            numbers, scales = nodes[name]
            rows = as_kind(op.gather(numbers, ids, op.constant(np.array(0))), Type.f32)
            return rows if scales is None else op.multiply(rows, op.gather(scales, ids, op.constant(np.array(0))))

        def score(x: Node) -> Node:
            return op.matmul(x, _scaled(*scored), transpose_a=False, transpose_b=True)

        return embed, score

    def _read(self, name: str) -> Array:
        return self._tensors[name].read()

    def _matrix(self, name: str) -> Node:
        if self._quantised is not None and (matrix := self._quantised[f"{name}.weight"]).zeros is not None:
            return _grouped(matrix, matrix.zeros)
        return _scaled(*self._rows(f"{name}.weight"))

    def _rows(self, name: str, rows: slice | list[int] = slice(None)) -> tuple[Node, Node | None]:
        """Some rows of a matrix, all unless told: their numbers, and the scale of each where they are int8."""
        if self._quantised is not None:
            found = self._quantised[name]
            numbers = found.numbers.view(np.int8).reshape(found.shape)[rows]
            return op.constant(numbers, shared_memory=True), constant(found.scales[rows])
        if self._halves and (halves := self._tensors[name].halves()) is not None:
            kept = np.require(halves[rows], np.float16, ["C", "W"])
            return op.constant(kept, shared_memory=True), None
        return constant(self._read(name)[rows]), None


def _scaled(numbers: Node, scales: Node | None) -> Node:
    """A matrix as f32, in the form in which the CPU reads its numbers as they are in each product."""
    widened = as_kind(numbers, Type.f32)
    if scales is not None:
        return op.multiply(widened, scales)
    if widened is not numbers:
        widened.get_rt_info()["decompression_0"] = ""  # else it would be widened once, for good
    return widened


def _grouped(matrix: Matrix, zeros: npt.NDArray[np.uint8]) -> Node:
    """A matrix of 4 bits whose groups have a scale and a zero point each."""
    rows, columns = matrix.shape

    def unpacked(numbers: npt.NDArray[np.uint8], last: int) -> Node:
        shape = Shape([rows, matrix.groups, last])
        return op.convert(Constant(Tensor(numbers, shape, Type.u4)), Type.f32)

    apart = op.subtract(unpacked(matrix.numbers, columns // matrix.groups), unpacked(zeros, 1))
    scales = constant(matrix.scales[..., None])
    return op.reshape(op.multiply(apart, scales), op.constant(np.array([rows, columns])), special_zero=False)


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

    def merge(self, x: Node) -> Node:
        """The heads side by side again."""
        return op.reshape(op.transpose(x, op.constant(np.array([0, 2, 1, 3]))), self._together, special_zero=True)


def encoder(
    tensors: Tensors,
    shape: Sizes,
    quantised: Quantised | None,
    *,
    int8_attention: bool = False,
    halves: bool = False,
) -> Model:
    """features [1, bins, 2 * positions] -> [1, positions, width]; with `int8_attention` queries and keys are bytes.
    `halves` as in `Weights`."""
    weights, heads = Weights(tensors, quantised, halves=halves), Heads(shape.width, shape.encoder_heads)
    features = take([1, shape.mel_bins, 2 * shape.audio_positions], Type.f32, "features")
    x = weights.convolution(weights.convolution(features, "encoder.conv1", 1), "encoder.conv2", 2)
    x = op.add(op.transpose(x, op.constant(np.array([0, 2, 1]))), weights.positions("encoder.embed_positions"))
    for layer in range(shape.encoder_layers):
        name = f"encoder.layers.{layer}"
        h = weights.norm(x, f"{name}.self_attn_layer_norm")
        q = heads.split(weights.linear(h, f"{name}.self_attn.q_proj"))
        k = heads.split(weights.linear(h, f"{name}.self_attn.k_proj", bias=False))
        v = heads.split(weights.linear(h, f"{name}.self_attn.v_proj"))
        if int8_attention:
            attended = openvino_int8.attend(q, k, v, heads.scale)
        else:
            attended = op.scaled_dot_product_attention(q, k, v)
        x = op.add(x, weights.linear(heads.merge(attended), f"{name}.self_attn.out_proj"))
        x = weights.block(x, name)
    return Model([give(weights.norm(x, "encoder.layer_norm"), "encoded")], [features], "encoder")


def window(tensors: Tensors, shape: Sizes, quantised: Quantised | None, cross: Cross, *, halves: bool = False) -> Model:
    """encoded [1, positions, width] -> keys and values of the cross-attention of each decoder layer, as `cross` has
    them; `halves` as in `Weights`.
    """
    weights, heads = Weights(tensors, quantised, halves=halves), Heads(shape.width, shape.decoder_heads)
    encoded = take([1, shape.audio_positions, shape.width], Type.f32, "encoded")
    read = encoded if shape.audio_pooling == 1 else _pooled(encoded, shape)
    results = []
    for layer in range(shape.decoder_layers):
        name = f"decoder.layers.{layer}.encoder_attn"
        k = heads.split(weights.linear(read, f"{name}.k_proj", bias=False))
        v = heads.split(weights.linear(read, f"{name}.v_proj"))
        results += cross.results(k, v, layer)
    return Model(results, [encoded], "window")


def _pooled(encoded: Node, shape: Sizes) -> Node:
    """The means of `audio_pooling` positions each, [1, cross positions, width]."""
    groups = op.constant(np.array([1, shape.cross_positions, shape.audio_pooling, shape.width]))
    return op.reduce_mean(op.reshape(encoded, groups, special_zero=False), op.constant(np.array([2])))


def decoder(
    tensors: Tensors,
    shape: Sizes,
    quantised: Quantised | None,
    memory: Memory,
    cross: Cross,
    watched: Sequence[tuple[int, int]] = (),
    head_tokens: Sequence[int] | None = None,
    *,
    halves: bool = False,
) -> Model:
    """One pass of k tokens, logits [1, k, vocabulary], or of the `head_tokens` alone; `halves` as in `Weights`.

    With `watched` heads, each a layer and a head of it, a second output "attention" [1, heads, k, audio positions]:
    their cross-attention before the softmax.

    Inputs: tokens [1, k] and positions [1, k] i64, mask [1, 1, k, read + k] f32 (0, or a large negative number where
    attention is masked), the outputs of `window`, and the inputs of `memory`, the KV cache.
    """
    weights, heads = Weights(tensors, quantised, halves=halves), Heads(shape.width, shape.decoder_heads)
    count = memory.width
    tokens, positions = take([1, count], Type.i64, "tokens"), take([1, count], Type.i64, "positions")
    mask = take([1, 1, count, memory.slots], Type.f32, "mask")
    inputs = [tokens, positions, mask]
    axis = op.constant(np.array(0))
    seen = []
    head = "proj_out" if shape.own_head else "decoder.embed_tokens"
    embed, score = weights.vocabulary("decoder.embed_tokens", head, head_tokens)
    x = op.add(embed(tokens.output(0)), op.gather(weights.positions("decoder.embed_positions"), positions, axis))
    for layer in range(shape.decoder_layers):
        name = f"decoder.layers.{layer}"
        h = weights.norm(x, f"{name}.self_attn_layer_norm")
        q = heads.split(weights.linear(h, f"{name}.self_attn.q_proj", scale=heads.scale))
        k = memory.remember(weights.linear(h, f"{name}.self_attn.k_proj", bias=False), f"self.{layer}.k", heads)
        v = memory.remember(weights.linear(h, f"{name}.self_attn.v_proj"), f"self.{layer}.v", heads)
        x = op.add(x, weights.linear(heads.merge(memory.attend(q, k, v, mask)), f"{name}.self_attn.out_proj"))

        h = weights.norm(x, f"{name}.encoder_attn_layer_norm")
        q = heads.split(weights.linear(h, f"{name}.encoder_attn.q_proj", scale=heads.scale))
        given = cross.inputs(layer, heads, shape.cross_positions)
        inputs += given
        products, attended = cross.attend(q, given)
        if here := [head for each, head in watched if each == layer]:
            seen.append(op.gather(products, op.constant(np.array(here)), op.constant(np.array(1))))
        x = op.add(x, weights.linear(heads.merge(attended), f"{name}.encoder_attn.out_proj"))

        x = weights.block(x, name)
    outputs = [give(score(weights.norm(x, "decoder.layer_norm")), "logits")]
    if seen:
        outputs.append(give(op.concat(seen, 1), "attention"))
    return Model([*outputs, *memory.results], memory.sinks, [*inputs, *memory.inputs], "decoder")
