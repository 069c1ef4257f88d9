"""Reading a file as the decoding process does, in this process: for tests that read one file after another."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from desktop_app.audio import decoder
from desktop_app.audio.files import Samples
from desktop_app.problems import Problem


def decoded(path: Path) -> tuple[Samples, Problem | None]:
    """The sound of a file, and what was damaged. Raises Problem."""
    with decoder._Messages(io.BytesIO()) as messages, decoder._open(path) as file:
        reader = decoder._Reader(decoder._Source(file, str(path), messages), 0.0, messages)
        return np.concatenate(list(reader.blocks())), reader.damage
