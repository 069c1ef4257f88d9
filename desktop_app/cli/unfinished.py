"""What `galley transcribe` had done of a file when it was ended: the same command resumes it behind its last window.

It lies in Galley's data folder until the file is finished, for `_DAYS` at most.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from desktop_app import atomic, bounded, folders
from desktop_app.app.recordings import resuming
from desktop_app.export.json_format import json_text, read_json
from desktop_app.messages.jobs import Transcribe
from desktop_app.messages.options import Options
from desktop_app.transcript.model import ResumePoint, Transcript

_DAYS = 30


def keep(request: Transcribe) -> None:
    """Keep what a request for the rest of a file holds; where that cannot be written, there will be nothing to
    resume."""
    if request.written is None or request.place is None:
        return
    about = {"resume": resuming.plain(request.place, request.options), "text": json_text(request.written)}
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        atomic.write(_place(request.path, request.options), json.dumps(about))


def find(path: str, options: Options) -> tuple[Transcript, ResumePoint] | None:
    """What was kept of a file that was transcribed with these options."""
    try:
        about = bounded.read_json(_place(path, options), bounded.LARGE)
        place, written = resuming.place(about["resume"], options), read_json(about["text"])
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None
    return (written, place) if place is not None and len(written.segments) == place.segments else None


def forget(path: str, options: Options) -> None:
    """The file is finished."""
    with contextlib.suppress(OSError):
        _place(path, options).unlink()
        _folder().rmdir()  # where nothing else is in it


def forget_old() -> None:
    """Delete what nobody has resumed for weeks."""
    for file in _files():
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < time.time() - _DAYS * 24 * 3600:
                file.unlink()


def _files() -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from _folder().iterdir()


def _folder() -> Path:
    return folders.data() / "unfinished"


def _place(path: str, options: Options) -> Path:
    about = json.dumps([os.path.realpath(path), repr(options)])
    return _folder() / f"{hashlib.sha256(about.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"
