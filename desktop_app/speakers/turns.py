"""Turns: who speaks from when to when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Turn:
    """`speaker` speaks from `start` to `end`, in seconds."""

    start: float
    end: float
    speaker: str


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
    """The turns with the speakers called S1, S2, ... in the order in which they first speak."""
    names: dict[str, str] = {}
    for turn in turns:
        names.setdefault(turn.speaker, f"S{len(names) + 1}")
    return [replace(turn, speaker=names[turn.speaker]) for turn in turns]
