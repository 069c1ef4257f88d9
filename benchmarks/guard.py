"""What the guard lets through where nobody speaks, and every line that it removes where somebody may speak.

`python -m benchmarks.guard --sounds FOLDER [--folds 345] --speech FOLDER ... [--target NAME|FOLDER]`

Each folder is searched for recordings; their language is detected, as it is by default. Of `--sounds`, whose recordings
have no voices in them, those with text are counted and named. Of `--speech` each stretch that the guard removed is
listed with its times, the reason and the text, so that somebody can listen whether anybody speaks there. `--folds`
takes only those sounds whose names begin with one of the digits: the folds of ESC-10, some for choosing the guard's
limits and the rest for this figure.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.figures import records
from desktop_app.measure.in_process import FileText, file_text
from desktop_app.measure.recordings import audio_of, recordings, sounds
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.worker.loaded_models import ModelCache, Pair


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sounds", metavar="FOLDER", type=Path, help="recordings in which nobody speaks")
    parser.add_argument(
        "--folds", default="", metavar="DIGITS", help="how the names of the sounds begin (default: any)"
    )
    parser.add_argument("--speech", metavar="FOLDER", type=Path, nargs="+", default=[], help="recordings of speech")
    parser.add_argument("--target", default="", metavar="NAME|FOLDER", help="the model (default: the bundled one)")
    records.add_argument(parser)
    arguments = parser.parse_args()
    pair = ModelCache().pair(Options(target=arguments.target), lambda stage, **values: None)
    if arguments.sounds is not None:
        files, written, tempted = _sounds(pair, arguments.sounds, arguments.folds)
        if arguments.record is not None:
            for guarded, count in (("", written), (" without the guard", tempted)):
                claim = f"sounds that have text{guarded}"
                records.record("guard", claim, 100 * count / files, unit="%", note=arguments.record)
    removed = sum(_speech(pair, folder) for folder in arguments.speech)
    if arguments.speech and arguments.record is not None:
        names = ", ".join(folder.name for folder in arguments.speech)
        records.record("guard", f"stretches removed from {names}", removed, note=arguments.record)
    return 0


def _sounds(pair: Pair, folder: Path, folds: str) -> tuple[int, int, int]:
    """How many sounds there are, how many have text, and how many would have it without the guard."""
    files = [path for path in sounds(folder) if not folds or path.name[0] in folds]
    written = tempted = 0
    for path in files:
        found = _guarded(pair, path)
        tempted += bool(found.segments or found.reports)
        written += bool(found.segments)
        if found.segments:
            print(f"{path.relative_to(folder)}: {found.text}", flush=True)
    share = written / max(1, len(files))
    print(f"{written} of {len(files)} sounds have text ({share:.1%}); without the guard {tempted}", flush=True)
    return max(1, len(files)), written, tempted


def _speech(pair: Pair, folder: Path) -> int:
    """How many stretches of text the guard removed."""
    files = recordings(folder)
    removed = 0
    for path in files:
        for act in _guarded(pair, path).reports:
            removed += bool(act.text)
            if act.text:
                name = path.relative_to(folder)
                print(f"{name}  {act.start:.2f} to {act.end:.2f} s  {act.kind}: {act.text}", flush=True)
    print(f"{folder}: {len(files)} recordings, {removed} stretches of text removed", flush=True)
    return removed


def _guarded(pair: Pair, path: Path) -> FileText:
    """What is written of a recording with the guard, nothing of one that cannot be read."""
    try:
        return file_text(pair, audio_of(path), Options())
    except Problem as problem:
        print(f"{path}: {problem}", file=sys.stderr)
        return FileText()


if __name__ == "__main__":
    sys.exit(main())
