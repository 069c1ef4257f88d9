"""Recordings with known texts are found in both layouts, and what is wrong with a folder is one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop_app.measure.recordings import Reference, references
from desktop_app.problems import Problem

ENTRIES = [
    {"file": "read/one.mp3", "text": "GOOD MORNING", "language": "en"},
    {"file": "read/two.mp3", "text": "guten Morgen"},
    {"file": "read/none.mp3", "text": None, "language": "en"},
    {"file": "read/unsure.mp3", "text": "ba", "language": "en?"},
    {"file": "crowd/three.mp3", "text": "good night", "language": "en"},
]


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_an_index_names_recordings_texts_and_languages(tmp_path: Path) -> None:
    write(tmp_path, "index.json", json.dumps(ENTRIES))
    assert references(tmp_path) == [
        Reference(tmp_path / "read/one.mp3", "GOOD MORNING", "en"),
        Reference(tmp_path / "read/two.mp3", "guten Morgen"),
        Reference(tmp_path / "read/unsure.mp3", "ba"),
        Reference(tmp_path / "crowd/three.mp3", "good night", "en"),
    ]


def test_a_folder_below_an_index_has_its_own_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "index.json", json.dumps(ENTRIES))
    (tmp_path / "crowd").mkdir()
    expected = [Reference(tmp_path / "crowd/three.mp3", "good night", "en")]
    assert references(tmp_path / "crowd") == expected
    monkeypatch.chdir(tmp_path / "crowd")
    assert references(Path()) == expected


def test_librispeech(tmp_path: Path) -> None:
    """Lists at any depth, recordings of any ending beside them; one that is not there is expected as FLAC."""
    chapter = write(
        tmp_path / "dev" / "84" / "121", "84-121.trans.txt", "84-121-0 GO ON\n84-121-1 AND ON\n\n84-121-2\n"
    )
    write(chapter, "84-121-0.wav", "")
    write(tmp_path, "index.json", json.dumps([{"file": "elsewhere/one.mp3", "text": "not here"}]))
    expected = [
        Reference(chapter / f"84-121-{name}", text, speaker="84")
        for name, text in (("0.wav", "GO ON"), ("1.flac", "AND ON"))
    ]
    assert references(tmp_path / "dev") == expected


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("index.json", "no json", "file.bad_index"),
        ("index.json", '{"file": "a.wav"}', "file.bad_index"),
        ("index.json", '[{"text": "a"}]', "file.bad_index"),
        ("index.json", "[]", "file.no_references"),
        ("notes.txt", "", "file.no_references"),
    ],
)
def test_a_folder_without_texts_is_said(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(Problem, match=said):
        references(write(tmp_path, name, text))


def test_a_list_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.trans.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Problem, match=r"not_text file='.*a\.trans\.txt'"):
        references(tmp_path)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no_folder"):
        references(tmp_path / "gone")
