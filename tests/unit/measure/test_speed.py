"""`galley bench speed`: medians and ratios by hand, and the command itself on a clip with the small pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app import cli
from desktop_app.checkpoints.folder import read
from desktop_app.decoding.ngram import NGramDrafter
from desktop_app.measure import speed
from desktop_app.measure.roofline import weight_bytes
from desktop_app.transcript.statistics import Statistics
from desktop_app.worker import runtime
from tests.small_pair import DRAFT_NAME, NAME, SMALL_PAIR

CLIP = str(Path(__file__).parents[2] / "data" / "clips" / "00.flac")


@pytest.fixture(autouse=True)
def short_roofline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.measure.roofline._LEAST_READ", 1 << 22)


def bench(*given: str) -> int:
    return cli.main(["bench", "speed", *given, "--target", str(SMALL_PAIR), "--language", "en", "--rounds", "1"])


def taken(wall: float, passes: int = 10) -> Statistics:
    return Statistics(
        audio_seconds=60.0,
        wall_seconds=wall,
        encode_seconds=1.0,
        draft_seconds=0.5,
        verify_seconds=2.0,
        tokens=30,
        target_passes=passes,
        compared=20,
        accepted=15,
    )


def test_figures_of_one_time() -> None:
    """Seconds that no part has are elsewhere; a pass is its share of the verification."""
    found = speed.Figures.of(taken(4.0))
    assert (found.times_real_time, found.elsewhere, found.pass_seconds) == (15.0, 0.5, 0.2)
    assert (found.tokens_per_pass, found.acceptance) == (3.0, 0.75)


def test_medians_and_the_ratio_of_medians() -> None:
    """One slow round moves nothing; the ratio is of the medians, not a median of ratios (here 1.5) nor of means."""
    rounds = [
        {speed.ALONE: taken(alone), "draft": taken(draft)} for alone, draft in ((6.0, 4.0), (8.0, 90.0), (7.0, 3.5))
    ]
    found = speed.compared(rounds)
    assert list(found) == [speed.ALONE, "draft"]
    assert (found[speed.ALONE]["wall"], found["draft"]["wall"]) == (7.0, 4.0)
    assert (found[speed.ALONE]["times_alone"], found["draft"]["times_alone"]) == (1.0, 1.75)
    assert [each["wall"] for each in found["draft"]["rounds"]] == [4.0, 90.0, 3.5]


def test_a_clip_alone_and_with_each_drafter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file that is not there is a sentence, and the other is measured all the same."""
    file = tmp_path / "figures.json"
    assert bench(str(tmp_path / "gone.wav"), CLIP, "--json", str(file)) == 1
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    assert [each["file"] for each in found["files"]] == [CLIP] and found["same_text"]
    alone, draft, ngram = (found["drafters"][name] for name in ("alone", DRAFT_NAME, "ngram"))
    assert alone["times_alone"] == 1.0 and alone["draft"] == alone["acceptance"] == 0.0
    assert draft["draft"] > 0 and draft["acceptance"] > 0 and draft["passes"] < alone["passes"]
    assert ngram["passes"] <= alone["passes"]
    roofline = found["roofline"]
    assert roofline["seconds"] == roofline["bytes"] / roofline["bandwidth"]
    model = runtime.load(read(SMALL_PAIR), "cpu", "f32", None, None)
    assert roofline["bytes"] == weight_bytes(read(SMALL_PAIR).shape, model.weights) + model.window_bytes
    out, err = capsys.readouterr()
    assert err.splitlines()[0] == f"{tmp_path / 'gone.wav'}: There is no such file. Check the name."
    assert f"Model: {NAME}, draft model: {DRAFT_NAME}, device: CPU, precision: f32" in out
    assert "alone: " in out and f"{DRAFT_NAME}: " in out and " × as fast as alone" in out
    assert "The text is the same with every drafter." in out and "GB/s here: at least " in out


def test_another_text_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A drafter that changes the text is named, with the file; `--draft off` leaves the draft model out."""
    transcribe = speed.longform.transcribe

    def forgetful(blocks: Any, extract: Any, setup: Any, listener: Any, *others: Any) -> Any:
        loses = isinstance(setup.drafter, NGramDrafter)
        return transcribe(blocks, extract, setup, speed.longform.DecodingListener() if loses else listener, *others)

    monkeypatch.setattr(speed.longform, "transcribe", forgetful)
    file = tmp_path / "figures.json"
    assert bench(CLIP, "--draft", "off", "--json", str(file)) == 1
    found = json.loads(file.read_text("utf-8"))
    assert list(found["drafters"]) == ["alone", "ngram"]
    assert found["differing"] == [{"drafter": "ngram", "file": CLIP}] and not found["same_text"]
    out, err = capsys.readouterr()
    assert f"{CLIP}: With ngram the text is not the target's own.\n" in err and "The text is the same" not in out


def test_without_a_file_nothing_is_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(str(tmp_path)) == 1
    assert capsys.readouterr() == ("", f"{tmp_path}: This is a folder. Choose the files in it.\n")


def test_a_model_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "speed", CLIP, "--target", "nowhere"]) == 3
    assert capsys.readouterr().err.startswith("galley: ")


def test_ctrl_c_keeps_finished_rounds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = speed.Bench()
    found.files, found._pairs = {CLIP: 1.0}, {}
    monkeypatch.setattr(found, "one_file", lambda name, file: taken(1.0))

    def interrupted(pair: Any, *others: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(found, "_transcribe", interrupted)
    found.rounds, found._pairs = [{speed.ALONE: taken(4.0)}], {speed.ALONE: None}  # type: ignore[dict-item]
    assert found.measure(3) == 130 and len(found.rounds) == 1
    assert capsys.readouterr().err == "Interrupted. 1 of 3 rounds were measured.\n"


@pytest.mark.parametrize("rounds", ["0", "-1", "many"])
def test_rounds_are_a_number(rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "speed", CLIP, "--rounds", rounds]) == 2
    assert "is not a number of rounds" in capsys.readouterr().err
