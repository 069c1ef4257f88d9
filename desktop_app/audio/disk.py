"""The disk under a recording: how long it will do, and what it says when it does no more."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from desktop_app.audio.microphone import MicrophoneProblem

RESERVE = 1_000_000
"""Bytes that a recording leaves free, so that its text can still be kept."""

BYTES_A_SECOND = 32_000
"""Of 16-bit mono at 16 kHz, before FLAC makes it smaller: what is promised is the least."""

_ANNOUNCED = 10.0


def minutes_left(folder: Path) -> float:
    """For how long there is room. Raises OSError."""
    return max(0.0, (shutil.disk_usage(folder).free - RESERVE) / BYTES_A_SECOND / 60)


def look(folder: Path) -> MicrophoneProblem | None:
    """What to announce, if anything. Raises OSError when there is no room any more, as writing would a little later."""
    left = minutes_left(folder)
    if left <= 0:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if left >= _ANNOUNCED:
        return None
    minutes = int(left)
    room = f"{minutes} more minutes" if minutes > 1 else "one more minute" if minutes else "less than a minute"
    return MicrophoneProblem(f"the disk has room for {room}", "make room; the recording goes on")


def explained(error: OSError) -> MicrophoneProblem:
    """What the disk refused, in words for people."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return MicrophoneProblem("the disk is full", "make room, then record again")
    if isinstance(error, FileExistsError):
        return MicrophoneProblem("there is a file of that name already", "choose another name")
    if isinstance(error, PermissionError):
        return MicrophoneProblem("the recording may not be written there", "choose another folder")
    return MicrophoneProblem(
        f"the recording cannot be written ({error.strerror or error})", "check that the disk is there and well"
    )
