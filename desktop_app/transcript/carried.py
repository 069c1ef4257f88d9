"""A reader's corrections of speakers in a new text of the same recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from desktop_app.transcript.model import Segment, Transcript
from desktop_app.transcript.speakers import boundaries, called, numbered, split_segment, spoken_by


def is_named(transcript: Transcript) -> bool:
    """Whether a reader has given somebody a name."""
    return any(speaker.name != called(speaker.id) for speaker in transcript.speakers)


def carried(before: Transcript, after: Transcript) -> Transcript:
    """The text of `after`, said by the speakers of `before`: each word by who spoke at that time, so that names,
    merges and lines that were given to somebody else are there again. Lines are split where the speaker changes.
    """
    if not before.speakers or not before.segments:
        return after
    lines, first = [], 0
    for segment in after.segments:
        while first + 1 < len(before.segments) and before.segments[first].end < segment.start - 1.0:
            first += 1
        lines += _line(segment, before.segments[max(first - 1, 0) :])
    return replace(after, segments=numbered(lines), speakers=before.speakers)


def _line(segment: Segment, old: Sequence[Segment]) -> list[Segment]:
    near = [each for each in old if each.start < segment.end + 1.0] or old[:1]
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
