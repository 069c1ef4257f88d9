"""Files that nobody but their owner can read: all that Galley makes, but for what the user asks it to put somewhere.

On Windows the user's folders are closed to others already, and permissions of this kind mean nothing.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_users_umask: int | None = None


def begin() -> None:
    """From now on this process, and every one that it starts, makes files for their owner alone."""
    global _users_umask
    _users_umask = os.umask(_GROUP_AND_OTHERS)


@contextlib.contextmanager
def as_user() -> Iterator[None]:
    """Within the block files are made, and programs started, as the user's other programs would."""
    before = None if _users_umask is None else os.umask(_users_umask)
    try:
        yield
    finally:
        if before is not None:
            os.umask(before)


def share(path: Path) -> None:
    """Give what the user asked for, a file or a whole folder, the usual permissions: no more than others have in the
    folder that it lies in. Raises OSError.
    """
    if _users_umask is None or not path.parent.stat().st_mode & _GROUP_AND_OTHERS:
        return
    folders = [path] if path.is_dir() else []
    files = [] if folders else [path]
    for top, inner, names in os.walk(path):
        folders += [Path(top, name) for name in inner]
        files += [Path(top, name) for name in names]
    for usual, made in ((0o777, folders), (0o666, files)):
        for each in made:
            if not each.is_symlink():
                each.chmod(usual & ~_users_umask)


def correct(folder: Path) -> None:
    """Take from others what they may read in a folder that the user made, or restored from a backup. The folder itself
    comes last, so that a look at it tells whether anything is to be done. What the system refuses stays as it is.
    """
    with contextlib.suppress(OSError):
        if sys.platform == "win32" or not folder.stat().st_mode & _GROUP_AND_OTHERS:
            return
        for top, inner, names in os.walk(folder):
            for name in inner + names:
                _close(os.path.join(top, name))
        _close(os.path.realpath(folder))


def _close(path: str) -> None:
    with contextlib.suppress(OSError):
        mode = os.lstat(path).st_mode
        if not stat.S_ISLNK(mode):
            os.chmod(path, stat.S_IMODE(mode) & ~_GROUP_AND_OTHERS)
