"""Named cases of an attack: run from the command line with a summary, and some of them by pytest."""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.small_pair import SMALL_PAIR

TOP = Path(__file__).resolve().parents[2]
CLIPS = TOP / "tests" / "data" / "clips"


class Skipped(Exception):
    """The case cannot be run on this computer; says why."""


@dataclass(frozen=True)
class Case:
    """`run` gets an empty folder and gives what was seen; it raises AssertionError where a promise is broken."""

    name: str
    run: Callable[[Path], str]

    def check(self, folder: Path) -> None:
        """Run it as a test."""
        try:
            self.run(folder)
        except Skipped as skipped:
            pytest.skip(str(skipped))


def main(cases: Sequence[Case], description: str, given: Sequence[str] | None = None) -> int:
    """Run the cases whose names match the arguments, or all, and print a line for each; gives the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("names", nargs="*", metavar="CASE", help="cases to run; * stands for anything (default: all)")
    parser.add_argument("--list", action="store_true", help="only print the names")
    arguments = parser.parse_args(given)
    wanted = [case for case in cases if any(fnmatch.fnmatch(case.name, name) for name in arguments.names or ["*"])]
    if arguments.list or not wanted:
        print("\n".join(case.name for case in cases))
        return 0 if wanted else 2
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ |= {"GALLEY_MODEL": str(SMALL_PAIR), "GALLEY_LANGUAGE": "en"}
    marks: list[str] = []
    for case in wanted:
        began = time.monotonic()
        mark, seen = _outcome(case)
        marks.append(mark)
        print(f"{mark:7}  {case.name} ({time.monotonic() - began:.0f} s): {seen}", flush=True)
    print(", ".join(f"{mark}: {marks.count(mark)}" for mark in ("ok", "BROKEN", "skipped")))
    return 1 if "BROKEN" in marks else 0


def _outcome(case: Case) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(prefix="galley-chaos-", ignore_cleanup_errors=True) as folder:
        os.environ["GALLEY_HOME"] = str(Path(folder, "home"))
        place = Path(folder, "case")
        place.mkdir()
        try:
            return "ok", case.run(place)
        except Skipped as skipped:
            return "skipped", str(skipped)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            return "BROKEN", " ".join(str(error).split())[:300] or type(error).__name__
