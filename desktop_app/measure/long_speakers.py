"""Hours of speakers as one recording: what it takes in memory and processor time, heard from end to end."""

from __future__ import annotations

import math
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app.measure.conversations import CONVERSATIONS, make
from desktop_app.measure.memory import peak
from desktop_app.measure.references import Reference
from desktop_app.speakers.diarisation import Diarisation
from desktop_app.speakers.networks import Networks
from desktop_app.transcript.constants import SAMPLE_RATE

BLOCK = 10 * SAMPLE_RATE
_MARKS = (0.1, 1.0, 5.0, 10.0)
_SHORTEST = 80.0  # seconds of a conversation


def long_figures(hours: float, found: Networks, voices: Sequence[Reference]) -> dict[str, Any]:
    """Hear the benchmark's conversations one after another, again and again, for so many hours; the peaks of all
    resident memory are in bytes: before the first sample, after 0.1, 1, 5 and 10 hours, and with the last pass.
    """
    with tempfile.TemporaryDirectory() as kept:
        count = min(CONVERSATIONS, math.ceil(hours * 3600 / _SHORTEST))
        # In a process of its own: what that takes is none of this one's memory.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as maker:
            maker.submit(_make, count, Path(kept), voices).result()
        return _heard(hours, found, sorted(Path(kept).iterdir()))


def _heard(hours: float, found: Networks, files: Sequence[Path]) -> dict[str, Any]:
    began, heard, round_ = time.process_time(), 0, 0
    recognised = Diarisation(found)
    peaks = {"begin": peak()}
    marks = [*(mark for mark in _MARKS if mark < hours), hours]
    while marks:
        samples = np.load(files[round_ % len(files)])
        round_ += 1
        for at in range(0, samples.size, BLOCK):
            recognised.hear(samples[at : at + BLOCK])
        heard += samples.size
        while marks and heard >= marks[0] * 3600 * SAMPLE_RATE:
            peaks[f"{marks.pop(0):g} h"] = peak()
            sys.stderr.write(f"{heard / SAMPLE_RATE / 3600:.1f} hours: {peak() / 1e6:.0f} MB\n")
    listened = time.process_time() - began
    turns = recognised.finish()
    peaks["last pass"] = peak()
    whole = time.process_time() - began
    return {
        "hours": round(heard / SAMPLE_RATE / 3600, 3),
        "peak_bytes": peaks,
        "processor_time_factor": round(whole * SAMPLE_RATE / heard, 4),
        "last_pass_seconds": round(whole - listened, 1),
        "turns": len(turns),
        "speakers": len({turn.speaker for turn in turns}),
    }


def _make(count: int, folder: Path, voices: Sequence[Reference]) -> None:
    for seed in range(count):
        np.save(folder / f"{seed}.npy", make(seed, voices).samples)


def long_lines(figures: dict[str, Any]) -> list[str]:
    """What a person reads."""
    peaks = ", ".join(f"{name} {bytes_ / 1e6:.0f}" for name, bytes_ in figures["peak_bytes"].items())
    cost, last = figures["processor_time_factor"], figures["last_pass_seconds"]
    return [
        f"{figures['hours']:.1f} hours from end to end: processor time / audio {cost:.4f}, last pass {last:.1f} s",
        f"peak of memory, MB: {peaks}",
    ]
