"""A small share of the attack by mutated model folders; `tests/chaos/models.py` is the whole of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_mutated_folders_crash_nothing_and_are_refused_in_a_sentence() -> None:
    run = [sys.executable, "-W", "ignore", "-m", "tests.chaos.models", "--count", "6", "--seed", "2"]
    done = subprocess.run(run, cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    codes = [line.split()[1] for line in done.stdout.splitlines()[1:-3]]
    assert "done" in codes and len(codes) > 3  # some can be used in spite of the damage, others not
