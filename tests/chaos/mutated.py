"""What the attacks by mutated media files and mutated model folders share: outcomes, their report and the options."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

Run = Callable[[int, int, Path, int, int], "list[Outcome]"]


@dataclass(frozen=True)
class Outcome:
    """What became of one mutated file or folder.

    Attributes:
        codes: of what was done with it: the problem's, "done", or "died" for a process that may.
        seconds: how long it took.
        peak: bytes of the largest process.
        findings: what breaks the promise.
    """

    number: int
    name: str
    codes: tuple[str, ...]
    seconds: float
    peak: int
    findings: tuple[str, ...]


def report(outcomes: Sequence[Outcome]) -> str:
    """What was found, in lines."""
    lines = [f"{len(outcomes)} mutated"]
    codes = Counter(code for each in outcomes for code in each.codes)
    lines += [f"{count:6} {code}" for code, count in codes.most_common()]
    slowest, largest = (max(outcomes, key=key) for key in (lambda each: each.seconds, lambda each: each.peak))
    lines.append(f"slowest: {slowest.number} ({slowest.name[:100]}), {slowest.seconds:.1f} s")
    lines.append(f"largest process: {largest.number} ({largest.name[:100]}), {largest.peak >> 20} MiB")
    lines += [f"{each.number} died ({each.name})" for each in outcomes if "died" in each.codes]
    found = [each for each in outcomes if each.findings]
    lines += [f"{each.number} ({each.name}): {finding}" for each in found for finding in each.findings]
    return "\n".join([*lines, f"{len(found)} findings"])


def main(module: str, description: str | None, run: Run, count: int) -> int:
    """The command line of an attack; gives its exit status.

    `run` gets how many, the seed, an empty folder, how many at once, and the number of the first.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--count", type=int, default=count, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the damage (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="begin with this one")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="make and try this one, and no other")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where those with findings are kept")
    given = parser.parse_args()
    first, count = (given.first, given.count) if given.only is None else (given.only, 1)
    with tempfile.TemporaryDirectory() as scratch:
        outcomes = run(count, given.seed, given.keep or Path(scratch), given.jobs, first)
    print(report(outcomes))
    return int(any(each.findings for each in outcomes))
