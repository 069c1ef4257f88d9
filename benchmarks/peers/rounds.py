"""Contestants in turn, again and again, and what comes of it: medians, ratios and word error rates."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers.contestants import ALONE, WITH_DRAFT, Contestant, Measured
from benchmarks.peers.environments import FailedError
from desktop_app.measure.error_rates import word_edits

Rounds = dict[str, list[Measured]]
"""What each contestant took, in the order of the rounds."""


WRONG = 0.5
"""The word error rate above which a text is not that of the recording, so that its time means nothing."""


def measure(
    contestants: Sequence[Contestant],
    file: Path,
    first: Path,
    rounds: int,
    done: Rounds,
    save: Callable[[], None],
) -> None:
    """Let each transcribe the file in turn until it was measured `rounds` times, those in `done` included; `done`
    grows, and is saved after each. Before that each transcribes `first`, the beginning of the file, which does not
    count. One that fails is said in a line and left out from there on.
    """
    working = [each for each in contestants if len(done.get(each.name, [])) < rounds and _try(each, first)]
    for number in range(1, rounds + 1):
        for each in [each for each in working if len(done.get(each.name, [])) < number]:
            print(f"Round {number} of {rounds}: {each.name}", file=sys.stderr)
            if (measured := _try(each, file)) is None:
                working.remove(each)
                continue
            done.setdefault(each.name, []).append(measured)
            save()


def _try(contestant: Contestant, file: Path) -> Measured | None:
    try:
        return contestant.transcribe(file)
    except FailedError as error:
        complain(contestant.name, error)
        return None


def complain(name: str, why: object) -> None:
    """One line about a contestant that is left out."""
    print(f"{name} is left out: {why}", file=sys.stderr)


def figures(done: Rounds, reference: str, language: str, precisions: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Of each contestant: precision, medians of its rounds, word error rate (None without a reference), and how many
    times as fast Galley is, alone and with its draft: the ratio of the medians without loading. A wrong text has none.
    """
    galley = {name: median(each.seconds for each in done[name]) for name in (ALONE, WITH_DRAFT) if name in done}
    found = {}
    for name, rounds in done.items():
        seconds = median(each.seconds for each in rounds)
        wer = word_edits(reference, rounds[-1].text, language).rate if reference else None
        is_wrong = wer is not None and wer > WRONG
        found[name] = {
            "precision": precisions[name],
            "seconds": seconds,
            "with_loading": median(each.with_loading for each in rounds),
            "wer": wer,
            "times_as_fast": {} if is_wrong else {each: seconds / own for each, own in galley.items()},
            "rounds": [asdict(each) for each in rounds],
        }
    return found


def lines(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The table that a person reads."""
    head = f"{'':22} {'':5} {'without loading':>16} {'with loading':>13} {'WER':>7} {ALONE:>14} {WITH_DRAFT:>18}"
    table = [head]
    for name, each in found.items():
        wer = "" if each["wer"] is None else f"{each['wer']:.2%}"
        alone, drafted = (
            f"{each['times_as_fast'][own]:.2f} ×" if own in each["times_as_fast"] else "" for own in (ALONE, WITH_DRAFT)
        )
        table.append(
            f"{name:22} {each['precision']:5} {each['seconds']:14.2f} s {each['with_loading']:11.2f} s {wer:>7} "
            f"{alone:>14} {drafted:>18}"
        )
    wrong = [name for name, each in found.items() if each["wer"] is not None and each["wer"] > WRONG]
    return table + [f"{name}: the text is not that of the recording, so its time means nothing" for name in wrong]
