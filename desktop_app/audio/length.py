"""How long a recording is whose header does not say it: that of a program that was killed."""

from __future__ import annotations

import os

from desktop_app.audio.decoder_process import DecoderProcess
from desktop_app.problems import Problem


def seconds(path: str | os.PathLike[str]) -> float:
    """The length of the first sound in a file, counted packet by packet without decoding; 0.0 where there is none."""
    try:
        decoder = DecoderProcess()
    except Problem:
        return 0.0
    try:
        decoder.ask(path, length=True)
        return float(decoder.receive()[1]["seconds"])
    except Problem:
        return 0.0
    finally:
        decoder.close()
