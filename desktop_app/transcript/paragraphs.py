"""Which lines of a transcript flow together: the same paragraphs in the window and in what is exported."""

from __future__ import annotations

from desktop_app.transcript.model import Segment

PAUSE = 2.0
"""Seconds without speech, after which a paragraph begins."""

LONG = 40.0
"""Seconds, after which a paragraph ends with a sentence that was heard. Time, unlike a number of characters, stays as
it is while a reader types, and so do words that were heard: no word that is typed moves the paragraphs behind it."""

LONGEST = 2 * LONG
"""Seconds, after which it ends in any case."""

_ENDS = (".", "?", "!", "…", "。", "？", "！", "؟", "۔")
_CLOSING = "\"'”’»)]」』"


def is_over(segment: Segment, was_over: bool) -> bool:
    """Whether a sentence that was heard ends with a line. One in which nothing was heard, as a reader may begin it,
    leaves that as it was behind the line before, `was_over`."""
    if not segment.words:
        return _ends(segment.text) if segment.text.strip() else was_over
    spoken = next((word.text for word in reversed(segment.words) if not word.edited), None)
    return was_over if spoken is None else _ends(spoken)


def _ends(text: str) -> bool:
    return text.rstrip().rstrip(_CLOSING).endswith(_ENDS)


def follow(segment: Segment, before: Segment, since: float, was_over: bool) -> tuple[bool, float]:
    """Whether a paragraph begins with a line behind `before`, and from when on its length counts, in seconds, where the
    one before it counts from `since`. `was_over`: whether a sentence ended with `before`, as `is_over` says.

    One that a reader has begun counts on, so that no line that is split moves the paragraphs behind it.
    """
    if segment.speaker != before.speaker:
        return True, segment.speech_start
    if segment.begins_paragraph:
        return True, since
    if segment.speech_start - before.end > PAUSE:
        return True, segment.speech_start
    lasted = before.end - since
    if (lasted > LONG and was_over) or lasted > LONGEST:
        return True, before.end
    return False, since
