"""Writing a transcript where the user wants it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from desktop_app.transcript import formats
from desktop_app.transcript.model import Transcript


def suggested_name(transcript: Transcript, form: str) -> str:
    """The recording's name with the extension of the format."""
    return f"{Path(transcript.path).stem or 'transcript'}.{form}"


def save(transcript: Transcript, form: str, place: Path) -> None:
    """Write a transcript as "txt", "srt", "vtt" or "json": the whole file or none. Raises OSError."""
    text = formats.write(transcript, form)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:40]}.", suffix=".part")
    written = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        written.chmod(_mode_of(place))
        written.replace(place)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _mode_of(place: Path) -> int:
    """The permissions of the file that is replaced, else those that a new file gets."""
    if place.exists():
        return place.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
