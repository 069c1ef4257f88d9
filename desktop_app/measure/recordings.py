"""Recordings as the benchmarks read them (whole, mono, 16 kHz), and the texts that are said in them, as folders of
speech hold them: listed by an index.json, or in the layout of LibriSpeech (Panayotov et al. 2015).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app import bounded
from desktop_app.audio.files import AudioFile
from desktop_app.decoding.audio_window import Samples
from desktop_app.problems import Problem

ENDINGS = (".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav")

WITH_VOICES = re.compile(r"(Baby cry|Person sneeze)$")
"""Classes of ESC-10 (Piczak 2015) with human voices in them."""

INDEX, TEXTS = "index.json", "*.trans.txt"


@dataclass(frozen=True)
class Reference:
    """A recording and what is said in it; `language` is its code and `speaker` who says it, or "" where the folder
    does not say.
    """

    path: Path
    text: str
    language: str = ""
    speaker: str = ""

    @property
    def session(self) -> str:
        """The part of the file's name before its last hyphen, which in LibriSpeech names reader and chapter: clips of a
        speaker that share it are from one recording session. Files without a hyphen share "".
        """
        return self.path.stem.rpartition("-")[0]


def audio_of(path: Path) -> Samples:
    """The samples of a file. Raises Problem."""
    with AudioFile(str(path)) as file:
        return np.concatenate(list(file))


def recordings(folder: Path) -> list[Path]:
    """The recordings at any depth of a folder, in order."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)


def sounds(folder: Path) -> list[Path]:
    """The recordings of a folder without ESC-10's voices. Raises Problem where there is none."""
    found = [path for path in recordings(folder) if not WITH_VOICES.search(path.parent.name)]
    if not found:
        raise Problem("file.no_noise", folder=str(folder))
    return found


def references(folder: Path) -> list[Reference]:
    """The recordings of a folder whose text is known, whether their files are there or not.

    An index.json in the folder or in the one above it is a list of objects with "file" (relative to it), "text" and
    perhaps "language" and "speakers"; those elsewhere or without a text are passed over. Otherwise each *.trans.txt, at
    any depth, has lines of a name, which begins with the speaker's, and a text, and the recordings beside it have these
    names. Problem says what is wrong.
    """
    if not folder.is_dir():
        raise Problem("file.no_folder", folder=str(folder))
    folder = folder.resolve()
    found = list(_indexed(folder, folder)) or list(_transcribed(folder)) or list(_indexed(folder.parent, folder))
    if not found:
        raise Problem("file.no_references", folder=str(folder), index=INDEX, texts=TEXTS)
    return found


def _indexed(place: Path, folder: Path) -> Iterator[Reference]:
    """Those below `folder` that the index in `place` lists."""
    index = place / INDEX
    if not index.is_file():
        return
    try:
        entries = bounded.read_json(index, bounded.LARGE)
        rows = [(place / entry["file"], *map(entry.get, ("text", "language", "speakers"))) for entry in entries]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise Problem("file.bad_index", file=str(index)) from error
    for file, text, language, speaker in rows:
        path = Path(normpath(file))
        if path.is_relative_to(folder) and text:
            yield Reference(path, str(text), _code(language), str(speaker or ""))


def _transcribed(folder: Path) -> Iterator[Reference]:
    """Those that LibriSpeech's lists name."""
    for listing in sorted(folder.rglob(TEXTS)):
        try:
            lines = [line.split(maxsplit=1) for line in listing.read_text(encoding="utf-8").splitlines()]
        except (OSError, ValueError) as error:
            raise Problem("file.not_text", file=str(listing)) from error
        audio = {file.stem: file for file in sorted(listing.parent.iterdir()) if file != listing}
        for name, text in (line for line in lines if len(line) == 2):
            yield Reference(audio.get(name, listing.parent / f"{name}.flac"), text, speaker=name.split("-")[0])


def _code(language: Any) -> str:
    return language if isinstance(language, str) and re.fullmatch(r"[a-z]{2,3}", language) else ""
