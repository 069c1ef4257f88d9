"""Recordings as the benchmarks read them: whole, mono, 16 kHz."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from desktop_app.audio.files import AudioFile, AudioProblem
from desktop_app.decoding.hearing import Samples

ENDINGS = (".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav")

WITH_VOICES = ("Baby cry", "Person sneeze")
"""Classes of ESC-10 (Piczak 2015) with human voices in them."""


def audio_of(path: Path) -> Samples:
    """The samples of a file. Raises AudioProblem."""
    with AudioFile(str(path)) as file:
        return np.concatenate(list(file))


def recordings(folder: Path) -> list[Path]:
    """The recordings at any depth of a folder, in order."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)


def sounds(folder: Path, folds: str = "") -> list[Path]:
    """The recordings of a folder without ESC-10's voices; of that set's folds, which begin the files' names, only those
    named by the digits `folds`, if there are any. Raises AudioProblem where there is none.
    """
    found = [
        path
        for path in recordings(folder)
        if not path.parent.name.endswith(WITH_VOICES) and (not folds or path.name[0] in folds)
    ]
    if not found:
        raise AudioProblem(f"{folder} holds no recordings without voices", "name a folder of sounds")
    return found
