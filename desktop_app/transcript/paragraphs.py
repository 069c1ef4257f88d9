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


def flows_on(segment: Segment, before: Segment, since: float) -> bool:
    """Whether a line goes on with the paragraph that began at `since` seconds and has `before` as its last line."""
    if segment.begins_paragraph or segment.speaker != before.speaker or segment.speech_start - before.end > PAUSE:
        return False
    lasted = before.end - since
    return lasted <= LONG or (lasted <= LONGEST and not before.text.rstrip().rstrip(_CLOSING).endswith(_ENDS))
