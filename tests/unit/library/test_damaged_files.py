"""A small share of the attack on files that Galley keeps; `tests/chaos/stored.py` is the whole of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]


def test_damaged_files_cost_nothing_without_a_word() -> None:
    run = [sys.executable, "-m", "tests.chaos.stored", "--first", "3", "--count", "3", "--seed", "2"]
    done = subprocess.run(run, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compiled: done" in done.stdout and "flip: library.salvaged" in done.stdout
