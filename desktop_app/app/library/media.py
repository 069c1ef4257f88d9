"""The files of recordings: which of a dropped folder are worth a try, and deleting what Galley has recorded.

A file that was named itself is always tried: FFmpeg knows best.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from desktop_app import bounded, folders
from desktop_app.export.formats import FORMATS
from desktop_app.texts import _

EXTENSIONS = frozenset(
    ".3gp .aac .ac3 .aif .aiff .amr .au .avi .caf .flac .flv .m2ts .m4a .m4b .m4v .mka .mkv .mov .mp2 .mp3 .mp4 .mpeg"
    " .mpg .mts .oga .ogg .ogv .opus .ts .wav .webm .wma .wmv".split()
)

_START = 4096  # bytes that are looked at
_OTHERS = (b"%PDF", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"{\\rtf", b"\x7fELF")


def file_filter() -> str:
    """What a dialog for opening files offers to show, as Qt writes it."""
    patterns = " ".join(f"*{extension}" for extension in sorted(EXTENSIONS))
    return f"{_('Audio and video')} ({patterns});;{_('All files')} (*)"


def expand(paths: Iterable[str]) -> list[str]:
    """The files to transcribe: files as they are, folders as the recordings in them, each once, in a steady order."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path) and Path(path).suffix.lower() not in EXTENSIONS:
            found.update(dict.fromkeys(_recordings_in(path)))
        else:
            found[os.path.abspath(path)] = None
    return list(found)


def is_no_media(path: str) -> bool:
    """Whether a file is surely a text, a picture or a document; FFmpeg knows best about all others."""
    if Path(path).suffix.lower() in EXTENSIONS:
        return False
    try:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                start = file.read(_START)
            return start.startswith(_OTHERS) or _is_text(start)
    except OSError:  # the decoder says why
        pass
    return False


def _is_text(start: bytes) -> bool:
    try:
        text = start.decode()
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:  # else a letter that goes on behind what was read
            return False
        text = start[: error.start].decode()
    return bool(text) and all(letter.isprintable() or letter in "\r\n\t\f\ufeff" for letter in text)


def delete(path: str) -> None:
    """Delete the sound of a live recording, and in Galley's own folder the texts that `galley record` wrote beside it.
    Raises OSError.
    """
    sound = Path(path)
    if folders.data() in sound.parents:
        for form in FORMATS.values():
            for ending in (f".{form.extension}", f".checked.{form.extension}"):
                sound.with_suffix(ending).unlink(missing_ok=True)
    sound.unlink(missing_ok=True)


def _recordings_in(folder: str) -> Iterable[str]:
    for place, inner, files in bounded.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(files):
            if Path(name).suffix.lower() in EXTENSIONS and not name.startswith("."):
                yield os.path.abspath(os.path.join(place, name))
