"""Text as it is compared in a search, and the line of a transcript that a search shows and opens."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_ACCENTS = dict.fromkeys(range(0x300, 0x370))


def folded(text: str) -> str:
    """Text in any case of letters, with or without accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text.casefold()).translate(_ACCENTS))


def find_folded(text: str, term: str) -> tuple[int, int] | None:
    """Where a folded term stands in a text: its first character and the one after its last; None where it does not."""
    letters = [folded(letter) for letter in text]
    at = "".join(letters).find(term) if term else -1
    if at < 0:
        return None
    begin = end = length = 0
    for place, letter in enumerate(letters):
        if length <= at:
            begin = place
        if length < at + len(term):
            end = place + 1
        length += len(letter)
    return begin, end


@dataclass(frozen=True)
class Snippet:
    """A line in which something was found.

    Attributes:
        line: its place among the lines.
        text: the whole line, without room around it.
        begin, end: what was found, in the text.
    """

    line: int
    text: str
    begin: int
    end: int

    @property
    def found(self) -> str:
        """What was found, as it is written."""
        return self.text[self.begin : self.end]


def find(lines: Sequence[str], wanted: str) -> Snippet | None:
    """The first line that has all words of `wanted` as they stand, else the first that has most of them."""
    phrase = " ".join(folded(wanted).split())
    terms = phrase.split()
    best, most = -1, 0
    for place, line in enumerate(lines):
        text = folded(line)
        score = len(terms) + 1 if phrase in text else sum(term in text for term in terms)
        if score > most:
            best, most = place, score
        if most > len(terms):
            break
    if best < 0:
        return None
    line = lines[best]
    for term in (phrase, *terms):
        found = find_folded(line, term)
        if found is not None:
            return Snippet(best, line, *found)
    return None
