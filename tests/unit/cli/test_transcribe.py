"""`galley transcribe` with a scripted engine: what goes to which stream, what the exit status says."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from desktop_app import cli
from desktop_app.app.problems import sentence
from desktop_app.cli import transcribe
from desktop_app.engine.messages import (
    Event,
    Failed,
    Finished,
    Options,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
    TentativeLine,
)
from desktop_app.problems import Problem
from desktop_app.transcript.formats import FORMATS, Format
from desktop_app.transcript.model import GuardReport, Models, Segment, Transcript
from desktop_app.transcript.statistics import Statistics

NOTICE = "Trained on toys."
NAMED = "Target with draft model Draft on CPU, f32"
MODELS = Models("Target", "Draft", "model", "CPU", "f32", (Problem("model.notice", text=NOTICE),))
SEGMENTS = (Segment(0, 0.0, 1.0, "Good morning."), Segment(1, 1.0, 2.5, "Good night."))
STATS = Statistics(audio_seconds=2.5, wall_seconds=0.5, tokens=12, target_passes=6, compared=10, drafted=12, accepted=8)


class Scripted:
    """Stands for the engine: the name of a file says what becomes of it."""

    seen: ClassVar[list[Options]] = []
    closed = 0

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._tell = on_event

    def transcribe(self, job: str, path: str, options: Options) -> None:
        Scripted.seen.append(options)
        name = Path(path).name
        if name.startswith("bad"):
            self._tell(Failed(job, Problem("file.empty")))
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
        self._tell(SegmentReady(job, SEGMENTS[1]))
        self._tell(Progress(job, 2.5, 2.5, STATS))
        damage = Problem("file.parts_missing") if name.startswith("broken") else None
        models = Models("Target", "Draft", "model", "CPU", "f32", (Problem("model.notice", text=NOTICE),))
        guarded = (GuardReport(1.0, 2.0, "silence", "Bye."),) if name.startswith("guarded") else ()
        made = Transcript(path, 2.5, "en", 0.9, models, SEGMENTS, stats=STATS, damage=damage, guarded=guarded)
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
    assert (folder / "a.wav.srt").read_text(encoding="utf-8").startswith("1\n00:00:00,000 --> 00:00:01,000\n")
    assert capsys.readouterr().out == ""


def test_a_further_format_is_found_and_a_binary_one_needs_a_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = Format("zip", "Packed", "zip", lambda transcript: zlib.compress(transcript.path.encode()), is_binary=True)
    monkeypatch.setitem(FORMATS, "zip", packed)
    assert cli.main(["transcribe", "--format", "zip", "a.wav"]) == 2
    assert capsys.readouterr() == ("", "The format zip cannot be shown in a terminal. Choose a folder with --output.\n")
    assert run("--format", "zip", "--output", str(tmp_path), "a.wav") == 0
    assert zlib.decompress((tmp_path / "a.zip").read_bytes()) == b"a.wav"


def test_a_folder_that_cannot_be_made_is_wrong_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert cli.main(["transcribe", "--output", str(tmp_path / "file"), "a.wav"]) == 2
    assert capsys.readouterr().err == f"{tmp_path / 'file'}: This is a file, not a folder. Choose another folder.\n"


def test_what_the_guard_did_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("guarded.wav") == 0
    said = "guarded.wav: Hallucinated text removed (0:01–0:02)."
    assert capsys.readouterr().err.splitlines() == [NAMED, NOTICE, said]


def test_a_damaged_file_is_done_and_the_damage_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("broken.wav") == 0
    said = f"broken.wav: {sentence(Problem('file.parts_missing'))}"
    assert capsys.readouterr().err.splitlines() == [NAMED, NOTICE, said]


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


def test_figures_that_cannot_be_written_are_a_failure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("--stats", str(tmp_path / "no" / "s.json"), "a.wav") == 1
    assert (
        "s.json: The statistics cannot be written (No such file or directory). Choose another file."
        in capsys.readouterr().err
    )


def test_the_options_reach_the_engine() -> None:
    wanted = "--target t --draft d --device cpu --precision int8 --language DE".split()
    assert run(*wanted, "a.wav") == 0
    assert Scripted.seen == [Options("t", "d", "cpu", "int8", "de")]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--format", "docx", "a.wav"],
        ["--language", "english!", "a.wav"],
        ["--precision", "int2", "a.wav"],
        ["--device", "tpu", "a.wav"],
        ["--device", "target=cpu,target=gpu", "a.wav"],
        ["--targ", "x", "a.wav"],
        ["--speakers", "many", "a.wav"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["transcribe", *arguments]) == 2
    assert "usage: galley transcribe" in capsys.readouterr().err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert cli.main(["--help"]) == 0
    assert cli.main(["transcribe", "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("galley ")
    assert "galley transcribe" in out
