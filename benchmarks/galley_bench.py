"""`galley bench`, with its figures recorded: `python -m benchmarks.galley_bench live --real data/real/read ...`

All arguments are those of `galley bench`, and `--record NOTE` with what a reader should know of the run. Accuracy,
speed and live text are recorded as those of the model that Galley ships, so they are refused of any other.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import records
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import read

Figures = dict[str, Any]
Recorded = tuple[str, float | Sequence[float], str]
"""Claim, values and unit."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("benchmark", choices=tuple(CLAIMS))
    records.add_argument(parser)
    arguments, given = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "figures.json")
        command = ["bench", arguments.benchmark, *given]
        status = subprocess.call([sys.executable, "-m", "desktop_app", *command, "--json", str(file)])
        if status:
            return status
        figures: Figures = json.loads(file.read_text("utf-8"))
    target, ours = (figures.get("models") or {}).get("target"), read(installed.bundled()).name
    if target not in (None, ours):
        print(f"Not recorded: these are figures of {target}, not of {ours}.", file=sys.stderr)
        return 1
    shown = shlex.join(Path(each).name if os.sep in each else each for each in command)
    topic, claims = CLAIMS[arguments.benchmark]
    for claim, values, unit in claims(figures):
        records.record(topic, claim, values, unit=unit, note=arguments.record or "", command=f"galley {shown}")
    return 0


def accuracy(figures: Figures) -> Iterator[Recorded]:
    """Of the whole folder."""
    precision, folder = figures["models"]["precision"], Path(figures["folder"]).name
    yield f"{folder}: Galley, {precision}", 100 * figures["total"]["wer"], "%"


def speed(figures: Figures) -> Iterator[Recorded]:
    """Of the drafter that is fastest."""
    precision = figures["models"]["precision"]
    best = max(figures["drafters"].values(), key=lambda each: float(each["times_alone"]))
    yield f"times as fast as alone, {precision}", best["times_alone"], "×"
    share = 100 * best["elsewhere"] / best["wall"]
    yield f"time outside encoder, target and draft, {precision}", share, "%"


def live(figures: Figures) -> Iterator[Recorded]:
    """Of real speech, and of what is none."""
    clock = "" if figures["clock"] == "wall" else "clock of one core: "
    if found := figures.get("real"):
        for claim, key in (("a draft word is shown", "shown_aware"), ("a word is final", "final_aware")):
            yield f"{clock}{claim} after, median / p95", (found[key]["p50"], found[key]["p95"]), "s"
        yield f"{clock}word errors, live / file", (100 * found["wer_final"], 100 * found["wer_file"]), "%"
        yield f"{clock}share of one core", 100 * found["computing_share"], "%"
    quiet = [each for kind, each in figures.get("without_speech", {}).items() if kind != "sounds"]
    if quiet:
        yield f"{clock}words in silence, noise and music", sum(each["words"] for each in quiet), ""


def memory(figures: Figures) -> Iterator[Recorded]:
    """Of the second start, from the cache."""
    name = f"{figures['shape']}, {figures['precision']}"
    yield f"{name}: peak of the next start", figures["next_start"]["peak_bytes"] / 1e9, "GB"


def speakers(figures: Figures) -> Iterator[Recorded]:
    """Of conversations that were made, and of real ones."""
    sessions = "mixed sessions: " if figures["mixed_sessions"] else ""
    if made := figures["made"]:
        yield f"{sessions}DER", 100 * made["collar_0"]["der"], "%"
        counts = (100 * made["count_right"], 100 * made["count_at_most_one_off"])
        yield f"{sessions}number of speakers right / at most one off", counts, "%"
        if made["cpwer_of_attribution"] is not None:
            yield f"{sessions}cpWER of the reference's words", 100 * made["cpwer_of_attribution"], "%"
        yield f"{sessions}real-time factor", made["real_time_factor"], ""
    for each in figures["real"]:
        yield f"{each['name']}: DER", 100 * each["collar_0"]["der"], "%"


CLAIMS: dict[str, tuple[str, Callable[[Figures], Iterator[Recorded]]]] = {
    "accuracy": ("accuracy", accuracy),
    "speed": ("draft", speed),
    "live": ("live", live),
    "memory": ("memory", memory),
    "speakers": ("speakers", speakers),
}
"""The topic of each benchmark, and what is recorded of its figures."""


if __name__ == "__main__":
    sys.exit(main())
