"""A reader's corrections of speakers in a new text of the same recording."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from desktop_app.speakers.attribution import NEAR, main_speaker, pieces, seconds_of, split_by_speaker
from desktop_app.transcript.model import Segment, Speaker, Transcript
from desktop_app.transcript.speakers import (
    add,
    called,
    intersect,
    numbered,
    spoken_by,
    turns_of,
    union,
)


def is_named(transcript: Transcript) -> bool:
    """Whether a reader has given somebody a name."""
    return any(speaker.name != called(speaker.id) for speaker in transcript.speakers)


def carried(before: Transcript, after: Transcript) -> Transcript:
    """The text of `after`, with the speakers of `before`: each word by who spoke at that time, so that names,
    merges and lines that were given to somebody else are there again. Lines are split where the speaker changes.

    What begins behind the last line of `before`, which may have been broken off, is said by who was found for it: the
    speaker of `before` who speaks at the same times, or somebody more.
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
    parts = pieces(segment)
    if len(segment.words) == len(parts):
        parts = [(word.start, word.end, part[2]) for word, part in zip(segment.words, parts, strict=True)]
    speakers = [_speaker(begin, end, near) for begin, end, _ in parts]
    return split_by_speaker(segment, [place for _, _, place in parts], speakers)


def _speaker(start: float, end: float, lines: Sequence[Segment]) -> str | None:
    """Who says most of a stretch, or else the line that is nearest to it."""
    if seconds_of(lines, start, end):
        return main_speaker(lines, start, end)
    return max(lines, key=lambda line: min(end, line.end) - max(start, line.start)).speaker
