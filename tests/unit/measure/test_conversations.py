"""Conversations cut from clips of known speakers: who says what is exact, and `galley bench speakers` scores them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.measure import conversations, speakers
from desktop_app.measure.conversations import Conversation, clips, make, phrases
from desktop_app.measure.recordings import Reference
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.unit.speakers.voices import NETWORKS, talk

TEXT = "ONE TWO THREE FOUR"


class Loud:
    """A Silero that takes every sound for speech."""

    def __call__(self, samples: np.ndarray) -> np.ndarray:
        return (np.abs(samples.reshape(-1, 512)).max(1) > 0.05).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three clips of each of three people, two phrases in each, as LibriSpeech lays them out."""
    monkeypatch.setattr(conversations, "Silero", Loud)
    for who in "abc":
        place = tmp_path / who / "7"
        place.mkdir(parents=True)
        for number in range(3):
            samples = talk(("", 0.5), (who, 3.0 + number), ("", 0.4), (who, 2.0), ("", 0.5))
            soundfile.write(place / f"{who}-7-{number:04}.flac", samples, SAMPLE_RATE)
        lines = [f"{who}-7-{number:04} {TEXT}\n" for number in range(3)]
        (place / f"{who}-7.trans.txt").write_text("".join(lines))
    return tmp_path


def test_clips_are_found_in_both_layouts(folder: Path) -> None:
    found = clips(folder)
    assert [clip.speaker for clip in found] == ["a"] * 3 + ["b"] * 3 + ["c"] * 3
    assert {clip.text for clip in found} == {TEXT}
    entries = [{"file": str(clip.path.relative_to(folder)), "speakers": "who", "text": TEXT} for clip in found[:2]]
    entries += [{"file": "a/7/a-7-0002.flac", "speakers": "two people", "text": TEXT}]
    entries += [{"file": "gone.wav", "speakers": "x", "text": TEXT}]
    (folder / "index.json").write_text(json.dumps(entries))
    assert [(clip.path, clip.speaker) for clip in clips(folder)] == [(clip.path, "who") for clip in found[:2]]


@pytest.mark.parametrize("index", [None, "no json", '[{"file": "a.wav", "text": "a"}]'])
def test_a_folder_without_clips_is_said(tmp_path: Path, index: str | None) -> None:
    if index is not None:
        (tmp_path / "index.json").write_text(index)
    with pytest.raises(Problem):
        clips(tmp_path)


def test_a_clip_is_cut_where_nobody_speaks_and_its_words_lie_in_speech(folder: Path) -> None:
    first, second = phrases(clips(folder)[0])
    assert second.end - second.start == pytest.approx(2.0, abs=0.06)
    assert first.end - first.start == pytest.approx(3.0, abs=0.06)
    assert [word.text for word in first.words + second.words] == TEXT.split()
    for phrase in (first, second):
        assert all(phrase.start <= word.start < word.end <= phrase.end for word in phrase.words)
        assert np.abs(phrase.samples[: round(0.05 * SAMPLE_RATE)]).max() < 0.05


def test_a_conversation_is_what_its_turns_say(folder: Path) -> None:
    found = clips(folder)
    for seed in range(3):
        made = make(seed, found)
        assert np.array_equal(made.samples, make(seed, found).samples), "the same everywhere"
        assert made.speakers == min(2 + seed, 3)
        assert all(first.start <= second.start for first, second in zip(made.turns, made.turns[1:], strict=False))
        speaking = np.zeros(made.samples.size, bool)
        for turn in made.turns:
            speaking[round(turn.start * SAMPLE_RATE) : round(turn.end * SAMPLE_RATE)] = True
        power = made.samples.astype(np.float64) ** 2
        assert power[speaking].mean() > 5 * power[~speaking].mean()
        mine = [turn for turn in made.turns if turn.speaker == made.words[0].speaker]
        assert any(turn.start <= made.words[0].start < turn.end for turn in mine)


def _sessions(made: Conversation) -> dict[str, set[str]]:
    """The sessions that each person of a conversation speaks from: the words of `chapters` name them."""
    found: dict[str, set[str]] = {}
    for word in made.words:
        found.setdefault(word.speaker, set()).add(word.text)
    return found


@pytest.fixture
def chapters(folder: Path) -> list[Reference]:
    """Three clips of each person, the first two of one session; the only word of a clip is its session's name."""
    for clip in clips(folder):
        who, number = clip.speaker, int(clip.path.stem[-1])
        clip.path.rename(clip.path.with_name(f"{who}-{'first' if number < 2 else 'second'}-{number}.flac"))
    files = [path.relative_to(folder) for path in sorted(folder.rglob("*.flac"))]
    entries = [{"file": str(file), "speakers": file.stem[0], "text": file.stem.split("-")[1]} for file in files]
    (folder / "index.json").write_text(json.dumps(entries))
    return clips(folder)


def test_nobody_changes_the_session_in_a_conversation(chapters: list[Reference]) -> None:
    drawn = [_sessions(make(seed, chapters)) for seed in range(0, 200, 5)]  # two people each
    assert all(len(each) == 1 for made in drawn for each in made.values())
    second = np.mean(["second" in each for made in drawn for each in made.values()])
    assert 0.25 < second < 0.42, "a third of the clips, so a third of the draws"


def test_sessions_can_be_mixed(chapters: list[Reference]) -> None:
    drawn = [_sessions(make(seed, chapters, mix_sessions=True)) for seed in range(0, 60, 5)]
    assert any(len(each) == 2 for made in drawn for each in made.values())


def test_the_benchmark_mixes_them_when_asked(
    folder: Path, chapters: list[Reference], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speakers, "networks", lambda: NETWORKS)
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    speakers.add_arguments(parser)
    found = []
    for more in ([], ["--mix-sessions"]):
        given = ["--voices", str(folder), "--count", "1", "--json", str(tmp_path / "figures.json"), *more]
        assert speakers.run(parser.parse_args(given)) == 0
        found.append(json.loads((tmp_path / "figures.json").read_text()))
    assert [each["mixed_sessions"] for each in found] == [False, True]
    assert found[0]["made"]["seconds"] < found[1]["made"]["seconds"], "less is said in one session than in all"


def test_files_without_a_hyphen_are_of_one_session() -> None:
    assert Reference(Path("anna 1.wav"), "").session == Reference(Path("anna 2.wav"), "").session
    assert Reference(Path("19-198-0000.flac"), "").session == "19-198"


def test_the_benchmark_scores_them(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(speakers, "networks", lambda: NETWORKS)
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    speakers.add_arguments(parser)
    figures = tmp_path / "figures.json"
    given = ["--voices", str(folder), "--count", "2", "--live", "--json", str(figures)]
    assert speakers.run(parser.parse_args(given)) == 0
    spoken = json.loads(figures.read_text())
    assert spoken["networks"] == "tones" and spoken["made"]["conversations"] == 2
    assert spoken["live"]["words"] == sum(row["words"]["count"] for row in spoken["conversations"]) > 0
    assert "correct number of speakers" in capsys.readouterr().out
    assert speakers.run(parser.parse_args([])) == 2
    assert "--voices or --real" in capsys.readouterr().err
