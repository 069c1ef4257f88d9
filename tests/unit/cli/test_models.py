"""`galley models`: what is written where, and what the exit status says. Nothing here reaches a hub."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app import cli
from desktop_app.app.presentation.problems import sentence
from desktop_app.checkpoints import download, installed
from desktop_app.engine import model_work
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_convert
from tests import random_models, tiny_ir
from tests.works import perform_here


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_models.toy(tmp_path_factory.mktemp("models") / "toy")


def run(*arguments: str) -> int:
    return cli.main(["models", *arguments])


def test_the_list_for_people(toy: Path, bundled: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", str(toy)) == 0
    assert capsys.readouterr() == ("", "toy is installed. The original folder is no longer needed.\n")
    partial = installed.home() / ".partial" / "small"
    partial.mkdir(parents=True)
    (partial / "part").write_bytes(b"x" * 2_000_000)
    assert run("list") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "Installed models:"
    assert "toy 0.6 MB added from a folder" in lines
    assert any(re.fullmatch(r"base \d+ MB comes with Galley default", line) for line in lines)
    assert (
        "large-v3 3.1 GB 10.4 GB / 4.7 GB multilingual Apache-2.0 draft models: distil-large-v3, large-v3-turbo"
        in lines
    )
    assert "small 967 MB 1.8 GB / 1.1 GB multilingual Apache-2.0 2 MB downloaded" in lines
    assert "whisper-large-v3-distil-fr-v0.2 ? 5.2 GB / 2.5 GB fr MIT" in lines


def test_the_list_for_programs(toy: Path, bundled: None, capsys: pytest.CaptureFixture[str]) -> None:
    run("add", str(toy), "--name", "tiny")
    capsys.readouterr()
    assert run("list", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in found["installed"]] == ["base", "tiny"]
    assert found["default"] == "base"
    assert found["installed"][1]["folder"] == str(installed.home() / "tiny")
    available = {model["name"]: model for model in found["available"]}
    assert "tiny" not in available
    assert available["large-v3"]["download_bytes"] == 3_087_130_976
    assert available["whisper-large-v3-distil-fr-v0.2"]["download_bytes"] is None


def test_each_failure_is_one_line(toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", str(tmp_path)) == 1
    assert run("add", str(toy), "--draft-of", "large-v3") == 1
    assert run("verify", "toy") == 2
    assert run("remove", "toy") == 2
    assert run("remove", "base") == 1
    assert run("download", "large-v9") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[:5] == [
        f"{tmp_path}: The model has no config.json. Choose a Whisper folder in the Hugging Face layout.",
        f"{toy}: large-v3 is not installed. Installed models: base.",
        "toy: toy is not installed. Installed models: base.",
        "toy: toy is not installed. Installed models: base.",
        "base: base comes with Galley and stays as it is. Choose another model, or give yours another name.",
    ]
    assert err.splitlines()[5].startswith(
        "large-v9: The catalogue has no large-v9. Use OWNER/NAME, or one of: large-v3"
    )
    assert len(err.splitlines()) == 6


def test_add_as_draft_verify_and_remove(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", str(toy)) == 0
    assert run("add", str(toy), "--name", "small", "--draft-of", "toy") == 0
    assert run("add", str(installed.home() / "toy"), "--draft-of", "small") == 0
    assert run("verify", "toy") == 0
    assert run("remove", "toy") == 0
    out, err = capsys.readouterr()
    assert out == "toy: verified\n"
    assert err.splitlines()[2:] == [
        "small is now the draft model of toy.",
        "toy is now the draft model of small.",
        "toy was removed.",
    ]


def test_a_damaged_model_does_not_keep_the_others_from_being_read(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        run("add", str(toy), "--name", name)
    (installed.home() / "a" / "tokenizer.json").unlink()
    capsys.readouterr()
    assert run("verify") == 1
    out, err = capsys.readouterr()
    assert "b: verified\n" in out
    assert "a: tokenizer.json has changed since it was installed. Remove the model, then install it again.\n" in err


def downloaded(name: str, toy: Path) -> Callable[..., installed.Installed]:
    return lambda *arguments, progress: installed.add(toy, name, progress)


@pytest.mark.parametrize(
    ("name", "present", "sentence"),
    [
        (
            "large-v3",
            "",
            "A draft model makes it faster and never changes the text:",
        ),
        ("large-v3", "large-v3-turbo", "Its draft model: large-v3-turbo"),
        ("large-v3-turbo", "", "Already fast; no draft needed."),
    ],
)
def test_after_a_download_its_draft_is_offered(
    toy: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    present: str,
    sentence: str,
) -> None:
    if present:
        run("add", str(toy), "--name", present)
    capsys.readouterr()
    monkeypatch.setattr(download, "download", downloaded(name, toy))
    assert run("download", name) == 0
    servers, first, second, *_others = capsys.readouterr().err.splitlines()
    assert servers == "Downloads come from huggingface.co and its file servers (*.huggingface.co, *.hf.co)."
    assert first == f"{name} is installed (0.6 MB). Use it: galley transcribe FILE --target {name}"
    assert second.startswith(sentence)


@pytest.mark.parametrize(
    ("problem", "status", "output"),
    [
        (Problem("download.timeout"), 1, f"tiny: {sentence(Problem('download.timeout'))}\n"),
        (OSError(28, "No space left"), 1, "tiny: The disk is full. "),
        (KeyboardInterrupt(), 130, "Interrupted. Repeat the command to resume the download.\n"),
    ],
)
def test_a_download_that_fails(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    problem: BaseException,
    status: int,
    output: str,
) -> None:
    def fail(*arguments: str, progress: installed.Progress) -> installed.Installed:
        raise problem

    monkeypatch.setattr(download, "download", fail)
    assert run("download", "tiny") == status
    out, err = capsys.readouterr()
    servers, _, last = err.partition("\n")
    assert (out, servers.partition(" from ")[0]) == ("", "Downloads come")
    assert last.startswith(output)


@pytest.mark.parametrize("arguments", [[], ["fetch"], ["download"], ["add"], ["remove"], ["list", "--all"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    assert "usage: galley models" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "environment", "setting", "expected"),
    [
        ("", "", "", ""),
        ("", "", "https://c.example", "https://c.example"),
        ("", "https://b.example", "https://c.example", "https://b.example"),
        ("https://a.example", "https://b.example", "https://c.example", "https://a.example"),
        ("", "", '"https://c.example/a;b"', "https://c.example/a;b"),
    ],
)
def test_which_mirror_counts(
    home: Path, monkeypatch: pytest.MonkeyPatch, given: str, environment: str, setting: str, expected: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", environment)
    (home / "data").mkdir()
    (home / "data" / "settings.ini").write_text(f"[General]\ntarget=%2Fmodels\nmirror={setting}\n")
    assert download.address_of(given) == expected


def test_a_mirror_that_is_no_address() -> None:
    with pytest.raises(Problem, match="bad_mirror address='nonsense'"):
        download.address_of("nonsense")


def test_a_conversion_and_what_is_said_of_it(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit status and sentences; a folder with graphs is added as any other."""
    graphs = tmp_path / "graphs"
    monkeypatch.setattr(model_work, "perform", perform_here)
    monkeypatch.setattr(openvino_convert, "check", lambda: None)
    monkeypatch.setattr(openvino_convert, "export", lambda checkpoint, folder: tiny_ir.write(checkpoint.folder, folder))
    assert run("convert", str(toy), "--to", str(graphs)) == 0
    assert run("add", str(graphs), "--name", "mine") == 0
    assert run("convert", "mine", "--to", str(tmp_path / "again")) == 1
    assert capsys.readouterr().err.splitlines() == [
        "Converting toy…",
        f"{graphs} is complete. Use it: galley transcribe FILE --target FOLDER, or galley models add FOLDER",
        "mine is installed. The original folder is no longer needed.",
        "mine: toy consists of OpenVINO graphs. Choose the model in safetensors.",
    ]
