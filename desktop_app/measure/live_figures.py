"""How late, how stable and how right a live text was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from desktop_app.measure.error_rates import matched, word_error_rate
from desktop_app.measure.in_process import Run

PAUSE = 0.5  # seconds between two words that end a speech


@dataclass(frozen=True)
class SpokenWord:
    """A spoken word, as `normalised` gives it, and when, in seconds."""

    word: str
    start: float
    end: float


def latency(run: Run, spoken: Sequence[SpokenWord]) -> dict[str, Any]:
    """The delays of words behind their ends in the speech, in seconds, over the words that are right in the end.

    `shown` is when a word was first seen in its place, in any kind of text, `final` when it was committed; `aware` of
    the time that computing takes, `unaware` stops the clock for it. `end_of_speech_to_final` is of the last word before
    a pause alone.
    """
    words = run.words
    pairs, _ = matched([each.word for each in spoken], words)
    seen, finished = _first_times(run)
    result: dict[str, Any] = {"matched_words": len(pairs)}
    for name, times in (("shown", seen), ("final", finished)):
        for kind, index in (("aware", 0), ("unaware", 1)):
            late = [times[place][index] - spoken[number].end for number, place in pairs if place in times]
            result[f"{name}_{kind}"] = spread(late)
    lasts = {i for i in range(len(spoken)) if i + 1 == len(spoken) or spoken[i + 1].start - spoken[i].end >= PAUSE}
    result["end_of_speech_to_final"] = spread([finished[place][0] - spoken[i].end for i, place in pairs if i in lasts])
    result["first_word_shown"] = seen[pairs[0][1]][0] - spoken[pairs[0][0]].end if pairs else None
    return result


def spread(values: Sequence[float]) -> dict[str, float]:
    """Mean, median and the 95th percentile; nothing of nothing."""
    if not values:
        return {}
    found = np.array(values)
    return {"mean": float(found.mean()), "p50": float(np.median(found)), "p95": float(np.percentile(found, 95))}


def erasure(run: Run) -> dict[str, float]:
    """Normalised erasure: words that were shown and then changed or taken away, for each word of the final text; for
    what the target had written, and with the draft's. Final words never change: that is counted too.
    """
    count = max(1, len(run.words))
    erased = {"provisional": 0, "with_draft": 0, "final": 0}
    before: tuple[tuple[str, ...], ...] = ((), (), ())
    for shown in run.shown:
        now = ((*shown.final, *shown.provisional), (*shown.final, *shown.provisional, *shown.draft), shown.final)
        for index, name in enumerate(erased):
            if name == "provisional" and shown.draft:
                continue  # the draft's text takes the place of the last word while the target works
            erased[name] += max(0, len(before[index]) - _common(before[index], now[index]))
        before = tuple(before[i] if i == 0 and shown.draft else value for i, value in enumerate(now))
    return {name: words / count for name, words in erased.items()}


def accuracy(run: Run, spoken: Sequence[SpokenWord]) -> float:
    """The word error rate of the committed text."""
    return word_error_rate([each.word for each in spoken], run.words)


def _first_times(run: Run) -> tuple[dict[int, tuple[float, float]], dict[int, tuple[float, float]]]:
    """When each final word was first seen in its place, and when it became final: by the clock and by the audio."""
    final = run.words
    seen: dict[int, tuple[float, float]] = {}
    finished: dict[int, tuple[float, float]] = {}
    for shown in run.shown:
        times = (shown.time, shown.received)
        for place in range(len(finished), len(shown.final)):
            finished[place] = times
            seen.setdefault(place, times)
        for place, word in enumerate((*shown.provisional, *shown.draft), len(shown.final)):
            if place < len(final) and final[place] == word:
                seen.setdefault(place, times)
    return seen, finished


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    length = min(len(left), len(right))
    return next((i for i in range(length) if left[i] != right[i]), length)
