"""The comparison with other programs: what they get to transcribe, how they take turns, and what comes of it. The
programs themselves are not installed here.
"""

from __future__ import annotations

import json
import re
import sys
import wave
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import whisper

from benchmarks.joined import join
from benchmarks.peers import __main__ as command
from benchmarks.peers import contestants, environments, openai_whisper, plot, rounds, work
from benchmarks.peers.contestants import ALONE, WITH_DRAFT, Contestant, Job, Measured
from benchmarks.peers.environments import FailedError
from desktop_app.measure.recordings import audio_of
from tests import openai_models
from tests.small_pair import SMALL_PAIR

CLIP = Path(__file__).parents[2] / "data" / "clips" / "00.flac"
JOB = Job(SMALL_PAIR, "int8", "en", 1)


def folder_of(home: Path, *seconds: float) -> list[Path]:
    """Recordings of constant samples, 0.1, 0.2 and so on, with an index that says "word 1", "word 2" ..."""
    files = [home / f"{number}.wav" for number in range(1, len(seconds) + 1)]
    for number, (file, length) in enumerate(zip(files, seconds, strict=True), 1):
        command.write_wave(file, np.full(round(16_000 * length), number / 10, np.float32))
    index = [{"file": file.name, "text": f"word {file.stem}", "language": "en"} for file in files]
    (home / "index.json").write_text(json.dumps(index), encoding="utf-8")
    return files


def test_files_are_joined_with_pauses_up_to_a_length(tmp_path: Path) -> None:
    files = folder_of(tmp_path, 1.0, 2.0, 1.0)
    samples, taken = join(files, 3.0)
    assert taken == files[:2] and len(samples) == 16_000 * 3.5
    assert samples[8000] == pytest.approx(0.1, abs=1e-4) and not samples[16_000:20_000].any()
    assert samples[30_000] == pytest.approx(0.2, abs=1e-4)


def test_of_many_files_some_are_taken_evenly() -> None:
    """So that all voices of a folder are in."""
    _, taken = join([CLIP] * 128, 1e9)
    assert len(taken) == 64


def test_a_folder_is_joined_and_a_file_is_taken_as_it_is(tmp_path: Path) -> None:
    """What is said in them is the reference, whose language is used; a file that no index names has none."""
    files = folder_of(tmp_path, 1.0, 2.0, 1.0)
    samples, *said = command.recording(tmp_path, 3.0)
    assert len(samples) == 16_000 * 3.5 and said == ["word 1 word 2", "en"]
    samples, *said = command.recording(files[1], 3.0)
    assert len(samples) == 32_000 and said == ["word 2", "en"]
    (tmp_path / "index.json").unlink()
    assert command.recording(files[1], 3.0)[1:] == ("", "")


def test_what_is_written_for_the_peers_is_what_they_read(tmp_path: Path) -> None:
    file = tmp_path / "recording.wav"
    written = audio_of(CLIP)
    command.write_wave(file, written)
    found = work.samples(str(file))
    assert found.dtype == np.float32 and np.abs(found - np.clip(written, -1, 1)).max() < 1e-4
    with wave.open(str(file)) as audio:
        assert (audio.getframerate(), audio.getnchannels(), audio.getsampwidth()) == (16_000, 1, 2)


class Fake:
    """A contestant that takes given seconds, one after another; None fails."""

    def __init__(self, name: str, *seconds: float | None) -> None:
        self.name, self.files = name, list[str]()
        self._seconds = list(seconds)

    def transcribe(self, file: Path) -> Measured:
        self.files.append(file.name)
        if file.name == "first.wav":
            return Measured(99.0, 99.0, "")
        if (seconds := self._seconds.pop(0)) is None:
            raise FailedError("out of paper")
        return Measured(seconds, seconds + 1, "a b d d")

    @property
    def contestant(self) -> Contestant:
        return Contestant(self.name, "int8", self.transcribe)


def measured(fakes: list[Fake], count: int, done: rounds.Rounds) -> list[int]:
    """How many were measured whenever it was saved."""
    saved: list[int] = []
    rounds.measure(
        [each.contestant for each in fakes],
        Path("whole.wav"),
        Path("first.wav"),
        count,
        done,
        lambda: saved.append(sum(map(len, done.values()))),
    )
    return saved


def test_they_take_turns_and_each_measurement_is_saved(capsys: pytest.CaptureFixture[str]) -> None:
    """The beginning of the file, for which nothing is ready yet, does not count."""
    fakes, done = [Fake("one", 1.0, 3.0), Fake("two", 2.0, 4.0)], rounds.Rounds()
    assert measured(fakes, 2, done) == [1, 2, 3, 4]
    assert {name: [each.seconds for each in found] for name, found in done.items()} == {"one": [1, 3], "two": [2, 4]}
    assert [each.files for each in fakes] == [["first.wav", "whole.wav", "whole.wav"]] * 2
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2] for line in said] == ["one", "two", "one", "two"]


def test_who_fails_is_named_in_one_line_and_the_others_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    fakes, done = [Fake("one", 1.0, None), Fake("two", 2.0, 4.0, 5.0)], rounds.Rounds()
    measured(fakes, 3, done)
    assert [len(found) for found in done.values()] == [1, 3]
    assert capsys.readouterr().err.count("one is left out: out of paper\n") == 1


def test_rounds_that_are_kept_are_not_measured_again() -> None:
    done = {"one": [Measured(1.0, 2.0, "")] * 2, "two": [Measured(1.0, 2.0, "")]}
    fakes = [Fake("one"), Fake("two", 7.0)]
    measured(fakes, 2, done)
    assert fakes[0].files == [] and [each.seconds for each in done["two"]] == [1.0, 7.0]


def test_medians_ratios_and_error_rates() -> None:
    """One slow round moves nothing; a ratio is of the medians without loading."""
    done = {
        name: [Measured(each, each + 1, "a b d d") for each in seconds]
        for name, seconds in ((ALONE, (4.0, 5.0, 90.0)), (WITH_DRAFT, (2.0, 2.5, 1.0)), ("peer", (9.0, 10.0, 11.0)))
    }
    found = rounds.figures(done, "a b c d", "en", dict.fromkeys(done, "f32"))
    assert [each["seconds"] for each in found.values()] == [5.0, 2.0, 10.0]
    assert found["peer"]["with_loading"] == 11.0 and found["peer"]["wer"] == 0.25
    assert found["peer"]["times_as_fast"] == {ALONE: 2.0, WITH_DRAFT: 5.0}
    peer = rounds.lines(found)[-1]
    assert re.split(r"\s{2,}", peer) == ["peer", "f32", "10.00 s", "11.00 s", "25.00%", "2.00 ×", "5.00 ×"]


def test_the_time_of_a_wrong_text_is_not_compared() -> None:
    done = {ALONE: [Measured(1.0, 2.0, "a b c d")], "peer": [Measured(0.1, 0.2, "a")]}
    found = rounds.figures(done, "a b c d", "en", dict.fromkeys(done, "f32"))
    assert found["peer"]["wer"] == 0.75 and found["peer"]["times_as_fast"] == {}
    assert rounds.lines(found)[-1].startswith("peer: the text is not that of the recording")


def test_without_galley_or_a_reference_there_are_gaps(tmp_path: Path) -> None:
    found = rounds.figures({"peer": [Measured(1.0, 2.0, "a")]}, "", "en", {"peer": "f32"})
    assert found["peer"]["wer"] is None and found["peer"]["times_as_fast"] == {}
    assert re.split(r"\s{2,}", rounds.lines(found)[-1].strip()) == ["peer", "f32", "1.00 s", "2.00 s"]
    plot.write(tmp_path / "plot.png", found, "A recording")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_figures_of_another_setup_are_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert command.earlier(file, {"precision": "int8"}) == {}
    file.write_text(json.dumps({"setup": {"precision": "f32"}, "contestants": {"peer": {}}}), encoding="utf-8")
    assert command.earlier(file, {"precision": "f32"}) == {"peer": {}} and not capsys.readouterr().err
    assert command.earlier(file, {"precision": "int8"}) == {} and "another setup" in capsys.readouterr().err


def test_galley_is_measured_by_its_own_command(tmp_path: Path) -> None:
    command.write_wave(tmp_path / "clip.wav", audio_of(CLIP))
    found = [contestants.contestant(name, JOB, None).transcribe(tmp_path / "clip.wav") for name in (ALONE, WITH_DRAFT)]
    assert found[0].text and found[0].text == found[1].text
    assert all(0 < each.seconds < each.with_loading for each in found)


def test_a_peer_is_a_process_with_its_own_adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers has no int8: it computes in f32, and says so. Assisted, it needs an assistant."""
    asked: list[Any] = []

    def answer(interpreter: Path, adapter: str, what: str, request: dict[str, Any]) -> str:
        asked.append((interpreter, adapter, what, request))
        return 'a warning\n{"load": 1.0, "seconds": 0.5, "text": "hello"}\n'

    monkeypatch.setattr(environments, "work", answer)
    greedy = contestants.contestant("transformers", JOB, None)
    assert greedy.precision == "f32" and greedy.transcribe(tmp_path / "clip.wav").text == "hello"
    with pytest.raises(FailedError, match="--assistant"):
        contestants.contestant("transformers assisted", JOB, None)
    contestants.contestant("transformers assisted", JOB, tmp_path).transcribe(tmp_path / "clip.wav")
    request = {"weights": str(SMALL_PAIR), "precision": "f32", "threads": 1, "language": "en"}
    request["file"] = str(tmp_path / "clip.wav")
    assert asked == [
        (Path(sys.executable), "transformers", "transcribe", each)
        for each in (request, request | {"assistant": str(tmp_path)})
    ]


def test_openai_whisper_reads_what_was_converted_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All weights, in its own file; it decodes greedily, in 32 bits."""
    openai_whisper.convert(SMALL_PAIR, tmp_path, "f32")
    asked: list[Any] = []
    monkeypatch.setattr(
        whisper, "transcribe", lambda *given, **options: asked.append((given, options)) or {"text": "a"}
    )
    assert openai_whisper.load(str(tmp_path), "f32", 1)("samples", "en") == "a"
    (((model, samples), options),) = asked
    found, wanted = model.state_dict(), openai_models.load(SMALL_PAIR).state_dict()
    assert found.keys() == wanted.keys() and all(found[name].equal(wanted[name]) for name in wanted)
    assert samples == "samples" and options.pop("language") == "en"
    assert options == {"temperature": 0.0, "condition_on_previous_text": False, "fp16": False}
    assert not contestants.PEERS["openai-whisper"].quantises


def test_the_side_of_a_peer(tmp_path: Path) -> None:
    """Its loading is timed by itself, reading the file is not part of it."""
    command.write_wave(tmp_path / "clip.wav", np.full(16_000, 0.5, np.float32))
    given: list[Any] = []

    def load(**request: Any) -> Any:
        given.append(request)
        return lambda samples, language: f" {language} {len(samples)} {samples[0]:.2f}\n"

    found = work.transcribed(
        SimpleNamespace(load=load), {"weights": "w", "file": str(tmp_path / "clip.wav"), "language": "en"}
    )
    assert given == [{"weights": "w"}] and found["text"] == "en 16000 0.50"
    assert found["load"] >= 0 and found["seconds"] > 0


def test_a_process_that_fails_says_its_last_line() -> None:
    assert environments.run([sys.executable, "-c", "print('good')"]) == "good\n"
    with pytest.raises(FailedError, match=r"^ValueError: no such weights$"):
        environments.run([sys.executable, "-c", "raise ValueError('no such weights')"])
    with pytest.raises(FailedError, match=r"^it ended with 3$"):
        environments.run([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(FailedError, match="nowhere"):
        environments.run([str(Path("nowhere") / "python")])


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The packages of each installation; nothing is installed."""
    installed: list[list[str]] = []

    def create(folder: Path, **options: Any) -> None:
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").touch()

    monkeypatch.setattr(environments, "HOME", tmp_path)
    monkeypatch.setattr(environments, "TOP", tmp_path)
    monkeypatch.setattr(environments.os, "name", "posix")
    monkeypatch.setattr(environments.venv, "create", create)
    constraint = str(environments.CONSTRAINTS)
    monkeypatch.setattr(environments, "run", lambda given: installed.append(given[given.index(constraint) + 1 :]))
    return installed


def test_an_environment_is_made_once_and_torch_comes_first(pip: list[list[str]]) -> None:
    for _ in range(2):
        assert environments.python("optimum-intel").is_file()
    assert pip == [["torch"], ["torch", "optimum-intel", "nncf", "openvino-tokenizers"]]
    assert environments.python("") == Path(sys.executable) and len(pip) == 2


def test_an_environment_that_was_not_finished_is_gone_on_with(
    pip: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:

        def fail(command: list[str]) -> str:
            raise FailedError("no network")

        broken.setattr(environments, "run", fail)
        with pytest.raises(FailedError):
            environments.python("openvino-genai")
    monkeypatch.setattr(environments.venv, "create", None)  # what is there stays
    assert environments.python("openvino-genai").is_file() and len(pip) == 2


def test_weights_are_converted_once_and_again_when_they_change(
    pip: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both peers on OpenVINO read the same; the checkpoint itself is not converted."""
    asked: list[dict[str, Any]] = []
    target = tmp_path / "base"
    target.mkdir()
    (target / "model.safetensors").write_bytes(b"1")
    monkeypatch.setattr(environments, "work", lambda interpreter, adapter, what, request: asked.append(request))
    assert environments.weights(target, "", "f32") == target
    for _ in range(2):
        folder = environments.weights(target, "openvino", "int8")
    assert asked == [{"target": str(target), "weights": str(folder), "precision": "int8"}]
    (target / "model.safetensors").write_bytes(b"12")
    (folder / "old").touch()
    assert environments.weights(target, "openvino", "int8") == folder
    assert len(asked) == 2 and not (folder / "old").exists()


def test_every_package_of_the_environments_is_pinned() -> None:
    lines = environments.CONSTRAINTS.read_text("utf-8").splitlines()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    assert {package for packages in environments.PACKAGES.values() for package in packages} <= pinned


def test_every_adapter_has_its_file() -> None:
    folder = Path(environments.__file__).parent
    adapters = {peer.adapter for peer in contestants.PEERS.values()}
    adapters |= {each.adapter for each in environments.FORMATS.values()}
    assert all((folder / f"{adapter}.py").is_file() for adapter in adapters)
