"""What is written behind `galley` without a command: files for the window, and nothing that is not there."""

from pathlib import Path

import pytest

from desktop_app import cli
from desktop_app.cli import window


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The files of each window that was asked for."""
    asked: list[list[str]] = []
    monkeypatch.setattr(window, "run", lambda files: asked.append(files) or 0)
    return asked


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["transcrbe", "talk.mp4"], "Did you mean galley transcribe?"),
        (["Record"], "Did you mean galley record?"),
        (["hlep"], "Did you mean galley help?"),
        (["interview.mp3"], "galley help lists the commands."),
    ],
)
def test_what_is_neither_a_file_nor_a_command_opens_no_window(
    given: list[str], meant: str, opened: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(given) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"galley: {given[0]} is neither a file nor a command. {meant}\n")
    assert opened == []


def test_one_missing_file_among_others_opens_no_window(
    tmp_path: Path, opened: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "there.wav").touch()
    assert cli.main([str(tmp_path / "there.wav"), str(tmp_path / "gone.wav")]) == 2
    assert "gone.wav is neither" in capsys.readouterr().err and opened == []


def test_files_and_folders_go_to_the_window(tmp_path: Path, opened: list[list[str]]) -> None:
    (tmp_path / "transcrbe").touch()
    given = [str(tmp_path / "transcrbe"), str(tmp_path)]
    assert cli.main(given) == 0 and opened == [given]


def test_help_is_a_command(opened: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for given in (["--help"], ["help"], ["transcribe", "--help"], ["help", "transcribe"]):
        assert cli.main(given) == 0
        shown[" ".join(given)] = capsys.readouterr().out
    assert shown["help"] == shown["--help"] and "galley COMMAND" in shown["help"]
    assert shown["help transcribe"] == shown["transcribe --help"] != ""
    assert cli.main(["help", "me"]) == 2
    assert opened == []
