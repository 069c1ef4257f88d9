"""The KV cache of a decoder graph, in two ways, one for each use.

`Appended`: the device keeps the keys and values of every token it has read; rejected ones stay and are masked. The CPU
fuses this with the attention and copies nothing. The sums of the attention, and so the last bits of the scores, depend
on what was rejected before: for products in f32, where a tie guard is enough.

`Slots`: the cache is on the host, one slot per position, and a pass scatters its new rows into a copy. A token is
always attended at its own position, and all slots behind it are masked, so its scores are the same to the last bit
however the text is grouped into passes.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from openvino import Node, PartialShape, Type
from openvino import opset13 as op
from openvino.op.util import Variable, VariableInfo


class Memory(Protocol):
    """What a decoder graph needs of its KV cache."""

    width: int
    """Tokens per pass, -1 where it is dynamic."""
    slots: int
    """Tokens that a pass attends, -1 where it is dynamic."""
    kind: Type
    """The element type of keys and values outside the graph."""
    inputs: list[Node]
    sinks: list[Node]

    @property
    def results(self) -> list[Node]:
        """More outputs of the graph, once all layers are made."""

    def remember(self, new: Node, name: str, heads: Any) -> Node:
        """All keys or values [1, heads, n, head] of a layer, of which `new` [1, k, width] are those of this pass."""

    def attend(self, q: Node, k: Node, v: Node, mask: Node) -> Node:
        """The attention [1, heads, k, head]; q is scaled already."""


def take(shape: list[int], kind: Type, name: str) -> Node:
    """An input of a graph."""
    node = op.parameter(PartialShape(shape), kind, name)
    node.output(0).get_tensor().set_names({name})
    return node


def give(node: Node, name: str) -> Node:
    """An output of a graph."""
    node.output(0).get_tensor().set_names({name})
    return op.result(node)


def constant(array: npt.NDArray[np.float32]) -> Node:
    """A constant of 32-bit numbers that shares the array's memory, which may be the checkpoint's file itself."""
    return op.constant(np.require(array, np.float32, ["C", "W"]), shared_memory=True)


def as_kind(x: Node, kind: Type) -> Node:
    """A node converted to another element type, if it has not that type already."""
    return x if x.get_element_type() == kind else op.convert(x, kind)


class Appended:
    """The CPU plugin fuses attention and cache (no copy of it in a pass) only for ReadValue -> Gather(beam) ->
    Concat(new) -> {Assign, attention}.

    Another input: beam [1] i32 (always 0). State: keys and values of everything read since the last reset.
    """

    width, slots, kind = -1, -1, Type.f32

    def __init__(self) -> None:
        self._beam = take([-1], Type.i32, "beam")
        self.inputs, self.results, self.sinks = [self._beam], list[Node](), list[Node]()

    def remember(self, new: Node, name: str, heads: Any) -> Node:
        info = VariableInfo()
        info.data_shape = PartialShape([-1, heads.heads, -1, heads.head])
        info.data_type, info.variable_id = Type.f32, name
        variable = Variable(info)
        past = op.read_value(constant(np.zeros((1, heads.heads, 0, heads.head), np.float32)), variable)
        full = op.concat([op.gather(past, self._beam, op.constant(np.array(0))), heads.split(new)], 2)
        self.sinks.append(op.assign(full, variable))
        return full

    def attend(self, q: Node, k: Node, v: Node, mask: Node) -> Node:
        return op.scaled_dot_product_attention(q, k, v, mask, constant(np.array(1.0, np.float32)), causal=False)


class Slots:
    """More inputs: of each layer self.N.k and self.N.v [1, heads, slots, head], and `places` [k] i64, the slots of the
    tokens of this pass. Another output: `new` [2 * layers, heads, k, head], keys and values of the first layer, of the
    second and so on. With `slots` and `width` every shape is fixed."""

    def __init__(self, kind: Type, slots: int = -1, width: int = -1) -> None:
        self.kind, self.slots, self.width = kind, slots, width
        self._places = take([width], Type.i64, "places")
        self._new: list[Node] = []
        self.inputs, self.sinks = [self._places], list[Node]()

    @property
    def results(self) -> list[Node]:
        return [give(op.concat(self._new, 0), "new")]

    def remember(self, new: Node, name: str, heads: Any) -> Node:
        past = take([1, heads.heads, self.slots, heads.head], self.kind, name)
        self.inputs.append(past)
        rows = heads.split(new)
        self._new.append(as_kind(rows, self.kind))
        return op.scatter_update(as_kind(past, Type.f32), self._places, rows, op.constant(np.array(2)))

    def attend(self, q: Node, k: Node, v: Node, mask: Node) -> Node:
        products = op.add(op.matmul(q, k, transpose_a=False, transpose_b=True), mask)
        return op.matmul(op.softmax(products, -1), v, transpose_a=False, transpose_b=False)
