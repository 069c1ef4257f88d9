"""Time and memory of recordings from ten minutes to hours: linear, and flat.

    python -m benchmarks.length RECORDING|FOLDER [--minutes 10 60 600] [--precision int8]

Five minutes (of a folder, joined) are repeated to each length. Each is transcribed by `galley transcribe`, a process
each, the shortest before and after every longer one, so that a machine that becomes slower shows. Seconds count from
opening the file; memory is the largest of a process at its peak. Ends with status 1 where an hour costs over 5% more
than in the shortest recording beside it, or memory grows by over 50 MB from the second length on.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import wave
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.figures import records
from benchmarks.joined import recording
from benchmarks.machine import machine
from desktop_app.checkpoints import installed
from desktop_app.decoding.audio_window import Samples
from desktop_app.transcript.constants import SAMPLE_RATE

_PART = 300.0  # seconds that are repeated
_MORE_TIME, _MORE_MEMORY = 1.05, 50.0  # times, MB


@dataclass(frozen=True)
class Run:
    """Attributes: minutes of audio; seconds from opening the file; megabytes at the peak."""

    minutes: float
    seconds: float
    megabytes: float

    @property
    def per_hour(self) -> float:
        """Seconds for an hour of audio."""
        return self.seconds / self.minutes * 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("file", type=Path, metavar="RECORDING|FOLDER")
    add("--minutes", type=float, nargs="+", default=[10.0, 60.0, 600.0], help="default: %(default)s")
    add("--target", type=Path, default=installed.bundled(), help="Whisper folder (default: the model Galley ships)")
    add("--precision", default="int8", choices=("int8", "f32"), help="default: %(default)s")
    records.add_argument(parser)
    options = parser.parse_args()
    samples, _text, language = recording(options.file, _PART)
    given = ["--target", str(options.target), "--device", "cpu", "--precision", options.precision]
    given += ["--language", language or "en"]
    shortest, *longer = sorted(options.minutes)
    print(f"{machine()['processor']}, {os.cpu_count()} cores, {options.precision}", flush=True)
    with tempfile.TemporaryDirectory(prefix="galley-length-") as folder:
        file = Path(folder, "recording.wav")
        runs = [transcribed(file, samples, shortest, given)]
        for minutes in longer:
            runs += [transcribed(file, samples, each, given) for each in (minutes, shortest)]
    if options.record is not None:
        recorded(runs, options.record)
    return told(runs)


def transcribed(file: Path, samples: Samples, minutes: float, given: list[str]) -> Run:
    """One run, told as it ends."""
    write(file, samples, minutes * 60)
    stats = file.with_suffix(".json")
    command = [sys.executable, "-m", "desktop_app", "transcribe", *given, "--stats", str(stats), str(file)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _pid, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"length: galley transcribe ended with status {os.waitstatus_to_exitcode(status)}")
    seconds = json.loads(stats.read_text("utf-8"))["total"]["wall_seconds"]
    run = Run(minutes, seconds, used.ru_maxrss / 1024)
    print(f"{minutes:g} min: {seconds:.1f} s, {run.per_hour:.1f} s an hour, {run.megabytes:.0f} MB", flush=True)
    return run


def write(file: Path, samples: Samples, seconds: float) -> None:
    """The samples again and again: 16 bits, mono, 16 kHz."""
    part = (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
    left = round(seconds * SAMPLE_RATE) * 2
    with wave.open(str(file), "wb") as audio:
        audio.setnchannels(1)
        audio.setsampwidth(2)
        audio.setframerate(SAMPLE_RATE)
        while left > 0:
            audio.writeframes(part[:left])
            left -= len(part)


def compared(runs: list[Run]) -> list[tuple[Run, float, float]]:
    """Each longer run, its time an hour beside that of the shortest around it, and its memory beside that of the first
    longer one.
    """
    longer = runs[1::2]
    beside = [median(each.per_hour for each in runs[at : at + 3 : 2]) for at in range(0, len(runs) - 2, 2)]
    return [
        (run, run.per_hour / shortest, run.megabytes - longer[0].megabytes)
        for run, shortest in zip(longer, beside, strict=True)
    ]


def recorded(runs: list[Run], note: str) -> None:
    """Write the figures of the longer runs."""
    for run, ratio, _more in compared(runs):
        for claim, value, unit in (
            ("time an hour", run.per_hour, "s"),
            ("time an hour, beside the shortest", ratio, "×"),
            ("peak", run.megabytes, "MB"),
        ):
            records.record("memory", f"{run.minutes:g} minutes: {claim}", value, unit=unit, note=note)


def told(runs: list[Run]) -> int:
    """The ratios; 1 where one is over its limit."""
    missed = False
    for run, ratio, more in compared(runs):
        missed |= ratio > _MORE_TIME or more > _MORE_MEMORY
        print(f"{run.minutes:g} min: {ratio:.3f} times the time an hour, {more:+.0f} MB")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
