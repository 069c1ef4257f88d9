"""Taking a difference over from another text of the same recording: only the words that differ change.

Lines stay as they are, and so does who says them: a change that reaches over several lines gives each of them the words
of its time. A line of which nothing is left goes, and what stands where there was no line comes as lines of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop_app.transcript.difference import Change, spots
from desktop_app.transcript.editing import Placed, placed_words, spelled
from desktop_app.transcript.model import Segment, Span, Transcript, Word
from desktop_app.transcript.speakers import numbered, spoken_by


@dataclass(frozen=True)
class _Fresh:
    """A word between spaces of the other text, with what the model said of its parts, and its line."""

    text: str
    words: tuple[Word, ...]
    segment: Segment

    @property
    def middle(self) -> float:
        """Its time in seconds."""
        if not self.words:
            return (self.segment.start + self.segment.end) / 2
        return (self.words[0].start + self.words[-1].end) / 2


def accepted(before: Transcript, after: Transcript, found: Sequence[Change], apart: bool = False) -> Transcript:
    """The text of `before` with these changes, which lead from it to `after`. Lines are numbered by their place.
    `apart`: what is added comes as lines of its own, though the times of others reach over it."""
    made = replace(before, segments=numbered(before.segments))
    for change in sorted(found, key=lambda each: each.old, reverse=True):  # what stands before one keeps its place
        if apart and change.old[0] == change.old[1]:
            own = [spoken_by(line, None) for line in _own_lines(_fresh(after.segments, change))]
            made = put_between(made, change.old[0][0], own)
        else:
            made = _with(made, after.segments, change)
    return made


def put_between(made: Transcript, place: int, own: Sequence[Segment]) -> Transcript:
    """The text with lines before the one at a place. Lines whose times reach over them make room, down to their
    words: a line without timed words keeps a share of the time as long as its text."""
    lines = list(made.segments)
    if not own:
        return made
    own = list(own)
    if place and lines[place - 1].end > own[0].start:
        before = lines[place - 1]
        border = max(own[0].start, before.words[-1].end if before.words else before.start)
        if border <= before.start:
            whole = len(before.text) + sum(len(line.text) for line in own)
            border = before.start + (before.end - before.start) * len(before.text) / max(whole, 1)
        border = min(border, before.end)
        lines[place - 1] = replace(before, end=border)
        own[0] = replace(own[0], start=max(own[0].start, border), end=max(own[0].end, border))
    if place < len(lines) and lines[place].start < own[-1].end:
        behind = lines[place]
        lines[place] = replace(behind, start=min(own[-1].end, behind.speech_start if behind.words else behind.end))
    return replace(made, segments=numbered([*lines[:place], *own, *lines[place:]]))


def _with(made: Transcript, after: Sequence[Segment], change: Change) -> Transcript:
    fresh, (first, since), (last, until) = _fresh(after, change), *change.old
    lines = made.segments
    if not lines:
        own = [replace(line, speaker=None) for line in _own_lines(fresh)]
        return replace(made, segments=numbered(own))
    if change.old[0] == change.old[1]:
        beside = _beside(lines, change.old[0], fresh)
        if beside is None:
            place = first + 1 if since else first
            own = [spoken_by(line, None) for line in _own_lines(fresh)]
            return replace(made, segments=numbered([*lines[:place], *own, *lines[place:]]))
        return _write(made, beside[0], beside[1], beside[1], fresh)
    shares = _shared(fresh, lines[first : last + 1])
    for line in range(last, first - 1, -1):
        begin = since if line == first else 0
        end = until if line == last else len(lines[line].text)
        made = _write(made, line, begin, end, shares[line - first])
    return made


def _fresh(after: Sequence[Segment], change: Change) -> list[_Fresh]:
    (first, since), (last, until) = change.new
    found = []
    for line in range(first, min(last + 1, len(after))):
        words = placed_words(after[line])
        for spot in spots([after[line]], line):
            if (line, spot.begin) >= (first, since) and (line, spot.end) <= (last, until):
                parts = tuple(word for word, begin, end in words if begin < spot.end and end > spot.begin)
                found.append(_Fresh(spot.text, parts, after[line]))
    return found


def _beside(lines: Sequence[Segment], place: tuple[int, int], fresh: Sequence[_Fresh]) -> tuple[int, int] | None:
    """Where words that were missing stand: in a line, or in the next one where they are said in its time; None where
    they are said between the lines."""
    line, at = place
    if not fresh or 0 < at < len(lines[line].text.rstrip()):
        return place
    middle = sum(each.middle for each in fresh) / len(fresh)
    ends = [place] if at else []
    ends += [(line + 1, 0)] if at and line + 1 < len(lines) else [] if at else [place]
    inside = [end for end in ends if lines[end[0]].start <= middle <= lines[end[0]].end]
    return inside[0] if inside else None


def _shared(fresh: Sequence[_Fresh], lines: Sequence[Segment]) -> list[list[_Fresh]]:
    """The words for each line, by their times and in their order."""
    shares: list[list[_Fresh]] = [[] for _line in lines]
    at = 0
    for each in fresh:
        while at + 1 < len(lines) and each.middle > (lines[at].end + lines[at + 1].start) / 2:
            at += 1
        shares[at].append(each)
    return shares


def _own_lines(fresh: Sequence[_Fresh]) -> list[Segment]:
    """Words as lines, where they were cut before."""
    made: list[Segment] = []
    for number, each in enumerate(fresh):
        if number and each.segment is fresh[number - 1].segment:
            line = made.pop()
            text, words = f"{line.text} {each.text}", (*line.words, *each.words)
        else:
            line, text, words = replace(each.segment, tokens=()), each.text, each.words
        start, end = (words[0].start, words[-1].end) if words else (line.start, line.end)
        made.append(replace(line, text=text, words=words, start=start, end=end))
    return made


def _write(made: Transcript, line: int, begin: int, end: int, fresh: Sequence[_Fresh]) -> Transcript:
    """Put words in the place of what stands in one line; a line of which nothing is left goes."""
    old = made.segments[line].text
    head, tail = old[:begin].rstrip(), old[end:].lstrip()
    if not fresh and not head.strip() and not tail and len(made.segments) > 1:
        return replace(made, segments=numbered([*made.segments[:line], *made.segments[line + 1 :]]))
    text = " ".join(each.text for each in fresh)
    begin, end = len(head), len(old) - len(tail)
    lead = " " if head or old[:1].isspace() else ""
    written = f"{head}{lead if text else ''}{text}{' ' if tail and (text or head) else ''}{tail}"
    since = len(head) + (len(lead) if text else 0)
    by = len(written) - len(old)
    placed = placed_words(made.segments[line])
    before = [each for each in placed if each[2] <= begin]
    behind = [(word, start + by, stop + by) for word, start, stop in placed if start >= end]
    low = before[-1][0].end if before else made.segments[line].start
    high = behind[0][0].start if behind else made.segments[line].end
    own = _placed(fresh, since, written, (low, max(low, high)), made.segments[line].speaker)
    words = spelled([*before, *own, *behind], written, 0)
    segments = list(made.segments)
    segments[line] = replace(segments[line], text=written, words=words)
    return replace(made, segments=tuple(segments))


def _placed(fresh: Sequence[_Fresh], at: int, text: str, room: Span, speaker: str | None) -> list[Placed]:
    """Words as they stand in a line from a character on; their times stay between those of the words beside them."""
    found = []
    for each in fresh:
        for word in each.words:
            spelling = word.text.strip()
            at = max(text.find(spelling, at), at)
            start, end = (min(max(time, room[0]), room[1]) for time in (word.start, word.end))
            found.append((replace(word, start=start, end=end, speaker=speaker), at, at + len(spelling)))
            at += len(spelling)
    return found
