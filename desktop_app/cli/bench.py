"""`galley bench`: what Galley can measure on this computer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Protocol


class Benchmark(Protocol):
    """What each module of `BENCHMARKS` offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Its own options."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Measure; gives the exit status."""


def _accuracy() -> Benchmark:
    from desktop_app.measure import accuracy

    return accuracy


def _live() -> Benchmark:
    from desktop_app.measure import live

    return live


def _memory() -> Benchmark:
    from desktop_app.measure import memory

    return memory


def _speakers() -> Benchmark:
    from desktop_app.measure import speakers

    return speakers


BENCHMARKS: dict[str, tuple[Callable[[], Benchmark], str]] = {
    "accuracy": (_accuracy, "word and character error rates on recordings with a known text, and how fast"),
    "live": (_live, "words on the screen while they are spoken: how late, how stable, how right, at what cost"),
    "memory": (_memory, "the memory that a model takes, from its file to its first window"),
    "speakers": (_speakers, "who spoke when: error rates, number of speakers, whose words, and at what cost"),
}
"""Each benchmark's name, what loads its module, and what it measures."""


def add_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    """The benchmarks' names, and the options of the one that is asked for: only its module is imported."""
    names = parser.add_subparsers(dest="benchmark", required=True, metavar="NAME")
    for name, (load, what) in BENCHMARKS.items():
        one = names.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.", allow_abbrev=False)
        one.add_argument("--json", metavar="FILE", help="write the figures there, as JSON")
        if given and given[0] == name:
            load().add_arguments(one)


def run(arguments: argparse.Namespace) -> int:
    """Run one benchmark; gives its exit status."""
    load, _ = BENCHMARKS[arguments.benchmark]
    return load().run(arguments)
