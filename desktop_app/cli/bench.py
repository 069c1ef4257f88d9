"""`galley bench`: what Galley can measure on this computer."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Protocol

from desktop_app.cli import model_arguments
from desktop_app.messages.options import BENCH
from desktop_app.texts import N_, _


class Benchmark(Protocol):
    """What each module of a benchmark offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Its own options, beside those of the models that it runs."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Measure; gives the exit status. `arguments.options` are the Options, where it is one of WITH_MODELS."""


BENCHMARKS = {
    "accuracy": N_("Word and character error rates on recordings with a reference text, and speed"),
    "drafters": N_("What each drafter brings on your recordings: tokens per pass, time, memory"),
    "live": N_("Live transcription: delay, stability, accuracy and cost"),
    "memory": N_("Memory use of a model, from its file to the first window"),
    "speakers": N_("Speaker diarisation: error rates, number of speakers, words per speaker, and cost"),
    "speed": N_("Speed of a model alone and with each drafter, and the least time that a pass can take"),
}
"""Each benchmark's name, and what it measures."""

WITH_MODELS = ("accuracy", "drafters", "live", "speed")
"""Those that take all that decides a text."""


def load(name: str) -> Benchmark:
    """The module of a benchmark."""
    if name == "accuracy":
        from desktop_app.measure import accuracy

        return accuracy
    if name == "drafters":
        from desktop_app.measure import drafters

        return drafters
    if name == "live":
        from desktop_app.measure import live

        return live
    if name == "memory":
        from desktop_app.measure import memory

        return memory
    if name == "speed":
        from desktop_app.measure import speed

        return speed
    from desktop_app.measure import speakers

    return speakers


def add_arguments(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    """The benchmarks' names, and the options of the one that is asked for: only its module is imported."""
    names = parser.add_subparsers(dest="benchmark", required=True, metavar=_("NAME"))
    for name, what in BENCHMARKS.items():
        one = names.add_parser(name, help=_(what), description=_(what), allow_abbrev=False)
        one.add_argument("--json", metavar=_("FILE"), help=_("write the figures to this file, as JSON"))
        if given and given[0] == name:
            load(name).add_arguments(one)
            if name in WITH_MODELS:
                model_arguments.add(one, BENCH)


def run(arguments: argparse.Namespace) -> int:
    """Run one benchmark; gives its exit status."""
    if arguments.benchmark in WITH_MODELS:
        arguments.options = model_arguments.options(arguments, BENCH)
    return load(arguments.benchmark).run(arguments)
