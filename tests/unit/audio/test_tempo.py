"""Played faster or slower, a recording has another length and the same pitch, wherever it begins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.audio.files import AudioFile
from desktop_app.audio.player import Player
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.unit.audio.test_player import Events, Output
from tests.waiting import LONGEST

SECONDS, PITCH = 20.0, 440.0
SPEEDS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
_POINTS = 1 << 20


@pytest.fixture
def tone(tmp_path: Path) -> Path:
    """A sine of 440 Hz."""
    path = tmp_path / "tone.wav"
    time = np.arange(int(SECONDS * 44_100)) / 44_100
    soundfile.write(path, 0.5 * np.sin(2 * np.pi * PITCH * time), 44_100)
    return path


def heard(path: Path, start: float, speed: float) -> np.ndarray:
    with AudioFile(path, start, speed) as file:
        return np.concatenate(list(file))


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_length_changes_and_the_pitch_stays(tone: Path, speed: float) -> None:
    sound = heard(tone, 0.0, speed)
    assert len(sound) / SAMPLE_RATE == pytest.approx(SECONDS / speed, rel=0.01)
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound)), _POINTS))
    assert spectrum.argmax() * SAMPLE_RATE / _POINTS == pytest.approx(PITCH, abs=2.0)
    assert np.sqrt(np.mean(sound[SAMPLE_RATE:-SAMPLE_RATE] ** 2)) == pytest.approx(0.5 / np.sqrt(2), rel=0.05)


@pytest.mark.parametrize("speed", [0.5, 3.0])
def test_it_begins_where_it_was_asked_to(tone: Path, speed: float) -> None:
    assert len(heard(tone, 12.0, speed)) / SAMPLE_RATE == pytest.approx(8.0 / speed, rel=0.01)


def test_a_place_in_a_damaged_file_is_found_at_every_speed(tone: Path) -> None:
    tone.write_bytes(tone.read_bytes()[: tone.stat().st_size // 2])
    for speed in (1.0, 2.0):
        assert len(heard(tone, 4.0, speed)) / SAMPLE_RATE == pytest.approx((SECONDS / 2 - 4.0) / speed, rel=0.02)


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_the_player_tells_the_recordings_time_and_ends_where_it_was_asked_to(tone: Path, speed: float) -> None:
    events, output = Events(), Output()
    run = Player(events, lambda: output).play(tone, 3.0, 5.0, speed)
    assert events.done.wait(LONGEST)
    assert events.ends == [(run, None)]
    assert sum(map(len, output.pieces)) == 2.0 / speed * SAMPLE_RATE
    assert events.places[-1] == (run, pytest.approx(5.0))
    assert all(before[1] < after[1] for before, after in zip(events.places, events.places[1:], strict=False))


def test_the_volume_is_heard_at_once(tone: Path) -> None:
    events, output = Events(), Output()
    player = Player(events, lambda: output)
    player.volume = 0.5
    player.play(tone, 1.0, 1.5)
    assert events.done.wait(LONGEST)
    assert np.abs(np.concatenate(output.pieces)).max() == pytest.approx(0.25, rel=0.02)


def test_what_is_no_media_is_refused_at_every_speed(tmp_path: Path) -> None:
    path = tmp_path / "list.mp3"
    path.write_text("bread, butter\n", encoding="utf-8")
    with pytest.raises(Problem, match=r"file\.not_media"), AudioFile(path, 0.0, 2.0):
        pass
