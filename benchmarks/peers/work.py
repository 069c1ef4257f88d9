"""What a peer does, in a process of its own environment: convert the weights, or load them and transcribe one file.

    PYTHON -m benchmarks.peers.work ADAPTER convert|transcribe '{"weights": ..., ...}'

An adapter is a module of this package. Its `load(weights, precision, threads)` gives a function of samples (mono,
16 kHz) and a language code that gives their text; `convert(target, weights, precision)` writes a Whisper folder's
weights as the peer reads them. Nothing of Galley is imported here, since the environment has none of its packages.
"""

from __future__ import annotations

import importlib
import json
import sys
import wave
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt


def main() -> None:
    """The last line of the output is JSON: the seconds that loading and transcribing took, and the text."""
    adapter, what, given = sys.argv[1:]
    module, request = importlib.import_module(f"benchmarks.peers.{adapter}"), json.loads(given)
    if what == "convert":
        module.convert(Path(request["target"]), Path(request["weights"]), request["precision"])
        return
    print(json.dumps(transcribed(module, request)))


def transcribed(module: Any, request: dict[str, Any]) -> dict[str, Any]:
    """One file; reading it counts."""
    file, language = request.pop("file"), request.pop("language")
    began = perf_counter()
    transcribe = module.load(**request)
    loaded = perf_counter()
    text = transcribe(samples(file), language)
    return {"load": loaded - began, "seconds": perf_counter() - loaded, "text": text.strip()}


def samples(file: str) -> npt.NDArray[np.float32]:
    """The samples of a WAVE file of 16 bits."""
    with wave.open(file) as audio:
        return np.frombuffer(audio.readframes(audio.getnframes()), "<i2").astype(np.float32) / 32768


if __name__ == "__main__":
    main()
