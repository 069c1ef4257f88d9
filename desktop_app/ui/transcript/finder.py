"""Finding words in a transcript."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from desktop_app.transcript.editing import has_no_spaces
from desktop_app.ui.transcript.flow import Flow

Hit = tuple[int, int, int]  # line, first character, the one after the last

_APOSTROPHES = "'’"


@dataclass(frozen=True)
class Query:
    """What is looked for: a text, in any case of letters unless it `matches_case`, and within words too unless they
    are to be `whole_words`."""

    text: str = ""
    matches_case: bool = False
    whole_words: bool = False

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it stands in a text: begin and end of each."""
        if not self.text:
            return
        for found in re.finditer(re.escape(self.text), text, re.NOFLAG if self.matches_case else re.IGNORECASE):
            begin, end = found.span()
            if not self.whole_words or not (_is_within_word(text, begin) or _is_within_word(text, end)):
                yield begin, end


def _is_within_word(text: str, at: int) -> bool:
    """Whether a word goes on across a place. An apostrophe between two letters is a part of it."""
    before, behind = text[max(0, at - 1) : at], text[at : at + 1]
    if before and before in _APOSTROPHES:
        before = text[max(0, at - 2) : at - 1]
    if behind and behind in _APOSTROPHES:
        behind = text[at + 1 : at + 2]
    return all(each and _is_of_word(each) for each in (before, behind))


def _is_of_word(letter: str) -> bool:
    """Whether a letter, or a mark on one, is of a word that has edges: not of a script without spaces."""
    return (letter.isalnum() or unicodedata.category(letter).startswith("M")) and not has_no_spaces(letter)


class Finder:
    """The places where a text stands in the finished lines of a flow.

    Attributes: query; hits (in order); current (index of the one that is looked at, -1 when there is none).
    """

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.clear()

    def clear(self) -> None:
        """Look for nothing."""
        self.query = Query()
        self.hits: list[Hit] = []
        self.current = -1
        self._marks: dict[int, list[Hit]] = {}

    def look_for(self, query: Query, near: tuple[int, int] = (0, 0)) -> None:
        """Find a text; the first hit from `near` on is the current one."""
        self.clear()
        self.query = query
        self.extend(0)
        if self.hits:
            self.current = bisect_left(self.hits, (*near, 0)) % len(self.hits)

    def extend(self, first: int) -> None:
        """Search the finished lines from `first` on too, after the text has grown."""
        for index in range(first, self._flow.settled):
            for begin, end in self.query.places(self._flow.lines[index].text):
                hit = (index, begin, end)
                self.hits.append(hit)
                self._marks.setdefault(index, []).append(hit)
        if self.hits and self.current < 0:
            self.current = 0

    def step(self, by: int) -> None:
        """Go to the next or the previous hit, around the ends."""
        if self.hits:
            self.current = (self.current + by) % len(self.hits)

    @property
    def hit(self) -> Hit | None:
        """The hit that is looked at."""
        return self.hits[self.current] if self.current >= 0 else None

    def marks_in(self, index: int) -> list[tuple[int, int, str]]:
        """What to mark in a line: begin, end and the palette's name for it."""
        return [(hit[1], hit[2], "hit_now" if hit == self.hit else "hit") for hit in self._marks.get(index, ())]
