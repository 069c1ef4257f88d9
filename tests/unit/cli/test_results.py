"""Results have names that never meet."""

from __future__ import annotations

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


def test_an_input_is_never_the_place_of_a_result(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("mine", encoding="utf-8")
    inputs = [str(tmp_path / "talk.txt"), str(tmp_path / "walk.wav")]
    found = results.destinations(inputs, tmp_path, "txt")
    assert [target.name for target in found] == ["talk.txt.txt", "walk.txt"]
