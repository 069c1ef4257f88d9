"""Hours of live audio, fed faster than real time: memory stays flat, updates do not become slower, nothing is lost.

`make soak` plays two hours; `--minutes 3` is the short form, and `--every 4` updates as seldom as a slow computer
would. The sample conversation is repeated with pauses, and in every tenth one somebody is silent for half a minute.
Every ten minutes of audio a line says how it goes. Ends with status 1 where memory, cost or backlog has grown.

Costs are processor time of all threads. A busy machine adds to it; the target's passes for an update do not depend on
the machine at all.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time

import numpy as np

from benchmarks.figures import records
from desktop_app import resources
from desktop_app.audio.files import AudioFile
from desktop_app.audio.logmel import features
from desktop_app.audio.voice import VoiceGate
from desktop_app.decoding.live import Live
from desktop_app.messages.options import Options
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.statistics import Counter
from desktop_app.worker.loaded_models import ModelCache

REPORT = 600.0  # seconds of audio between two lines of the report
MOST_MEMORY, MOST_SLOWER = 30.0, 1.25  # megabytes that may be added; how much dearer the last tenth may be


@dataclass(frozen=True)
class Moment:
    """An update: when it was, in seconds of audio, what it cost in seconds and passes, and what it left behind."""

    at: float
    seconds: float
    passes: int
    backlog: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--every", type=float, default=1.0, help="seconds of audio between two updates")
    parser.add_argument("--json", type=Path)
    records.add_argument(parser)
    arguments = parser.parse_args()
    step = round(arguments.every * SAMPLE_RATE)
    with AudioFile(str(resources.path("resources", "sample", "conversation.flac"))) as file:
        sample = np.concatenate(list(file))
    short, long = (np.zeros(seconds * SAMPLE_RATE, np.float32) for seconds in (2, 30))
    sound = np.concatenate([*[sample, short] * 9, sample, long])
    pair = ModelCache().pair(Options(language="en"), lambda stage, **values: None)
    counter = Counter()
    live = Live(
        features,
        pair.setup(guard=True),
        VoiceGate(),
        counter=counter,
    )
    began, total = monotonic(), round(arguments.minutes * 60 * SAMPLE_RATE)
    moments: list[Moment] = []
    parts: list[dict[str, float]] = []
    segments = at = 0

    def update() -> None:
        nonlocal segments
        before, passes = process_time(), counter.total.target_passes
        text = live.update()
        cost, backlog = process_time() - before, (live.received - live.decoded) / SAMPLE_RATE
        moments.append(Moment(live.received / SAMPLE_RATE, cost, counter.total.target_passes - passes, backlog))
        segments += len(text.segments) if text else 0

    def report() -> None:
        since = parts[-1]["minutes"] * 60 if parts else 0.0
        state = {"minutes": live.received / SAMPLE_RATE / 60, "memory_mb": resident(), "segments": segments}
        parts.append(state | summary([each for each in moments if each.at > since]))
        sys.stdout.write(f"{(monotonic() - began) / 60:6.1f} min on the wall: {json.dumps(parts[-1])}\n")
        sys.stdout.flush()

    while live.received < total:
        at = at if at < len(sound) else 0
        live.feed(sound[at : at + step])
        at += step
        while live.due:
            update()
            if live.received - live.decoded < SAMPLE_RATE:
                break
        if REPORT * (len(parts) + 1) <= live.received / SAMPLE_RATE < arguments.minutes * 60:
            report()
    live.finish()
    while live.due:
        update()
    report()
    tenth = max(1, len(moments) // 10)
    first, last = summary(moments[:tenth]), summary(moments[-tenth:])
    result = {
        "minutes_on_the_wall": (monotonic() - began) / 60,
        "all_heard": live.received == live.decoded,
        "first_tenth": first,
        "last_tenth": last,
        "parts": parts,
    }
    sys.stdout.write(json.dumps(result, indent=1) + "\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    settled = parts[len(parts) // 10]["memory_mb"]  # the runtime's caches are full by then
    grown = parts[-1]["memory_mb"] - settled
    if arguments.record is not None:
        hours = f"{arguments.minutes / 60:g} hours"
        claim = f"{hours}: memory added after the first tenth"
        records.record("live", claim, grown, unit="MB", note=arguments.record)
    flat = grown < MOST_MEMORY
    cheap = last["update_seconds"] < MOST_SLOWER * first["update_seconds"] and last["passes"] < first["passes"] + 1
    prompt = last["largest_backlog"] < first["largest_backlog"] + arguments.every
    return 0 if flat and cheap and prompt and live.received == live.decoded else 1


def summary(moments: list[Moment]) -> dict[str, float]:
    """What these updates were like: the median and 95th percentile of their cost in seconds, their mean number of
    passes, and the largest backlog they left, in seconds."""
    costs = [each.seconds for each in moments]
    return {
        "updates": len(moments),
        "update_seconds": float(np.median(costs)),
        "update_seconds_p95": float(np.percentile(costs, 95)),
        "passes": float(np.mean([each.passes for each in moments])),
        "largest_backlog": max(each.backlog for each in moments),
    }


def resident() -> float:
    """Megabytes of memory in use, on Linux."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    sys.exit(main())
