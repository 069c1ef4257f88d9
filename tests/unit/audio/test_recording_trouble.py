"""Microphones that go, inputs that are changed, disks that fill: what came is kept, what never came is marked."""

from __future__ import annotations

import errno
from threading import Event

import numpy as np
import pytest

from desktop_app.app.presentation import problems
from desktop_app.audio import disk, recording, recording_file
from desktop_app.audio.recording import Recorder, Reporter
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.fake_input import Desk, Events, FakeInput, Sound, noise, read
from tests.waiting import wait_until


def test_a_device_that_goes_is_waited_for_and_its_gap_is_marked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_AGAIN", 0.1)
    before, after = noise(0.5), noise(0.5, seed=1)
    desk.clock.hold()
    desk.recorder.start()
    desk.input.say(before)
    desk.taken(before.size)
    gone = desk.input
    desk.inputs[None] = Problem("microphone.not_connected", name="Desk")
    gone.lost = True
    wait_until(lambda: desk.events.troubles)
    assert desk.events.troubles == [str(Problem("microphone.gone", name="Fake"))]
    desk.clock.skip(1.0)
    desk.look()
    assert desk.events.samples / SAMPLE_RATE > 1.0, "the recording goes on"
    desk.inputs[None] = FakeInput()
    desk.clock.skip(1.0)
    desk.look()
    desk.input.say(after)
    wait_until(lambda: desk.events.troubles[-1] is None)
    recorded = desk.recorder.stop()
    assert recorded.gaps == (recording.Gap(0.5, 2.0),)
    (gap,) = recorded.gaps
    sound, missing = read(desk.path), round(gap.seconds * SAMPLE_RATE)
    np.testing.assert_array_equal(sound[:8000], before)
    assert not sound[8000 : 8000 + missing].any()
    np.testing.assert_array_equal(sound[8000 + missing :], after)


def test_a_device_that_goes_twice_is_waited_for_twice_and_is_not_called_mute(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time that it was gone is no silence of its own."""
    monkeypatch.setattr(recording, "_AGAIN", 0.05)
    monkeypatch.setattr(recording, "_STALLED", 1e9)
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.taken(8000)
    for _ in range(2):
        gone = desk.input
        desk.inputs[None] = Problem("microphone.not_connected", name="Desk")
        gone.lost = True
        wait_until(lambda: desk.events.troubles and "microphone.gone" in str(desk.events.troubles[-1]))
        desk.recorder._loud_at -= 60.0  # a minute later
        desk.inputs[None] = FakeInput()
        desk.input.say(np.zeros(1600, np.float32))
        wait_until(lambda: desk.events.troubles[-1] is None)
    recorded = desk.recorder.stop()
    assert len(recorded.gaps) == 2
    assert [trouble is None for trouble in desk.events.troubles] == [False, True, False, True]


def test_a_device_that_has_gone_is_looked_for_now_and_then_and_ever_less_often(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking for it takes computing that the transcription needs."""
    desk.clock.hold()
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.taken(8000)
    looked: list[float] = []

    def look(name: str | None) -> FakeInput:
        looked.append(desk.clock())
        raise Problem("microphone.not_connected", name="Desk")

    monkeypatch.setattr(desk.recorder, "_open", look)
    desk.input.lost = True
    wait_until(lambda: desk.events.troubles)
    for _ in range(60):
        desk.clock.skip(0.5)
        desk.look()
    desk.recorder.stop()
    pauses = np.diff(looked)
    assert (np.diff(pauses) >= 0).all()
    assert (pauses[0], pauses[-1]) == (pytest.approx(1.5), pytest.approx(5.0))
    assert len(looked) < 15


def test_two_troubles_are_told_together_the_gravest_first() -> None:
    events = Events()
    reporter = Reporter(events)
    mute, room = Problem("microphone.mute", name="Desk"), Problem("disk.low", minutes=4)
    reporter.trouble("disk", room)
    reporter.trouble("mute", mute)
    reporter.trouble("mute", mute)
    reporter.trouble("mute", None)
    reporter.trouble("disk", None)
    assert events.troubles == [str(room), f"{mute}, {room}", str(room), None]


def test_a_device_that_only_stops_sending_has_gone_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_STALLED", 0.3)
    desk.recorder.start()
    desk.input.say(noise(0.5))
    wait_until(lambda: desk.events.troubles)
    assert "microphone.gone" in str(desk.events.troubles[0])


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
    wait_until(lambda: old.closed)
    recorded = desk.recorder.stop()
    np.testing.assert_array_equal(read(desk.path), np.concatenate([first, second, third]))
    assert recorded.gaps == ()


def test_of_two_inputs_chosen_one_behind_the_other_the_later_is_heard(desk: Desk) -> None:
    first, other, third = desk.input, FakeInput("Other"), FakeInput("Third")
    desk.inputs.update(other=other, third=third)
    desk.recorder.start()
    first.say(noise(0.2))
    desk.taken(3200)
    desk.recorder.switch("other")
    desk.recorder.switch("third")
    assert (first.closed, other.closed, third.closed) == (True, False, False)
    third.say(noise(0.2))
    wait_until(lambda: other.closed)
    assert desk.recorder.stop().seconds == 0.4
    assert desk.recorder._stream is None


def test_an_input_that_was_chosen_and_said_nothing_is_let_go_at_the_end(desk: Desk) -> None:
    desk.inputs["other"] = other = FakeInput("Other")
    desk.recorder.start()
    desk.input.say(noise(0.2))
    desk.recorder.switch("other")
    assert desk.recorder.stop().seconds == 0.2
    assert desk.input.closed
    assert other.closed


def test_an_input_that_goes_before_it_sent_anything_is_gone_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_STALLED", 1e9)
    new = FakeInput("Other")
    desk.inputs["other"] = new
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.taken(8000)
    new.lost = True
    desk.recorder.switch("other")
    wait_until(lambda: desk.events.troubles)
    assert desk.events.troubles == [str(Problem("microphone.gone", name="Other"))]


def test_another_input_can_be_taken_while_one_is_gone(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.inputs["other"] = FakeInput("Other")
    desk.input.lost = True
    desk.inputs[None] = Problem("microphone.not_connected", name="Desk")
    wait_until(lambda: desk.events.troubles)
    with pytest.raises(Problem, match="third"):
        desk.recorder.switch("third")
    desk.recorder.switch("other")
    desk.open("other").say(noise(0.5))
    wait_until(lambda: desk.events.troubles[-1] is None)
    assert len(desk.recorder.stop().gaps) == 1


def test_an_input_that_cannot_be_had_leaves_the_one_before(desk: Desk) -> None:
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.taken(8000)
    before, desk.inputs[None] = desk.input, FakeInput()
    with pytest.raises(Problem, match="not_connected name='other'"):
        desk.recorder.switch("other")
    assert before.closed
    wait_until(lambda: desk.recorder._stream is desk.input)
    desk.input.say(noise(0.5))
    assert desk.recorder.stop().seconds >= 1.0


def test_what_the_computer_plays_may_send_nothing_while_it_is_quiet(desk: Desk) -> None:
    """WASAPI's loopback: the clock says how long it was quiet, and that is no gap."""
    desk.inputs[None] = FakeInput("Speakers [Loopback]", pauses=True)
    desk.clock.hold()
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.taken(8000)
    desk.clock.skip(1.5)
    desk.look()
    desk.input.say(noise(0.5))
    recorded = desk.recorder.stop()
    assert recorded.gaps == ()
    assert desk.events.troubles == []
    assert recorded.seconds == pytest.approx(2.5, abs=0.001)


def test_exact_silence_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems that forbid the microphone send zeros."""
    monkeypatch.setattr(recording, "_MUTE", 0.2)
    desk.clock.hold()
    desk.recorder.start()
    for _ in range(8):
        desk.input.say(np.zeros(1600, np.float32))
        desk.clock.skip(0.1)
        desk.look()
    wait_until(lambda: desk.events.troubles)
    assert str(desk.events.troubles[0]).startswith("microphone.mute")
    desk.input.say(noise(0.1))
    wait_until(lambda: desk.events.troubles[-1] is None)


def test_silence_from_an_input_that_is_not_listed_any_more_means_that_it_is_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_MUTE", 0.2)
    desk.clock.hold()
    desk.recorder.start()
    desk.input.listed = False
    for _ in range(8):
        desk.input.say(np.zeros(1600, np.float32))
        desk.clock.skip(0.1)
        desk.look()
    wait_until(lambda: desk.events.troubles)
    assert str(desk.events.troubles[0]).startswith("microphone.gone")


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
    write = recording_file.FlacWriter._append

    def append(writer: recording_file.FlacWriter, data: bytes) -> None:
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(writer, data)

    monkeypatch.setattr(recording_file.FlacWriter, "_append", append)
    sound = noise(0.72)  # ten frames
    desk.recorder.start()
    desk.input.say(sound)
    wait_until(lambda: desk.events.samples == sound.size)
    full[0] = True
    desk.input.say(noise(1.0))
    wait_until(lambda: desk.events.recorded)
    recorded = desk.recorder.stop()
    assert recorded == desk.events.recorded
    assert recorded.problem == Problem("disk.full")
    assert problems.sentence(*problems.end_of(recorded)) == (
        "The recording ended early. The disk is full. Everything that was recorded before is kept."
        " Free some space, then try again."
    )
    np.testing.assert_array_equal(read(desk.path), sound)
    assert recorded.seconds == 0.72
    desk.recorder.pause()
    desk.recorder.switch("other")


def test_a_mistake_of_its_own_ends_it_with_all_that_was_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.inputs["other"] = other = FakeInput("Other")
    desk.recorder.start()
    desk.input.say(noise(0.72))
    desk.taken(11_520)
    desk.recorder.switch("other")

    def fail(now: float) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(desk.recorder, "_tick", fail)
    wait_until(lambda: desk.events.recorded)
    recorded = desk.recorder.stop()
    assert recorded.problem == Problem("engine.failed", error="by zero")
    assert recorded.seconds == 0.72
    assert desk.input.closed
    assert other.closed


def test_a_disk_that_becomes_full_is_announced(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    free = [10**10]
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": free[0]}))
    monkeypatch.setattr(recording, "FLUSH", 0.05)
    desk.recorder.start()
    desk.input.say(noise(0.5))
    for minutes, told in [(9.5, 10), (1.5, 2), (0.5, 1)]:
        free[0] = disk.RESERVE + round(minutes * 60 * disk.BYTES_A_SECOND)
        low = str(Problem("disk.low", minutes=told))
        wait_until(lambda low=low: desk.events.troubles and desk.events.troubles[-1] == low)
    free[0] = 10**10
    wait_until(lambda: desk.events.troubles[-1] is None)
    free[0] = disk.RESERVE
    wait_until(lambda: desk.events.recorded)
    assert read(desk.path).size == 8000 - 8000 % 1152


def test_without_room_or_without_a_microphone_nothing_is_begun(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 0}))
    with pytest.raises(Problem, match=r"disk\.full"):
        desk.recorder.start()
    assert desk.input.closed
    desk.inputs[None] = Problem("microphone.none")
    with pytest.raises(Problem, match="none"):
        desk.recorder.start()
    assert desk.recorder.stop().seconds == 0, "who has asked it to stop meanwhile is answered"
    assert list(desk.path.parent.iterdir()) == []


def test_a_recording_of_nothing_leaves_nothing(desk: Desk) -> None:
    desk.recorder.start()
    recorded = desk.recorder.stop()
    assert recorded.problem == Problem("microphone.nothing_heard")
    assert not desk.path.exists()


def test_a_mistake_of_the_listeners_does_not_end_it(desk: Desk) -> None:
    def fail(samples: Sound, start: int) -> None:
        raise ZeroDivisionError

    desk.events.block = fail  # type: ignore[method-assign]
    sound = noise(1.0)
    desk.recorder.start()
    desk.input.say(sound)
    assert desk.recorder.stop().problem is None
    np.testing.assert_array_equal(read(desk.path), sound)


def test_a_driver_that_does_not_let_go_holds_nobody_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_CLOSING", 0.1)
    is_stopped = Event()
    desk.input.close = is_stopped.wait  # type: ignore[method-assign]
    desk.recorder.start()
    desk.input.say(noise(0.5))
    desk.recorder.stop()
    is_stopped.set()


class Held:
    """A file that counts what is done with it. Attributes: samples, synced (how often)."""

    samples = synced = 0

    def sync(self) -> None:
        self.synced += 1

    def cut(self) -> None:
        pass

    def silence(self, samples: int) -> None:
        self.samples += samples


@pytest.fixture
def still(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """A recorder whose clock the test turns, a hundred seconds after it began."""
    monkeypatch.setattr(disk, "check", lambda folder: None)
    recorder = desk.recorder
    recorder._file, recorder._stream = Held(), desk.input  # type: ignore[assignment]
    recorder._arrived_at = recorder._loud_at = recorder._tried_at = recorder._synced_at = 100.0
    recorder._flowing = True
    return recorder


@pytest.mark.parametrize(("seconds", "gone"), [(2.9, False), (3.1, True)])
def test_three_seconds_without_sound_mean_that_a_device_has_gone(
    still: Recorder, desk: Desk, seconds: float, gone: bool
) -> None:
    still._tick(100.0 + seconds)
    assert (still._stream is None, bool(desk.events.troubles)) == (gone, gone)


@pytest.mark.parametrize(("seconds", "silence"), [(0.2, 0), (0.4, 6400)])
def test_an_input_that_pauses_in_silence_is_silent_from_a_third_of_a_second_on(
    still: Recorder, desk: Desk, seconds: float, silence: int
) -> None:
    desk.input.pauses = True
    still._tick(100.0 + seconds)
    assert (still._file.samples, desk.events.troubles) == (silence, [])


@pytest.mark.parametrize(("seconds", "mute"), [(2.9, False), (3.1, True)])
def test_three_seconds_of_exact_silence_are_told(still: Recorder, desk: Desk, seconds: float, mute: bool) -> None:
    still._listen_for_life(desk.input, 0.0, 100.0 + seconds)
    assert bool(desk.events.troubles) is mute


@pytest.mark.parametrize(("seconds", "taken"), [(2.9, False), (3.1, True)])
def test_an_input_that_was_chosen_and_says_nothing_takes_over_all_the_same(
    still: Recorder, desk: Desk, seconds: float, taken: bool
) -> None:
    new = FakeInput("Other")
    still._next = new, 100.0
    still._arrived_at = 100.0 + seconds  # the old one is still heard
    still._tick(100.0 + seconds)
    assert (still._stream is new, desk.input.closed) == (taken, taken)


def test_a_lost_device_is_looked_for_after_a_second_and_then_ever_less_often(still: Recorder, desk: Desk) -> None:
    still._stream = None
    desk.inputs[None] = Problem("microphone.not_connected", name="Desk")
    looked: list[float] = []
    before = still._tried_at
    for tick in range(1001):
        still._tick(100.0 + tick * 0.05)
        if still._tried_at != before:
            looked.append(still._tried_at - before)
            before = still._tried_at
    assert looked[:3] == pytest.approx([1.0, 1.2, 1.44], abs=0.06)
    assert looked[-4:] == pytest.approx([5.0] * 4, abs=0.06)


def test_what_is_recorded_is_on_the_disk_every_half_second(still: Recorder, desk: Desk) -> None:
    desk.input.pauses = True
    for tick in range(1, 101):
        still._tick(100.0 + tick * 0.05 + 1e-6)
    assert still._file.synced == 10
