"""`galley transcribe` with a scripted engine: what goes to which stream, what the exit status says."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from desktop_app import cli, folders
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.system import about
from desktop_app.cli import transcribe, unfinished
from desktop_app.export.formats import FORMATS, Format
from desktop_app.messages.jobs import (
    Event,
    Failed,
    Finished,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
    TentativeLine,
)
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.model import GuardReport, Models, ResumePoint, Segment, Transcript
from desktop_app.transcript.statistics import Statistics

NOTICE = "Trained on toys."
NAMED = "Target with draft model Draft on CPU, f32"
MODELS = Models("Target", "Draft", "model", "CPU", "f32", (Problem("model.notice", text=NOTICE),))
SEGMENTS = (Segment(0, 0.0, 1.0, "Good morning."), Segment(1, 1.0, 2.5, "Good night."))
STATS = Statistics(audio_seconds=2.5, wall_seconds=0.5, tokens=12, target_passes=6, compared=10, drafted=12, accepted=8)
LATER = Segment(2, 6.0, 7.0, "Once more.")


class Scripted:
    """Stands for the engine: the name of a file says what becomes of it."""

    seen: ClassVar[list[Options]] = []
    closed = 0

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._tell = on_event

    def transcribe(
        self, job: str, path: str, options: Options, written: Transcript | None = None, place: ResumePoint | None = None
    ) -> None:
        Scripted.seen.append(options)
        name = Path(path).name
        if written is not None and place is not None:
            self._tell(Started(job, 2.5, MODELS, place.segments))
            made = replace(written, segments=(*written.segments, SEGMENTS[1]), seconds=2.5)
            self._tell(SegmentReady(job, SEGMENTS[1]))
            self._tell(Finished(job, made))
            return
        if name.startswith("bad"):
            self._tell(Failed(job, Problem("file.empty")))
            return
        if name.startswith("nothing"):
            self._tell(Started(job, 2.5, MODELS))
            self._tell(Finished(job, Transcript(path, 2.5, "en", 0.9, MODELS)))
            return
        if name.startswith("nomodel"):
            self._tell(Failed(job, Problem("model.unknown", name="x", names="base")))
            return
        self._tell(Preparing(job, "loading", {"name": "Target"}))
        self._tell(Started(job, 2.5, MODELS))
        self._tell(Tentative(job, (TentativeLine(0.0, "Good", " mor"),)))
        self._tell(SegmentReady(job, SEGMENTS[0]))
        if name.startswith("dies"):
            self._tell(Failed(job, Problem("engine.crashed")))
            return
        if name.startswith("stays"):
            place = ResumePoint(16_000, 1, "en", 0.9, (5,), 1.0, (7, 8))
            self._tell(Progress(job, 1.0, 2.5, Statistics(tokens=4), place=place))
            self._tell(Tentative(job, (TentativeLine(0.0, "Good", " mor"),)))
            return
        if name.startswith("restarts"):
            self._tell(Preparing(job, "restarting"))
            self._tell(Started(job, 2.5, MODELS))
            self._tell(SegmentReady(job, SEGMENTS[0]))
        self._tell(SegmentReady(job, SEGMENTS[1]))
        self._tell(Progress(job, 2.5, 2.5, STATS, place=ResumePoint(40_000, 2, "en", 0.9, (5,), 1.0, (7, 8))))
        damage = Problem("file.parts_missing") if name.startswith("broken") else None
        models = Models("Target", "Draft", "model", "CPU", "f32", (Problem("model.notice", text=NOTICE),))
        guarded = (GuardReport(1.0, 2.0, "silence", "Bye."),) if name.startswith("guarded") else ()
        if name.startswith("long"):
            self._tell(SegmentReady(job, LATER))
        segments = (*SEGMENTS, LATER) if name.startswith("long") else SEGMENTS
        made = Transcript(path, 2.5, "en", 0.9, models, segments, stats=STATS, damage=damage, guarded=guarded)
        self._tell(Finished(job, made))

    def close(self) -> None:
        Scripted.closed += 1


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    Scripted.seen, Scripted.closed = [], 0
    monkeypatch.setattr(transcribe, "Engine", Scripted)


def run(*arguments: str) -> int:
    status = cli.main(["transcribe", *arguments])
    assert Scripted.closed == 1
    return status


def test_text_goes_to_standard_output_and_the_notice_once_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("a.wav", "b.wav") == 0
    out, err = capsys.readouterr()
    assert out == "Good morning.\nGood night.\n\nGood morning.\nGood night.\n"
    assert err == f"{NAMED}\n{NOTICE}\n"


def test_text_that_a_new_engine_writes_again_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("restarts.wav", "a.wav") == 0
    out, err = capsys.readouterr()
    assert out == "Good morning.\nGood night.\n\nGood morning.\nGood night.\n"
    assert err.splitlines() == [
        NAMED,
        NOTICE,
        "restarts.wav: Transcription stopped and is being restarted; nothing is lost.",
    ]


def test_paragraphs_are_the_same_as_they_come_and_in_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "Good morning.\nGood night.\n\nOnce more.\n"
    assert run("long.wav", "a.wav") == 0
    assert capsys.readouterr().out == f"{text}\nGood morning.\nGood night.\n"
    Scripted.closed = 0
    assert run("--output", str(tmp_path), "long.wav") == 0
    assert (tmp_path / "long.txt").read_text(encoding="utf-8") == text


def test_a_file_without_speech_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("nothing.wav", "a.wav") == 0
    assert "nothing.wav: No speech was found in this recording." in capsys.readouterr().err.splitlines()


def test_a_folder_stands_for_the_recordings_in_it(tmp_path: Path) -> None:
    talks, texts = tmp_path / "talks", tmp_path / "texts"
    (talks / "older").mkdir(parents=True)
    for name in ("b.mp3", "a.wav", "notes.txt", ".hidden.wav", "older/c.flac"):
        (talks / name).touch()
    assert run(str(talks), "talk.wav", "--output", str(texts)) == 0
    assert sorted(file.name for file in texts.iterdir()) == ["a.txt", "b.txt", "c.txt", "talk.txt"]
    assert len(Scripted.seen) == 4


def test_a_folder_without_recordings_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["transcribe", str(tmp_path)]) == 2
    said = "There are no recordings in this folder. Choose another folder."
    assert capsys.readouterr().err == f"{tmp_path}: {said}\n"
    assert (Scripted.seen, Scripted.closed) == ([], 0)


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").mkdir()
    assert cli.main(["transcribe", "a.wav", "--output", str(tmp_path)]) == 2
    assert cli.main(["transcribe", "a.wav", "--stats", str(tmp_path / "missing" / "stats.json")]) == 2
    assert (Scripted.seen, Scripted.closed) == ([], 0)
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.partition(": ")[2] for line in err.splitlines()] == [
        "The transcript cannot be written (Is a directory). Choose another folder.",
        "The statistics cannot be written (No such file or directory). Choose another file.",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the test sends signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_keeps_what_is_written_and_says_so(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of a file; a second one, and Ctrl-C, do not disturb it."""
    number = getattr(signal, name)

    class Signalled(Scripted):
        def transcribe(
            self,
            job: str,
            path: str,
            options: Options,
            written: Transcript | None = None,
            place: ResumePoint | None = None,
        ) -> None:
            def tell(event: Event) -> None:
                before(event)
                if isinstance(event, Progress):
                    Thread(target=send, daemon=True).start()

            before, self._tell = self._tell, tell
            super().transcribe(job, path, options, written, place)

    def send() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)

    monkeypatch.setattr(transcribe, "Engine", Signalled)
    before = signal.getsignal(number)
    assert cli.main(["transcribe", "stays.wav", "--output", str(tmp_path)]) == 128 + number
    assert signal.getsignal(number) == before
    assert (tmp_path / "stays.part.txt").read_text() == "Good morning.\n"
    assert "Interrupted. The file was not transcribed to its end." in capsys.readouterr().err
    assert unfinished.find("stays.wav", Options(language="de")) is None
    assert cli.main(["transcribe", "stays.wav"]) == 0, "the same file with the same options"
    out, err = capsys.readouterr()
    assert out == "Good morning.\nGood night.\n"
    assert "stays.wav: Resumed at 0:01." in err.splitlines()
    assert not (folders.data() / "unfinished").exists()


def test_each_failure_is_one_line_and_the_others_are_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bad\n1.wav", "a.wav", "bad2.wav") == 1
    out, err = capsys.readouterr()
    assert out.startswith("Good morning.\nGood night.\n")
    assert err.splitlines() == [
        "bad?1.wav: The file is empty. Copy or download it again, or choose another file.",
        NAMED,
        NOTICE,
        "bad2.wav: The file is empty. Copy or download it again, or choose another file.",
    ]


def test_without_a_usable_model_it_ends_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("nomodel.wav", "a.wav") == 3
    out, err = capsys.readouterr()
    assert (out, err) == ("", "galley: There is no model x. Choose a folder, or one of: base.\n")


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", "json", "a.wav", "b.wav") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["audio"]["path"] for line in lines] == ["a.wav", "b.wav"]


def test_results_in_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert run("--format", "srt", "--output", str(folder), "a.wav", "a.mp3", "bad.wav") == 1
    assert sorted(file.name for file in folder.iterdir()) == ["a.mp3.srt", "a.wav.srt"]
    assert (folder / "a.wav.srt").read_text(encoding="utf-8").startswith("1\n00:00:00,000 --> 00:00:02,500\n")
    assert capsys.readouterr().out == ""


def test_a_further_format_is_found_and_a_binary_one_needs_a_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = Format(
        "zip",
        "Packed",
        "zip",
        lambda document, options: zlib.compress(document.transcript.path.encode()),
        is_binary=True,
    )
    monkeypatch.setitem(FORMATS, "zip", packed)
    assert cli.main(["transcribe", "--format", "zip", "a.wav"]) == 2
    assert capsys.readouterr() == ("", "The format zip cannot be shown in a terminal. Choose a folder with --output.\n")
    assert run("--format", "zip", "--output", str(tmp_path), "a.wav") == 0
    assert zlib.decompress((tmp_path / "a.zip").read_bytes()) == b"a.wav"


def test_subtitles_are_split_as_asked(tmp_path: Path) -> None:
    assert run("--format", "srt", "--line-length", "10", "--lines", "1", "--output", str(tmp_path), "a.wav") == 0
    cues = (tmp_path / "a.srt").read_text(encoding="utf-8").split("\n\n")
    assert [cue.split("\n")[2] for cue in cues] == ["Good", "morning.", "Good", "night."]


def test_unsplit_subtitles_are_the_lines_of_the_text(tmp_path: Path) -> None:
    assert run("--format", "srt", "--no-split", "--output", str(tmp_path), "a.wav") == 0
    assert "\n00:00:01,000 --> 00:00:02,500\nGood night.\n" in (tmp_path / "a.srt").read_text(encoding="utf-8")


def test_files_are_named_by_a_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert run("--format", "md", "--file-name", "my {title}", "--output", str(folder), "a.wav", "a.mp3") == 0
    assert {file.name for file in folder.iterdir()} == {"my a.md", "my a (2).md"}
    assert cli.main(["transcribe", "--file-name", "{language}", "a.wav"]) == 2
    assert "{title}, {date}, {time}, {file}" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", [("--line-length", "3"), ("--lines", "x"), ("--longest", "nan"), ("--reading-speed", "")]
)
def test_an_impossible_limit_of_subtitles_is_wrong_usage(wrong: tuple[str, str]) -> None:
    assert cli.main(["transcribe", *wrong, "a.wav"]) == 2


def test_a_folder_that_cannot_be_made_is_wrong_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert cli.main(["transcribe", "--output", str(tmp_path / "file"), "a.wav"]) == 2
    assert capsys.readouterr().err == f"{tmp_path / 'file'}: This is a file, not a folder. Choose another folder.\n"


def test_what_the_guard_did_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("guarded.wav") == 0
    message = "guarded.wav: Hallucinated text removed (0:01–0:02)."
    assert capsys.readouterr().err.splitlines() == [NAMED, NOTICE, message]


def test_a_damaged_file_is_done_and_the_damage_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("broken.wav") == 0
    message = f"broken.wav: {sentence(Problem('file.parts_missing'))}"
    assert capsys.readouterr().err.splitlines() == [NAMED, NOTICE, message]


def test_a_file_whose_engine_dies_keeps_the_part_that_is_done(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run("--output", str(tmp_path), "dies.wav", "a.wav") == 1
    assert (tmp_path / "dies.part.txt").read_text(encoding="utf-8") == "Good morning.\n"
    assert (tmp_path / "a.txt").exists()
    err = capsys.readouterr().err
    assert "dies.wav: Transcription stopped unexpectedly. Try again" in err
    assert "The transcript of the first 1 s of dies.wav was saved to " in err


def test_an_interruption_keeps_what_is_finished_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(transcribe.queue.SimpleQueue):
        def get(self) -> Event:
            if self.empty():
                raise KeyboardInterrupt
            return super().get()

    monkeypatch.setattr(transcribe.queue, "SimpleQueue", Interrupted)
    monkeypatch.setattr(Scripted, "transcribe", _until("b.wav", Scripted.transcribe))
    assert run("--output", str(tmp_path), "--stats", str(tmp_path / "s.json"), "a.wav", "b.wav", "c.wav") == 130
    assert (tmp_path / "a.txt").exists()
    assert not (tmp_path / "c.txt").exists()
    assert "Interrupted. Transcribed files: 1 of 3" in capsys.readouterr().err
    assert len(json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))["files"]) == 1


def _until(last: str, play: Callable[..., None]) -> Callable[..., None]:
    """The script up to a file, of which nothing comes any more."""

    def transcribe(self: Scripted, job: str, path: str, options: Options) -> None:
        if path < last:
            play(self, job, path, options)

    return transcribe


def test_the_figures_of_the_run(tmp_path: Path) -> None:
    assert run("--stats", str(tmp_path / "s.json"), "a.wav", "bad.wav", "b.wav") == 1
    found = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert [each["path"] for each in found["files"]] == ["a.wav", "b.wav"]
    assert found["files"][0]["models"]["draft"] == "Draft"
    assert found["files"][0]["stats"]["acceptance"] == 0.8
    assert found["failed"] == [{"path": "bad.wav", "reason": "The file is empty."}]
    assert (found["total"]["tokens"], found["total"]["tokens_per_pass"]) == (24, 2.0)


def test_a_disk_that_fills_up_is_said_of_each_file_and_what_to_do_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the same command, with room, has nothing to transcribe again."""
    write = transcribe.atomic.write

    def full(place: Path, content: str) -> None:
        if place.parent == tmp_path:
            raise OSError(28, "No space left on device")
        write(place, content)

    for name in ("a.wav", "b.wav"):
        (tmp_path / name).write_bytes(b"sound")
    files = [str(tmp_path / name) for name in ("a.wav", "b.wav")]
    monkeypatch.setattr(transcribe.atomic, "write", full)
    assert run(*files, "--output", str(tmp_path)) == 1
    why = "The transcript cannot be written (No space left on device)."
    assert capsys.readouterr().err.splitlines()[2:] == [
        f"{files[0]}: {why}",
        "Free some space or choose another folder, then repeat the command.",
        f"{files[1]}: {why}",
    ]
    kept = [unfinished.find(file, Scripted.seen[0]) for file in files]
    assert [before[0].segments for before in kept if before] == [SEGMENTS, SEGMENTS]


def test_figures_that_cannot_be_written_are_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(place: Path, content: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(transcribe.atomic, "write", full)
    assert run("--stats", str(tmp_path / "s.json"), "a.wav") == 1
    assert (
        "s.json: The statistics cannot be written (No space left on device). Choose another file."
        in capsys.readouterr().err
    )


def test_the_options_reach_the_engine() -> None:
    wanted = "--target t --draft d --device cpu --precision int8 --language DE".split()
    assert run(*wanted, "a.wav") == 0
    assert Scripted.seen == [Options("t", "d", device="cpu", precision="int8", language="de")]


def test_a_batch_is_named_with_the_models(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "MODELS", replace(MODELS, batch=4))
    assert run("--batch", "4", "--device", "cuda", "a.wav") == 0
    assert Scripted.seen == [Options(device="cuda", batch=4)]
    assert capsys.readouterr().err.splitlines()[0] == f"{NAMED}, in batches of 4"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--format", "pages", "a.wav"],
        ["--language", "english!", "a.wav"],
        ["--precision", "int2", "a.wav"],
        ["--device", "tpu", "a.wav"],
        ["--device", "target=cpu,target=gpu", "a.wav"],
        ["--targ", "x", "a.wav"],
        ["--speakers", "many", "a.wav"],
        ["--batch", "0", "a.wav"],
        ["--batch", "65", "a.wav"],
        ["--batch", "two", "a.wav"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["transcribe", *arguments]) == 2
    assert "usage: galley transcribe" in capsys.readouterr().err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.splitlines() == about.lines(), "each line stands as it is"
    assert cli.main(["--help"]) == 0
    assert cli.main(["transcribe", "--help"]) == 0
    out = capsys.readouterr().out
    assert "galley transcribe" in out
