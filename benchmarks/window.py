"""How fast the window is: `make bench-window` (`python -m benchmarks.window [PART ...] [--json FILE]`).

Each part is a real program in a process and a home of its own, offscreen unless QT_QPA_PLATFORM says otherwise, with
the bundled model. Times are those of the clock on the wall, from what a user does to the picture that shows it; beside
them stands the processor time of the window's thread, which a busy machine does not lengthen. Medians of `--runs`
runs. Ends with status 1 where a goal is missed.

    start    the window shown, the model ready, the event loop while a file is decoded, memory
    text     a transcript of 100,000 words: opened, typed in, split, merged, undone, scrolled
    library  10,000 recordings: listed and searched
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import records

PARTS = ("start", "text", "library")
TOP = Path(__file__).resolve().parents[1]
Figures = dict[str, float]


@dataclass(frozen=True)
class Row:
    """A line of the table. Attributes: goal (the figure stays below it, or above it if `more`; None for no goal)."""

    name: str
    what: str
    unit: str
    goal: float | None = None
    more: bool = False

    def missed(self, figure: float) -> bool:
        return self.goal is not None and (figure <= self.goal if self.more else figure >= self.goal)


ROWS = (
    Row("shown", "window shown, from the start of the process", "ms", 1000),
    Row("ready", "model ready, from the drop of a file, compiled before", "ms", 2000),
    Row("first_words", "first words, from the drop of a file", "ms"),
    Row("decode_stall", "longest stall of the event loop while a file is transcribed", "ms", 50),
    Row("decode_stall_cpu", "  processor time of the window in its dearest turn", "ms", 50),
    Row("decode_p99", "p99 of the stalls", "ms", 16),
    Row("window_memory", "memory of the window's process", "MB"),
    Row("engine_memory", "memory of the engine's process, at its peak", "MB"),
    Row("opened", "100,000 words opened, from the choice to the text", "ms", 1000),
    Row("opened_stall", "longest stall until all of it is laid out", "ms", 50),
    Row("key", "a key typed, to the picture", "ms", 16),
    Row("key_p95", "  p95", "ms"),
    Row("key_cpu", "  processor time of the window", "ms", 16),
    Row("split", "a line split", "ms", 50),
    Row("merge", "two lines merged", "ms", 50),
    Row("undo", "an edit undone", "ms", 50),
    Row("frame", "a step of the wheel, to the picture", "ms"),
    Row("frame_p95", "  p95", "ms", 16.7),
    Row("frames", "frames a second while scrolling", "/s", 60, more=True),
    Row("text_memory", "memory of the window's process with this text", "MB"),
    Row("library_shown", "10,000 recordings listed at the start, with the integrity of all checked", "ms"),
    Row("listed", "10,000 recordings listed anew, to the picture", "ms", 100),
    Row("listed_stall", "  longest stall", "ms", 50),
    Row("listed_cpu", "  processor time of the window's dearest turn", "ms", 50),
    Row("found_100", "searched: 100 found, from the question to the picture", "ms", 100),
    Row("found_all", "searched: 10,000 found", "ms", 100),
    Row("found_none", "searched: none found", "ms", 100),
    Row("search_typed", "searched for 100, from the last key to the picture", "ms", 200),
    Row("search_stall", "  longest stall of all searches", "ms", 50),
    Row("search_cpu", "  processor time of the window's dearest turn", "ms", 50),
    Row("library_memory", "memory of the window's process with this list", "MB"),
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (all of them)")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--recordings", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    records.add_argument(parser)
    parser.add_argument("--in-process", metavar="BEGIN", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if arguments.in_process is not None:
        from benchmarks import window_parts

        window_parts.run(arguments.parts[0], arguments.in_process)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    figures: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="galley-window-", ignore_cleanup_errors=True) as home:
        for part in arguments.parts or PARTS:
            _prepare(part, Path(home, part), arguments)
            for _run in range(arguments.runs):
                for name, figure in _measured(part, Path(home, part)).items():
                    figures.setdefault(name, []).append(figure)
    if arguments.record is not None:
        _record(figures, arguments.record)
    return _told(figures, load, arguments.json)


def _record(figures: dict[str, list[float]], note: str) -> None:
    """Write the figures that have a goal."""
    above = ""
    for row in ROWS:
        claim = row.what if row.what == row.what.lstrip() else f"{above}: {row.what.lstrip()}"
        above = above if claim != row.what else row.what
        if row.name in figures and row.goal is not None:
            figure = statistics.median(figures[row.name])
            goal = f"{'≥' if row.more else '≤'} {row.goal:g}"
            records.record("window", claim, figure, unit=row.unit, goal=goal, note=note)


def _told(figures: dict[str, list[float]], load: float, file: str | None) -> int:
    """Print the table and write the file; 1 where a goal is missed."""
    machine = f"{os.cpu_count()} processors, load {load:.1f} before and {os.getloadavg()[0]:.1f} after"
    print(machine)
    missed = False
    for row in ROWS:
        if row.name in figures:
            figure = statistics.median(figures[row.name])
            goal = f"{'>' if row.more else '<'} {row.goal:g}" if row.goal is not None else ""
            late = row.missed(figure)
            missed |= late
            print(f"{row.what:73}{figure:9.1f} {row.unit:3} {goal:7}{'missed' if late else ''}")
    if file:
        Path(file).write_text(json.dumps({"machine": machine, "figures": figures}, indent=1) + "\n", encoding="utf-8")
    return int(missed)


def _prepare(part: str, home: Path, arguments: argparse.Namespace) -> None:
    """What is measured is there before: compiled models, a long text, many recordings."""
    home.mkdir()
    os.environ["GALLEY_HOME"] = str(home)
    if part == "start":
        _measured(part, home)  # compiles the model
        return
    from benchmarks import library
    from desktop_app import folders
    from desktop_app.library.store import Library

    folder = folders.data() / "library"
    folder.mkdir(parents=True)
    if part == "text":
        library.make(folder, 1, arguments.words // 10)
        return
    library.make(folder, arguments.recordings, 40)
    made = Library(folder)
    while made.index():
        pass
    made.close()


def _measured(part: str, home: Path) -> Figures:
    """The figures of one run in a process of its own."""
    begin = time.monotonic()
    run = [sys.executable, "-m", "benchmarks.window", part, "--in-process", str(begin)]
    variables = {"QT_QPA_PLATFORM": "offscreen", "GALLEY_LANGUAGE": "en", **os.environ, "GALLEY_HOME": str(home)}
    done = subprocess.run(run, stdout=subprocess.PIPE, text=True, cwd=TOP, env=variables, timeout=240, check=True)
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    sys.exit(main())
