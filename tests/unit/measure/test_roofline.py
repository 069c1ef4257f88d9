"""The roofline of `galley bench speed`: the bytes that a pass reads, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_app.checkpoints.folder import read
from desktop_app.measure.memory import SHAPES
from desktop_app.measure.roofline import Roofline, bandwidth, weight_bytes
from desktop_app.worker import runtime
from tests.small_pair import SMALL_PAIR

WIDTH, LAYERS, TOKENS = 768, 12, 51_865  # Whisper small

MATRICES = LAYERS * 14 * WIDTH**2 + TOKENS * WIDTH
"""Of each layer four of self-attention, two of cross-attention (keys and values are made once a window) and eight of
the block at its end; and the head, which is the embedding."""

ROWS = LAYERS * (4 + 2 + 4 + 1) * WIDTH + TOKENS

NORMS_AND_BIASES = LAYERS * (3 * 2 + 3 + 2 + 4 + 1) * WIDTH + 2 * WIDTH


@pytest.mark.parametrize(
    ("weights", "size"),
    [
        ("f32", 4 * MATRICES),
        ("bf16", 2 * MATRICES),
        ("f16", 2 * MATRICES),
        ("int8", MATRICES + 4 * ROWS),
    ],
)
def test_bytes_of_the_weights(weights: str, size: int) -> None:
    assert weight_bytes(SHAPES["small"], weights) == size + 4 * NORMS_AND_BIASES


def test_four_bits_leave_the_head_at_eight() -> None:
    """Groups of 128 have a scale and half a byte of zero point."""
    layers = MATRICES - TOKENS * WIDTH
    head = TOKENS * WIDTH + 4 * TOKENS
    whole = layers // 2 + layers // 128 * 4 + layers // 256 + head + 4 * NORMS_AND_BIASES
    assert weight_bytes(SHAPES["small"], "int4") == whole


def test_a_head_of_its_own_is_read_instead_of_the_embedding() -> None:
    apart = replace(SHAPES["small"], own_head=True)
    assert weight_bytes(apart, "int8") == weight_bytes(SHAPES["small"], "int8")


def test_least_seconds() -> None:
    assert Roofline(130_000_000, 13e9, 2).seconds == pytest.approx(0.01)


def test_bandwidth_is_of_a_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between a tenth of a slow computer's and a hundred times a fast one's, however little is read."""
    monkeypatch.setattr("desktop_app.measure.roofline._LEAST_READ", 1 << 22)
    for size, threads in ((1000, 1), (10_000_000, 2)):
        assert 1e8 < bandwidth(size, threads) < 1e14


def test_the_model_knows_what_a_window_adds() -> None:
    """Keys and values of each layer, at f32."""
    checkpoint = read(SMALL_PAIR)
    shape, model = checkpoint.shape, runtime.load(checkpoint, "cpu", "f32", None, None)
    assert model.window_bytes == 4 * 2 * shape.decoder_layers * shape.width * shape.cross_positions
    assert model.threads > 0
