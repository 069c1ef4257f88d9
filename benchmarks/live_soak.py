"""Hours of live audio, fed faster than real time: memory stays flat, updates do not become slower, nothing is lost.

`make soak` plays two hours; `--minutes 3` is the short form. The sample conversation is repeated with pauses, and in
every tenth one somebody is silent for half a minute. Ends with status 1 where memory or cost has grown.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import process_time

import numpy as np

from desktop_app import resources
from desktop_app.audio.files import RATE, AudioFile
from desktop_app.audio.logmel import features
from desktop_app.audio.voice import VoiceGate
from desktop_app.decoding.live import Live
from desktop_app.engine.messages import Options
from desktop_app.engine.models import Shelf

EVERY = 1.0  # seconds of audio between two updates
MOST_MEMORY, MOST_SLOWER = 30.0, 1.5  # megabytes that may be added, and how much slower the last tenth may be


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    pair = Shelf().pair(Options(language="en"), lambda what: None)
    checkpoint = pair.target.checkpoint
    with AudioFile(str(resources.path("resources", "sample", "conversation.flac"))) as file:
        sample = np.concatenate(list(file))
    live = Live(features, pair.target.model, checkpoint.vocabulary, checkpoint.text, VoiceGate(), pair.drafter())
    step, total = round(EVERY * RATE), round(arguments.minutes * 60 * RATE)
    costs: list[float] = []
    memory: list[float] = []
    backlogs: list[float] = []
    segments = at = part = 0
    while live.heard < total:
        if at >= len(sample):
            at, part = 0, part + 1
            live.feed(np.zeros((30 if part % 10 == 0 else 2) * RATE, np.float32))
        live.feed(sample[at : at + step])
        at += step
        while live.due:
            began = process_time()
            text = live.update()
            costs.append(process_time() - began)
            segments += len(text.committed) if text else 0
            if live.heard - live.decoded < RATE:
                break
        backlogs.append((live.heard - live.decoded) / RATE)
        memory.append(resident())
    live.finish()
    while live.due:
        text = live.update()
        segments += len(text.committed) if text else 0
    tenth = max(1, len(costs) // 10)
    early, late = float(np.median(costs[tenth : 2 * tenth])), float(np.median(costs[-tenth:]))
    settled = memory[len(memory) // 4]  # the first minutes fill caches
    result = {
        "minutes": live.heard / RATE / 60,
        "updates": len(costs),
        "segments": segments,
        "memory_after_a_quarter_mb": settled,
        "memory_at_the_end_mb": memory[-1],
        "update_early_seconds": early,
        "update_late_seconds": late,
        "largest_backlog_seconds": max(backlogs),
        "all_heard": live.heard == live.decoded,
    }
    sys.stdout.write(json.dumps(result, indent=1) + "\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    good = memory[-1] - settled < MOST_MEMORY and late < MOST_SLOWER * early and live.heard == live.decoded
    return 0 if good else 1


def resident() -> float:
    """Megabytes of memory in use, on Linux."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    sys.exit(main())
