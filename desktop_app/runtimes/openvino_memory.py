"""The KV cache of a decoder graph, in three ways, one for each use.

`Appended`: the device keeps the keys and values of every token it has read; rejected ones stay and are masked. The CPU
fuses this with the attention and copies nothing. The sums of the attention, and so the last bits of the scores, depend
on what was rejected before: for f32, where a tie guard is enough.

`Joined`: the cache is on the host, one row per position, and a pass gets the rows before it. A token is always attended
at its own position, followed only by zeros up to a full block, so its scores are the same to the last bit however the
text is grouped into passes.

`Slots`: as Joined, but for devices that need fixed shapes: a pass gets all rows, and scatters the new ones into them.
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
    results: list[Node]
    sinks: list[Node]

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


class Joined:
    """More inputs: of each layer self.N.k and self.N.v [1, read, width], and zeros as padding up to a block, `padding`
    [1, n, width]. More outputs: new.self.N.k and new.self.N.v [1, k, width]."""

    width = slots = -1

    def __init__(self, kind: Type, model_width: int) -> None:
        self.kind = kind
        self._model_width = model_width
        padding = take([1, -1, model_width], kind, "padding")
        self._padding = as_kind(padding, Type.f32)
        self.inputs, self.results, self.sinks = [padding], list[Node](), list[Node]()

    def remember(self, new: Node, name: str, heads: Any) -> Node:
        past = take([1, -1, self._model_width], self.kind, name)
        self.inputs.append(past)
        self.results.append(give(as_kind(new, self.kind), f"new.{name}"))
        return heads.split(op.concat([as_kind(past, Type.f32), new, self._padding], 1))

    def attend(self, q: Node, k: Node, v: Node, mask: Node) -> Node:
        return _attend(q, k, v, mask)


class Slots:
    """More inputs: of each layer self.N.k and self.N.v [1, slots, width], and `places` [k] i64, the slots of the tokens
    of this pass. More outputs as those of Joined. Every shape is fixed."""

    def __init__(self, kind: Type, model_width: int, slots: int, width: int) -> None:
        self.kind, self.slots, self.width = kind, slots, width
        self._model_width = model_width
        self._places = take([width], Type.i64, "places")
        self.inputs, self.results, self.sinks = [self._places], list[Node](), list[Node]()

    def remember(self, new: Node, name: str, heads: Any) -> Node:
        past = take([1, self.slots, self._model_width], self.kind, name)
        self.inputs.append(past)
        self.results.append(give(as_kind(new, self.kind), f"new.{name}"))
        return heads.split(op.scatter_update(as_kind(past, Type.f32), self._places, new, op.constant(np.array(1))))

    def attend(self, q: Node, k: Node, v: Node, mask: Node) -> Node:
        return _attend(q, k, v, mask)


def _attend(q: Node, k: Node, v: Node, mask: Node) -> Node:
    products = op.add(op.matmul(q, k, transpose_a=False, transpose_b=True), mask)
    return op.matmul(op.softmax(products, -1), v, transpose_a=False, transpose_b=False)
