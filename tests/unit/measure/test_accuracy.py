"""`galley bench accuracy`: rates of each recording and of all, with a scripted engine; once with a real one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from desktop_app import cli
from desktop_app.app.presentation.problems import sentence
from desktop_app.measure import accuracy
from desktop_app.measure.error_rates import word_edits
from desktop_app.messages.jobs import Event, Failed, Finished, Preparing
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, Segment, Transcript
from desktop_app.transcript.statistics import Statistics
from tests.small_pair import SMALL_PAIR

CLIPS = Path(__file__).parents[2] / "data" / "clips"
MODELS = Models("Target", "", "off", "CPU", "f32")
SPOKEN = {  # name of the recording: what it says and what the engine writes
    "right": ("GOOD MORNING", "Good morning."),
    "wrong": ("GOOD NIGHT MY LOVE AND SLEEP WELL TO NIGHT", "Good knight."),
}


class Scripted:
    """Stands for the engine: the name of a recording says what becomes of it."""

    seen: ClassVar[list[Options]] = []

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._tell = on_event

    def transcribe(self, job: str, path: str, options: Options) -> None:
        Scripted.seen.append(options)
        name = Path(path).stem
        if name in SPOKEN:
            segments = tuple(Segment(at, at, at + 1.0, f" {word}") for at, word in enumerate(SPOKEN[name][1].split()))
            stats = Statistics(audio_seconds=2.0, wall_seconds=0.5 if name == "right" else 1.0)
            self._tell(Preparing(job, "loading", {"name": "Target"}))
            self._tell(Finished(job, Transcript(path, 2.0, "en", 0.9, MODELS, segments, stats=stats)))
        else:
            self._tell(Failed(job, Problem("model.no_timestamps" if name == "nomodel" else "file.empty")))

    def close(self) -> None:
        self._tell = lambda event: None


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    Scripted.seen = []
    monkeypatch.setattr(accuracy, "Engine", Scripted)


def folder(place: Path, *names: str) -> Path:
    entries = [{"file": f"{name}.wav", "text": SPOKEN.get(name, ("SO IT GOES", ""))[0]} for name in names]
    (place / "index.json").write_text(json.dumps(entries), encoding="utf-8")
    return place


def bench(place: Path, *options: str) -> tuple[int, dict[str, Any]]:
    file = place / "figures.json"
    status = cli.main(["bench", "accuracy", str(place), "--json", str(file), *options])
    return status, json.loads(file.read_text("utf-8"))


@pytest.mark.usefixtures("scripted")
def test_rates_of_each_and_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All words count alike: the total is no mean of the two rates."""
    status, found = bench(folder(tmp_path, "right", "wrong"), "--target", "large", "--draft", "off")
    assert status == 0
    assert [(each["file"], each["wer"], each["text"]) for each in found["files"]] == [
        ("right.wav", 0.0, "Good morning."),
        ("wrong.wav", 8 / 9, "Good knight."),
    ]
    assert found["total"]["wer"] == 8 / 11 and found["total"]["words"] == 11
    assert (found["total"]["substitutions"], found["total"]["deletions"], found["total"]["insertions"]) == (1, 7, 0)
    assert found["total"]["real_time_factor"] == 1.5 / 4.0
    assert {(each["language"], each["detected_language"]) for each in found["files"]} == {("en", "en")}
    assert found["models"]["target"] == "Target" and found["failed"] == []
    assert {(options.target, options.draft) for options in Scripted.seen} == {("large", "off")}
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "right.wav: WER 0.00%, CER 0.00%, real-time factor 0.250"
    assert out.splitlines()[2].startswith("2 recordings, 0.1 min: WER 72.73%, CER ")
    assert out.splitlines()[3:] == [
        "11 words: 1 substituted, 7 deleted, 0 inserted",
        "Model: Target, draft model: none, device: CPU, precision: f32",
    ]
    assert err == "Loading Target…\nLoading Target…\n"


@pytest.mark.usefixtures("scripted")
def test_what_cannot_be_read_is_one_sentence_and_the_others_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, found = bench(folder(tmp_path, "noise", "right", "gone"))
    assert status == 1
    assert [each["file"] for each in found["files"]] == ["right.wav"]
    assert found["failed"] == [
        {"file": "noise.wav", "reason": "The file is empty."},
        {"file": "gone.wav", "reason": "The file is empty."},
    ]
    out, err = capsys.readouterr()
    assert "1 recording, 0.0 min: WER 0.00%" in out
    assert err.splitlines()[0] == "noise.wav: The file is empty. Copy or download it again, or choose another file."


@pytest.mark.usefixtures("scripted")
def test_without_a_model_nothing_more_is_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = bench(folder(tmp_path, "nomodel", "right"))
    assert (status, found["files"], found["total"]) == (3, [], None)
    assert capsys.readouterr() == ("", f"galley: {sentence(Problem('model.no_timestamps'))}\n")


@pytest.mark.usefixtures("scripted")
def test_ctrl_c_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(accuracy.queue.SimpleQueue):  # type: ignore[type-arg]
        def get(self, *about: Any) -> Any:
            if self.qsize() == 1:  # what is left is the last recording's end
                raise KeyboardInterrupt
            return super().get(*about)

    monkeypatch.setattr(accuracy.queue, "SimpleQueue", Interrupted)
    status, found = bench(folder(tmp_path, "right", "wrong"))
    assert status == 130
    assert [each["file"] for each in found["files"]] == ["right.wav"] and found["total"]["wer"] == 0.0
    out, err = capsys.readouterr()
    assert "1 recording, 0.0 min: WER 0.00%" in out
    assert err.endswith("Interrupted. 1 of 2 recordings were measured.\n")


@pytest.mark.usefixtures("scripted")
def test_figures_that_cannot_be_written_are_said_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path, "right")
    assert cli.main(["bench", "accuracy", str(place), "--json", str(place)]) == 1
    out, err = capsys.readouterr()
    assert "1 recording" in out and err.endswith("Choose another file.\n")


def test_a_folder_without_texts_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "accuracy", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"galley: {tmp_path} contains no recording with a reference text. ")
    assert err.count("\n") == 1


def test_what_must_be_installed_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(accuracy, "missing_packages", lambda: ("jiwer", "whisper-normalizer"))
    assert cli.main(["bench", "accuracy", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        "galley: Missing packages: jiwer, whisper-normalizer. Install them by pip install --editable '.[bench]'.\n"
    )


def test_a_real_engine(tmp_path: Path) -> None:
    """Two clips in LibriSpeech's layout, and one whose file is not there."""
    for name in ("00", "01"):
        shutil.copy(CLIPS / f"{name}.flac", tmp_path)
    (tmp_path / "clips.trans.txt").write_text("00 GOOD MORNING\n01 GOOD NIGHT\n02 NOT HERE\n", encoding="utf-8")
    pair = str(SMALL_PAIR)
    status, found = bench(tmp_path, "--target", pair, "--language", "en", "--precision", "f32")
    assert status == 1 and [each["file"] for each in found["failed"]] == ["02.flac"]
    for each in found["files"]:
        assert each["text"] and each["words"] == 2 and each["audio_seconds"] > 1 and each["real_time_factor"] > 0
        assert each["wer"] == word_edits(each["reference"], each["text"], "en").rate
    assert len(found["files"]) == 2 and found["models"]["precision"] == "f32"
