"""The engine's log: where everything goes that is not for the user's eyes. No text of a recording is written there."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import sys
import time
import traceback
from pathlib import Path

from desktop_app import folders

_LONGEST = 1_000_000


def path() -> Path:
    """The log file."""
    return folders.data() / "logs" / "engine.log"


def take_output() -> None:
    """Send what this process prints, down to the C libraries, to the log; nowhere if the log cannot be written."""
    file = path()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size > _LONGEST:
            file.replace(file.with_suffix(".old.log"))
        target = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        target = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(target, number)
    os.close(target)
    # Spawned by a window without a terminal, Python may have given this process no streams at all.
    sys.stdout = sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace")
    sys.stderr.reconfigure(line_buffering=True)
    faulthandler.enable()


def append(error: BaseException) -> None:
    """Note an error from a process whose output is not the log's."""
    with contextlib.suppress(OSError):
        path().parent.mkdir(parents=True, exist_ok=True)
        with path().open("a", encoding="utf-8", errors="backslashreplace") as file, contextlib.redirect_stderr(file):
            write(error)


def write(error: BaseException) -> None:
    """Note an error with its trace and the time."""
    with contextlib.suppress(OSError):  # a full disk must not turn one error into two
        sys.stderr.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} process {os.getpid()}\n")
        sys.stderr.write("".join(traceback.format_exception(error)))
        sys.stderr.flush()
