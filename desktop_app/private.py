"""Files that nobody but their owner can read: all that Galley makes, but for what the user asks it to put somewhere.

On Windows the user's folders are closed to others already, and permissions of this kind mean nothing.

Others may be able to write in a folder of the user's choice, and put a link where a file was: permissions are changed
on open files, which are not links and the user's own.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from desktop_app.bounded import DEEPEST

_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MADE = ".galley"  # lies in a folder of GALLEY_HOME that Galley made
_users_umask: int | None = None


def begin() -> None:
    """From now on this process, and every one that it starts, makes files for their owner alone, and leaves no core
    dump of the text and sound in its memory."""
    global _users_umask
    _users_umask = os.umask(_GROUP_AND_OTHERS)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextlib.contextmanager
def as_user() -> Iterator[None]:
    """Within the block files are made, and programs started, as the user's other programs would."""
    before = None if _users_umask is None else os.umask(_users_umask)
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


def usual(mode: int, folder: os.stat_result) -> int | None:
    """What the user's programs give to a new file (0o666) or folder (0o777) in a folder: no more than others have
    there; None: what it was made with."""
    if _users_umask is None or not folder.st_mode & _GROUP_AND_OTHERS:
        return None
    return mode & ~_users_umask


def is_own(about: os.stat_result) -> bool:
    """Whether a file is this user's. Not on Windows."""
    return about.st_uid == os.geteuid()


def share(folder: Path) -> None:
    """Give a folder that was made for the user, and all within it, the usual permissions. What the system refuses stays
    as it is.
    """
    with contextlib.suppress(OSError):
        around = folder.parent.stat()
        usual_folder, usual_file = usual(0o777, around), usual(0o666, around)
        if sys.platform != "win32" and usual_folder is not None and usual_file is not None:
            _change(folder, lambda mode: usual_folder if stat.S_ISDIR(mode) else usual_file)


def close_to_others(folder: Path) -> None:
    """Take from others what they may read in a folder of Galley's that was restored from a backup, or that the user
    made under Galley's name. What the system refuses stays as it is.

    GALLEY_HOME may be any folder of the user's: below it only a folder that Galley made is its own. It is made here,
    with a mark; one that was there keeps its permissions, and Galley's files in it are private by themselves.
    """
    with contextlib.suppress(OSError):
        if os.environ.get("GALLEY_HOME") and not (folder / _MADE).exists():
            folder.mkdir(parents=True)
            (folder / _MADE).touch()
        elif sys.platform != "win32" and folder.stat().st_mode & _GROUP_AND_OTHERS:
            _change(Path(os.path.realpath(folder)), lambda mode: stat.S_IMODE(mode) & ~_GROUP_AND_OTHERS)


def _change(folder: Path, changed: Callable[[int], int]) -> None:
    """Change the permissions of the user's own files and folders within a folder, DEEPEST levels deep. The folder
    itself comes last, so that a look at it tells whether anything is to be done."""
    top, above = None, os.fspath(folder).count(os.sep)
    for place, inner, names, within in os.fwalk(folder):
        if top is None:
            top = os.dup(within)
        else:
            with contextlib.suppress(OSError):
                _set(within, changed)
        if place.count(os.sep) - above >= DEEPEST:
            inner.clear()
        for name in names:
            with contextlib.suppress(OSError):
                if stat.S_ISREG(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode):
                    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=within)
                    try:
                        _set(file, changed)
                    finally:
                        os.close(file)
    if top is not None:
        try:
            _set(top, changed)
        finally:
            os.close(top)


def _set(descriptor: int, changed: Callable[[int], int]) -> None:
    about = os.fstat(descriptor)
    if is_own(about) and (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)):
        os.fchmod(descriptor, changed(about.st_mode))
