"""The exported speaker network is what its description says, and its measure is the equal error rate."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from models.training.speaker_network import DIMS, AngularMargin, FilterBanks, SpeakerNetwork, export, unfolded
from models.training.train_speakers import equal_error_rate
from models.training.voices import HELD_OUT_SPEAKERS, held_out_speakers, speakers


def convolved(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, stride: int = 1, dilation: int = 1) -> np.ndarray:
    """x [C, T] by weight [D, C, K], zeros beyond both ends."""
    width = weight.shape[2]
    reach = dilation * (width // 2)
    padded = np.pad(x, ((0, 0), (reach, reach)))
    taps = [padded[:, k * dilation : k * dilation + x.shape[1]] for k in range(width)]
    return (sum(weight[:, :, k] @ tap for k, tap in enumerate(taps)) + bias[:, None])[:, ::stride]


def by_hand(w: dict[str, np.ndarray], banks: np.ndarray, stride: int, dilations: list[int]) -> np.ndarray:
    """The network in numpy: banks [T, 80] to a unit vector."""

    def layer(name: str, x: np.ndarray, **how: int) -> np.ndarray:
        return convolved(x, w[f"{name}.weight"], w[f"{name}.bias"], **how)

    x = np.maximum(layer("stem", banks.T, stride=stride), 0)
    for i, dilation in enumerate(dilations):
        y = layer(f"blocks.{i}.narrow", np.maximum(layer(f"blocks.{i}.wide", x, dilation=dilation), 0))
        inner = w[f"blocks.{i}.squeeze.weight"] @ y.mean(1) + w[f"blocks.{i}.squeeze.bias"]
        gate = w[f"blocks.{i}.open.weight"] @ np.maximum(inner, 0) + w[f"blocks.{i}.open.bias"]
        x = np.maximum(x + y / (1 + np.exp(-gate))[:, None], 0)
    x = np.maximum(layer("last", x), 0)
    scores = layer("choose", np.tanh(layer("attend", x)))
    shares = np.exp(scores - scores.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    mean = (shares * x).sum(1)
    spread = np.sqrt(np.maximum((shares * x * x).sum(1) - mean * mean, 1e-6))
    vector = w["embed.weight"] @ np.concatenate([mean, spread]) + w["embed.bias"]
    return vector / np.linalg.norm(vector)


def test_the_exported_file_is_the_network(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network, banks = SpeakerNetwork(), torch.randn(4, 120, 80)
    network.train()
    for _ in range(3):
        network(banks)  # so that the batch norms have something to fold
    size = export(network.eval(), tmp_path, 0.4, {"alike": 0.5, "doubt": 1.0, "same": 0.8, "least": 0.6}, {})
    assert size <= 2_000_000
    described = json.loads((tmp_path / "speakers.json").read_text())
    tensors = {name: value.astype(np.float32) for name, value in load_file(tmp_path / "speakers.safetensors").items()}
    with torch.inference_mode():
        wanted = network(banks[:1])[0].numpy()
    found = by_hand(tensors, banks[0].numpy(), described["stride"], described["dilations"])
    assert found.shape == (DIMS,)
    assert np.dot(found, wanted) > 0.9999


def test_training_goes_on_from_the_exported_network(tmp_path: Path) -> None:
    """The second leg begins where the first ended: with fresh batch norms, and the same vectors."""
    torch.manual_seed(0)
    network, banks = SpeakerNetwork(), torch.randn(64, 120, 80)
    network.train()
    for _ in range(3):
        network(banks)
    export(network.eval(), tmp_path, 0.4, {}, {})
    begun = unfolded(tmp_path, banks)
    with torch.inference_mode():
        wanted = network(banks)
        assert (begun(banks) * wanted).sum(-1).min() > 0.9999
        assert (begun.train()(banks) * wanted).sum(-1).min() > 0.99, "a batch's own means and spreads are the same"


def test_filter_banks_have_no_mean_and_whole_frames_only() -> None:
    banks = FilterBanks()(torch.randn(2, 16000))
    assert banks.shape == (2, 98, 80)
    assert banks.mean(1).abs().max() < 1e-4


def test_the_margin_makes_the_right_speaker_harder() -> None:
    torch.manual_seed(0)
    head, vectors, who = (
        AngularMargin(5),
        torch.nn.functional.normalize(torch.randn(6, DIMS), dim=-1),
        torch.arange(6) % 5,
    )
    assert head(vectors, who, 0.2)[0] > head(vectors, who, 0.0)[0]


def test_equal_error_rate() -> None:
    assert equal_error_rate(np.array([0.8, 0.9]), np.array([0.1, 0.2]))[0] == 0.0
    same, different = np.linspace(0, 1, 101), np.linspace(-0.5, 0.5, 101)
    rate, threshold = equal_error_rate(same, different)
    assert rate == pytest.approx(0.25, abs=0.01) and threshold == pytest.approx(0.25, abs=0.02)


def test_no_speaker_kept_back_is_trained_on() -> None:
    parts = {part for voice in speakers(400, seed=1) for part in voice.name.split("+")}
    assert not parts & set(HELD_OUT_SPEAKERS)
    assert len(held_out_speakers()) >= 12
    assert all(set(voice.name.split("+")) & set(HELD_OUT_SPEAKERS) for voice in held_out_speakers())
