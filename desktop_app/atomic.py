"""Files for the user, which are there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from desktop_app import private
from desktop_app.texts import _

_ABANDONED = 3600.0  # seconds: no file is written for so long
_HAS_DESCRIPTORS = hasattr(os, "fchmod") and {os.open, os.stat, os.rename, os.unlink} <= os.supports_dir_fd
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", 0)  # which asks for no right to list it
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def write(place: Path, content: bytes | str) -> None:
    """Write a file, even if the power fails the whole of it or none; a file that was there stays until then. Where that
    was the user's own, who may read and write it goes over to the new one, which otherwise has the permissions that
    the user's programs give. What programs that were killed left unfinished in the same folder goes.

    Others may write in the folder too: it is opened once, all else happens within it, no link is followed, and the
    permissions are set before there is anything to read. Text becomes UTF-8, with file names that are none escaped.
    Raises OSError, also where a folder, a pipe or a device has that name.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    refuse_special(place)
    _remove_abandoned(place.parent)
    with _opened(place.parent) as folder:
        within = place.parent if folder is None else Path()
        unfinished, target = within / f".galley-{uuid.uuid4().hex}.part", within / place.name
        file = os.open(unfinished, _NEW, 0o666, dir_fd=folder)
        try:
            with open(file, "wb") as made:
                if folder is not None and (mode := _permissions(target, folder)) is not None:
                    os.fchmod(file, mode)
                made.write(data)
                made.flush()
                os.fsync(file)
            os.replace(unfinished, target, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(unfinished, dir_fd=folder)
            raise


def refuse_special(place: Path) -> None:
    """Raises OSError where no file can be put because a folder, a pipe or a device has that name."""
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, _("This is a pipe or a device, not a file"))


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """The folder's descriptor, which stands for it whatever its name means later; None where the system has none."""
    if not _HAS_DESCRIPTORS:
        yield None
        return
    descriptor = os.open(folder, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _permissions(target: Path, folder: int) -> int | None:
    """What a file in this place is to have; None: what it was made with. Nothing goes over from a link or from another
    user's file, and nothing but reading and writing."""
    try:
        there = os.stat(target, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        pass
    else:
        if stat.S_ISREG(there.st_mode) and private.is_own(there):
            return there.st_mode & 0o666
    return private.usual(0o666, os.fstat(folder))


def _remove_abandoned(folder: Path) -> None:
    """Remove what was begun long ago and never finished; another program's work of now stays."""
    for part in folder.glob(".galley-*.part"):
        with contextlib.suppress(OSError):
            if part.lstat().st_mtime < time.time() - _ABANDONED:
                part.unlink()
