"""`galley record`: text while somebody speaks; whatever fails, the sound is kept, and its place is said."""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from desktop_app import cli, folders
from desktop_app.app.presentation.problems import sentence
from desktop_app.audio import disk
from desktop_app.audio.files import AudioFile
from desktop_app.audio.microphone import Input
from desktop_app.audio.recording import Recorder, RecorderListener
from desktop_app.cli import record, results
from desktop_app.cli import terminal as cli_terminal
from desktop_app.cli.live_screen import LiveScreen
from desktop_app.library.store import Library
from desktop_app.messages.jobs import Event, Failed, Finished, LiveOptions, LiveUpdate, SegmentReady, Started
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript
from desktop_app.transcript.statistics import Statistics
from tests.fake_input import FakeInput

BUSY, CRASHED = (sentence(Problem("microphone.busy", name="Desk")), sentence(Problem("engine.crashed")))
MODELS = Models("target", "draft", "model", "CPU", "f32", (Problem("model.notice", text="A notice."),))


def segment(number: int, text: str) -> Segment:
    return Segment(number, float(number), number + 1.0, text)


class EngineDouble:
    """Answers with a line a second of sound. `act` may take the place of that."""

    act: Callable[[EngineDouble, int], None] | None = None
    whole = "line 0\nline one\nline 2"
    asked: Options

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self.tell = on_event
        self.samples = 0
        self.segments: list[Segment] = []
        self.closed = self.dead = False

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None:
        self.job, self.path, self.options = job, live.path, options
        self.tell(Started(job, 0.0, MODELS))

    def live_audio(self, job: str, start: int, samples: np.ndarray) -> None:
        assert (job, start) == (self.job, self.samples)
        before, self.samples = self.samples // 16_000, start + samples.size
        for second in range(before, self.samples // 16_000):
            if EngineDouble.act is not None:
                EngineDouble.act(self, second)
            elif not self.dead:
                self.commit(second)

    def commit(self, second: int) -> None:
        new = segment(second, f"line {second}")
        self.segments.append(new)
        self.tell(LiveUpdate(job=self.job, segments=(new,), **UPDATE))

    def stop_live(self, job: str) -> None:
        if self.dead:
            return
        last = segment(len(self.segments), "the last words")
        made = Transcript(self.path, 0.0, "en", 1.0, MODELS, (*self.segments, last))
        self.tell(Finished(job, made))

    def transcribe(
        self, job: str, path: str, options: Options, written: Transcript | None = None, place: None = None
    ) -> None:
        EngineDouble.asked = options
        kept = written.segments if written else ()
        texts = list(enumerate(self.whole.splitlines()))[len(kept) :]
        self.tell(Started(job, 3.0, MODELS))
        for number, text in texts:
            self.tell(SegmentReady(job, segment(number, text)))
        segments = (*kept, *(segment(number, text) for number, text in texts))
        self.tell(Finished(job, Transcript(path, 3.0, "en", 1.0, MODELS, segments)))

    def cancel(self, job: str) -> None:
        self.dead = True

    def close(self) -> None:
        self.closed = True


UPDATE = {
    "final": "final ",
    "provisional": "perhaps ",
    "draft": "guess",
    "start": 0.0,
    "received": 1.0,
    "decoded": 0.5,
    "latency": 0.4,
    "speaking": True,
    "stats": Statistics(),
}


@pytest.fixture(autouse=True)
def studio(monkeypatch: pytest.MonkeyPatch) -> FakeInput:
    """A microphone that speaks noise ten times faster than real time, and an engine."""
    fake = FakeInput("Desk microphone")

    def open_stream(name: str | None) -> FakeInput:
        def speak() -> None:
            noise = np.random.default_rng(0).standard_normal(1600).astype(np.float32) / 10
            while not fake.closed:
                fake.say(noise)
                time.sleep(0.01)

        Thread(target=speak, daemon=True).start()
        return fake

    monkeypatch.setattr(
        cli_terminal, "Recorder", lambda path, name, input_id: Recorder(path, name, input_id, open_stream)
    )
    monkeypatch.setattr(EngineDouble, "act", None)
    monkeypatch.setattr(cli_terminal, "Engine", EngineDouble)
    found = Input("ALSA:desk", "Desk microphone", "ALSA", 1, 16_000, is_default=True, is_system=False)
    monkeypatch.setattr(cli_terminal.microphone, "inputs", lambda: [found])
    return fake


def made(folder: Path, ending: str) -> Path:
    (file,) = folder.glob(f"*.{ending}")
    return file


def test_text_comes_line_by_line_and_both_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "--seconds", "2", "--input", "desk", "--output", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[:2] == ["line 0", "line 1"]
    assert out.splitlines()[-1] == "the last words"
    sound, text = made(tmp_path, "flac"), made(tmp_path, "txt")
    assert text.read_text(encoding="utf-8") == out
    with AudioFile(sound) as audio:
        assert sum(map(len, audio)) >= 32_000
    assert sorted(err.splitlines()[:3]) == ["A notice.", "Press Ctrl-C to stop.", f"The sound is saved to {sound}"]
    assert err.splitlines()[-2].startswith(f"Recording: {sound} (0:0")
    assert err.splitlines()[-1] == f"Transcript: {text}"


def test_speakers_stand_in_the_text_that_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last pass splits a line; on the terminal no line is written twice."""

    def stop(engine: EngineDouble, job: str) -> None:
        assert engine.options.speakers == "2"
        parts = (replace(segment(0, "li"), speaker="S1"), replace(segment(1, "ne 0"), speaker="S2"))
        people = (Speaker("S1", "Speaker 1"), Speaker("S2", "Speaker 2"))
        engine.tell(Finished(job, Transcript(engine.path, 1.0, "en", 1.0, MODELS, parts, people)))

    monkeypatch.setattr(EngineDouble, "act", lambda engine, second: engine.commit(second) if second == 0 else None)
    monkeypatch.setattr(EngineDouble, "stop_live", stop)
    assert cli.main(["record", "--seconds", "1", "--output", str(tmp_path), "--speakers", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == ["line 0"]
    assert made(tmp_path, "txt").read_text(encoding="utf-8").splitlines() == ["Speaker 1: li", "", "Speaker 2: ne 0"]


def test_it_is_a_recording_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "--seconds", "1", "--format", "srt"]) == 0
    library = Library(folders.data() / "library")
    (stored,) = library.recordings()
    assert (stored.state, stored.live) == ("done", True)
    assert Path(stored.path).parent == folders.recordings()
    assert library.transcript(stored.id).segments[-1].text == "the last words"
    assert Path(stored.path).with_suffix(".srt").exists()
    library.close()


@pytest.mark.skipif(sys.platform == "win32", reason="the test needs a terminal of its own")
def test_return_pauses_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pause the microphone is let go; while it is refused afterwards the pause goes on."""
    ours, theirs = os.openpty()
    asked: list[str] = []

    def speak(fake: FakeInput) -> None:
        while not fake.closed:
            fake.say(np.full(1600, 0.1, np.float32))
            time.sleep(0.01)

    def open_stream(name: str | None) -> FakeInput:
        asked.append("open")
        if len(asked) == 3:
            raise Problem("microphone.busy", name="Desk")
        fake = FakeInput("Desk microphone")
        Thread(target=speak, args=(fake,), daemon=True).start()
        return fake

    class Pressing(Recorder):
        def pause(self) -> None:
            super().pause()
            asked.append("pause")
            os.write(ours, b"\n")

    def act(engine: EngineDouble, second: int) -> None:
        engine.commit(second)
        if second == 0:
            os.write(ours, b"\n")

    class Reading(LiveScreen):
        def say(self, sentence: str) -> None:
            super().say(sentence)
            if sentence == "The recording is still paused.":
                os.write(ours, b"\n")

    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setattr(
            cli_terminal, "Recorder", lambda path, name, input_id: Pressing(path, name, input_id, open_stream)
        )
        monkeypatch.setattr(EngineDouble, "act", act)
        monkeypatch.setattr(record, "LiveScreen", Reading)
        assert cli.main(["record", "--seconds", "3", "--output", str(tmp_path)]) == 0
        os.close(ours)
    assert asked == ["open", "pause", "open", "open"]
    out, err = capsys.readouterr()
    assert out.splitlines()[:3] == ["line 0", "line 1", "line 2"]
    said = ("Press ", "Paused", "galley: ", "The recording is ", "Recording again")
    assert [line for line in err.splitlines() if line.startswith(said)] == [
        "Press Return to pause, Ctrl-C to stop.",
        "Paused. Press Return to resume.",
        f"galley: {BUSY}",
        "The recording is still paused.",
        "Recording again.",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
def test_ctrl_c_ends_it_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(engine: EngineDouble, second: int) -> None:
        engine.commit(second)
        if second == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(EngineDouble, "act", act)
    assert cli.main(["record", "--output", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "the last words"


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
def test_a_second_ctrl_c_keeps_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EngineDouble, "stop_live", lambda engine, job: signal.raise_signal(signal.SIGINT))
    assert cli.main(["record", "--seconds", "1", "--output", str(tmp_path)]) == 130
    err = capsys.readouterr().err
    sound = made(tmp_path, "flac")
    assert f"The transcript is incomplete. Transcribe the whole recording: galley transcribe '{sound}'" in err
    assert made(tmp_path, "txt").read_text(encoding="utf-8").startswith("line 0\n")
    with AudioFile(sound) as audio:
        assert sum(map(len, audio)) >= 16_000


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_it_with_everything_saved(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a shutdown, and when the terminal's window is closed, nobody waits for the last words."""
    number = getattr(signal, name)

    def act(engine: EngineDouble, second: int) -> None:
        engine.commit(second)
        if second == 1:
            os.kill(os.getpid(), number)
            os.kill(os.getpid(), number)

    monkeypatch.setattr(EngineDouble, "act", act)
    monkeypatch.setattr(EngineDouble, "stop_live", lambda engine, job: None)
    assert cli.main(["record", "--output", str(tmp_path)]) == 128 + number
    err = capsys.readouterr().err
    sound = made(tmp_path, "flac")
    assert f"Recording: {sound} (0:0" in err
    assert made(tmp_path, "txt").read_text(encoding="utf-8").startswith("line 0\n")
    with AudioFile(sound) as audio:
        assert sum(map(len, audio)) >= 32_000


@pytest.mark.skipif(sys.platform == "win32", reason="the test closes a pipe")
def test_a_terminal_that_is_gone_takes_nothing_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever read the text has enough, or the window is closed and every word fails: sound and text are kept."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        monkeypatch.setattr(sys, "stderr", gone)
        assert cli.main(["record", "--output", str(tmp_path)]) == 1
    assert made(tmp_path, "txt").read_text(encoding="utf-8").startswith("line 0\n")
    with AudioFile(made(tmp_path, "flac")) as audio:
        assert sum(map(len, audio)) >= 16_000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_why_text_that_cannot_be_written_ends_it_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert cli.main(["record", "--output", str(tmp_path)]) == 1
        monkeypatch.undo()
    err = capsys.readouterr().err
    assert err.count("galley: The output cannot be written (No space left on device). Free some space for it.\n") == 1
    assert made(tmp_path, "txt").read_text(encoding="utf-8").startswith("line 0\n")
    with AudioFile(made(tmp_path, "flac")) as audio:
        assert sum(map(len, audio)) >= 16_000


def test_a_full_disk_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded until then is kept, with its text."""
    begun = time.monotonic()

    def check(folder: Path) -> None:
        if time.monotonic() > begun + 1.5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(disk, "check", check)
    assert cli.main(["record", "--output", str(tmp_path)]) == 1
    err = capsys.readouterr().err
    early = sentence(Problem("microphone.ended_early", cause=Problem("disk.full")))
    assert f"galley: {early}" in err
    assert made(tmp_path, "txt").read_text(encoding="utf-8").endswith("the last words\n")
    with AudioFile(made(tmp_path, "flac")) as audio:
        assert sum(map(len, audio)) >= 16_000


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_text_for_which_there_is_no_room_can_be_had_again(
    interrupted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of an interrupted recording too; the command is said once."""

    def full(place: Path, content: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(results.atomic, "write", full)
    if interrupted:
        monkeypatch.setattr(EngineDouble, "stop_live", lambda *asked: signal.raise_signal(signal.SIGINT))
    assert cli.main(["record", "--seconds", "1", "--output", str(tmp_path)]) == (130 if interrupted else 1)
    sound = made(tmp_path, "flac")
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"{sound.with_suffix('.txt')}: The transcript cannot be written (No space left on device). "
        f"Free some space, then transcribe the recording: galley transcribe '{sound}'"
    )
    with AudioFile(sound) as audio:
        assert sum(map(len, audio)) >= 16_000


def test_two_that_begin_at_once_have_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one takes the name after the look for a free one."""
    taken: list[Path] = []

    def open_stream(name: str | None) -> FakeInput:
        fake = FakeInput("Desk microphone")

        def speak() -> None:
            while not fake.closed:
                fake.say(np.full(1600, 0.1, np.float32))
                time.sleep(0.01)

        Thread(target=speak, daemon=True).start()
        return fake

    def recorder(path: Path, name: str | None, listener: RecorderListener) -> Recorder:
        if not taken:
            taken.append(path)
            path.write_bytes(b"of the other")
        return Recorder(path, name, listener, open_stream)

    monkeypatch.setattr(cli_terminal, "Recorder", recorder)
    monkeypatch.setattr(EngineDouble, "cancel", lambda engine, job: None)  # of the first attempt
    assert cli.main(["record", "--seconds", "1", "--output", str(tmp_path)]) == 0
    assert taken[0].read_bytes() == b"of the other"
    library = Library(folders.data() / "library")
    (stored,) = library.recordings()
    library.close()
    assert Path(stored.path).name == f"{taken[0].stem} (2).flac"
    assert Path(stored.path).with_suffix(".txt").exists()


def test_without_an_engine_the_recording_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(engine: EngineDouble, second: int) -> None:
        if second == 0:
            engine.commit(second)
        elif not engine.dead:
            engine.dead = True
            engine.tell(Failed(engine.job, Problem("engine.crashed")))

    monkeypatch.setattr(EngineDouble, "act", act)
    assert cli.main(["record", "--seconds", "3", "--output", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == "line 0\n"
    assert f"galley: The transcript stops here. {CRASHED} The recording continues." in err
    sound = made(tmp_path, "flac")
    with AudioFile(sound) as audio:
        assert sum(map(len, audio)) >= 48_000
    assert f"galley transcribe '{sound}'" in err


def test_without_a_microphone_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str | None) -> FakeInput:
        raise Problem("microphone.busy", name="Desk")

    monkeypatch.setattr(cli_terminal, "Recorder", lambda path, name, input_id: Recorder(path, name, input_id, refuse))
    assert cli.main(["record", "--output", str(tmp_path)]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == f"galley: {BUSY}"
    assert cli.main(["record", "--input", "nose", "--output", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "galley: There is no input called nose. Run galley devices to list the inputs.\n"
    assert list(tmp_path.iterdir()) == []
    library = Library(folders.data() / "library")
    assert library.recordings() == []
    library.close()


def test_a_check_says_how_many_words_would_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "--seconds", "1", "--check", "--output", str(tmp_path)]) == 0
    err = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"The re-check would change \d+ words\.", err[-2])
    checked = made(tmp_path, "checked.txt")
    assert err[-1] == f"Re-checked transcript: {checked}"
    assert checked.read_text(encoding="utf-8") == "line 0\nline one\nline 2\n"


def test_interrupted_recordings_are_offered_and_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = tmp_path / "Recording.flac"
    sound.write_bytes(b"fLaC" + bytes(5000))
    library = Library(folders.data() / "library")
    library.add_live(str(sound))
    library.add_live(str(tmp_path / "unplugged" / "gone.flac"))
    library.close()
    assert cli.main(["record", "--seconds", "1", "--output", str(tmp_path / "new")]) == 0
    err = capsys.readouterr().err.splitlines()
    assert err[0].startswith("A recording of ")
    assert err[0].endswith(f"was interrupted. Its sound is kept in {sound}")
    assert err[1] == "Transcribe interrupted recordings: galley record --recover"
    assert cli.main(["record", "--recover", "--speakers", "2"]) == 0
    assert (EngineDouble.asked.speakers, EngineDouble.asked.words) == ("2", True), "each word has its speaker"
    assert sound.with_suffix(".txt").read_text(encoding="utf-8") == "line 0\nline one\nline 2\n"
    capsys.readouterr()
    assert cli.main(["record", "--recover"]) == 0
    assert capsys.readouterr().err == "There are no interrupted recordings.\n"


def test_one_that_was_interrupted_before_its_first_sound_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = tmp_path / "Recording.flac"
    sound.write_bytes(bytes(42))
    library = Library(folders.data() / "library")
    library.add_live(str(sound))
    library.close()
    assert cli.main(["record", "--recover"]) == 0
    first, second = capsys.readouterr().err.splitlines()
    assert re.fullmatch("A recording of .* was interrupted before its first sound. It was removed.", first)
    assert second == "There are no interrupted recordings."
    assert not sound.exists()


def test_why_an_interrupted_recording_cannot_be_transcribed_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = tmp_path / "Recording.flac"
    sound.write_bytes(b"fLaC" + bytes(5000))
    library = Library(folders.data() / "library")
    library.add_live(str(sound))
    library.close()

    def fail(engine: EngineDouble, job: str, *about: object) -> None:
        engine.tell(Failed(job, Problem("engine.crashed")))

    monkeypatch.setattr(EngineDouble, "transcribe", fail)
    assert cli.main(["record", "--recover"]) == 1
    assert f"{sound}: {CRASHED}" in capsys.readouterr().err


def test_the_lines_of_an_interrupted_recording_stand_and_a_check_shows_what_the_file_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = tmp_path / "Recording.flac"
    sound.write_bytes(b"fLaC" + bytes(5000))
    library = Library(folders.data() / "library")
    kept = library.add_live(str(sound))
    library.begin(kept.id, MODELS, 0.0)
    library.append(kept.id, segment(0, "said and written"))
    library.close()
    assert cli.main(["record", "--recover", "--check"]) == 0
    assert sound.with_suffix(".txt").read_text(encoding="utf-8") == "said and written\nline one\nline 2\n"
    assert sound.with_suffix(".checked.txt").read_text(encoding="utf-8") == "line 0\nline one\nline 2\n"
    assert "The re-check would change 3 words." in capsys.readouterr().err
    library = Library(folders.data() / "library")
    assert [line.text for line in library.transcript(kept.id).segments] == ["said and written", "line one", "line 2"]
    library.close()


@pytest.mark.parametrize("said", [True, False])
def test_the_guard_says_what_it_did_and_can_be_left_out(
    said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = (GuardReport(3.0, 9.0, "silence", "Thanks."),) if said else ()

    def stop(engine: EngineDouble, job: str) -> None:
        assert engine.options.guard is said
        engine.tell(
            Finished(job, Transcript(engine.path, 1.0, "en", 1.0, MODELS, tuple(engine.segments), guarded=reports))
        )

    monkeypatch.setattr(EngineDouble, "stop_live", stop)
    option = [] if said else ["--no-guard"]
    assert cli.main(["record", "--seconds", "1", "--output", str(tmp_path), *option]) == 0
    told = "Hallucinated text removed (0:03–0:09)." in capsys.readouterr().err.splitlines()
    assert told is said


def test_a_library_that_cannot_be_kept_does_not_stop_a_recording(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "data").mkdir()
    (home / "data" / "library").write_text("a file in its place")
    assert cli.main(["record", "--seconds", "1", "--output", str(tmp_path)]) == 0
    assert "galley: Transcripts cannot be saved. " in capsys.readouterr().err
    assert made(tmp_path, "txt").exists()


def test_a_library_that_fails_in_the_middle_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise Problem("disk.full")

    monkeypatch.setattr(Library, "append", full)
    assert cli.main(["record", "--seconds", "3", "--output", str(tmp_path)]) == 0
    assert capsys.readouterr().err.count(f"galley: {sentence(Problem('disk.full'))}\n") == 1
    assert made(tmp_path, "txt").read_text(encoding="utf-8").startswith("line 0\nline 1\n")


@pytest.mark.parametrize("wrong", ["0", "-1", "soon", "inf", "nan"])
def test_a_length_of_time_is_a_number(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", f"--seconds={wrong}"]) == 2
    assert "is not a number of seconds" in capsys.readouterr().err


def test_on_a_terminal_the_draft_is_grey_and_the_meter_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    shown.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(sys, "stdout", shown)
    assert cli.main(["record", "--seconds", "3", "--output", str(tmp_path), "--input", "desk"]) == 0
    text = shown.getvalue()
    assert "final \x1b[2mperhaps \x1b[0m\x1b[3;90mguess" in text
    assert "█" in text
    assert "Desk microphone" in text
    assert "0.4 s delay" in text
    assert "line 0" in text
