"""Files for the user are there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
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


OTHER = 61234
"""A user whom the computer does not know. Only root can give files to one, and become one."""

needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root has other users")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_only_reading_and_writing_go_over_to_the_new_file(tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    target.touch()
    target.chmod(0o6777)
    atomic.write(target, "text")
    assert target.stat().st_mode & 0o7777 == 0o666


@needs_root
def test_nothing_goes_over_from_another_users_file(tmp_path: Path) -> None:
    target, usual = tmp_path / "notes.txt", tmp_path / "usual"
    usual.touch()
    target.touch()
    os.chown(target, OTHER, OTHER)
    target.chmod(0o6777)
    atomic.write(target, "text")
    assert (target.stat().st_uid, target.stat().st_mode) == (os.geteuid(), usual.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_nothing_goes_over_from_where_a_link_leads(tmp_path: Path) -> None:
    target, theirs, usual = (tmp_path / name for name in ("notes.txt", "theirs", "usual"))
    usual.touch()
    theirs.write_text("theirs", encoding="utf-8")
    theirs.chmod(0o4600)
    target.symlink_to(theirs)
    atomic.write(target, "text")
    assert not target.is_symlink()
    assert (theirs.read_text(encoding="utf-8"), target.stat().st_mode) == ("theirs", usual.stat().st_mode)


ATTACK = """
import os, sys
from pathlib import Path
from desktop_app import atomic, private

shared, victim = Path(sys.argv[1], "shared"), Path(sys.argv[1], "victim")
os.umask(0o022)
private.begin()
seen = []

def swap(what):
    '''Another user, who may write in the folder, puts a link where the unfinished file was.'''
    for part in shared.glob(".galley-*.part"):
        if not part.is_symlink():
            seen.append((what, oct(part.stat().st_mode & 0o777), part.stat().st_size))
            part.rename(shared / "moved")
            part.symlink_to(victim)

def before(name):
    called = getattr(os, name)
    def call(*arguments, **more):
        swap(name)
        return called(*arguments, **more)
    setattr(os, name, call)

for name in sys.argv[2:]:
    before(name)
atomic.write(shared / "notes.txt", "text")
print(seen)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
@pytest.mark.parametrize("moment", ["fchmod", "fsync", "chmod", "walk", "replace"])
def test_a_link_that_another_user_puts_in_the_way_changes_nothing_of_the_victim(tmp_path: Path, moment: str) -> None:
    shared, victim = tmp_path / "shared", tmp_path / "victim"
    for folder in (shared, victim, victim / "folder"):
        folder.mkdir(mode=0o700)
    shared.chmod(0o777)
    (victim / "letter.txt").touch(0o600)
    subprocess.run([sys.executable, "-c", ATTACK, str(tmp_path), moment], check=True, capture_output=True)
    assert {oct(path.stat().st_mode & 0o777) for path in (victim, victim / "folder")} == {"0o700"}
    assert oct((victim / "letter.txt").stat().st_mode & 0o777) == "0o600"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_permissions_are_set_before_there_is_anything_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, sizes = tmp_path / "notes.txt", []
    target.touch(0o600)
    change = os.fchmod

    def look(file: int, mode: int) -> None:
        sizes.append(os.fstat(file).st_size)
        change(file, mode)

    monkeypatch.setattr(os, "fchmod", look)
    atomic.write(target, "text")
    assert (sizes, target.stat().st_mode & 0o777) == ([0], 0o600)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_and_a_device_are_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="a pipe or a device"):
            atomic.write(tmp_path / name, "text")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and (tmp_path / "link").is_symlink()


def test_where_no_folder_can_be_opened_files_are_written_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    monkeypatch.setattr(atomic, "_HAS_DESCRIPTORS", False)
    for text in ("old", "new"):
        atomic.write(tmp_path / "notes.txt", text)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"notes.txt": b"new"}
