"""Recordings on a real computer: sound through PortAudio, a pulled microphone, a killed program, a full disk."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from desktop_app.audio import disk, microphone
from desktop_app.audio.recording import Recorder
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests import virtual_microphone
from tests.command import GALLEY
from tests.fake_input import Events, FakeInput, Sound, read
from tests.killed import MARK, marked
from tests.virtual_microphone import VirtualMicrophone
from tests.waiting import LONGEST, wait_until

TESTS = Path(__file__).resolve().parents[1]
CLIP = TESTS / "data" / "clips" / "04.flac"

# Records noise in real time and says, before each tenth of a second, how much has been said so far.
RECORD = """
import sys, time
from pathlib import Path
import numpy as np
from desktop_app.audio.recording import Recorder
from tests.fake_input import Events, FakeInput

fake, noise = FakeInput(), np.random.default_rng(0).integers(-9000, 9000, 16000 * 60) / np.float32(2**15)
Recorder(Path(sys.argv[1]), None, Events(), lambda name: fake).start()
began = time.monotonic()
for number in range(600):
    time.sleep(max(0, began + (number + 1) / 10 - time.monotonic()))
    print((number + 1) * 1600, flush=True)
    fake.say(noise[number * 1600 : (number + 1) * 1600].astype(np.float32))
"""


def likeness(recorded: Sound, clip: Sound) -> float:
    """1 if the clip is somewhere in the recording as it is; the correlation at the place where that is highest. It is
    0.99 where a sound server has delayed it by a part of a sample."""
    size = 1 << (recorded.size + clip.size).bit_length()
    product = np.fft.rfft(recorded, size) * np.conj(np.fft.rfft(clip, size))
    at = int(np.fft.irfft(product, size)[: recorded.size].argmax())
    found = recorded[at : at + clip.size]
    wanted = clip[: found.size]
    return float(found @ wanted / np.sqrt((found @ found) * (clip @ clip) + 1e-9))


@pytest.fixture(params=virtual_microphone.SERVERS)
def server(request: pytest.FixtureRequest) -> str:
    """The sound servers of Linux."""
    return str(request.param)


@pytest.fixture
def real(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualMicrophone]:
    """A microphone that PortAudio hears."""
    if why := virtual_microphone.lacking(server):
        pytest.skip(why)
    with virtual_microphone.plugged(monkeypatch, server) as plugged:
        yield plugged


def test_real_portaudio_lists_the_inputs(real: VirtualMicrophone, server: str) -> None:
    first, second = [one for one in microphone.inputs() if one.host == server]
    assert (first.name, first.is_default, first.is_system) == (virtual_microphone.NAME, True, False)
    assert (second.name, second.is_default, second.is_system) == (virtual_microphone.SYSTEM, False, True)
    real.pull()
    with pytest.raises(Problem, match=r"microphone.none"):
        microphone.open_stream(None)


def test_what_is_played_is_heard_and_a_pulled_microphone_is_waited_for(real: VirtualMicrophone, tmp_path: Path) -> None:
    """First what the computer plays, then, by one call, the microphone; that is pulled, and put back."""
    events, clip = Events(), read(CLIP)
    recorder = Recorder(tmp_path / "pulled.flac", microphone.find(virtual_microphone.SYSTEM).id, events)
    recorder.start()
    wait_until(lambda: events.began_times)
    assert real.play(CLIP).wait(LONGEST) == 0
    recorder.switch(microphone.find(virtual_microphone.NAME).id)
    wait_until(lambda: recorder._stream is not None and recorder._stream.name == virtual_microphone.NAME)
    before = events.samples / SAMPLE_RATE
    real.pull()
    wait_until(lambda: events.troubles)
    assert str(events.troubles[0]).startswith("microphone.gone ")
    real.put_back()
    wait_until(lambda: events.troubles[-1] is None)
    assert real.play(CLIP).wait(LONGEST) == 0
    time.sleep(0.5)
    recorded = recorder.stop()
    (gap,) = recorded.gaps
    assert gap.start > before - 0.2
    sound = read(recorded.path)
    back = round((gap.start + gap.seconds) * SAMPLE_RATE)
    assert likeness(sound[:back], clip) > 0.98
    assert likeness(sound[back:], clip) > 0.98
    assert recorded.seconds == pytest.approx(sound.size / SAMPLE_RATE)
    np.testing.assert_array_equal(events.sound, sound)
    assert max(peak for peak, _ in events.levels) > 0.05


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
def test_a_program_killed_at_any_moment_loses_less_than_a_second(tmp_path: Path) -> None:
    noise = (np.random.default_rng(0).integers(-9000, 9000, SAMPLE_RATE * 60) / 2**15).astype(np.float32)
    files = [tmp_path / f"{number}.flac" for number in range(3)]
    programs = [
        subprocess.Popen([sys.executable, "-c", RECORD, str(file)], stdout=subprocess.PIPE, text=True, cwd=TESTS.parent)
        for file in files
    ]
    for program in programs:
        assert program.stdout is not None
        program.stdout.readline()
    for wait_for, program, file in zip(np.random.default_rng().uniform(0.8, 1.6, 3), programs, files, strict=True):
        time.sleep(wait_for)
        program.send_signal(signal.SIGKILL)
        out, _ = program.communicate()
        said = int(out.split()[-1])
        kept = read(file)
        assert kept.size > said - SAMPLE_RATE, f"{(said - kept.size) / SAMPLE_RATE:.2f} s lost"
        np.testing.assert_array_equal(kept, noise[: kept.size])


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
def test_a_killed_galley_offers_its_recording_at_the_next_start(real: VirtualMicrophone, home: Path) -> None:
    program = subprocess.Popen([*GALLEY, "record"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    folder = home / "data" / "Recordings"
    wait_until(lambda: any(file.stat().st_size > 100 for file in folder.glob("*.flac")))
    assert real.play(CLIP).wait(LONGEST) == 0
    time.sleep(1.0)
    program.send_signal(signal.SIGKILL)
    program.communicate()
    (file,) = folder.iterdir()
    assert likeness(read(file), read(CLIP)) > 0.98
    with contextlib.closing(Library(home / "data" / "library")) as library:
        (stored,) = library.recordings()
    assert (stored.state, stored.live, stored.path) == ("interrupted", True, str(file))


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
@pytest.mark.parametrize("server", [virtual_microphone.PULSEAUDIO])
def test_the_lines_of_a_killed_galley_stand_and_the_rest_is_written(real: VirtualMicrophone, home: Path) -> None:
    """The sound of the first line is not transcribed once more: a mark in its text is still there."""
    galley = [*GALLEY, "record"]
    program = subprocess.Popen(galley, stderr=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    wait_until(lambda: any(file.stat().st_size > 100 for file in (home / "data" / "Recordings").glob("*.flac")))
    assert real.play(CLIP).wait(LONGEST) == 0
    assert program.stdout is not None
    assert program.stdout.readline(), "the first line"
    assert real.play(CLIP).wait(LONGEST) == 0
    program.send_signal(signal.SIGKILL)
    program.communicate()
    key, line = marked(home)
    assert subprocess.run([*galley, "--recover", "--no-guard"], capture_output=True).returncode == 0
    with contextlib.closing(Library(home / "data" / "library")) as library:
        (stored,) = library.recordings()
        text = library.transcript(key)
    assert (stored.id, stored.state) == (key, "done")
    assert text.segments[0] == line
    assert text.segments[1].start >= line.end - 0.01, "the second time that the clip was played"
    assert text.seconds == pytest.approx(read(Path(stored.path)).size / SAMPLE_RATE)
    assert Path(stored.path).with_suffix(".txt").read_text(encoding="utf-8").startswith(f"{MARK}\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of three megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=3m", "galley-tests", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("reserve", [disk.RESERVE, 0], ids=["some room is left", "the last byte is taken"])
def test_a_full_disk_ends_a_recording_that_can_be_read(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, reserve: int
) -> None:
    """With no reserve it is the disk itself that refuses, in the middle of a frame."""
    monkeypatch.setattr(disk, "RESERVE", reserve)
    if not reserve:
        monkeypatch.setattr(disk, "check", lambda folder: None)
    events, fake = Events(), FakeInput()
    recorder = Recorder(small_disk / "full.flac", None, events, lambda name: fake)
    recorder.start()
    noise = (np.random.default_rng(0).integers(-(2**15), 2**15, SAMPLE_RATE) / 2**15).astype(np.float32)
    for number in range(200):
        wait_until(lambda: fake.ring.room > SAMPLE_RATE or events.recorded)
        fake.say(np.roll(noise, number))
        time.sleep(0.05 if reserve else 0)  # the disk is looked at twice a second
        if events.recorded:
            break
    wait_until(lambda: events.recorded)
    recorded = recorder.stop()
    assert recorded.problem == Problem("disk.full")
    if reserve:
        assert str(events.troubles[0]).startswith("disk.low ")
        assert shutil.disk_usage(small_disk).free > reserve / 2
    sound = read(recorded.path)
    assert sound.size == round(recorded.seconds * SAMPLE_RATE) > 30 * SAMPLE_RATE
    for second in range(sound.size // SAMPLE_RATE):
        np.testing.assert_array_equal(sound[second * SAMPLE_RATE : (second + 1) * SAMPLE_RATE], np.roll(noise, second))
    assert os.listdir(small_disk) == ["full.flac"]
