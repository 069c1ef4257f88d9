"""What is given once more is known by its file, or by its content."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import IO, Any

import pytest

from desktop_app.app.library import known
from desktop_app.app.library.known import Transcribed, find_known


def make(path: Path, seed: int = 0, size: int = 3_000_000) -> Transcribed:
    """A recording of noise that was added after it was made."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(random.Random(seed).randbytes(size))
    os.utime(path, (1e9, 1e9))
    return Transcribed(path.stem, str(path), 1e9 + 60)


def test_a_file_is_known_unless_it_has_changed_or_is_another(tmp_path: Path) -> None:
    talk, walk = make(tmp_path / "talk.wav", 1), make(tmp_path / "walk.wav", 2)
    new = make(tmp_path / "new.wav", 3)
    paths = [talk.path, new.path, walk.path, str(tmp_path / "missing.wav")]
    assert find_known(paths, [talk, walk]) == {talk.path: "talk", walk.path: "walk"}
    os.utime(talk.path, (time.time(), time.time()))
    assert find_known(paths, [talk, walk]) == {walk.path: "walk"}
    Path(walk.path).unlink()
    assert find_known(paths, [talk, walk]) == {}


def test_a_copy_is_known_and_one_that_differs_in_a_few_bytes_is_not(tmp_path: Path) -> None:
    talk = make(tmp_path / "talk.wav")
    copy, other = make(tmp_path / "copies" / "a.wav"), make(tmp_path / "copies" / "b.wav")
    content = bytearray(Path(other.path).read_bytes())
    content[-1] ^= 1
    Path(other.path).write_bytes(content)
    assert find_known([copy.path, other.path], [talk]) == {copy.path: "talk"}
    short = [make(tmp_path / f"{name}.wav", size=20) for name in "cd"]
    assert find_known([short[0].path], short[1:]) == {}, "nothing to tell them by"


def test_the_newest_of_several_recordings_of_a_file_is_found(tmp_path: Path) -> None:
    talk = make(tmp_path / "talk.wav")
    assert find_known([talk.path], [Transcribed("newest", talk.path, talk.added), talk]) == {talk.path: "newest"}


def test_of_large_files_little_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    class Counted:
        def __init__(self, file: IO[bytes]) -> None:
            self._file = file

        def __enter__(self) -> Counted:
            return self

        def __exit__(self, *about: object) -> None:
            self._file.close()

        def seek(self, place: int) -> None:
            self._file.seek(place)

        def read(self, size: int) -> bytes:
            nonlocal read
            read += size
            return self._file.read(size)

    talk, copy = make(tmp_path / "talk.wav", size=30_000_000), make(tmp_path / "copy.wav", size=30_000_000)

    def counted(path: str, mode: str) -> Any:
        return Counted(Path(path).open(mode))

    monkeypatch.setattr(known, "open", counted, raising=False)
    assert find_known([copy.path], [talk]) == {copy.path: "talk"}
    assert read == 2 * 16 * 65_536
