"""Arithmetic of 8 bits in a graph: numbers that are rounded where a product begins, which the CPU then computes with
bytes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from openvino import Model, Node, Type
from openvino import opset13 as op

from desktop_app.runtimes.openvino_memory import constant, give, take
from desktop_app.runtimes.openvino_place import core

_LARGEST = 127
_TINY = 1e-9  # added to scales, so that zeros are not divided by zero


@lru_cache(maxsize=1)
def is_exact() -> bool:
    """Whether the CPU multiplies bytes without overflow. One without VNNI adds two products in 16 bits, and of the
    largest bytes loses nearly all (OpenVINO 2026.4.1, `ONEDNN_MAX_CPU_ISA=AVX512_CORE`)."""
    bytes_, floats = take([1, 16, 64], Type.i8, "bytes"), take([1, 4, 64], Type.f32, "floats")
    numbers = op.multiply(op.convert(bytes_, Type.f32), number(1 / _LARGEST))
    product = op.matmul(signed(floats), numbers, transpose_a=False, transpose_b=True)
    compiled = core().compile_model(Model([give(product, "product")], [bytes_, floats], "bytes"), "CPU")
    found = compiled([np.full((1, 16, 64), _LARGEST, np.int8), np.ones((1, 4, 64), np.float32)])[0]
    return bool(np.allclose(found, 64, rtol=1e-2))


def largest(x: Node, axis: int) -> Node:
    """The largest absolute value along an axis, which stays."""
    return op.add(op.reduce_max(op.abs(x), op.constant(np.array([axis])), keep_dims=True), number(_TINY))


def signed(x: Node) -> Node:
    """Numbers from -1 to 1 in 255 steps: the CPU computes the product behind it in 8 bits."""
    low, high = number(-(_LARGEST + 1) / _LARGEST), number(1)
    return op.fake_quantize(x, low, high, low, high, 256)


def number(value: float) -> Node:
    """One number of a graph."""
    return constant(np.array(value, np.float32))
