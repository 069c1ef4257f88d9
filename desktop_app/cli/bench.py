"""`galley bench`: what Galley can measure on this computer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Protocol

from desktop_app.texts import N_, _


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
    "accuracy": (_accuracy, N_("Word and character error rates on recordings with a reference text, and speed")),
    "live": (_live, N_("Live transcription: delay, stability, accuracy and cost")),
    "memory": (_memory, N_("Memory use of a model, from its file to the first window")),
    "speakers": (_speakers, N_("Speaker diarisation: error rates, number of speakers, words per speaker, and cost")),
}
"""Each benchmark's name, what loads its module, and what it measures."""


def add_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    """The benchmarks' names, and the options of the one that is asked for: only its module is imported."""
    names = parser.add_subparsers(dest="benchmark", required=True, metavar=_("NAME"))
    for name, (load, what) in BENCHMARKS.items():
        one = names.add_parser(name, help=_(what), description=_(what), allow_abbrev=False)
        one.add_argument("--json", metavar=_("FILE"), help=_("write the figures to this file, as JSON"))
        if given and given[0] == name:
            load().add_arguments(one)


def run(arguments: argparse.Namespace) -> int:
    """Run one benchmark; gives its exit status."""
    load, _what = BENCHMARKS[arguments.benchmark]
    return load().run(arguments)
