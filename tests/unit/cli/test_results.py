"""Results have names that never meet."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from desktop_app.cli import results


def names(*files: str, ending: str = "txt") -> list[str]:
    return [target.name for target in results.destinations(files, Path("out"), ending)]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["talk.wav"], ["talk.txt"]),
        (["talk.wav", "walk.wav"], ["talk.txt", "walk.txt"]),
        (["talk.wav", "talk.mp3", "walk.wav"], ["talk.wav.txt", "talk.mp3.txt", "walk.txt"]),
        (["one/talk.wav", "two/talk.wav"], ["talk.wav.txt", "talk.wav.2.txt"]),
        (["a/x.wav", "b/x.wav", "c/x.wav"], ["x.wav.txt", "x.wav.2.txt", "x.wav.3.txt"]),
        (["x.wav", "x.wav"], ["x.wav.txt", "x.wav.2.txt"]),
        (["Talk.wav", "talk.mp3"], ["Talk.wav.txt", "talk.mp3.txt"]),
        (["x.mp3", "x.wav", "x.wav.ogg"], ["x.mp3.txt", "x.wav.txt", "x.wav.ogg.txt"]),
        (["x.tar.gz", "noending", ".hidden"], ["x.tar.txt", "noending.txt", ".hidden.txt"]),
    ],
)
def test_names(files: list[str], expected: list[str]) -> None:
    assert names(*files) == expected


@pytest.mark.parametrize("stem", ["n" * 251, "ü" * 125, "n" * 250 + "ü"])
def test_a_name_that_is_too_long_is_shortened(stem: str, tmp_path: Path) -> None:
    """That of a finished file, and that of an unfinished one; shortened names do not meet either."""
    found = results.destinations([f"{stem}.wav", f"{stem}x.wav", f"{stem}.wav", "short.wav"], tmp_path, "json")
    assert len({target.name for target in found}) == 4
    for target in found:
        target.with_name(f"{target.stem}.part.json").write_text("a part")
        target.write_text("whole")
    assert found[-1].name == "short.json"


def test_what_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert results.refusal(tmp_path / "new.json") is None
    (tmp_path / "old.json").touch()
    assert results.refusal(tmp_path / "old.json") is None
    (tmp_path / "device").symlink_to(os.devnull)
    for place in ("folder", "missing/new.json", "old.json/new.json", "n" * 300, "device"):
        assert results.refusal(tmp_path / place) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that takes no file, whoever asks")
def test_a_folder_that_refuses_files_is_known_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *about: True)
    assert results.refusal(Path("/proc/self/talk.txt")) is not None


def test_an_input_is_never_the_place_of_a_result(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("mine", encoding="utf-8")
    inputs = [str(tmp_path / "talk.txt"), str(tmp_path / "walk.wav")]
    found = results.destinations(inputs, tmp_path, "txt")
    assert [target.name for target in found] == ["talk.txt.txt", "walk.txt"]
