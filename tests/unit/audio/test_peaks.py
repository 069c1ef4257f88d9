"""The waveform shows what is in the file, comes in parts, and ends with whatever can be read."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.audio import decoder_process
from desktop_app.audio.peaks import RATE, PeakReader, loudest
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.waiting import LONGEST, wait_until


class Events:
    """What a reader tells."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, np.ndarray]] = []
        self.ends: list[tuple[int, Problem | None]] = []
        self.began, self.done = threading.Event(), threading.Event()

    def opened(self, run: int, has_pictures: bool) -> None:
        self.has_pictures = has_pictures

    def came(self, run: int, peaks: np.ndarray) -> None:
        self.batches.append((run, peaks))
        self.began.set()

    def ended(self, run: int, problem: Problem | None) -> None:
        self.ends.append((run, problem))
        self.done.set()


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """Four seconds, each louder than the one before, and half a peak's sound behind them."""
    path = tmp_path / "steps.wav"
    level = np.repeat([0.0, 0.2, 0.4, 0.8], SAMPLE_RATE)
    sign = np.where(np.arange(len(level)) % 2, -1.0, 1.0)
    soundfile.write(path, np.append(level * sign, [-0.5] * (SAMPLE_RATE // RATE // 2)), SAMPLE_RATE, subtype="FLOAT")
    return path


def test_peaks_are_the_loudest_of_each_hundredth_of_a_second(steps: Path) -> None:
    events = Events()
    run = PeakReader(events).read(steps)
    assert events.done.wait(LONGEST)
    assert events.ends == [(run, None)] and not events.has_pictures
    peaks = np.concatenate([peaks for _, peaks in events.batches])
    assert len(peaks) == 4 * RATE + 1
    assert peaks == pytest.approx([*np.repeat([0.0, 0.2, 0.4, 0.8], RATE), 0.5])


def test_blocks_of_any_length_give_the_same_peaks() -> None:
    sound = np.random.default_rng(1).uniform(-1, 1, SAMPLE_RATE).astype(np.float32)
    whole = np.concatenate(list(loudest([sound])))
    parts = np.concatenate(list(loudest(np.array_split(sound, 37))))
    assert np.array_equal(whole, parts)


def test_a_missing_file_ends_without_peaks(tmp_path: Path) -> None:
    events = Events()
    PeakReader(events).read(tmp_path / "gone.wav")
    assert events.done.wait(LONGEST)
    assert not events.batches
    assert events.ends == [(1, Problem("file.missing"))]


def test_a_crash_keeps_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / "long.flac"  # of which more follows when the first peaks have come
    soundfile.write(long, np.zeros(3600 * SAMPLE_RATE, np.int16), SAMPLE_RATE)
    made: list[decoder_process.DecoderProcess] = []
    receive = decoder_process.DecoderProcess.receive

    def receive_and_crash(self: decoder_process.DecoderProcess) -> tuple[bytes, object]:
        message = receive(self)
        if message[0] == decoder_process.BLOCK:
            made.append(self)
            self._child.end()
        return message

    monkeypatch.setattr(decoder_process.DecoderProcess, "receive", receive_and_crash)
    events = Events()
    PeakReader(events).read(long)
    assert events.done.wait(LONGEST)
    assert len(events.batches) == len(made) == 1
    assert events.ends == [(1, Problem("file.crashed"))]


def test_another_file_takes_the_place_of_the_first(tmp_path: Path, steps: Path) -> None:
    long = tmp_path / "long.flac"
    soundfile.write(long, np.zeros(3600 * SAMPLE_RATE, np.int16), SAMPLE_RATE)
    events = Events()
    reader = PeakReader(events)
    first = reader.read(long)
    assert events.began.wait(LONGEST)
    second = reader.read(steps)
    assert events.done.wait(LONGEST)
    assert events.ends == [(second, None)]
    assert {run for run, _ in events.batches} == {first, second}
    wait_until(lambda: not any(thread.name == "peaks" for thread in threading.enumerate()))
