"""A small share of the attack by mutated media files; `tests/chaos/media.py` is the whole of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]


def test_mutated_files_crash_nothing_and_are_reported_in_a_sentence() -> None:
    run = [sys.executable, "-m", "tests.chaos.media", "--count", "15", "--seed", "2"]
    done = subprocess.run(run, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = [line.split()[1] for line in done.stdout.splitlines()[1:-3]]
    assert "done" in outcomes and len(outcomes) >= 3  # some are read in spite of the damage, others are not
