"""What is printed in a terminal. Nothing else writes to standard output and standard error.

File names, names of devices and the text of models come from outside: control characters in them, which could move the
cursor, rename the window or paste commands, are replaced. Files that are written hold the text as it is.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any

# Control characters but tab and line feed, and what turns the direction of text so that a name reads as another one.
_CONTROLS = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_REPLACED = dict.fromkeys(_CONTROLS, "\ufffd")


def printable(text: str) -> str:
    """Text without control characters; lines and tabs stay."""
    return text.translate(_REPLACED)


def one_line(name: str) -> str:
    """A file name that stays on one line; bytes that are no UTF-8 are escaped by the stream."""
    return "".join(letter if letter.isprintable() or 0xDC80 <= ord(letter) <= 0xDCFF else "?" for letter in name)


def out(text: str) -> None:
    """Print a part of the result. Raises OSError where it cannot be written."""
    sys.stdout.write(printable(text))
    sys.stdout.flush()


def say(sentence: str, end: str = "\n") -> None:
    """Print a sentence for the user on standard error. What nobody can read, as in a terminal that was closed, is
    lost: nothing else is to fail for it."""
    ERRORS.write(printable(sentence) + end)
    ERRORS.flush()


class _Errors:
    """Standard error of the moment, also for who draws there; never raises."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


ERRORS: Any = _Errors()
"""Standard error as a stream; control characters pass."""


def prepare() -> None:
    """Make the streams ready: UTF-8, and none that the caller has closed (`>&-`), whose number would otherwise be that
    of the next file that is opened. Writing to a closed standard output fails, as it should."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)  # takes the lowest free number
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def discard_output() -> None:
    """Standard output cannot be written any more: what Python still holds for it goes nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
