"""Which running program works on which recordings.

Every open library holds a lock on a file of its own. The system drops the lock when the program ends, however it ends,
so that a lock that can be taken means that its owner is gone. A process id alone would not do: ids come again.
"""

from __future__ import annotations

import sys
import uuid
from pathlib import Path
from typing import IO

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
        self._path.unlink(missing_ok=True)


def is_alive(folder: Path, name: str) -> bool:
    """Whether the owner `name` still runs; what a dead one left behind is removed."""
    path = _lock_path(folder, name)
    try:
        with path.open("r+b") as file:
            if not _try_lock(file):
                return True
    except FileNotFoundError:
        return False
    path.unlink(missing_ok=True)
    return False


def _lock_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"
