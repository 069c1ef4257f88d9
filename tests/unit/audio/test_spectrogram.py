"""The features of a long recording are those that openai-whisper cuts out of the spectrogram of the whole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
import whisper

from desktop_app.audio.logmel import EDGE, HOP, features
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.transcript.constants import SAMPLE_RATE

WINDOW = 30 * SAMPLE_RATE
Samples = npt.NDArray[np.float32]


def speech(seconds: float, loudest: float) -> Samples:
    """Noise that grows slowly, with something loud for 5 ms at `loudest` seconds."""
    count = round(seconds * SAMPLE_RATE)
    samples = np.random.default_rng(3).normal(0, 0.02, count) * np.linspace(0.01, 1, count)
    at = round(loudest * SAMPLE_RATE)
    samples[at : at + 80] = np.sin(np.arange(len(samples[at : at + 80])))
    return samples.astype(np.float32)


def blocks(samples: Samples, size: int) -> Iterator[Samples]:
    return (samples[at : at + size] for at in range(0, len(samples), size))


@pytest.mark.parametrize("bins", [80, 128])
@pytest.mark.parametrize("loudest", [0.0, 30.001, 44.0, 70.04])
def test_windows_equal_the_reference(bins: int, loudest: float) -> None:
    """The loudest sound is in the first frame, which hears a reflection; between two windows; in another one; at the
    very end, where the last frames hear what is behind it."""
    samples = speech(70.043, loudest)
    whole = whisper.log_mel_spectrogram(samples, bins, padding=WINDOW).numpy()[:, : len(samples) // HOP]
    spectrogram = Spectrogram(blocks(samples, 8000), [80, 128])
    for begin in (0, 320, 12 * SAMPLE_RATE, len(samples) - WINDOW, 60 * SAMPLE_RATE):
        begin -= begin % (2 * HOP)
        expected = whisper.pad_or_trim(whole[:, begin // HOP : begin // HOP + 3000], 3000)
        before, behind = samples[max(0, begin - EDGE) : begin], samples[begin + WINDOW : begin + WINDOW + EDGE]
        found = spectrogram.features(samples[begin : begin + WINDOW], bins, before, behind)
        assert found.dtype == np.float32 and found.shape == (bins, 3000)
        np.testing.assert_allclose(found, expected, atol=1e-4, err_msg=str(begin))


def test_blocks_may_be_of_any_size() -> None:
    samples, nothing = speech(31, 30.5), np.zeros(0, np.float32)
    found = [
        Spectrogram(blocks(samples, size), [80]).features(samples[:WINDOW], 80, nothing, samples[WINDOW:])
        for size in (150, 399, 8000, len(samples))
    ]
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])


def test_a_recording_of_one_window_is_padded_with_silence() -> None:
    nothing = np.zeros(0, np.float32)
    for samples in (nothing, speech(0.01, 0), speech(12, 3), speech(30, 29)):
        found = Spectrogram([samples], [80]).features(samples, 80, nothing, nothing)
        np.testing.assert_array_equal(found, features(samples, 80))


def test_silence_is_a_recording_too() -> None:
    samples, nothing = np.zeros(2 * WINDOW, np.float32), np.zeros(0, np.float32)
    found = Spectrogram([samples], [80]).features(samples[:WINDOW], 80, nothing, nothing)
    np.testing.assert_allclose(found, (-10 + 4) / 4, atol=1e-5)
