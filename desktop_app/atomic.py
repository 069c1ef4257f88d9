"""Files for the user, which are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from pathlib import Path


def write(place: Path, content: bytes | str) -> None:
    """Write a file, even if the power fails the whole of it or none; a file that was there stays until then, and its
    permissions go over to the new one.

    Text becomes UTF-8, with file names that are none escaped. Raises OSError.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    unfinished = place.with_name(f".galley-{uuid.uuid4().hex}.part")
    try:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, unfinished)
        unfinished.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
