"""Which lines of a transcript flow together: the same paragraphs in the window and in what is exported."""

from __future__ import annotations

from desktop_app.transcript.model import Segment

PAUSE = 2.0
"""Seconds without speech, after which a paragraph begins."""

LONG = 40.0
"""Seconds, after which a paragraph ends with a sentence. Time, unlike a number of characters, stays as it is while a
reader types: no word that is typed moves the paragraphs behind it."""

LONGEST = 2 * LONG
"""Seconds, after which it ends in any case."""

_ENDS = (".", "?", "!", "…", "。", "？", "！", "؟", "۔")
_CLOSING = "\"'”’»)]」』"


def follow(segment: Segment, before: Segment, since: float) -> tuple[bool, float]:
    """Whether a paragraph begins with a line behind `before`, and from when on its length counts, in seconds, where the
    one before it counts from `since`.

    One that a reader has begun counts on, so that no line that is split moves the paragraphs behind it.
    """
    if segment.speaker != before.speaker:
        return True, segment.speech_start
    if segment.begins_paragraph:
        return True, since
    lasted = before.end - since
    is_over = lasted > LONG and before.text.rstrip().rstrip(_CLOSING).endswith(_ENDS)
    if segment.speech_start - before.end > PAUSE or is_over or lasted > LONGEST:
        return True, segment.speech_start
    return False, since
