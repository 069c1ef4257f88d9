"""Products of bytes on the CPU, and an encoder whose attention is made of them: the CPU computes its scores in one
kernel with the softmax behind them. The cross-attention of such bytes is in `openvino_cross`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from openvino import Model, Node, Type
from openvino import opset13 as op

from desktop_app.runtimes.openvino_memory import constant, give, take
from desktop_app.runtimes.openvino_place import ACTIVATION_GROUP, core

ENCODER_SETTINGS = {"DYNAMIC_QUANTIZATION_GROUP_SIZE": "128"}
"""How such an encoder is compiled: over all positions of a window groups of 128 take less time than those of 32."""

LARGEST = 127
_TINY = 1e-9  # added to scales, so that zeros are not divided by zero


def attend(q: Node, k: Node, v: Node, scale: float) -> Node:
    """The attention [1, heads, n, head]: keys have a scale for each dimension of a head, queries one for each token."""
    k_scale = largest(k, 2)
    q = op.multiply(q, op.multiply(k_scale, number(scale)))
    q_scale = largest(q, -1)
    product = op.matmul(
        signed(op.divide(q, q_scale)), signed(op.divide(k, k_scale)), transpose_a=False, transpose_b=True
    )
    # Attention weights are not rounded to 8 bits: the many small ones of a position matter together.
    return op.matmul(op.softmax(op.multiply(product, q_scale), -1), v, transpose_a=False, transpose_b=False)


@lru_cache(maxsize=1)
def is_exact() -> bool:
    """Whether the CPU multiplies bytes without overflow. One without VNNI adds two products in 16 bits, and of the
    largest bytes loses nearly all (OpenVINO 2026.4.1, `ONEDNN_MAX_CPU_ISA=AVX512_CORE`)."""
    size = 64
    q, k, v = (take([1, 1, size, size], Type.f32, name) for name in "qkv")
    model = Model([give(attend(q, k, v, 1 / size), "attended")], [q, k, v], "bytes")
    signs = np.ones((1, 1, size, size), np.float32)
    signs[:, :, 1::2] = -1  # half of the keys have the score 1, half -1
    found = core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([np.ones_like(signs), signs, signs])
    return bool(np.allclose(found[0], np.tanh(1), rtol=1e-2))


@lru_cache(maxsize=1)
def rounds_activations() -> bool:
    """Whether the CPU rounds activations to 8 bits behind weights of 8 bits, as one with VNNI does. Others widen the
    weights and compute in f32."""
    size = 16 * ACTIVATION_GROUP
    x = take([1, -1, size], Type.f32, "x")
    weights = op.multiply(
        op.convert(op.constant(np.ones((size, size), np.int8)), Type.f32), constant(np.full((size, 1), 0.5, np.float32))
    )
    product = op.matmul(x, weights, transpose_a=False, transpose_b=True)
    settings = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(ACTIVATION_GROUP)}
    numbers = np.full((1, 2, size), 0.25, np.float32)
    numbers[..., ::ACTIVATION_GROUP] = LARGEST  # beside it, a quarter is rounded to 0
    found = core().compile_model(Model([give(product, "product")], [x], "rounding"), "CPU", settings)([numbers])
    return not np.allclose(found[0], 0.5 * numbers[0, 0].sum(), rtol=1e-5)


def largest(x: Node, axis: int) -> Node:
    """The largest absolute value along an axis, which stays."""
    return op.add(op.reduce_max(op.abs(x), op.constant(np.array([axis])), keep_dims=True), number(_TINY))


def signed(x: Node) -> Node:
    """Numbers from -1 to 1 in 255 steps: the CPU computes the product behind them with bytes."""
    low, high = number(-(LARGEST + 1) / LARGEST), number(1)
    return op.fake_quantize(x, low, high, low, high, 256)


def unsigned(x: Node) -> Node:
    """Numbers from 0 to 1, likewise."""
    return op.fake_quantize(x, number(0), number(1), number(0), number(1), 256)


def number(value: float) -> Node:
    """One number of a graph."""
    return constant(np.array(value, np.float32))
