"""From likeness to turns: which voice each moment of speech belongs to, and exactly where it changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.networks import RATE, Array

PENALTY = 0.3
"""What a change of voice costs, in cosines of neighbouring pieces: a short doubt is no change."""

REACH = 0.35
"""Seconds around a change in which the quietest moment is looked for."""

_STEP = 0.01


@dataclass(frozen=True)
class Turn:
    """`speaker` is heard from `start` to `end`, in seconds."""

    start: float
    end: float
    speaker: str


def path(likeness: Array, penalty: float = PENALTY) -> npt.NDArray[np.intp]:
    """The likeliest voice of each piece [n] by the cosines [n, voices], where a change costs `penalty` (Viterbi)."""
    count, voices = likeness.shape
    best, came = likeness[0].astype(np.float64), np.zeros((count, voices), np.intp)
    for at in range(1, count):
        jump = int(best.argmax())
        stay = best >= best[jump] - penalty
        came[at] = np.where(stay, np.arange(voices), jump)
        best = np.where(stay, best, best[jump] - penalty) + likeness[at]
    found = np.zeros(count, np.intp)
    found[-1] = best.argmax()
    for at in range(count - 1, 0, -1):
        found[at - 1] = came[at, found[at]]
    return found


def changes(likeness: Array, middles: Array, voices: npt.NDArray[np.intp]) -> list[tuple[float, int]]:
    """Where the voice changes in a stretch, and to which: at the place between two pieces where both are as likely."""
    found = []
    for at in np.flatnonzero(np.diff(voices)):
        old, new = int(voices[at]), int(voices[at + 1])
        before, after = (float(likeness[place, old] - likeness[place, new]) for place in (at, at + 1))
        share = before / (before - after) if before > 0 > after else 0.5
        found.append((float(middles[at] + share * (middles[at + 1] - middles[at])), new))
    return found


def loudness(samples: Array) -> Array:
    """The level of a stretch in decibels, every 10 ms."""
    size = round(_STEP * RATE)
    frames = samples[: samples.size // size * size].reshape(-1, size)
    power = np.asarray(10 * np.log10(np.mean(frames**2, axis=1) + 1e-9), np.float32)
    return np.convolve(power, np.full(3, 1 / 3, np.float32), "same") if power.size > 3 else power


def snapped(at: float, level: Array, reach: float = REACH) -> float:
    """The quietest moment near a change: people change where there is a breath between them. A farther moment has to be
    quieter to be taken.
    """
    first, last = (max(0, round((at + side) / _STEP)) for side in (-reach, reach))
    near = level[first : last + 1]
    if near.size < 3:
        return at
    places = np.arange(first, first + near.size)
    cost = near + 6.0 * np.abs(places * _STEP - at) / reach
    return float((places[int(cost.argmin())] + 0.5) * _STEP)


def joined(turns: Iterable[Turn], gap: float) -> list[Turn]:
    """The turns in order; those of one speaker with no more than `gap` seconds between them are one."""
    found: list[Turn] = []
    open_turns: dict[str, int] = {}
    for turn in sorted(turns, key=lambda each: (each.start, each.end)):
        last = open_turns.get(turn.speaker)
        if last is not None and turn.start - found[last].end <= gap:
            found[last] = replace(found[last], end=max(found[last].end, turn.end))
        else:
            open_turns[turn.speaker] = len(found)
            found.append(turn)
    return found


def named(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with the speakers called S1, S2, ... in the order in which they are first heard."""
    names: dict[str, str] = {}
    for turn in turns:
        names.setdefault(turn.speaker, f"S{len(names) + 1}")
    return [replace(turn, speaker=names[turn.speaker]) for turn in turns]
