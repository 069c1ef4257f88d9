"""How wrong turns are: the diarization error rate, as NIST defined it and as pyannote.metrics counts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from desktop_app.speakers.assignment import best_assignment
from desktop_app.speakers.turns import Turn


@dataclass(frozen=True)
class Errors:
    """Seconds of speaking time: of the reference in all, missed, invented, and given to the wrong speaker."""

    total: float = 0.0
    missed: float = 0.0
    false_alarm: float = 0.0
    confusion: float = 0.0

    def __add__(self, other: Errors) -> Errors:
        return Errors(
            self.total + other.total,
            self.missed + other.missed,
            self.false_alarm + other.false_alarm,
            self.confusion + other.confusion,
        )

    @property
    def rate(self) -> float:
        """The diarization error rate; 0.1 is 10%."""
        return (self.missed + self.false_alarm + self.confusion) / self.total if self.total else 0.0


def errors(reference: Sequence[Turn], found: Sequence[Turn], collar: float = 0.0, seconds: float = 0.0) -> Errors:
    """The errors under the best matching of speakers, overlap included.

    `collar` seconds on both sides of every edge of the reference are not looked at; after `seconds`, if given, nothing
    is.
    """
    mine, theirs = _names(reference), _names(found)
    edges = {time for turn in (*reference, *found) for time in (turn.start, turn.end)}
    ignored = (
        [(edge - collar, edge + collar) for turn in reference for edge in (turn.start, turn.end)] if collar else []
    )
    edges |= {time for hole in ignored for time in hole} | ({seconds} if seconds else set())
    times = np.array(sorted(edges))
    if len(times) < 2:
        return Errors()
    middles, lengths = (times[1:] + times[:-1]) / 2, np.diff(times)
    for begin, end in ignored:
        lengths = np.where((middles > begin) & (middles < end), 0.0, lengths)
    if seconds:
        lengths = np.where(middles > seconds, 0.0, lengths)
    speaking, found_speaking = _active(reference, mine, middles), _active(found, theirs, middles)
    together = (speaking * lengths) @ found_speaking.T
    rows, columns = best_assignment(together)
    right = float(together[rows, columns].sum())
    count, found_count = speaking.sum(0), found_speaking.sum(0)
    both = float((np.minimum(count, found_count) * lengths).sum())
    return Errors(
        float((count * lengths).sum()),
        float((np.maximum(count - found_count, 0) * lengths).sum()),
        float((np.maximum(found_count - count, 0) * lengths).sum()),
        both - right,
    )


def _names(turns: Sequence[Turn]) -> list[str]:
    return sorted({turn.speaker for turn in turns})


def _active(turns: Sequence[Turn], names: list[str], times: np.ndarray) -> np.ndarray:
    """Who speaks at each time, [speakers, times]; somebody who speaks twice at once counts once."""
    found = np.zeros((len(names), len(times)))
    for turn in turns:
        found[names.index(turn.speaker), (times > turn.start) & (times < turn.end)] = 1.0
    return found
