"""Folders, files and JSON that may come from anywhere: what stays within bounds is read, anything else refused."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LARGEST = 1_000_000
"""Bytes of most files that Galley keeps for itself."""

LARGE = 64_000_000
"""Bytes of those that grow: the text of a day, the marks of a million watched files, a list of recordings."""

DEEPEST = 64
"""Levels of lists and objects in each other, of which the files of models have six; and of folders."""

_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # else a pipe waits for its writer


def read(path: Path, largest: int = LARGEST) -> bytes:
    """What is in a file. Raises OSError where it cannot be read or is a pipe or a device, and ValueError where it has
    more than `largest` bytes."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, _OPEN)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
        found = file.read(largest + 1)
    if len(found) > largest:
        raise ValueError("too large")
    return found


def read_json(path: Path, largest: int = LARGEST) -> Any:
    """The value in a JSON file. Raises what `read` and `parse_json` do."""
    return parse_json(read(path, largest))


def walk(folder: str | Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`, but no more than DEEPEST folders deep: it calls itself for each until Python 3.12. Folders that the
    caller takes from the list are passed over."""
    above = os.fspath(folder).count(os.sep)
    for place, inner, files in os.walk(folder):
        yield place, inner, files
        if place.count(os.sep) - above >= DEEPEST:
            inner.clear()


def parse_json(text: str | bytes | bytearray) -> Any:
    """The value of a JSON text. ValueError where it is none, is nested more than DEEPEST levels deep, or has a number
    that no float can hold: whoever goes through it later can neither run out of stack nor overflow. NaN and Infinity,
    which other programs write though JSON has none, count as null."""
    try:
        found = json.loads(text, parse_constant=lambda name: None)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    level = [found]
    for _depth in range(DEEPEST):
        if not all(abs(each) <= sys.float_info.max for each in level if isinstance(each, int | float)):
            raise ValueError("a number out of range")
        inner = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for values in inner for each in values]
        if not level:
            return found
    raise ValueError("nested too deeply")
