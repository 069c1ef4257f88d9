"""Recordings joined to one of some minutes, as a person would hand it over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from desktop_app.decoding.audio_window import Samples
from desktop_app.measure.recordings import audio_of, references
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE

PAUSE = np.zeros(SAMPLE_RATE // 4, np.float32)


def join(files: Sequence[Path], seconds: float) -> tuple[Samples, list[Path]]:
    """About so many seconds of the files, one behind the other with short pauses, and which files they are; taken
    evenly, so that all voices are in. Raises Problem.
    """
    found, taken, length = list[Samples](), list[Path](), 0
    for file in files[:: max(1, len(files) // 64)]:
        if length >= seconds * SAMPLE_RATE:
            break
        found += [audio_of(file), PAUSE]
        taken.append(file)
        length += len(found[-2]) + len(PAUSE)
    return np.concatenate(found), taken


def recording(file: Path, seconds: float) -> tuple[Samples, str, str]:
    """The samples of a recording, or of a folder's joined ones, what is said in them as far as the folder tells, and
    the language. Raises Problem.
    """
    file = file.resolve()
    if file.is_dir():
        known = {each.path: each for each in references(file) if each.path.exists()}
        samples, taken = join(list(known), seconds)
    else:
        try:
            known = {each.path: each for each in references(file.parent)}
        except Problem:  # without a reference there is no error rate
            known = {}
        samples, taken = audio_of(file), [file] if file in known else []
    languages = {known[each].language for each in taken}
    return samples, " ".join(known[each].text for each in taken), languages.pop() if len(languages) == 1 else ""
