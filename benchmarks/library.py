"""How long a library of many recordings takes to be listed and searched.

    python benchmarks/library.py [--recordings 10000] [--lines 40]

A library is made below a temporary folder: recordings of `--lines` lines of made-up words, a tenth of them corrected
by a reader. Then it is opened, listed and searched; medians of nine. benchmarks/window.py does the same in the window.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop_app import folders
from desktop_app.library import database, rows
from desktop_app.library.store import Library
from desktop_app.transcript.model import Models, Segment, Speaker, Transcript, Word
from desktop_app.transcript.statistics import Statistics

_MODELS = Models("Target", "Draft", "model", "CPU", "f32")
_RUNS = 9
_QUERIES = ("galley", "the", "th", "the report", "nosuchword", "quarter galley")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["GALLEY_HOME"] = home
        folder = folders.data() / "library"
        folder.mkdir(parents=True)
        measure(folder, arguments.recordings, arguments.lines)


def measure(folder: Path, recordings: int, lines: int) -> None:
    """Make a library in the data folder, and print how long each step takes."""
    make(folder, recordings, lines)
    print(f"{recordings} recordings of {lines} lines, {(folder / database.NAME).stat().st_size / 1e6:.0f} MB")
    library, seconds = timed(lambda: Library(folder))
    print(f"opened with its integrity checked: {seconds * 1000:.0f} ms")
    begin = time.perf_counter()
    while library.index():
        pass
    print(f"indexed once: {time.perf_counter() - begin:.1f} s")
    print(f"listed: {median(library.recordings):.1f} ms")
    for query in _QUERIES:
        found = library.search(query)
        first = next(iter(found), "")
        shown = median(lambda first=first, query=query: library.snippet(first, query)) if first else 0.0
        print(
            f"searched for {query!r}: {median(lambda query=query: library.search(query)):.1f} ms,"
            f" {len(found)} found, a snippet {shown:.2f} ms"
        )
    library.close()


def make(folder: Path, recordings: int, lines: int) -> None:
    """A library of recordings that are done."""
    chance = random.Random(5)
    words = ["the", "report", "quarter", *("".join(chance.choices("abcdefghilmnoprstu", k=6)) for _ in range(4000))]
    Library(folder).close()
    writer, reader, _notice = database.connect(folder)
    writer.execute("BEGIN")
    for number in range(recordings):
        key = f"{number:032x}"
        made = transcript(chance, words, lines, number)
        created = datetime.now(UTC) - timedelta(hours=3 * (recordings - number))
        about = (key, b"/talks/%d.wav" % number, f"{number}.wav", created.isoformat(), "done", "", 600.0)
        writer.execute(
            "INSERT INTO recording (id, path, name, created, state, owner, seconds) VALUES (?, ?, ?, ?, ?, ?, ?)", about
        )
        writer.execute(
            "UPDATE recording SET seconds = ?, language = ?, language_probability = ?, models = ?, stats = ?,"
            " speakers = ?, damage = ?, guarded = ? WHERE id = ?",
            (*rows.transcript_values(made), key),
        )
        if number % 10 == 0:
            corrected = rows.corrected_value(made)
            writer.execute("UPDATE recording SET corrected = ? WHERE id = ?", (corrected, key))
        writer.executemany(
            f"INSERT INTO segment (recording, {rows.SEGMENT}) VALUES (?{', ?' * 11})",
            ((key, *rows.segment_values(segment)) for segment in made.segments),
        )
    writer.execute("COMMIT")
    writer.close()
    reader.close()


def transcript(chance: random.Random, words: list[str], lines: int, number: int) -> Transcript:
    """A text of lines of ten words; in every hundredth recording one is "galley"."""
    segments = []
    for line in range(lines):
        line_words = [*chance.choices(words, k=9), "galley" if number % 100 == 0 and line == lines // 2 else "the"]
        text = " ".join(line_words)
        spoken = tuple(Word(f" {word}", line * 4.0, line * 4.0 + 0.3, 0.9) for word in line_words)
        segments.append(
            Segment(
                line,
                line * 4.0,
                line * 4.0 + 3.9,
                text,
                tuple(range(12)),
                0.0,
                -0.2,
                0.01,
                "S1",
                spoken,
            )
        )
    turns = tuple((line * 4.0, line * 4.0 + 3.9) for line in range(lines))
    speakers = (Speaker("S1", "Ann", turns), Speaker("S2", "Ben", turns))
    return Transcript("", 600.0, "en", 0.9, _MODELS, tuple(segments), speakers, Statistics(600.0, 60.0))


def timed(call: Callable[[], Library]) -> tuple[Library, float]:
    begin = time.perf_counter()
    made = call()
    return made, time.perf_counter() - begin


def median(call: Callable[[], object]) -> float:
    """The median time of a call, in milliseconds."""
    times = []
    for _run in range(_RUNS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    main()
