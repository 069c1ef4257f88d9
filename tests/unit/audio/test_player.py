"""A stretch of a recording is played: that stretch, in small pieces, and no longer than wanted."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desktop_app.audio import microphone
from desktop_app.audio.files import AudioFile
from desktop_app.audio.player import Loudspeaker, Player
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.waiting import LONGEST

CLIP = Path(__file__).parents[2] / "data" / "clips" / "00.flac"


class Output:
    """Takes in sound at once, or waits until it is let go."""

    latency = 0.0

    def __init__(self) -> None:
        self.pieces: list[np.ndarray] = []
        self.closed = self.drained = False
        self.go = threading.Event()
        self.go.set()
        self.began = threading.Event()

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *error: object) -> None:
        self.closed = True

    def write(self, samples: np.ndarray) -> None:
        self.began.set()
        assert self.go.wait(LONGEST)
        self.pieces.append(samples)

    def drain(self) -> None:
        self.drained = True


class Events:
    """What a player tells."""

    def __init__(self) -> None:
        self.places: list[tuple[int, float]] = []
        self.ends: list[tuple[int, Problem | None]] = []
        self.done = threading.Event()

    def moved(self, run: int, seconds: float) -> None:
        self.places.append((run, seconds))

    def ended(self, run: int, problem: Problem | None) -> None:
        self.ends.append((run, problem))
        self.done.set()


def test_the_stretch_is_played_and_no_more() -> None:
    events, output = Events(), Output()
    run = Player(events, lambda: output).play(CLIP, 0.5, 1.25)
    assert events.done.wait(LONGEST)
    assert events.ends == [(run, None)]
    assert sum(map(len, output.pieces)) == 0.75 * SAMPLE_RATE
    assert max(map(len, output.pieces)) <= SAMPLE_RATE // 20
    assert output.closed
    assert output.drained
    assert events.places[-1] == (run, pytest.approx(1.25))
    with AudioFile(CLIP) as file:
        whole = np.concatenate(list(file))
    played = np.concatenate(output.pieces)
    assert np.array_equal(whole[SAMPLE_RATE // 2 : SAMPLE_RATE // 2 + len(played)], played)


def test_another_stretch_comes_after_the_first_has_let_go_of_the_device() -> None:
    events, one, other = Events(), Output(), Output()
    one.go.clear()
    outputs = iter([one, other])
    player = Player(events, lambda: next(outputs))
    player.play(CLIP, 0.0)
    assert one.began.wait(LONGEST)
    run = player.play(CLIP, 0.0, 0.2)
    assert not other.pieces
    one.go.set()
    assert events.done.wait(LONGEST)
    assert one.closed
    assert events.ends == [(run, None)]  # who was stopped says nothing


def test_what_cannot_be_played_is_said(tmp_path: Path) -> None:
    events = Events()
    Player(events, Output).play(tmp_path / "gone.wav", 0.0)
    assert events.done.wait(LONGEST)
    assert events.ends == [(1, Problem("file.missing"))]


def test_beyond_the_end_there_is_silence_and_no_complaint() -> None:
    events, output = Events(), Output()
    Player(events, lambda: output).play(CLIP, 9999.0)
    assert events.done.wait(LONGEST)
    assert events.ends == [(1, None)]
    assert not output.pieces


class Library:
    """sounddevice with one output, or none."""

    class PortAudioError(Exception):
        pass

    def __init__(self, device: bool, broken: bool = False) -> None:
        self.device, self.broken, self.written, self.stopped, self.closed = device, broken, 0, False, False
        self.latency = 0.1

    def query_devices(self, kind: str) -> dict[str, Any]:
        if not self.device:
            raise self.PortAudioError("Error querying device -1")
        return {"default_samplerate": 48_000.0, "max_output_channels": 2}

    def OutputStream(self, rate: int, channels: int, dtype: str) -> Any:
        assert (rate, channels, dtype) == (48_000, 2, "float32")
        return self

    def start(self) -> None:
        if self.broken:
            raise OSError("no such thing")

    def write(self, sound: np.ndarray) -> None:
        assert sound.shape[1] == 2
        self.written += len(sound)

    def stop(self) -> None:
        self.stopped = True

    def close(self, ignore_errors: bool) -> None:
        self.closed = True


def test_the_device_gets_its_own_rate_and_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    library, events = Library(device=True), Events()
    monkeypatch.setattr(microphone, "_library", lambda: library)
    Player(events, Loudspeaker).play(CLIP, 0.0, 0.5)
    assert events.done.wait(LONGEST)
    assert events.ends == [(1, None)]
    assert library.written == 0.5 * 48_000
    assert library.stopped
    assert library.closed
    assert not microphone._open


def test_without_a_device_the_problem_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    events = Events()
    monkeypatch.setattr(microphone, "_library", lambda: Library(device=False))
    Player(events, Loudspeaker).play(CLIP, 0.0, 0.5)
    assert events.done.wait(LONGEST)
    assert events.ends[0][1] == Problem("output.none")


def test_whatever_a_driver_raises_ends_the_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    events = Events()
    monkeypatch.setattr(microphone, "_library", lambda: Library(device=True, broken=True))
    Player(events, Loudspeaker).play(CLIP, 0.0, 0.5)
    assert events.done.wait(LONGEST)
    assert "no such thing" in str(events.ends[0][1])
