"""Files for the user are there whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from desktop_app import atomic


def test_a_file_replaces_an_older_one_whole(tmp_path: Path) -> None:
    target = tmp_path / "ñ.txt"
    atomic.write(target, "old")
    atomic.write(target, "new ñ\n")
    assert target.read_bytes() == "new ñ\n".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_keeps_its_permissions_and_a_new_one_has_the_usual(tmp_path: Path) -> None:
    old, new, usual = (tmp_path / name for name in ("old", "new", "usual"))
    usual.touch()
    old.touch(0o600)
    atomic.write(old, b"\x00")
    atomic.write(new, "text")
    assert (old.read_bytes(), old.stat().st_mode & 0o777) == (b"\x00", 0o600)
    assert new.stat().st_mode == usual.stat().st_mode


def test_a_disk_that_fills_up_leaves_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "talk.txt"
    atomic.write(target, "old")

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic.write(target, "new")
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_program_left_long_ago_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    left, written, others = (tmp_path / name for name in (".galley-1.part", ".galley-2.part", "movie.part"))
    for file in (left, written, others):
        file.touch()
    for file in (left, others):
        os.utime(file, (0, 0))
    atomic.write(tmp_path / "talk.txt", "text")
    assert {file.name for file in tmp_path.iterdir()} == {".galley-2.part", "movie.part", "talk.txt"}
