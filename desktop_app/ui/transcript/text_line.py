"""A line of the transcript as the view shows it: made of a segment, or of what is still being written of one."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from desktop_app.app.recordings.entry import LiveLine
from desktop_app.messages.jobs import TentativeLine
from desktop_app.transcript.model import Segment
from desktop_app.transcript.paragraphs import follow, is_over

_LONGEST_WORD = 24
_FIRST_RIGHT_TO_LEFT = "\u0590"  # no letter before it is of a right-to-left script


@dataclass(slots=True)
class TextLine:
    """A segment, or a line that is still being written.

    Attributes: start (seconds); final (how many characters will not change any more); verified (how many are the
    target's); rows (of text; the first may be shared with lines before it); exact (whether `rows` is measured at the
    current width); speaker (an id); lead (room over the text for the speaker's name, 0 unless another one begins here);
    segment (None while it is being written); since (from when on the length of its paragraph counts, in seconds);
    begins (whether it is the first line of its paragraph); is_over (whether a sentence that was heard ends with it);
    offset (pixels from the beginning of a row, where it may begin behind the line before; 0 for a row of its own);
    joined (whether it begins there); stop (pixels from the beginning of its last row, where it ends); is_right_to_left
    (on which side rows begin).
    """

    start: float
    text: str
    final: int
    verified: int
    rows: int = 1
    exact: bool = False
    speaker: str | None = None
    lead: float = 0.0
    segment: Segment | None = None
    since: float = 0.0
    begins: bool = True
    is_over: bool = False
    offset: float = 0.0
    joined: bool = False
    stop: float = 0.0
    is_right_to_left: bool = False


def finished_line(segment: Segment) -> TextLine:
    """The line of a segment, its rows unknown yet."""
    text = shown_text(segment)
    line = TextLine(segment.speech_start, text, len(text), len(text), speaker=segment.speaker, segment=segment)
    line.is_right_to_left = _is_right_to_left(text)
    return line


def shown_text(segment: Segment) -> str:
    """The text of a segment's line. A space at its end is kept: somebody may be typing there."""
    return segment.text.lstrip()


def unfinished_line(tentative: TentativeLine) -> TextLine:
    """The line of what is being written. What the target wrote of a file is final; of a live line only a part is."""
    whole = tentative.verified + tentative.draft
    verified = final = _whole_words(tentative.verified, tentative.draft)
    if isinstance(tentative, LiveLine):
        final = _whole_words(whole[: tentative.final], whole[tentative.final :])
    text = whole.strip()
    line = TextLine(tentative.start, text, min(final, verified, len(text)), min(verified, len(text)))
    line.is_right_to_left = _is_right_to_left(text)
    return line


def paragraph_of(line: TextLine, before: TextLine) -> tuple[bool, float]:
    """Whether a paragraph begins with a line, and from when on its length counts. An unfinished line is taken to be of
    the same speaker, for who speaks, and until when, is not known yet."""
    segment = line.segment or Segment(0, line.start, line.start, line.text, speaker=before.speaker)
    last = before.segment or Segment(0, before.start, line.start, before.text, speaker=segment.speaker)
    if line.is_right_to_left != before.is_right_to_left:
        return True, line.start
    return follow(segment, last, before.since, before.is_over)


def ends_sentence(line: TextLine, before: TextLine | None) -> bool:
    """Whether a sentence that was heard ends with a line behind another one, or with the first one."""
    segment = line.segment or Segment(0, line.start, line.start, line.text)
    return is_over(segment, before is not None and before.is_over)


def _is_right_to_left(text: str) -> bool:
    """Whether most letters are of a script like Arabic or Hebrew; where as many are not, whether the first one is. A
    line in such a language may begin with a name in Latin letters, and one in English may quote a word."""
    if text.isascii() or max(text) < _FIRST_RIGHT_TO_LEFT:
        return False
    kinds = [unicodedata.bidirectional(letter) for letter in text]
    strong = [kind != "L" for kind in kinds if kind in ("L", "R", "AL")]
    return 2 * sum(strong) + (strong[:1] == [True]) > len(strong)


def _whole_words(text: str, following: str) -> int:
    """How many characters of `text` are left without outer spaces, and without a last word that continues in
    `following`."""
    text = text.lstrip()
    if following[:1].isalnum() and text[-1:].isalnum():
        space = text.rfind(" ") + 1
        if len(text) - space < _LONGEST_WORD:  # longer ones are of a script without spaces
            return space
    return len(text)
