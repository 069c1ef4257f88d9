"""What would change between two texts of the same recording, word by word."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import compress
from operator import is_not
from typing import NamedTuple

from desktop_app.transcript.model import Segment

_CONTEXT = 6  # words before and after a change, to know the place again
_GRAM = 3
_WORD = re.compile(r"\S+")

Stretch = tuple[tuple[int, int], tuple[int, int]]
"""Of a text: the place of its first character and that behind its last one, each a line, counted from 0, and how many
of its characters stand before the place."""

Run = tuple[int, int, int, int]  # words of the one text from, to; of the other from, to


@dataclass(frozen=True)
class Change:
    """A place where the texts differ. `before` or `after` is "" where words were only added or left out.

    Attributes:
        start: seconds, of the segment that it stands in.
        lead, trail: the words around it, for the eye.
        old, new: where it stands in either text; an empty stretch behind a word where that text has nothing.
    """

    start: float
    lead: str
    before: str
    after: str
    trail: str
    old: Stretch = ((0, 0), (0, 0))
    new: Stretch = ((0, 0), (0, 0))

    @property
    def words(self) -> int:
        """How many words it concerns."""
        return max(len(self.before.split()), len(self.after.split()))


class Spot(NamedTuple):
    """A word between spaces: its text, where its line begins in seconds, and where it stands: line, first character,
    and the one behind its last."""

    text: str
    start: float
    line: int
    begin: int
    end: int


def changes(before: Sequence[Segment], after: Sequence[Segment], first: int = 0) -> tuple[Change, ...]:
    """The differences in their order; none where the words are the same, however they are cut into lines. `first` is
    the number of the first line of `before`."""
    old, new = spots(before, first), spots(after)
    return tuple(
        Change(
            start=new[there].start if there < end else old[here].start,
            lead=_join(new[max(there - _CONTEXT, 0) : there]),
            before=_join(old[here:last]),
            after=_join(new[there:end]),
            trail=_join(new[end : end + _CONTEXT]),
            old=_stretch(old, here, last, first),
            new=_stretch(new, there, end, 0),
        )
        for here, last, there, end in differing([spot.text for spot in old], [spot.text for spot in new])
    )


def untouched(before: Sequence[object], after: Sequence[object]) -> tuple[int, int]:
    """How many lines at the beginning, and of the others how many at the end, are the very same objects.

    An edit leaves all lines but its own as they were, so this says where it was. Nothing runs a line at a time in
    Python: it is asked for every key that is typed in hours of text.
    """
    least = min(len(before), len(after))
    first = _same(before, after, least)
    return first, _same(reversed(before), reversed(after), least - first)


def _same(some: Iterable[object], others: Iterable[object], most: int) -> int:
    return next(compress(range(most), map(is_not, some, others)), most)


def word_count(found: Sequence[Change]) -> int:
    """How many words would change."""
    return sum(change.words for change in found)


def spots(segments: Sequence[Segment], first: int = 0) -> list[Spot]:
    """The words of lines; `first` is the number of the first line."""
    return [
        Spot(word.group(), segment.speech_start, line, word.start(), word.end())
        for line, segment in enumerate(segments, first)
        for word in _WORD.finditer(segment.text)
    ]


def _stretch(spots: Sequence[Spot], here: int, last: int, first: int) -> Stretch:
    if here < last:
        return (spots[here].line, spots[here].begin), (spots[last - 1].line, spots[last - 1].end)
    place = (spots[here - 1].line, spots[here - 1].end) if here else (first, 0)
    return place, place


def _join(words: Sequence[Spot]) -> str:
    return " ".join(word.text for word in words)


def differing(old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    """The stretches in which two lists of words differ, in order.

    Between two anchors there are few words, so that hours of text take no longer than they should.
    """
    here = there = 0
    for one, other in [*_anchors(old, new), (len(old), len(new))]:
        matcher = SequenceMatcher(None, old[here:one], new[there:other], autojunk=False)
        for tag, first, last, start, end in matcher.get_opcodes():
            if tag != "equal":
                yield here + first, here + last, there + start, there + end
        here, there = one, other


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places that are surely the same: three words that stand only once in either text, in the same order in both.

    The idea is that of patience diff (Bram Cohen): the longest increasing run of the pairs.
    """
    places = dict(_once(new))
    pairs = [(place, places[gram]) for gram, place in _once(old) if gram in places]
    ends: list[int] = []  # the smallest last place of a run of each length
    run_of: list[tuple[int, int, int]] = []  # place, other place, the one before it in its run
    last: list[int] = []
    for place, other in pairs:
        length = bisect_left(ends, other)
        run_of.append((place, other, last[length - 1] if length else -1))
        if length == len(ends):
            ends.append(other)
            last.append(len(run_of) - 1)
        else:
            ends[length], last[length] = other, len(run_of) - 1
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        place, other, at = run_of[at]
        found.append((place, other))
    return found[::-1]


def _once(words: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
    grams = [tuple(words[at : at + _GRAM]) for at in range(len(words) - _GRAM + 1)]
    counts = Counter(grams)
    return [(gram, at) for at, gram in enumerate(grams) if counts[gram] == 1]
