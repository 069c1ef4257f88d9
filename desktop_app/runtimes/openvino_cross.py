"""The cross-attention of a decoder over a window, in two ways, and the arithmetic of 8 bits that the second one needs.

`Floats`: keys and values as the device computes, the keys transposed as the attention reads them.

`Int8`: keys and values in 8 bits, each of a head's dimensions scaled by its largest value in the window; queries and
attention weights in 8 bits too, a scale for each token. The CPU then multiplies bytes, expands nothing, and reads a
quarter of the memory. Sums of integers are exact and every scale is of one token, so that scores stay the same to the
last bit however a text is grouped into passes.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from openvino import Node, Type
from openvino import opset13 as op

from desktop_app.runtimes.openvino_int8 import LARGEST, largest, number, signed, unsigned
from desktop_app.runtimes.openvino_memory import as_kind, give, take


class Cross(Protocol):
    """How keys and values of a window go from the window graph to the decoder."""

    def results(self, k: Node, v: Node, layer: int) -> list[Node]:
        """Outputs of the window graph, from a layer's keys and values [1, heads, positions, head]."""

    def inputs(self, layer: int, heads: Any, positions: int) -> list[Node]:
        """The same of the decoder graph, as its inputs."""

    def attend(self, q: Node, given: list[Node]) -> tuple[Node, Node]:
        """What is before the softmax, [1, heads, k, positions], and the attention [1, heads, k, head]; q is scaled
        already."""


class Floats:
    """cross.N.k [1, heads, head, positions] and cross.N.v [1, heads, positions, head], of this kind."""

    def __init__(self, kind: Type) -> None:
        self._kind = kind

    def results(self, k: Node, v: Node, layer: int) -> list[Node]:
        transposed = op.transpose(k, op.constant(np.array([0, 1, 3, 2])))
        return [
            give(as_kind(transposed, self._kind), f"cross.{layer}.k"),
            give(as_kind(v, self._kind), f"cross.{layer}.v"),
        ]

    def inputs(self, layer: int, heads: Any, positions: int) -> list[Node]:
        return [
            take([1, heads.heads, heads.head, positions], self._kind, f"cross.{layer}.k"),
            take([1, heads.heads, positions, heads.head], self._kind, f"cross.{layer}.v"),
        ]

    def attend(self, q: Node, given: list[Node]) -> tuple[Node, Node]:
        k, v = (as_kind(each, Type.f32) for each in given)
        products = op.matmul(q, k, transpose_a=False, transpose_b=False)
        return products, op.matmul(op.softmax(products, -1), v, transpose_a=False, transpose_b=False)


class Int8:
    """cross.N.k and cross.N.v [1, heads, positions, head] i8, scale.N.k and scale.N.v [1, heads, 1, head] f32."""

    def results(self, k: Node, v: Node, layer: int) -> list[Node]:
        found = []
        for each, x in (("k", k), ("v", v)):
            scale = largest(x, 2)
            numbers = op.round(op.multiply(op.divide(x, scale), number(LARGEST)), "half_to_even")
            found += [give(op.convert(numbers, Type.i8), f"cross.{layer}.{each}"), give(scale, f"scale.{layer}.{each}")]
        return found

    def inputs(self, layer: int, heads: Any, positions: int) -> list[Node]:
        return [
            node
            for each in "kv"
            for node in (
                take([1, heads.heads, positions, heads.head], Type.i8, f"cross.{layer}.{each}"),
                take([1, heads.heads, 1, heads.head], Type.f32, f"scale.{layer}.{each}"),
            )
        ]

    def attend(self, q: Node, given: list[Node]) -> tuple[Node, Node]:
        k, k_scale, v, v_scale = given
        q = op.multiply(q, k_scale)
        scale = largest(q, -1)
        products = op.multiply(
            op.matmul(signed(op.divide(q, scale)), _unit(k), transpose_a=False, transpose_b=True), scale
        )
        weights = op.softmax(products, -1)
        most = op.reduce_max(weights, op.constant(np.array([-1])), keep_dims=True)
        mixed = op.matmul(unsigned(op.divide(weights, most)), _unit(v), transpose_a=False, transpose_b=False)
        return products, op.multiply(mixed, op.multiply(v_scale, most))


def _unit(numbers: Node) -> Node:
    """Bytes as numbers from -1 to 1."""
    return op.multiply(op.convert(numbers, Type.f32), number(1 / LARGEST))
