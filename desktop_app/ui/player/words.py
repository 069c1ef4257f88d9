"""Which word of a line is said at a time, and when the word at a place was said."""

from __future__ import annotations

from desktop_app.transcript.model import Segment, Span
from desktop_app.transcript.speakers import word_places

_EARLY, _AFTER = 0.03, 0.4  # seconds: the eye may be early, and a word stays marked for a moment

Letters = tuple[int, int]
"""A range of characters of a line as it is shown: begin and end; equal for none."""


def spoken(segment: Segment, seconds: float) -> Letters:
    """The letters of the word that is said at a time."""
    found = next((n for n in reversed(range(len(segment.words))) if segment.words[n].start <= seconds + _EARLY), None)
    if found is None or seconds > segment.words[found].end + _AFTER:
        return 0, 0
    begin = word_places(segment)[found] - _margin(segment)
    return begin, begin + len(segment.words[found].text.strip())


def span_at(segment: Segment, character: int) -> Span:
    """When the word at a character of the line was said; the whole line where it has no times of words."""
    places = [place - _margin(segment) for place in word_places(segment)]
    found = next((n for n in reversed(range(len(places))) if places[n] <= character), None)
    if found is None:
        return segment.start, segment.end
    return segment.words[found].start, segment.words[found].end


def _margin(segment: Segment) -> int:
    """The spaces before the text, which are not shown."""
    return len(segment.text) - len(segment.text.lstrip())
