"""The features are those that Whisper models were trained on."""

from __future__ import annotations

import numpy as np
import pytest
from transformers import WhisperFeatureExtractor

from desktop_app.audio.logmel import LogMel
from desktop_app.transcript.constants import SAMPLE_RATE


def recordings() -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)
    time = np.arange(9 * SAMPLE_RATE) / SAMPLE_RATE
    sweep = (0.5 * np.sin(2 * np.pi * (100 + 300 * time) * time)).astype(np.float32)
    return {
        "nothing": np.zeros(0, np.float32),
        "silence": np.zeros(SAMPLE_RATE, np.float32),
        "a click": np.eye(1, SAMPLE_RATE, 800, dtype=np.float32)[0],
        "a sweep": sweep,
        "noise": random.normal(0, 0.05, 30 * SAMPLE_RATE).astype(np.float32),
        "just short of the window": random.normal(0, 0.05, 30 * SAMPLE_RATE - 1).astype(np.float32),
        "loud to the end": np.sign(np.sin(2 * np.pi * 440 * np.arange(30 * SAMPLE_RATE) / SAMPLE_RATE)).astype(
            np.float32
        ),
        "an odd length": random.normal(0, 0.3, 12_345).astype(np.float32),
    }


@pytest.mark.parametrize("bins", [80, 128])
def test_equals_the_reference(bins: int) -> None:
    reference = WhisperFeatureExtractor(feature_size=bins)
    for name, samples in recordings().items():
        expected = reference(
            samples if len(samples) else np.zeros(1, np.float32), sampling_rate=SAMPLE_RATE, return_tensors="np"
        )
        found = LogMel(bins).features(samples)
        assert found.dtype == np.float32 and found.shape == (bins, 3000), name
        np.testing.assert_allclose(found, expected.input_features[0], atol=1e-4, err_msg=name)


def test_more_than_a_window_is_refused() -> None:
    with pytest.raises(ValueError, match="480001"):
        LogMel(80).features(np.zeros(30 * SAMPLE_RATE + 1, np.float32))
