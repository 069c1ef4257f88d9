"""A reader's corrections of speakers in a new text of the same recording."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from desktop_app.transcript.model import Segment, Speaker, Transcript
from desktop_app.transcript.speakers import (
    add,
    boundaries,
    called,
    intersect,
    numbered,
    split_segment,
    spoken_by,
    turns_of,
    union,
)

NEAR = 1.0
"""Seconds between lines of two texts that may be the same."""


def is_named(transcript: Transcript) -> bool:
    """Whether a reader has given somebody a name."""
    return any(speaker.name != called(speaker.id) for speaker in transcript.speakers)


def carried(before: Transcript, after: Transcript) -> Transcript:
    """The text of `after`, said by the speakers of `before`: each word by who spoke at that time, so that names,
    merges and lines that were given to somebody else are there again. Lines are split where the speaker changes.

    What begins behind the last line of `before`, which may have been broken off, is said by who was found for it: the
    speaker of `before` who is heard at the same times, or somebody more.
    """
    if not before.speakers or not before.segments:
        return after
    end = before.segments[-1].end
    rest = [segment for segment in after.segments if segment.start >= end and segment.speaker]
    speakers, known = _people(before, after, end, {segment.speaker for segment in rest})
    lines, first = [], 0
    for segment in after.segments:
        if segment in rest:
            lines.append(spoken_by(segment, known[segment.speaker]))
            continue
        if segment.start >= end + NEAR:
            lines.append(segment)
            continue
        while first + 1 < len(before.segments) and before.segments[first].end < segment.start - NEAR:
            first += 1
        lines += _line(segment, before.segments[max(first - 1, 0) :])
    return replace(after, segments=numbered(lines), speakers=speakers)


def _people(
    before: Transcript, after: Transcript, end: float, wanted: Collection[str | None]
) -> tuple[tuple[Speaker, ...], dict[str | None, str]]:
    """The speakers of `before` and who of the `wanted` speakers of `after` is none of them, with what they say behind
    `end`; and for the ids of `after` those here.
    """
    made, known = before, dict[str | None, str]()
    both = [
        (sum(stop - start for start, stop in intersect(turns_of(after, new), turns_of(before, old))), new.id, old.id)
        for new in after.speakers
        for old in before.speakers
    ]
    for seconds, new, old in sorted(both, reverse=True):
        if seconds > 0 and new not in known and old not in known.values():
            known[new] = old
    for speaker in (each for each in after.speakers if each.id in wanted):
        if speaker.id not in known:
            made, known[speaker.id] = add(made)
        more = intersect(turns_of(after, speaker), [(end, math.inf)])
        speakers = (
            replace(each, turns=union([*each.turns, *more])) if each.id == known[speaker.id] else each
            for each in made.speakers
        )
        made = replace(made, speakers=tuple(speakers))
    return made.speakers, known


def _line(segment: Segment, old: Sequence[Segment]) -> list[Segment]:
    near = [each for each in old if each.start < segment.end + NEAR] or old[:1]
    speakers = [_speaker(start, end, near) for start, end in _pieces(segment)]
    runs = [(who, len(list(run))) for who, run in groupby(speakers)]
    if len(runs) < 2:
        return [spoken_by(segment, speakers[0])]
    marks, places, at = [0, *boundaries(segment)], [], 0
    for _, count in runs[:-1]:
        at += count
        places.append(marks[at])
    return [spoken_by(part, who) for part, (who, _) in zip(split_segment(segment, places), runs, strict=True)]


def _pieces(segment: Segment) -> list[tuple[float, float]]:
    """The times of what a line may be split into: its words, or shares of its time where those are not known."""
    if segment.words and len(segment.words) == len(boundaries(segment)) + 1:
        return [(word.start, word.end) for word in segment.words]
    length = segment.end - segment.start
    marks = [0, *boundaries(segment), max(len(segment.text), 1)]
    times = [segment.start + length * mark / marks[-1] for mark in marks]
    return list(pairwise(times))


def _speaker(start: float, end: float, lines: Sequence[Segment]) -> str | None:
    """Who says the line that covers most of a stretch, or else is nearest to it."""
    return max(lines, key=lambda line: min(end, line.end) - max(start, line.start)).speaker
