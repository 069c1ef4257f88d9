"""Which words of a transcript are marked: those that a reader has written, and those that the target doubted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from desktop_app.transcript.editing import placed_words
from desktop_app.transcript.model import Word
from desktop_app.ui.transcript.selection import Place
from desktop_app.ui.transcript.text_line import TextLine

DOUBTFUL = 0.5
"""A word that the target held to be less likely than this may be wrong."""


def is_edited(word: Word) -> bool:
    """Whether a reader has written a word."""
    return word.edited


def is_doubtful(word: Word) -> bool:
    """Whether the target was not sure of a word, and no reader has looked at it."""
    return word.probability < DOUBTFUL and not word.edited


def ranges(line: TextLine, wanted: Callable[[Word], bool]) -> list[tuple[int, int]]:
    """Where words of a kind stand in a line, those with only a space between them as one."""
    found = list[tuple[int, int]]()
    for begin, end in _placed(line, wanted):
        joins = bool(found) and begin - found[-1][1] <= 1
        found.append((found.pop()[0] if joins else begin, end))
    return found


def next_doubtful(lines: Sequence[TextLine], since: Place) -> tuple[Place, Place] | None:
    """The nearest doubtful word from a place on, around the end; None where there is none."""
    here = since[0]
    rest = [each for each in _doubtful(lines, here) if each[0] >= since]
    others = (each for index in _around(here, len(lines)) for each in _doubtful(lines, index))
    return rest[0] if rest else next(others, None)


def _around(index: int, count: int) -> Iterator[int]:
    """The numbers behind one, around the end, that one last."""
    yield from range(index + 1, count)
    yield from range(min(index + 1, count))


def _doubtful(lines: Sequence[TextLine], index: int) -> list[tuple[Place, Place]]:
    if index >= len(lines):
        return []
    return [((index, begin), (index, end)) for begin, end in _placed(lines[index], is_doubtful)]


def _placed(line: TextLine, wanted: Callable[[Word], bool]) -> list[tuple[int, int]]:
    segment = line.segment
    if segment is None or not any(map(wanted, segment.words)):
        return []
    hidden = len(segment.text) - len(line.text)
    return [(begin - hidden, end - hidden) for word, begin, end in placed_words(segment) if wanted(word)]
