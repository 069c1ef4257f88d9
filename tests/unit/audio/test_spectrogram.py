"""The features of a long recording are those that openai-whisper cuts out of the spectrogram of the whole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
import whisper

from desktop_app.audio import spectrogram
from desktop_app.audio.logmel import EDGE, HOP, LogMel, features
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


@pytest.fixture(params=[70.1, 70], ids=["kept", "window by window"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the spectrogram of 70.043 seconds is kept."""
    monkeypatch.setattr(spectrogram, "SHORT", round(request.param * SAMPLE_RATE))
    return bool(request.param > 70)


def window(ours: Spectrogram, samples: Samples, begin: int, bins: int = 80) -> Samples:
    """The features of the window of a recording that begins with some sample."""
    end = begin + WINDOW
    before, behind = samples[max(0, begin - EDGE) : begin], samples[end : end + EDGE]
    return ours.features(samples[begin:end], bins, before, behind, begin)


@pytest.mark.parametrize("bins", [80, 128])
@pytest.mark.parametrize("loudest", [0.0, 30.001, 44.0, 70.04])
def test_windows_equal_the_reference(kept: bool, bins: int, loudest: float) -> None:
    """The loudest sound is in the first frame, which hears a reflection; between two windows; in another one; at the
    very end, where the last frames hear what is behind it."""
    samples = speech(70.043, loudest)
    whole = whisper.log_mel_spectrogram(samples, bins, padding=WINDOW).numpy()[:, : len(samples) // HOP]
    ours = Spectrogram(blocks(samples, 8000), [80, 128])
    for begin in (0, 320, 12 * SAMPLE_RATE, len(samples) - WINDOW, 60 * SAMPLE_RATE):
        begin -= begin % (2 * HOP)
        expected = whisper.pad_or_trim(whole[:, begin // HOP : begin // HOP + 3000], 3000)
        found = window(ours, samples, begin, bins)
        assert found.dtype == np.float32 and found.shape == (bins, 3000)
        np.testing.assert_allclose(found, expected, atol=1e-4, err_msg=str(begin))


def test_a_window_that_begins_within_a_frame_has_features_of_its_own(kept: bool) -> None:
    samples = speech(70.043, 44.0)
    near, found = (window(Spectrogram([samples], [80]), samples, begin) for begin in (16_000, 16_001))
    moved = window(Spectrogram([samples[1:]], [80]), samples[1:], 16_000)
    np.testing.assert_allclose(found, moved, atol=2e-3)  # the loudest frame is another one
    assert np.abs(found - near).max() > 0.01


def test_the_spectrogram_of_ten_minutes_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def computed(seconds: int) -> int:
        """Frames that are computed for a window after the recording was read."""
        second, counted = np.zeros(SAMPLE_RATE, np.float32), 0
        ours, mel = Spectrogram((second for _ in range(seconds)), [80]), LogMel.mel

        def counting(self: LogMel, some: Samples) -> Samples:
            nonlocal counted
            counted += len(some)
            return mel(self, some)

        with monkeypatch.context() as patch:
            patch.setattr(LogMel, "mel", counting)
            ours.features(np.zeros(WINDOW, np.float32), 80, second[:0], second, 0)
        return counted

    assert computed(600) == 0
    assert computed(601) == 3000


def test_blocks_may_be_of_any_size() -> None:
    samples, nothing = speech(31, 30.5), np.zeros(0, np.float32)
    found = [
        Spectrogram(blocks(samples, size), [80]).features(samples[:WINDOW], 80, nothing, samples[WINDOW:], 0)
        for size in (150, 399, 8000, len(samples))
    ]
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])


def test_a_recording_of_one_window_is_padded_with_silence() -> None:
    nothing = np.zeros(0, np.float32)
    for samples in (nothing, speech(0.01, 0), speech(12, 3), speech(30, 29)):
        found = Spectrogram([samples], [80]).features(samples, 80, nothing, nothing, 0)
        np.testing.assert_array_equal(found, features(samples, 80))


def test_silence_is_a_recording_too() -> None:
    samples, nothing = np.zeros(2 * WINDOW, np.float32), np.zeros(0, np.float32)
    found = Spectrogram([samples], [80]).features(samples[:WINDOW], 80, nothing, nothing, 0)
    np.testing.assert_allclose(found, (-10 + 4) / 4, atol=1e-5)
