"""How a reader changes the words of a transcript. Every edit gives a new transcript, and leaves all lines but its own
as they are, their numbers too: an edit in hours of text costs no more than one in a short one. Here a line is named by
its place; `numbered` gives all the lines their places as numbers again, where they are stored and exported.

Words keep their times: those beside an edit stay as they are, a changed word has the time of the one it replaces, and a
new word the time between its neighbours. What was typed is marked as `edited`. No token of the target is lost: those of
lines that are merged stand in the first of them.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter

from desktop_app.transcript.difference import differing
from desktop_app.transcript.model import Segment, Span, Transcript, Word
from desktop_app.transcript.paragraphs import PAUSE
from desktop_app.transcript.speakers import Place, numbered, reassign, spoken_by, word_places

Hit = tuple[int, int, int]
"""A stretch of a line: its number, the first character and the one after the last."""

Range = tuple[int, int]  # of characters: the first, and the one after the last
Placed = tuple[Word, int, int]  # a word, and the range where it stands

_SPOKEN_ON = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "MYANMAR", "KHMER", "IDEOGRAPHIC", "FULLWIDTH")
"""How the Unicode names of characters begin that are written without spaces between words."""


def replace_text(transcript: Transcript, begin: Place, end: Place, text: str) -> tuple[Transcript, Place]:
    """The transcript with `text` in the place of what stands between two places, and the place behind it.

    This is every edit that a reader can type: an insertion between equal places, a deletion with an empty text, a split
    with a line feed, which begins a paragraph, a merge where nothing but the end of a line is deleted. The lines that a
    merge joins are said by who says the first one, or the other one where nothing is left of that; what stood between
    them when a reader split them stands there again, within a word nothing, and else a space if their script has
    spaces. A line whose words are all deleted stays, empty.
    """
    begin, end = sorted((begin, end))
    lines = transcript.segments[begin[0] : end[0] + 1]
    text = clean(text)
    head, tail = lines[0].text[: begin[1]], lines[-1].text[end[1] :]
    if len(lines) > 1 and not text and _is_merge(lines, begin[1], end[1]):
        text = _between(lines, head, tail)
        begin, end = (begin[0], len(head.rstrip())), (end[0], len(lines[-1].text) - len(tail.lstrip()))
    if "\n" not in text:
        speaker = lines[0].speaker if head.strip() or not tail.strip() else lines[-1].speaker
        if any(line.speaker != speaker for line in lines):
            transcript = reassign(
                replace(transcript, segments=numbered(transcript.segments)), range(begin[0], end[0] + 1), speaker
            )
            lines = transcript.segments[begin[0] : end[0] + 1]
    made, caret = _rewritten(lines, begin[1], end[1], text)
    if len(made) > len(lines):
        made = _in_pauses(transcript, begin[0], end[0], made)
    segments = (*transcript.segments[: begin[0]], *made, *transcript.segments[end[0] + 1 :])
    return replace(transcript, segments=segments), (begin[0] + len(made) - 1, caret)


def replace_all(transcript: Transcript, hits: Sequence[Hit], text: str) -> Transcript:
    """The transcript with `text` in the place of each hit; these are in order and apart from each other."""
    text = " ".join(clean(text).split("\n"))
    segments = list(transcript.segments)
    for number, of_line in groupby(hits, key=itemgetter(0)):
        for _number, begin, end in reversed(list(of_line)):  # what stands before a hit keeps its place
            (segments[number],), _caret = _rewritten([segments[number]], begin, end, text)
    return replace(transcript, segments=tuple(segments))


def clean(text: str) -> str:
    """Text as it can stand in a transcript: lines end with a line feed, a tab is a space, and there are no other
    control characters and no halves of characters.
    """
    text = text.replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n").replace("\r", "\n")
    text = text.replace("\t", " ").replace("\u00a0", " ")
    return "".join(letter for letter in text if letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs"))


def without_indent(text: str) -> str:
    """Text without the spaces before the first line of it."""
    line, feed, rest = text.partition("\n")
    return line.lstrip() + feed + rest


def placed_words(segment: Segment) -> list[Placed]:
    """The words of a line and where they stand in its text. Where the line has none, or others than its text, they are
    made of the text and timed by their length.
    """
    if "".join("".join(word.text for word in segment.words).split()) == "".join(segment.text.split()):
        places = word_places(segment)
        found = zip(segment.words, places, strict=True)
        return [(word, place, place + len(word.text.strip())) for word, place in found]
    probability = min(1.0, math.exp(min(segment.mean_log_probability, 0.0)))
    model = Word("", segment.start, segment.end, probability, segment.speaker)
    return _aligned(list(segment.words), segment.text, _tokens(segment.text), (segment.start, segment.end), model)


def _rewritten(lines: Sequence[Segment], begin: int, end: int, text: str) -> tuple[list[Segment], int]:
    """Lines that follow each other, with `text` from character `begin` of the first to `end` of the last; and where in
    the last of the new lines that text ends.
    """
    old, words, offset = "\n".join(line.text for line in lines), list[Placed](), 0
    for line in lines:
        words += [(word, offset + start, offset + stop) for word, start, stop in placed_words(line)]
        offset += len(line.text) + 1
    end += offset - 1 - len(lines[-1].text)
    new, by = old[:begin] + text + old[end:], len(text) - (end - begin)
    before = [placed for placed in words if placed[2] < begin]
    behind = [placed for placed in words[len(before) :] if placed[1] > end]
    touched = [word for word, _start, _stop in words[len(before) : len(words) - len(behind)]]
    low, high = lines[0].start, max(line.end for line in lines)
    gap = (before[-1][0].end if before else lines[0].speech_start, behind[0][0].start if behind else high)
    region = (before[-1][2] if before else 0, behind[0][1] + by if behind else len(new))
    model = Word("", low, high, 1.0, lines[0].speaker, edited=True)
    made = _aligned(touched, new, _tokens(new, *region), gap, model)
    found = [*before, *made, *((word, start + by, stop + by) for word, start, stop in behind)]
    cuts = [begin + at for at, letter in enumerate(text) if letter == "\n"]
    edges = list(pairwise([-1, *cuts, len(new)]))
    parts = [[placed for placed in found if first < placed[1] < last] for first, last in edges]
    times = _times(parts, low, high)
    result, start = list[Segment](), 0
    is_spaced = not lines[0].words or lines[0].words[0].text[:1].isspace()
    for number, ((first, last), part, (since, until)) in enumerate(zip(edges, parts, times, strict=True)):
        start, stop = first + 1, last
        if number:
            start += len(new[start:stop]) - len(new[start:stop].lstrip())
            if result[-1].text:  # else it is the whole line, with an empty one before it
                is_spaced = text != "\n" or len(new[first - 1 : first + 2].split()) < 2
        if number < len(edges) - 1:
            stop = start + len(new[start:stop].rstrip())
        origin = lines[-1] if number and number == len(edges) - 1 else lines[0]
        result.append(
            spoken_by(
                replace(
                    origin,
                    id=lines[0].id + number,
                    start=since,
                    end=until,
                    text=new[start:stop],
                    tokens=() if number else tuple(token for line in lines for token in line.tokens),
                    words=spelled(part, new, start, is_spaced=is_spaced),
                    begins_paragraph=bool(number) or lines[0].begins_paragraph,
                ),
                origin.speaker,
            )
        )
    return result, max(begin + len(text) - start, 0)


def _aligned(old: Sequence[Word], text: str, tokens: Sequence[Range], gap: Span, model: Word) -> list[Placed]:
    """The words that stand at the ranges `tokens` of a text, with the times of the `old` words that they were.

    Words that are the same stay. As many as stood there have their times one by one; otherwise they share the time of
    the old ones, or where there were none, the time between the neighbours, by their length. `gap` is the time before
    the first and behind the last old word; `model` has the other values of words that are new.
    """
    spelled = [text[start:stop] for start, stop in tokens]
    made, there = list[Placed](), 0

    def keep(words: Sequence[Word]) -> None:
        nonlocal there
        made.extend((word, *tokens[there + number]) for number, word in enumerate(words))
        there += len(words)

    here = 0
    for first, last, start, stop in differing([word.text.strip() for word in old], spelled):
        keep(old[here:first])
        here, there = last, stop
        if last - first == stop - start:
            spans = [(word.start, word.end) for word in old[first:last]]
        else:
            since = old[first].start if first < last else old[first - 1].end if first else gap[0]
            until = old[last - 1].end if first < last else old[last].start if last < len(old) else gap[1]
            spans = _shared(since, max(since, until), [len(each) for each in spelled[start:stop]])
        for (since, until), (begin, end) in zip(spans, tokens[start:stop], strict=True):
            made.append((replace(model, text=text[begin:end], start=since, end=until), begin, end))
    keep(old[here:])
    return made


def _shared(start: float, end: float, lengths: Sequence[int]) -> list[Span]:
    """A stretch of time, shared out by lengths."""
    whole, edges = sum(lengths), [start]
    for length in lengths:
        edges.append(min(edges[-1] + (end - start) * length / whole, end))
    return list(pairwise([*edges[:-1], end]))


def spelled(part: Sequence[Placed], text: str, start: int, *, is_spaced: bool = False) -> tuple[Word, ...]:
    """The words of a line that begins at `start` of a text, each with what stands before it, as Whisper's words are.
    Before the first one that is a space, if it `is_spaced`: one that a reader has split off a word has none."""
    made, at = [], start
    for number, (word, begin, stop) in enumerate(part):
        whole = text[at:stop]
        if number == 0 and not word.edited and word.text.strip() == text[begin:stop]:
            whole = word.text  # the target's first word has a space that the line may lack
        elif number == 0 and is_spaced and not has_no_spaces(text[begin]):
            whole = f" {whole.lstrip()}"
        made.append(word if word.text == whole else replace(word, text=whole))
        at = stop
    return tuple(made)


def _times(parts: Sequence[Sequence[Placed]], low: float, high: float) -> list[Span]:
    """When each line begins and ends, which share the time from `low` to `high`: in the middle between its words and
    the next ones.
    """
    edges = [low]
    for number in range(1, len(parts)):
        before = next((part[-1][0].end for part in reversed(parts[:number]) if part), None)
        after = next((part[0][0].start for part in parts[number:] if part), None)
        border = low if before is None else high if after is None else (before + after) / 2
        edges.append(min(max(border, edges[-1]), high))
    return list(pairwise([*edges, high]))


def _in_pauses(transcript: Transcript, first: int, last: int, made: list[Segment]) -> list[Segment]:
    """The new lines in the place of `first` to `last`. One without words at the begin or the end lies in the pause that
    is there, if that is none that ends a paragraph: there it would take the break away.
    """
    top, bottom = made[0], made[-1]
    if not top.text:
        since = transcript.segments[first - 1].end if first else 0.0
        begin = made[1].speech_start
        made = [replace(top, start=since if begin - since <= PAUSE else begin, end=begin), *made[1:]]
    if not bottom.text:
        after = transcript.segments[last + 1 : last + 2]
        until = after[0].speech_start if after else transcript.seconds
        if after and until - bottom.end > PAUSE:
            until -= 1.5 * PAUSE
        made = [*made[:-1], replace(bottom, end=max(until, bottom.end))]
    return made


def _tokens(text: str, begin: int = 0, end: int | None = None) -> list[Range]:
    """Where the words of a text stand: what is between spaces, or a character where a script has no spaces."""
    found, start, is_open = list[Range](), begin, False
    end = len(text) if end is None else end
    for at in range(begin, end):
        letter = text[at]
        if letter.isspace():
            if is_open:
                found.append((start, at))
            is_open = False
        elif not is_open:
            start, is_open = at, True
        elif letter.isalnum() and (has_no_spaces(letter) or has_no_spaces(text[at - 1])):
            found.append((start, at))
            start = at
    if is_open:
        found.append((start, end))
    return found


def has_no_spaces(letter: str) -> bool:
    """Whether a letter is of a script that has no spaces between words."""
    return letter > "\u0dff" and unicodedata.name(letter, "").startswith(_SPOKEN_ON)


def _is_merge(lines: Sequence[Segment], begin: int, end: int) -> bool:
    """Whether a deletion from one line into another one leaves one of them whole, and not a part of a word of each."""
    return not lines[0].text[begin:].strip() or not lines[-1].text[:end].strip()


def _between(lines: Sequence[Segment], head: str, tail: str) -> str:
    """What stands between two lines that are merged: nothing where a reader has split a word."""
    last = lines[-1]
    is_whole = len(lines) == 2 and (head, tail) == (lines[0].text, last.text) and not head[-1:].isspace()
    first = last.words[0] if is_whole and last.begins_paragraph and last.words else None
    return "" if first and first.edited and not first.text[:1].isspace() else joint(head, tail)


def joint(head: str, tail: str) -> str:
    """What stands between two lines that flow together."""
    last, first = head.rstrip()[-1:], tail.lstrip()[:1]
    return "" if not last or not first or has_no_spaces(last) or has_no_spaces(first) else " "
