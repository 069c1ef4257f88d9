"""Files for the user, which are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
import uuid
from pathlib import Path

from desktop_app import private

_ABANDONED = 3600.0  # seconds: no file is written for so long


def write(place: Path, content: bytes | str) -> None:
    """Write a file, even if the power fails the whole of it or none; a file that was there stays until then, and its
    permissions go over to the new one. A new file has those that the user's programs give. What
    programs that were killed left unfinished in the same folder goes.

    Text becomes UTF-8, with file names that are none escaped. Raises OSError.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    unfinished = place.with_name(f".galley-{uuid.uuid4().hex}.part")
    _remove_abandoned(place.parent)
    try:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, unfinished)
        else:
            private.share(unfinished)
        unfinished.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def _remove_abandoned(folder: Path) -> None:
    """Remove what was begun long ago and never finished; another program's work of now stays."""
    for part in folder.glob(".galley-*.part"):
        with contextlib.suppress(OSError):
            if part.stat().st_mtime < time.time() - _ABANDONED:
                part.unlink()
