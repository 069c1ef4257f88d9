"""A recording loses nothing: what came is in the file, sample for sample, whatever its rate and length."""

from __future__ import annotations

import errno
import os
import tracemalloc
from datetime import datetime, tzinfo
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from desktop_app.audio import recording
from desktop_app.audio.files import AudioFile
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.fake_input import Desk, Events, FakeInput, Sound, noise, read
from tests.waiting import LONGEST, wait_until

HOURS = float(os.environ.get("GALLEY_SOAK_HOURS", "0.02"))


def test_every_sample_is_in_the_file_and_was_told_in_order(desk: Desk) -> None:
    sound = noise(3.3)
    desk.recorder.start()
    assert desk.events.began_times == 0
    for part in np.array_split(sound, 40):
        desk.input.say(part)
    recorded = desk.recorder.stop()
    np.testing.assert_array_equal(read(desk.path), sound)
    np.testing.assert_array_equal(desk.events.sound, sound)
    assert recorded == recording.Recorded(desk.path, 3.3, ())
    assert desk.events.recorded == recorded
    assert desk.events.began_times == 1
    assert desk.events.troubles == []
    assert desk.input.closed


def test_the_listener_hears_only_what_is_in_the_file(desk: Desk) -> None:
    """Disk first: at the moment of each call the file holds the block."""
    shortages = []

    def block(samples: Sound, start: int) -> None:
        held = read(desk.path).size
        if held < start + samples.size:
            shortages.append((held, start + samples.size))

    desk.events.block = block  # type: ignore[method-assign]
    desk.recorder.start()
    for number, part in enumerate(np.array_split(noise(1.0), 5)):
        desk.input.say(part)
        desk.taken((number + 1) * part.size)
    desk.recorder.stop()
    assert shortages == []


def test_a_disk_that_is_slow_to_sync_holds_up_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill takes no sound that came meanwhile: it is in the file."""
    has_begun, is_free, sound = Event(), Event(), noise(1.5)

    def sync(file: int) -> None:
        has_begun.set()
        is_free.wait(LONGEST)

    monkeypatch.setattr(os, "fsync", sync)
    desk.recorder.start()
    assert has_begun.wait(LONGEST)
    try:
        for part in np.array_split(sound, 15):
            desk.input.say(part)
        wait_until(lambda: desk.events.blocks and desk.events.sound.size > sound.size - 1152)
        assert read(desk.path).size > sound.size - 1152
    finally:
        is_free.set()
    desk.recorder.stop()
    np.testing.assert_array_equal(read(desk.path), sound)


def test_a_sync_that_fails_ends_the_recording(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync, sound = os.fsync, noise(0.5)
    desk.recorder.start()
    desk.input.say(sound)
    desk.taken(sound.size)

    def fail(file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    wait_until(lambda: desk.events.recorded)
    monkeypatch.setattr(os, "fsync", fsync)
    assert desk.events.recorded is not None and desk.events.recorded.problem is not None
    np.testing.assert_array_equal(read(desk.path)[:4608], sound[:4608])


@pytest.mark.parametrize(("rate", "channels"), [(48_000, 2), (44_100, 1), (8000, 1)])
def test_any_rate_and_channels_become_sixteen_kilohertz_mono(desk: Desk, rate: int, channels: int) -> None:
    desk.inputs[None] = fake = FakeInput(rate=rate, channels=channels)
    tone = (0.5 * np.sin(2 * np.pi * 440 * np.arange(2 * rate) / rate)).astype(np.float32)
    desk.recorder.start()
    for part in np.array_split(tone, 31):
        fake.say(np.repeat(part, channels))
    recorded = desk.recorder.stop()
    found = read(desk.path)
    assert recorded.seconds == pytest.approx(2.0, abs=0.001)
    wanted = 0.5 * np.sin(2 * np.pi * 440 * np.arange(found.size) / SAMPLE_RATE)
    np.testing.assert_allclose(found[800:-800], wanted[800:-800], atol=2e-3)


def test_recording_is_said_only_after_the_first_sample(desk: Desk) -> None:
    desk.recorder.start()
    desk.look()
    assert desk.events.began_times == 0
    desk.input.say(noise(0.1))
    wait_until(lambda: desk.events.levels)
    assert desk.events.began_times == 1
    peak, rms = desk.events.levels[0]
    assert 0.5 < peak < 1
    assert 0.1 < rms < peak


def test_the_level_is_that_of_the_newest_sound_and_never_above_one() -> None:
    events = Events()
    reporter = recording.Reporter(events)
    reporter.level(np.array([0.3, -0.4], np.float32), 0.4)
    reporter.level(np.array([1.5, -1.5], np.float32), 1.5)
    assert events.levels == [(0.4, pytest.approx(0.125**0.5)), (1.0, 1.0)]


def test_mono_is_the_mean_of_the_channels(desk: Desk) -> None:
    desk.inputs[None] = FakeInput(channels=2)
    left, right = noise(0.2), noise(0.2, seed=1)
    desk.recorder.start()
    desk.input.say(np.stack([left, right], axis=1).ravel())
    desk.recorder.stop()
    np.testing.assert_allclose(read(desk.path), (left + right) / 2, atol=2**-15)


def held() -> int:
    """Bytes that the code for sound holds. Threads of other tests may still be at work in this process."""
    here = tracemalloc.Filter(True, str(Path(recording.__file__).parent / "*"), all_frames=True)
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([here]).traces)


def test_hours_of_it_lose_no_block_and_take_no_memory(desk: Desk) -> None:
    """Faster than real time: a minute here, two hours by `make soak`."""
    fake, block, samples = desk.input, noise(1.0), round(HOURS * 3600)
    events = [0]

    def listen(sound: Sound, start: int) -> None:
        assert start == events[0]
        events[0] += sound.size

    desk.events.block = listen  # type: ignore[method-assign]
    desk.events.level = lambda peak, rms: None  # type: ignore[method-assign]
    desk.recorder.start()
    measured: list[int] = []
    tracemalloc.start(8)
    for second in range(samples):
        wait_until(lambda: fake.ring.room >= 2 * SAMPLE_RATE)
        fake.say(np.roll(block, second))
        if second in (samples // 3, samples - 1):
            wait_until(lambda: not fake.ring.waiting)
            desk.taken((second + 1) * SAMPLE_RATE)
            desk.recorder._do(lambda: measured.append(held()))  # between two looks, when no sound is in its hands
    tracemalloc.stop()
    recorded = desk.recorder.stop()
    assert recorded == recording.Recorded(desk.path, float(samples), ())
    assert events[0] == samples * SAMPLE_RATE
    assert measured[1] - measured[0] < 1_000_000
    with AudioFile(desk.path) as audio:
        sound, second = np.zeros(0, np.float32), 0
        for piece in audio:
            sound = np.concatenate([sound, piece])
            while sound.size >= SAMPLE_RATE:
                np.testing.assert_array_equal(sound[:SAMPLE_RATE], np.roll(block, second))
                sound, second = sound[SAMPLE_RATE:], second + 1
    assert (second, sound.size, audio.damage) == (samples, 0, None)


def test_a_pause_is_cut_out_and_the_microphone_is_let_go(desk: Desk) -> None:
    before, after = noise(0.5), noise(0.7, seed=1)
    desk.recorder.start()
    desk.input.say(before)
    desk.recorder.pause()
    assert desk.input.closed
    desk.inputs[None] = FakeInput()
    desk.clock.skip(10.0)
    desk.look()
    desk.recorder.resume()
    assert desk.events.began_times == 1
    desk.input.say(after)
    recorded = desk.recorder.stop()
    np.testing.assert_array_equal(read(desk.path), np.concatenate([before, after]))
    assert recorded.gaps == ()
    assert desk.events.began_times == 2


def test_a_microphone_that_cannot_be_resumed_leaves_it_paused(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.recorder.pause()
    desk.inputs[None] = Problem("microphone.busy", name="Desk")
    with pytest.raises(Problem, match="busy"):
        desk.recorder.resume()
    desk.inputs[None] = FakeInput()
    desk.recorder.resume()
    desk.input.say(noise(0.5))
    assert desk.recorder.stop().seconds == 1.0


def test_what_is_not_paused_is_not_resumed(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.2))
    desk.inputs[None], heard = FakeInput("Another"), desk.input
    desk.recorder.resume()
    heard.say(noise(0.2))
    assert desk.recorder.stop().seconds == 0.4


def test_an_input_that_is_chosen_in_a_pause_is_opened_behind_it(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.2))
    desk.recorder.pause()
    desk.recorder.switch("other")
    desk.inputs["other"] = other = FakeInput("Other")
    desk.recorder.resume()
    other.say(noise(0.2))
    assert desk.recorder.stop().seconds == 0.4
    assert other.closed


def test_recordings_of_the_same_minute_have_names_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Clock:
            return cls(2026, 11, 3, 9, 5)

    monkeypatch.setattr(recording, "datetime", Clock)
    names = []
    for _ in range(3):
        place = recording.new_place(tmp_path / "a" / "b")
        place.touch(exist_ok=False)
        names.append(place.name)
    first = "Recording 2026-11-03 09.05"
    assert names == [f"{first}.flac", f"{first} (2).flac", f"{first} (3).flac"]
