"""Which running program works on which recordings.

Every open library holds a lock on a file of its own. The system drops the lock when the program ends, however it ends,
so that a lock that can be taken means that its owner is gone. A process id alone would not do: ids come again.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from desktop_app.problems import Problem

_PATIENCE = 10.0  # seconds to wait for another program that opens the library
_NAME = re.compile("[0-9a-f]{32}")

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


class Owner:
    """This open library; `name` marks the recordings it works on. Raises OSError where the lock cannot be made."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.name = uuid.uuid4().hex
        self._path = _lock_path(folder, self.name)
        self._file = self._path.open("wb")
        _try_lock(self._file)

    def release(self) -> None:
        """Own nothing any more."""
        self._file.close()
        _remove(self._path)


def is_alive(folder: Path, name: object) -> bool:
    """Whether the owner `name` still runs; what a dead one left behind is removed."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):  # from a damaged row
        return False
    path = _lock_path(folder, name)
    try:
        with path.open("r+b") as file:
            if not _try_lock(file):
                return True
    except FileNotFoundError:
        return False
    _remove(path)
    return False


def any_alive(folder: Path) -> bool:
    """Whether any owner still runs; what dead ones left behind is removed."""
    running = [path for path in folder.glob("*.lock") if is_alive(folder, path.stem)]
    return bool(running)


@contextlib.contextmanager
def opening(path: Path) -> Iterator[None]:
    """Within the block no other program opens the library, or finds it damaged. Raises Problem, OSError."""
    with path.open("wb") as file:
        deadline = time.monotonic() + _PATIENCE
        while not _try_lock(file):
            if time.monotonic() > deadline:
                raise Problem("library.locked")
            time.sleep(0.02)
        yield


def _remove(path: Path) -> None:
    """A file that stays, because its disk can only be read by now, is free to be locked and so in nobody's way."""
    with contextlib.suppress(OSError):
        path.unlink()


def _lock_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"
