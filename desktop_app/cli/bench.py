"""`galley bench`: what Galley can measure on this computer, one module of `desktop_app.measure` each."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Protocol, cast

BENCHMARKS = {
    "accuracy": ("accuracy", "word and character error rates on recordings with a known text, and how fast"),
    "live": ("live", "words on the screen while they are spoken: how late, how stable, how right, at what cost"),
    "memory": ("memory", "the memory that a model takes, from its file to its first window"),
    "speakers": ("speakers", "who spoke when: error rates, number of speakers, whose words, and at what cost"),
}
"""Name, module of `desktop_app.measure`, and what is measured."""


class Benchmark(Protocol):
    """What each of the modules offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Its own options."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Measure; gives the exit status."""


def add_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    """The benchmarks' names, and the options of the one that is asked for: only its module is imported."""
    names = parser.add_subparsers(dest="benchmark", required=True, metavar="NAME")
    for name, (_, what) in BENCHMARKS.items():
        one = names.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.", allow_abbrev=False)
        one.add_argument("--json", metavar="FILE", help="write the figures there, as JSON")
        if given and given[0] == name:
            _module(name).add_arguments(one)


def run(arguments: argparse.Namespace) -> int:
    """Run one benchmark; gives its exit status."""
    return _module(arguments.benchmark).run(arguments)


def _module(name: str) -> Benchmark:
    return cast(Benchmark, importlib.import_module(f"desktop_app.measure.{BENCHMARKS[name][0]}"))
