"""A recording loses nothing: what came is in the file sample for sample, what never came is marked."""

from __future__ import annotations

import errno
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from desktop_app.audio import disk, recording, tape
from desktop_app.audio.files import AudioFile
from desktop_app.audio.microphone import MicrophoneProblem
from desktop_app.audio.recording import Recorder
from tests.fake_input import FakeInput, Heard

Sound = npt.NDArray[np.float32]
RATE = 16_000
HOURS = float(os.environ.get("GALLEY_SOAK_HOURS", "0.02"))


def noise(seconds: float, rate: int = RATE, seed: int = 0) -> Sound:
    """Sound whose every sample 16 bits can hold."""
    whole = np.random.default_rng(seed).integers(-20_000, 20_000, round(seconds * rate))
    return (whole / 2**15).astype(np.float32)


def read(path: Path) -> Sound:
    with AudioFile(path) as audio:
        sound = np.concatenate(list(audio))
    assert audio.damage == ""
    return sound


def wait(happened: Callable[[], object], seconds: float = 10.0) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.005)


class Desk:
    """Inputs by name, a recorder and its listener."""

    def __init__(self, path: Path) -> None:
        self.path, self.heard = path, Heard()
        self.inputs: dict[str | None, FakeInput | MicrophoneProblem] = {None: FakeInput()}
        self.recorder = Recorder(path, None, self.heard, self.open)

    def open(self, name: str | None) -> FakeInput:
        found = self.inputs.get(name, MicrophoneProblem(f"{name} is not connected", "connect it"))
        if isinstance(found, MicrophoneProblem):
            raise found
        return found

    @property
    def input(self) -> FakeInput:
        return self.open(None)

    def taken(self, samples: int) -> None:
        """Wait until so much is on its way to the file."""
        wait(lambda: self.recorder._tape.samples >= samples)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "made" / "it.flac")
    yield made
    if made.recorder._thread.is_alive():
        made.recorder.stop()


def test_every_sample_is_in_the_file_and_was_told_in_order(desk: Desk) -> None:
    sound = noise(3.3)
    desk.recorder.start()
    assert desk.heard.began_times == 0
    for part in np.array_split(sound, 40):
        desk.input.say(part)
    recorded = desk.recorder.stop()
    np.testing.assert_array_equal(read(desk.path), sound)
    np.testing.assert_array_equal(desk.heard.sound, sound)
    assert recorded == recording.Recorded(desk.path, 3.3, ())
    assert desk.heard.recorded == recorded
    assert desk.heard.began_times == 1
    assert desk.heard.troubles == []
    assert desk.input.closed


def test_the_listener_hears_only_what_is_in_the_file(desk: Desk) -> None:
    """Disk first: at the moment of each call the file holds the block."""
    shortages = []

    def block(samples: Sound, start: int) -> None:
        held = read(desk.path).size
        if held < start + samples.size:
            shortages.append((held, start + samples.size))

    desk.heard.block = block  # type: ignore[method-assign]
    desk.recorder.start()
    for part in np.array_split(noise(1.0), 5):
        desk.input.say(part)
        time.sleep(0.06)
    desk.recorder.stop()
    assert shortages == []


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
    wanted = 0.5 * np.sin(2 * np.pi * 440 * np.arange(found.size) / RATE)
    np.testing.assert_allclose(found[800:-800], wanted[800:-800], atol=2e-3)


def test_recording_is_said_only_after_the_first_sample(desk: Desk) -> None:
    desk.recorder.start()
    time.sleep(0.3)
    assert desk.heard.began_times == 0
    desk.input.say(noise(0.1))
    wait(lambda: desk.heard.levels)
    assert desk.heard.began_times == 1
    peak, rms = desk.heard.levels[0]
    assert 0.5 < peak < 1
    assert 0.1 < rms < peak


def test_hours_of_it_lose_no_block_and_take_no_memory(desk: Desk) -> None:
    """Faster than real time: a minute here, two hours by `make soak`."""
    fake, block, samples = desk.input, noise(1.0), round(HOURS * 3600)
    heard = [0]

    def listen(sound: Sound, start: int) -> None:
        assert start == heard[0]
        heard[0] += sound.size

    desk.heard.block = listen  # type: ignore[method-assign]
    desk.heard.level = lambda peak, rms: None  # type: ignore[method-assign]
    desk.recorder.start()
    measured = []
    tracemalloc.start()
    for second in range(samples):
        wait(lambda: fake.ring.room >= 2 * RATE)
        fake.say(np.roll(block, second))
        if second in (samples // 3, samples - 1):
            wait(lambda: not fake.ring.waiting)
            desk.taken((second + 1) * RATE)
            measured.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    recorded = desk.recorder.stop()
    assert recorded == recording.Recorded(desk.path, float(samples), ())
    assert heard[0] == samples * RATE
    assert measured[1] - measured[0] < 1_000_000
    with AudioFile(desk.path) as audio:
        sound, second = np.zeros(0, np.float32), 0
        for piece in audio:
            sound = np.concatenate([sound, piece])
            while sound.size >= RATE:
                np.testing.assert_array_equal(sound[:RATE], np.roll(block, second))
                sound, second = sound[RATE:], second + 1
    assert (second, sound.size, audio.damage) == (samples, 0, "")


def test_a_pause_is_cut_out_and_the_microphone_is_let_go(desk: Desk) -> None:
    before, after = noise(0.5), noise(0.7, seed=1)
    desk.recorder.start()
    desk.input.say(before)
    desk.recorder.pause()
    assert desk.input.closed
    desk.inputs[None] = FakeInput()
    time.sleep(0.3)
    desk.recorder.resume()
    assert desk.heard.began_times == 1
    desk.input.say(after)
    recorded = desk.recorder.stop()
    np.testing.assert_array_equal(read(desk.path), np.concatenate([before, after]))
    assert recorded.gaps == ()
    assert desk.heard.began_times == 2


def test_a_microphone_that_cannot_be_resumed_leaves_it_paused(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.recorder.pause()
    desk.inputs[None] = MicrophoneProblem("another program holds it", "close that")
    with pytest.raises(MicrophoneProblem, match="holds it"):
        desk.recorder.resume()
    desk.inputs[None] = FakeInput()
    desk.recorder.resume()
    desk.input.say(noise(0.5))
    assert desk.recorder.stop().seconds == 1.0


def test_a_device_that_goes_is_waited_for_and_its_gap_is_marked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_AGAIN", 0.1)
    before, after = noise(0.5), noise(0.5, seed=1)
    desk.recorder.start()
    desk.input.say(before)
    desk.taken(before.size)
    gone = desk.input
    desk.inputs[None] = MicrophoneProblem("it is not connected", "connect it")
    gone.lost = True
    wait(lambda: desk.heard.troubles)
    assert desk.heard.troubles == [
        "Fake is gone; connect it again, or choose another input; the recording goes on then"
    ]
    time.sleep(1.0)
    heard = desk.heard.samples / RATE
    assert heard > 1.0, "the clock goes on"
    desk.inputs[None] = FakeInput()
    time.sleep(0.3)
    desk.input.say(after)
    wait(lambda: desk.heard.troubles[-1] is None)
    recorded = desk.recorder.stop()
    (gap,) = recorded.gaps
    assert gap.start == pytest.approx(0.5, abs=0.001)
    assert 1.0 < gap.seconds < 5.0
    sound, missing = read(desk.path), round(gap.seconds * RATE)
    np.testing.assert_array_equal(sound[:8000], before)
    assert not sound[8000 : 8000 + missing].any()
    np.testing.assert_array_equal(sound[8000 + missing :], after)


def test_a_device_that_only_stops_sending_has_gone_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_STALLED", 0.3)
    desk.recorder.start()
    desk.input.say(noise(0.5))
    wait(lambda: desk.heard.troubles)
    assert "is gone" in str(desk.heard.troubles[0])


def test_one_call_takes_another_input_without_a_gap(desk: Desk) -> None:
    """Until the new one sends something the old one is heard."""
    first, second, third = noise(0.5), noise(0.25, seed=1), noise(0.5, seed=2)
    old, new = desk.input, FakeInput("Other")
    desk.inputs["other"] = new
    desk.recorder.start()
    old.say(first)
    desk.recorder.switch("other")
    old.say(second)
    desk.taken(first.size + second.size)
    assert not old.closed
    new.say(third)
    wait(lambda: old.closed)
    recorded = desk.recorder.stop()
    np.testing.assert_array_equal(read(desk.path), np.concatenate([first, second, third]))
    assert recorded.gaps == ()


def test_another_input_can_be_taken_while_one_is_gone(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.inputs["other"] = FakeInput("Other")
    desk.input.lost = True
    desk.inputs[None] = MicrophoneProblem("it is not connected", "connect it")
    wait(lambda: desk.heard.troubles)
    with pytest.raises(MicrophoneProblem, match="third"):
        desk.recorder.switch("third")
    desk.recorder.switch("other")
    desk.open("other").say(noise(0.5))
    wait(lambda: desk.heard.troubles[-1] is None)
    assert len(desk.recorder.stop().gaps) == 1


def test_an_input_that_cannot_be_had_leaves_the_one_before(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.taken(8000)
    before, desk.inputs[None] = desk.input, FakeInput()
    with pytest.raises(MicrophoneProblem, match="other is not connected"):
        desk.recorder.switch("other")
    assert before.closed
    wait(lambda: desk.recorder._stream is desk.input)
    desk.input.say(noise(0.5))
    assert desk.recorder.stop().seconds >= 1.0


def test_what_the_computer_plays_may_send_nothing_while_it_is_quiet(desk: Desk) -> None:
    """WASAPI's loopback: the clock says how long it was quiet, and that is no gap."""
    desk.inputs[None] = FakeInput("Speakers [Loopback]", pauses=True)
    desk.recorder.start()
    wait(lambda: desk.heard.began_times)
    desk.input.say(noise(0.5))
    time.sleep(1.0)
    desk.input.say(noise(0.5))
    recorded = desk.recorder.stop()
    assert recorded.gaps == ()
    assert desk.heard.troubles == []
    assert 1.9 < recorded.seconds < 4.0


def test_exact_silence_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems that forbid the microphone send zeros."""
    monkeypatch.setattr(recording, "_MUTE", 0.2)
    desk.recorder.start()
    for _ in range(8):
        desk.input.say(np.zeros(1600, np.float32))
        time.sleep(0.06)
    wait(lambda: desk.heard.troubles)
    assert str(desk.heard.troubles[0]).startswith("nothing but silence comes from Fake; unmute it")
    desk.input.say(noise(0.1))
    wait(lambda: desk.heard.troubles[-1] is None)


def test_silence_from_an_input_that_is_not_listed_any_more_means_that_it_is_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_MUTE", 0.2)
    desk.recorder.start()
    desk.input.listed = False
    for _ in range(8):
        desk.input.say(np.zeros(1600, np.float32))
        time.sleep(0.06)
    wait(lambda: desk.heard.troubles)
    assert str(desk.heard.troubles[0]).startswith("Fake is gone")


def test_what_the_program_was_too_busy_for_is_marked(desk: Desk) -> None:
    first, second = noise(0.5), noise(0.5, seed=1)
    desk.recorder.start()
    desk.input.say(first)
    desk.taken(first.size)
    desk.input.ring._unnoted = 1600  # as a full ring counts
    desk.input.say(second)
    recorded = desk.recorder.stop()
    assert recorded.gaps == (recording.Gap(0.5, 0.1),)
    np.testing.assert_array_equal(read(desk.path), np.concatenate([first, np.zeros(1600, np.float32), second]))


def test_a_full_disk_ends_it_with_all_that_was_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    full = [False]
    write = tape.FlacWriter._append

    def append(writer: tape.FlacWriter, data: bytes) -> None:
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(writer, data)

    monkeypatch.setattr(tape.FlacWriter, "_append", append)
    sound = noise(0.72)  # ten frames
    desk.recorder.start()
    desk.input.say(sound)
    wait(lambda: desk.heard.samples == sound.size)
    full[0] = True
    desk.input.say(noise(1.0))
    wait(lambda: desk.heard.recorded)
    recorded = desk.recorder.stop()
    assert recorded == desk.heard.recorded
    assert recorded.notice == (
        "The recording ended early: the disk is full; what came before is kept. Now make room, then record again."
    )
    np.testing.assert_array_equal(read(desk.path), sound)
    assert recorded.seconds == 0.72
    desk.recorder.pause()
    desk.recorder.switch("other")


def test_a_disk_that_becomes_full_is_announced(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    free = [10**10]
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": free[0]}))
    monkeypatch.setattr(recording, "FLUSH", 0.05)
    desk.recorder.start()
    desk.input.say(noise(0.5))
    for minutes, said in [(9.5, "9 more minutes"), (1.5, "one more minute"), (0.5, "less than a minute")]:
        free[0] = disk.RESERVE + round(minutes * 60 * disk.BYTES_A_SECOND)
        sentence = f"the disk has room for {said}; make room; the recording goes on"
        wait(lambda sentence=sentence: desk.heard.troubles and desk.heard.troubles[-1] == sentence)
    free[0] = 10**10
    wait(lambda: desk.heard.troubles[-1] is None)
    free[0] = disk.RESERVE
    wait(lambda: desk.heard.recorded)
    assert read(desk.path).size == 8000 - 8000 % 1152


def test_without_room_or_without_a_microphone_nothing_is_begun(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 0}))
    with pytest.raises(MicrophoneProblem, match="the disk is full"):
        desk.recorder.start()
    assert desk.input.closed
    desk.inputs[None] = MicrophoneProblem("no microphone is connected", "connect one")
    with pytest.raises(MicrophoneProblem, match="no microphone"):
        desk.recorder.start()
    assert list(desk.path.parent.iterdir()) == []


def test_a_recording_of_nothing_leaves_nothing(desk: Desk) -> None:
    desk.recorder.start()
    recorded = desk.recorder.stop()
    assert recorded.notice == "Nothing was heard, so there is no recording."
    assert not desk.path.exists()


def test_a_mistake_of_the_listeners_does_not_end_it(desk: Desk) -> None:
    def fail(samples: Sound, start: int) -> None:
        raise ZeroDivisionError

    desk.heard.block = fail  # type: ignore[method-assign]
    sound = noise(1.0)
    desk.recorder.start()
    desk.input.say(sound)
    assert desk.recorder.stop().notice == ""
    np.testing.assert_array_equal(read(desk.path), sound)


def test_a_driver_that_does_not_let_go_holds_nobody_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_CLOSING", 0.1)
    desk.input.close = lambda: time.sleep(3.0)  # type: ignore[method-assign]
    desk.recorder.start()
    desk.input.say(noise(0.5))
    began = time.monotonic()
    desk.recorder.stop()
    assert time.monotonic() - began < 2.0
