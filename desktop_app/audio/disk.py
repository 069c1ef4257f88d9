"""The disk of a recording: for how long it has room, and the Problem when it fails."""

from __future__ import annotations

import errno
import math
import os
import shutil
from pathlib import Path

from desktop_app.problems import Problem

RESERVE = 1_000_000
"""Bytes that a recording leaves free, so that its text can still be kept."""

BYTES_A_SECOND = 32_000
"""Of 16-bit mono at 16 kHz, before FLAC makes it smaller: what is promised is the least."""

_ANNOUNCED = 10.0


def minutes_left(folder: Path) -> float:
    """For how long there is room. Raises OSError."""
    return max(0.0, (shutil.disk_usage(folder).free - RESERVE) / BYTES_A_SECOND / 60)


def check(folder: Path) -> Problem | None:
    """A warning if there is little room, else None. Raises OSError where there is none, as writing would soon."""
    left = minutes_left(folder)
    if left <= 0:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if left >= _ANNOUNCED:
        return None
    return Problem("disk.low", minutes=math.ceil(left))


def explained(error: OSError, path: object) -> Problem:
    """The Problem of an error of the disk with a file or folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Problem("disk.full")
    if isinstance(error, FileExistsError):
        return Problem("disk.exists", path=str(path))
    if isinstance(error, PermissionError):
        return Problem("disk.forbidden", path=str(path))
    return Problem("disk.failed", path=str(path), error=error.strerror or str(error))
