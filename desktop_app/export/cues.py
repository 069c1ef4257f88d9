"""How a text is split into subtitles: cues that can be read in time, none of which overlap.

Of all ways to split the words between two pauses or changes of speaker, the one with the least cost is taken (dynamic
programming): cues should end where sentences and clauses do, and be neither too short nor too fast to read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from desktop_app.export.document import ExportOptions, timed, written
from desktop_app.transcript.editing import has_no_spaces
from desktop_app.transcript.model import Segment, Transcript

_SILENCE = 1.0  # seconds; a cue over a longer pause would tell what comes
_SENTENCE = (".", "?", "!", "…", "。", "？", "！", "؟", "۔", "|", "॥", "।")
_CLAUSE = (",", ";", ":", "–", "—", "、", "，", "；", "：", "،", "؛")
_CLOSING = "\"'”’»)]}」』）"

# What the ways to split cost, against 1 for every cue.
_IN_CLAUSE, _AFTER_CLAUSE, _AFTER_LINE, _AFTER_SENTENCE = 2.0, 0.7, 0.8, 0.0
_OVER_LINE = 0.3  # a cue goes on in the next line of the text
_OVER_SENTENCE = 0.3
_TOO_SHORT, _TOO_FAST = 3.0, 2.0  # by the share that is missing


@dataclass(frozen=True)
class Cue:
    """What is shown at one time: from `start` to `end`, in whole milliseconds; `speaker` is an id or None."""

    start: int
    end: int
    lines: tuple[str, ...]
    speaker: str | None = None


@dataclass(slots=True)
class _Unit:
    """What is never cut: a word, or a character where a script has no spaces. A long text has very many.

    Attributes:
        start, end: seconds, never before those of the unit before it.
        spaced: whether a space stands before it.
        bound: whether it cannot be the last one of a cue, as a name.
        ends_line: whether it is the last one of a line of the text.
    """

    text: str
    start: float
    end: float
    spaced: bool
    speaker: str | None
    bound: bool = False
    ends_line: bool = False
    width: int = 0


def cues(transcript: Transcript, options: ExportOptions, *, names: bool) -> list[Cue]:
    """The subtitles of a transcript, in order, apart from each other, none empty.

    Args:
        names: whether a cue begins with the name of its speaker where that is another one than before.
    """
    if not options.split:
        return _apart(list(_as_lines(transcript, names)))
    stretches = list(_stretches(list(_units(transcript, names))))
    found = list[Cue]()
    for stretch, later in zip_longest(stretches, stretches[1:]):
        found += _split(stretch, later[0].start if later else float("inf"), options)
    return _apart(found)


def width(text: str) -> int:
    """The room that a text takes, in letters; a character of East Asian scripts takes that of two."""
    if text.isascii():
        return len(text)
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def safe(text: str) -> str:
    """Text on one line, and without the arrow that would end a cue for every player."""
    return " ".join(text.replace("-->", "→").split())


def _as_lines(transcript: Transcript, names: bool) -> Iterator[Cue]:
    """A cue for each line of the text."""
    known = _names(transcript) if names else {}
    for segment in written(transcript):
        name = known.get(segment.speaker)
        text = safe(segment.text)
        yield Cue(
            _milliseconds(segment.speech_start),
            _milliseconds(segment.end),
            (f"{name}: {text}" if name else text,),
            segment.speaker,
        )


def _names(transcript: Transcript) -> dict[str | None, str]:
    return {each.id: safe(each.name) for each in transcript.speakers}


# Units.


def _units(transcript: Transcript, names: bool) -> Iterator[_Unit]:
    """What a transcript is made of, with times that never go back."""
    known = _names(transcript) if names else {}
    before: str | None = None
    now = 0.0
    for segment in written(transcript):
        units = _of_line(segment)
        if segment.speaker != before and (name := known.get(segment.speaker)):
            start = units[0].start
            units.insert(0, _Unit(f"{name}:", start, start, spaced=True, speaker=segment.speaker, bound=True))
        before = segment.speaker
        units[-1].ends_line = True
        for unit in units:
            unit.start = max(unit.start, now)
            now = unit.end = max(unit.end, unit.start)
            unit.width = width(unit.text)
            yield unit


def _of_line(segment: Segment) -> list[_Unit]:
    text, units, at = segment.text, list[_Unit](), 0
    for word, begin, end in timed(segment):
        parts = text[begin:end].split()
        letters = sum(map(len, parts)) or 1
        since = word.start
        for part in parts:
            until = since + max(word.end - word.start, 0.0) * len(part) / letters
            place = text.index(part, max(at, begin))
            gap, at_before, at = text[at:place], at, place + len(part)
            spaced = bool(gap) or not at_before
            splits = spaced or (part[0].isalnum() and (has_no_spaces(part[0]) or has_no_spaces(text[at_before - 1])))
            if units and not splits:
                units[-1].text += part
                units[-1].end = max(until, units[-1].end)
            else:
                units.append(_Unit(part, since, until, spaced, segment.speaker))
            since = until
    for unit in units:
        unit.text = unit.text.replace("-->", "→")
    return units


def _stretches(units: Sequence[_Unit]) -> Iterator[list[_Unit]]:
    """The units in runs that no cue crosses: of one speaker, without a long pause."""
    stretch = list[_Unit]()
    for unit in units:
        if stretch and not stretch[-1].bound:
            last = stretch[-1]
            if unit.speaker != last.speaker or unit.start - last.end > _SILENCE:
                yield stretch
                stretch = []
        stretch.append(unit)
    if stretch:
        yield stretch


# Splitting.


def _split(units: Sequence[_Unit], following: float, options: ExportOptions) -> list[Cue]:
    """The cues of a stretch with the least cost; `following` is when the next stretch begins."""
    count = len(units)
    ends = [_cost_of_end(unit, later) for unit, later in pairwise(units)] + [0.0]
    inner = [
        (_OVER_LINE if unit.ends_line else 0.0) + (_OVER_SENTENCE if _ends(unit.text, _SENTENCE) else 0.0)
        for unit in units
    ]
    starts = [unit.start for unit in units] + [following]
    best, cuts = [0.0] * (count + 1), [count] * count
    for first in range(count - 1, -1, -1):
        least, cut = float("inf"), first + 1
        lines, line, letters, crossed = 1, 0, 0, 0.0
        for last in range(first, count):
            unit = units[last]
            if last > first:
                crossed += inner[last - 1]
                longer = line + unit.spaced + unit.width
                letters += unit.spaced
                if longer > options.line_length:
                    lines, longer = lines + 1, unit.width
                line = longer
                too_long = unit.end - starts[first] > options.longest
                if (lines > options.lines or too_long) and least < float("inf"):
                    break
            else:
                line = unit.width
            letters += unit.width
            if unit.bound and last < count - 1:
                continue
            room = min(starts[last + 1] - starts[first], options.longest)
            shown = min(max(unit.end - starts[first], options.shortest, letters / options.speed), room)
            cost = 1.0 + ends[last] + crossed + best[last + 1]
            if shown < options.shortest:
                cost += _TOO_SHORT * (1.0 - shown / options.shortest)
            if letters > shown * options.speed:
                cost += _TOO_FAST * min(letters / max(shown * options.speed, 1e-3) - 1.0, 3.0)
            if cost < least:
                least, cut = cost, last + 1
        best[first], cuts[first] = least, cut
    found, first = [], 0
    while first < count:
        found.append(_cue(units[first : cuts[first]], starts[cuts[first]], options))
        first = cuts[first]
    return found


def _cost_of_end(unit: _Unit, later: _Unit) -> float:
    """What it costs to end a cue there; less where somebody pauses."""
    if _ends(unit.text, _SENTENCE):
        return _AFTER_SENTENCE
    cost = _AFTER_LINE if unit.ends_line else _AFTER_CLAUSE if _ends(unit.text, _CLAUSE) else _IN_CLAUSE
    return cost - min(max(later.start - unit.end, 0.0), cost)


def _ends(text: str, marks: tuple[str, ...]) -> bool:
    return text.rstrip(_CLOSING).endswith(marks)


def _cue(units: Sequence[_Unit], following: float, options: ExportOptions) -> Cue:
    start, end = units[0].start, units[-1].end
    letters = sum(unit.width + unit.spaced for unit in units)
    wanted = max(end - start, options.shortest, letters / options.speed)
    end = min(start + min(wanted, options.longest), following)
    return Cue(_milliseconds(start), _milliseconds(end), _wrapped(units, options.line_length), units[-1].speaker)


def _wrapped(units: Sequence[_Unit], most: int) -> tuple[str, ...]:
    """The text of a cue in as few lines as it needs, of lengths as equal as can be, the later ones rather longer."""
    count = len(units)
    lines = [0, *(unit.width for unit in units)]
    for number, unit in enumerate(units[1:], 2):
        lines[number] += unit.spaced
    total = [sum(lines[: number + 1]) for number in range(count + 1)]

    def length(first: int, last: int) -> int:
        return total[last] - total[first] - (units[first].spaced if first else 0)

    best: list[tuple[int, float, int]] = [(0, 0.0, count)] * (count + 1)
    for first in range(count - 1, -1, -1):
        options = []
        for last in range(first + 1, count + 1):
            taken = length(first, last)
            if taken > most and last > first + 1:
                break
            then = best[last]
            uneven = (most - taken) ** 2 / most**2
            after_clause = last < count and _ends(units[last - 1].text, _SENTENCE + _CLAUSE)
            options.append((then[0] + 1, then[1] + uneven - (0.1 if after_clause else 0.0), last))
        best[first] = min(options)
    found, first = [], 0
    while first < count:
        last = best[first][2]
        parts = (f"{' ' if unit.spaced and number else ''}{unit.text}" for number, unit in enumerate(units[first:last]))
        found.append("".join(parts))
        first = last
    return tuple(found)


# Times.


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))


def _apart(found: Sequence[Cue]) -> list[Cue]:
    """The cues so that none overlap, go back or are shown for no time at all, whatever times the text has."""
    made, now = list[Cue](), 0
    for cue, later in zip_longest(found, found[1:]):
        start = max(cue.start, now)
        until = cue.end if later is None else min(cue.end, max(later.start, start + 1))
        now = max(until, start + 1)
        made.append(replace(cue, start=start, end=now))
    return made
