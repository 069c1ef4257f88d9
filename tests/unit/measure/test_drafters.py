"""`galley bench drafters`: figures by hand, and the command itself on clips with the bundled pair and the small one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app import cli
from desktop_app.decoding.drafter_names import DRAFTERS, WAYS
from desktop_app.measure import drafters
from desktop_app.measure.speed import ALONE
from desktop_app.transcript.statistics import Statistics
from tests.small_pair import SMALL_PAIR

CLIPS = [str(Path(__file__).parents[2] / "data" / "clips" / name) for name in ("01.flac", "04.flac")]


def bench(*given: str) -> int:
    return cli.main(["bench", "drafters", *given, "--language", "en", "--rounds", "1"])


def taken(wall: float, **counts: int) -> Statistics:
    return Statistics(wall_seconds=wall, draft_seconds=wall / 4, tokens=60, **counts)


def test_costs_are_over_all_rounds_and_time_is_a_ratio_of_medians() -> None:
    rounds = [
        {
            ALONE: taken(alone, target_passes=60),
            "head": taken(head, target_passes=20, draft_passes=5, compared=50, accepted=40, left_out=15),
        }
        for alone, head in ((8.0, 6.0), (10.0, 5.0), (90.0, 4.0))
    ]
    found = drafters.compared(rounds)
    assert found[ALONE]["time"] == found[ALONE]["tokens_per_pass"] == 1.0
    assert found["head"] == {
        "wall": 5.0,
        "time": 0.5,
        "tokens_per_pass": 3.0,
        "acceptance": 0.8,
        "draft_passes": 0.25,
        "draft_share": 0.25,
        "left_out": 0.25,
    }


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The drafters whose memory was asked for, each of which takes a process."""
    found = list[str]()
    monkeypatch.setattr(drafters.DraftersBench, "_memory", lambda self, name: found.append(self._drafts[name]) or 10**8)
    return found


def test_every_drafter_of_the_bundled_pair(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(drafters.DraftersBench, "warm_up", lambda self: None)
    figures, plot = tmp_path / "figures.json", tmp_path / "plot.svg"
    assert bench(CLIPS[0], "--target", "base", "--json", str(figures), "--plot", str(plot)) == 0
    names = [ALONE, "auto", *WAYS, *DRAFTERS]
    assert asked == ["off", *names[1:]]
    found: dict[str, Any] = json.loads(figures.read_text("utf-8"))
    assert found["same_text"] and list(found["drafters"]) == names
    for name in WAYS:
        assert found["drafters"][name]["tokens_per_pass"] > found["drafters"][ALONE]["tokens_per_pass"]
        assert found["drafters"][name]["left_out"] == 0
    assert found["drafters"]["layers"]["draft_passes"] > 1 and found["drafters"]["head"]["draft_passes"] == 0
    out, _ = capsys.readouterr()
    assert "alone: " in out and "head: " in out and "The text is the same with every drafter." in out
    assert plot.read_text("utf-8").count("<svg") == 1


def test_drafters_take_turns_with_each_file_and_a_named_model_is_one_of_them(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target whose draft has no head has no ways."""
    turns = list[tuple[str, str]]()

    def one_file(self: Any, name: str, file: str) -> Statistics:
        turns.append((name, file))
        return taken(1.0)

    monkeypatch.setattr(drafters.DraftersBench, "one_file", one_file)
    figures = tmp_path / "figures.json"
    draft = str(SMALL_PAIR / "draft")
    assert bench(*CLIPS, "--target", str(SMALL_PAIR), "--draft", draft, "--json", str(figures)) == 0
    found: dict[str, Any] = json.loads(figures.read_text("utf-8"))
    names = list(found["drafters"])
    assert names[:3] == [ALONE, "auto", "ngram"] and len(names) == 4
    assert asked == ["off", "auto", "ngram", draft]
    assert turns == [(name, file) for file in CLIPS for name in names]
    assert [each["file"] for each in found["files"]] == CLIPS
    assert all(list(each["drafters"]) == names for each in found["files"])


def test_the_memory_of_a_process_that_transcribes_a_window() -> None:
    options = drafters.Options(str(SMALL_PAIR), draft="off", language="en")
    assert drafters.probe.ask(drafters.partial(drafters.first_window, options, CLIPS[0]), 120.0) > 5e7


def test_a_plot_that_cannot_be_written_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = {ALONE: {"tokens_per_pass": 1.0, "time": 1.0}}
    for file in (tmp_path / "plot.tune", tmp_path / "nowhere" / "plot.png"):
        assert not drafters.drawn(file, figures)
        assert capsys.readouterr().err.startswith(f"{file}: The plot cannot be written (")
    assert not list(tmp_path.iterdir())
