"""A short share of `python -m tests.chaos.endurance`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from tests.chaos import endurance
from tests.chaos.cases import Case

pytestmark = pytest.mark.timeout(400)

_ONTO = (endurance.exporting_onto, endurance.settings_on, endurance.a_library_on, endurance.quantising_onto)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says what a process holds")
def test_an_engine_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither a process nor a file, a thread or memory in the program that starts it."""
    Case("engine starts", partial(endurance.engine_starts, 3)).check(tmp_path)


@pytest.mark.parametrize("trouble", [endurance.full, endurance.read_only], ids=["full", "read-only"])
@pytest.mark.parametrize("onto", _ONTO, ids=lambda each: each.__name__)
def test_a_disk_that_takes_nothing_costs_nothing_earlier(
    onto: endurance.Onto, trouble: endurance.Trouble, tmp_path: Path
) -> None:
    """One sentence, or one problem, and what was there before is there."""
    Case(onto.__name__, partial(onto, trouble)).check(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says which processes a program has")
def test_a_halted_engine_resumes(tmp_path: Path) -> None:
    """The text is the same."""
    Case("engine halted", partial(endurance.halted, "engine", 35)).check(tmp_path)
