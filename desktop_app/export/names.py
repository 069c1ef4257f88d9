"""What exported files are called."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from desktop_app.export.document import Document

TEMPLATE = "{title}"
FIELDS = ("title", "date", "time", "language", "model", "file")
"""What a template may hold in braces."""

_FIELD = re.compile(r"\{(\w*)\}")
_IMPOSSIBLE = re.compile(r'[\x00-\x1f\x7f\ud800-\udfff/\\:*?"<>|]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE)
_NOTHING = "transcript"
_LONGEST = 255  # bytes of a name, where the system does not say how many


def unknown_fields(template: str, fields: Sequence[str] = FIELDS) -> list[str]:
    """The fields of a template that there are not."""
    return [name for name in _FIELD.findall(template) if name not in fields]


def file_name(template: str, document: Document) -> str:
    """The name of a file, without its ending, that every system takes. A date is that of the recording, a field that
    is not known of it stays empty, and one that there is not stays as it is written."""
    created, transcript = document.created.astimezone() if document.created else None, document.transcript
    values = {
        "title": document.name,
        "date": f"{created:%Y-%m-%d}" if created else "",
        "time": f"{created:%H-%M}" if created else "",
        "language": transcript.language,
        "model": transcript.models.target,
        "file": Path(transcript.path).stem,
    }
    return possible(_FIELD.sub(lambda found: values.get(found[1], found[0]), template))


def possible(name: str) -> str:
    """A name as every system takes it, so also without what is no UTF-8; that of a device of Windows gets a sign before
    it."""
    name = " ".join(_IMPOSSIBLE.sub("-", name).split()).strip(". ")
    if not name.strip("-"):
        return _NOTHING
    return f"_{name}" if _RESERVED.match(name) else name


def apart(names: Sequence[str], folder: Path, extension: str) -> list[Path]:
    """A new file in a folder for each name: where there is one already, also in other capitals, a number is added.

    A name that the file system does not take is shortened. Raises OSError where the folder cannot be read.
    """
    taken = {name.casefold() for name in os.listdir(folder)}
    room = longest_name(folder) - len(os.fsencode(f" ({len(taken) + len(names)}).{extension}"))
    chosen = []
    for name in names:
        whole, number = shortened(name, room), 1
        place = f"{whole}.{extension}"
        while place.casefold() in taken:
            number += 1
            place = f"{whole} ({number}).{extension}"
        taken.add(place.casefold())
        chosen.append(folder / place)
    return chosen


def longest_name(folder: Path) -> int:
    """The bytes that a file's name may have there."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        return _LONGEST


def shortened(name: str, room: int) -> str:
    """The beginning of a name, with at most so many bytes."""
    name = name[: max(room, 0)]  # at once: a title may be a million letters long
    while len(os.fsencode(name)) > room:
        name = name[:-1]
    return name


def address(sound: str, folder: Path) -> str:
    """How a page in a folder refers to a sound: from there, so that both can be moved together; on another drive by the
    whole path."""
    try:
        there = os.path.relpath(sound, folder)
    except ValueError:
        return Path(sound).as_uri()
    return quote(os.fsencode(Path(there).as_posix()))  # the bytes of the name, which may be no UTF-8
