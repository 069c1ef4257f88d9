"""How a transcript is laid out: lines that flow together in paragraphs, all rows on the same grid.

A line (a segment, or what is still being written of one) begins where the one before it ends, on the same row, unless
another paragraph begins with it. While a text is written only its end changes: finished lines keep their place for
good, the lines in work are replaced at the tail. What a new segment costs does not depend on how many there are, and an
edit lays out only what it changes or moves within its paragraph. After a change of width, heights are guessed first and
measured when a line comes into view or there is time. Characters are those of Python; Qt counts units of UTF-16.
"""

from __future__ import annotations

import time
import unicodedata
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil

from PySide6.QtCore import QPointF, Qt, QTextBoundaryFinder
from PySide6.QtGui import QFont, QFontMetricsF, QTextCharFormat, QTextLayout, QTextOption

from desktop_app.app.recordings.entry import LiveLine
from desktop_app.messages.jobs import TentativeLine
from desktop_app.transcript.difference import untouched
from desktop_app.transcript.editing import joint
from desktop_app.transcript.model import Segment
from desktop_app.transcript.paragraphs import flows_on
from desktop_app.ui.transcript.utf16 import characters, length, units

_AT_ONCE = 60  # more new segments than these are measured when there is time
_LONGEST_WORD = 24
_FIRST_RIGHT_TO_LEFT = "\u0590"  # no letter before it runs so
_LEAST_ROOM = 24  # pixels; a line begins another row where there is less
_KEPT_LAYOUTS = 300  # those near the view; others are made again when they are seen


@dataclass(slots=True)
class Line:
    """A segment, or a line that is still being written.

    Attributes: start (seconds); final (how many characters will not change any more); verified (how many are the
    target's); rows (of text; the first may be shared with lines before it); exact (whether `rows` is measured at the
    current width); speaker (an id); lead (room over the text for the speaker's name, 0 unless another one begins here);
    segment (None in work); since (when its paragraph begins, in seconds); begins (whether it is the first line of its
    paragraph); offset (pixels from the beginning of a row, where it may begin behind the line before; 0 for a row of
    its own); joined (whether it begins there); stop (pixels from the beginning of its last row, where it ends);
    is_right_to_left (on which side rows begin).
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
    offset: float = 0.0
    joined: bool = False
    stop: float = 0.0
    is_right_to_left: bool = False


@dataclass(frozen=True)
class Correction:
    """A place where the target wrote something else than the draft had."""

    line: int
    begin: int
    end: int
    at: float  # time.monotonic()


@dataclass(frozen=True)
class _Composed:
    """What an input method composes, not a part of the text yet: in which line, before which character."""

    line: int
    character: int
    text: str


@dataclass(frozen=True)
class Revision:
    """Where a text was edited.

    Attributes: first (the first line that is another one); before, after (the lengths of those that were there and
    of those that are there now).
    """

    first: int
    before: tuple[int, ...]
    after: tuple[int, ...]

    def place(self, index: int, character: int) -> tuple[int, int]:
        """Where a place in the text is now, a line and a character of it."""
        if index < self.first:
            return index, character
        if index >= self.first + len(self.before):
            return index + len(self.after) - len(self.before), character
        if not self.after:
            return self.first, 0
        left = sum(count + 1 for count in self.before[: index - self.first]) + character
        for number, count in enumerate(self.after):
            if left <= count:
                return self.first + number, left
            left -= count + 1
        return self.first + len(self.after) - 1, self.after[-1]


class Flow:
    """The lines and where they stand, in pixels from the top of the first one.

    Attributes: lines; settled (how many of them will not change any more); corrections (recent ones, for a fading
    mark); measured (how many lines were laid out since the start, for tests and curiosity); gap (under a paragraph);
    lead (the room for a speaker's name); joins (whether lines flow together; else each is a paragraph).
    """

    def __init__(self, font: QFont, line_height: float, gap: float, *, joins: bool = False) -> None:
        self.gap, self.joins = gap, joins
        self._set_metrics(font, line_height)
        self.width = 600.0
        self.lead = 0.0
        self._layouts: OrderedDict[int, QTextLayout] = OrderedDict()
        self._composed = _Composed(-1, 0, "")
        self.measured = 0
        self.clear()

    def _set_metrics(self, font: QFont, line_height: float) -> None:
        self.font, self.line_height = font, line_height
        metrics = QFontMetricsF(font)
        self._space = metrics.horizontalAdvance(" ")
        self._baseline = (line_height - metrics.height()) / 2 + metrics.ascent()
        self._character = metrics.horizontalAdvance("the quick brown fox jumps over it") / 33

    def clear(self) -> None:
        """No text."""
        self.lines: list[Line] = []
        self.settled = 0
        self.corrections: list[Correction] = []
        self._tops: list[float] = [0.0]
        self._layouts.clear()
        self._composed = _Composed(-1, 0, "")
        self._guessed_from = 0

    # The text.

    def sync(self, segments: Sequence[Segment], lines: Sequence[TentativeLine]) -> None:
        """Show these segments and then the lines in work. Segments shown before are taken to be the same still."""
        if len(segments) < self.settled:
            self.clear()
        known = len(self.lines)
        if len(segments) - known > _AT_ONCE:
            self._append_guessed(segments)
        else:
            known = len(segments)
        for index in range(self.settled, known):
            self._place(index, _settled(segments[index]))
        self.settled = len(segments)
        for number, line in enumerate(lines):
            self._place(self.settled + number, _written(line))
        self._cut(self.settled + len(lines))

    def _append_guessed(self, segments: Sequence[Segment]) -> None:
        """A whole transcript at once: its rows are measured later."""
        first = len(self.lines)
        self.lines += [_settled(segment) for segment in segments[first:]]
        self._tops += [0.0] * (len(segments) - first)
        self._join_from(first)
        self._guess_from(first)

    def revise(self, segments: Sequence[Segment]) -> Revision:
        """Show an edited text. Only what changed is laid out again, and where nothing moves, only that is looked at."""
        self.compose(-1, 0, "")
        old, count = self.lines, len(segments)
        same, rest = untouched([each.segment for each in old], segments)
        first = same + _alike(old[same : len(old) - rest], segments[same : count - rest])
        last = rest + _alike(old[first : len(old) - rest][::-1], segments[first : count - rest][::-1])
        there, end, shift = len(old) - last, count - last, count - len(old)
        made = [_settled(segment) for segment in segments[first:end]]
        self.lines = [*old[:first], *made, *old[there:]]
        for index in range(same, count - rest):
            line, segment = self.lines[index], segments[index]
            line.segment, line.speaker = segment, segment.speaker
        kept = [(i if i < first else i + shift, it) for i, it in self._layouts.items() if not first <= i < there]
        self._layouts = OrderedDict(kept)
        self.settled, self.corrections = count, []
        measured = self._guessed_from
        self._guessed_from = min(measured, first) if measured < there else measured + shift
        if end - first > _AT_ONCE:
            self._tops[first + 1 : there + 1] = [0.0] * (end - first)
            self._join_from(same)
            self._guess_from(same)
        else:
            self._restack(same, self._reflow(same, count - rest), shift)
        lengths = (tuple(len(it.text) for it in part) for part in (old[first:there], made))
        return Revision(first, *lengths)

    def _place(self, index: int, new: Line) -> None:
        if index == len(self.lines):
            self.lines.append(new)
            self._tops.append(0.0)
        elif (there := self.lines[index]).text == new.text:
            there.start, there.final, there.verified = new.start, new.final, new.verified
            there.speaker, there.segment = new.speaker, new.segment
        else:
            self._note_correction(index, there, new.text, new.verified)
            self.lines[index] = new
            self._layouts.pop(index, None)
        self._reflow(index, index + 1)
        self._stack(index)
        if self._guessed_from == index:
            self._guessed_from = index + 1

    # Where lines begin.

    def _reflow(self, first: int, stop: int) -> int:
        """Lay out the lines `first` to `stop` (exclusive) where they now begin, and those behind them that this moves
        within their row or into another paragraph; gives the line where it ends."""
        for index in range(first, len(self.lines)):
            line = self.lines[index]
            before = line.begins, line.since, line.lead, line.offset
            self._begin(index)
            is_same = (line.begins, line.since, line.lead, line.offset) == before
            if is_same and index >= stop:
                return index
            if not line.exact or line.offset != before[-1]:
                self._layouts.pop(index, None)
                self._measure(index)
        return len(self.lines)

    def _begin(self, index: int) -> None:
        """Where a line begins, after the one before it."""
        line, before = self.lines[index], self.lines[index - 1] if index else None
        self._join(line, before)
        if before is not None and not line.begins:
            self._put_behind(line, before)

    def _join(self, line: Line, before: Line | None) -> None:
        """Whether a line goes on in the paragraph of the one before, and whose name stands over it."""
        line.lead = line.offset = 0.0
        if before is not None and self.joins and _flows_on(line, before):
            line.begins, line.since = False, before.since
            return
        line.begins, line.since = True, line.start
        if self.lead and line.segment and line.speaker != (before.speaker if before else None):
            line.lead = self.lead if before else self.lead - self.gap

    def _join_from(self, first: int) -> None:
        before = self.lines[first - 1] if first else None
        for line in self.lines[first:]:
            self._join(line, before)
            before = line

    def _put_behind(self, line: Line, before: Line) -> None:
        is_spaced = (line.text.isascii() and before.text.isascii()) or joint(before.text, line.text)
        line.offset = before.stop + self._space if is_spaced else before.stop

    def _guess_from(self, first: int) -> None:
        """Guess the rows of all lines from one on; they are measured later."""
        before = self.lines[first - 1] if first else None
        width, room, character = self.width, self.width - _LEAST_ROOM, self._character
        for line in self.lines[first:]:  # of which there are ten thousand in ten hours
            if before is not None and not line.begins:
                self._put_behind(line, before)
            line.exact, line.joined = False, 0 < line.offset < room
            whole = len(line.text) * character + (line.offset if line.joined else 0.0)
            line.rows = rows = ceil(whole / width) or 1
            line.stop = whole - (rows - 1) * width
            before = line
        self._layouts.clear()
        self._guessed_from = min(self._guessed_from, first)
        self._stack(first)

    def _note_correction(self, index: int, before: Line, text: str, verified: int) -> None:
        """Mark the first word in which the target's new text leaves the draft that stood there."""
        stop = min(len(before.text), verified)
        place = next((i for i in range(before.verified, stop) if before.text[i] != text[i]), stop)
        if place < stop:
            begin = text.rfind(" ", 0, place) + 1
            end = text.find(" ", place)
            end = verified if end < 0 else min(end, verified)
            made = Correction(index, begin, end, time.monotonic())
            others = [it for it in self.corrections if it.line != index or it.end <= begin or it.begin >= end]
            self.corrections = [*others, made]

    def _cut(self, count: int) -> None:
        for index in range(count, len(self.lines)):
            self._layouts.pop(index, None)
        del self.lines[count:], self._tops[count + 1 :]
        self._guessed_from = min(self._guessed_from, count)
        self.corrections = [mark for mark in self.corrections if mark.line < count]

    # The layout.

    def set_width(self, width: float) -> None:
        """Break the lines anew at this width; rows are guessed until `refine` has measured them."""
        if width == self.width:
            return
        self.width = width
        self._guess_from(0)

    def set_type(self, font: QFont, line_height: float) -> None:
        """Lay out in another font; rows are guessed until `refine` has measured them."""
        if font != self.font or line_height != self.line_height:
            self._set_metrics(font, line_height)
            self._guess_from(0)

    def refine(self, first: int, last: int) -> bool:
        """Measure the lines `first` to `last` and those before them in their paragraph; whether any of them has another
        height than was guessed."""
        if not self.lines:
            return False
        first = self.first_of(min(max(first, 0), len(self.lines) - 1))
        changed = [index for index in range(first, min(last + 1, len(self.lines))) if self._measure_guessed(index)]
        if changed:
            self._stack(changed[0])
        return bool(changed)

    def refine_next(self, seconds: float) -> bool:
        """Measure guessed lines for a while; whether some are left."""
        until = time.monotonic() + seconds
        first = self._guessed_from
        while self._guessed_from < len(self.lines) and time.monotonic() < until:
            self._measure_guessed(self._guessed_from)
            self._guessed_from += 1
        self._stack(first)
        return self._guessed_from < len(self.lines)

    def _measure_guessed(self, index: int) -> bool:
        """Measure a line whose rows are guessed, where the one before it is measured; whether they were others."""
        line = self.lines[index]
        before, offset = (line.rows, line.joined), line.offset
        self._begin(index)
        if line.exact and line.offset == offset:
            return False
        self._layouts.pop(index, None)
        self._measure(index)
        return (line.rows, line.joined) != before

    def layout(self, index: int) -> QTextLayout:
        """The laid out text of a line; its rows stand relative to the line's top."""
        made = self._layouts.get(index)
        if made is None:
            composed = self._composed if index == self._composed.line else None
            line = self.lines[index]
            line.joined = 0 < line.offset < self.width - _LEAST_ROOM
            made = self._break(line, composed, line.offset if line.joined else 0.0)
            if line.joined and _breaks_first_word(made):
                line.joined = False
                made = self._break(line, composed, 0.0)
            self._layouts[index] = made
            if len(self._layouts) > _KEPT_LAYOUTS:
                self._layouts.popitem(last=False)
        self._layouts.move_to_end(index)
        return made

    def _break(self, broken: Line, composed: _Composed | None, offset: float) -> QTextLayout:
        """Break a line into rows; the first begins `offset` pixels from the side where its script begins."""
        text, backwards = broken.text, broken.is_right_to_left
        self.measured += 1
        layout = QTextLayout(text, self.font)
        if composed is not None:
            layout.setPreeditArea(units(text, composed.character), composed.text)
            layout.setFormats([_underlined(units(text, composed.character), length(composed.text))])
        option = QTextOption(Qt.AlignmentFlag.AlignRight if backwards else Qt.AlignmentFlag.AlignLeft)
        direction = Qt.LayoutDirection
        option.setTextDirection(direction.RightToLeft if backwards else direction.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        layout.beginLayout()
        row = 0
        while (line := layout.createLine()).isValid():
            indent = 0.0 if row else offset
            line.setLineWidth(self.width - indent)
            top = row * self.line_height + self._baseline - line.ascent()
            line.setPosition(QPointF(0.0 if backwards else indent, top))
            row += 1
        layout.endLayout()
        return layout

    def _measure(self, index: int) -> None:
        line, layout = self.lines[index], self.layout(index)
        line.rows, line.exact = max(1, layout.lineCount()), True
        last = layout.lineAt(line.rows - 1)
        line.stop = last.naturalTextWidth() if last.isValid() else 0.0
        if line.joined and line.rows == 1:
            line.stop += line.offset

    def _stack(self, first: int) -> None:
        """Where the lines from `first` on stand."""
        first = max(first - 1, 0)  # its height depends on the one behind it
        heights, below = [], None
        for line in reversed(self.lines[first:]):
            heights.append(self._height(line, below))
            below = line
        self._tops[first:] = accumulate(reversed(heights), initial=self._tops[first])

    def _restack(self, first: int, stop: int, more: int) -> None:
        """Stack the lines `first` to `stop` (exclusive), `more` of which are new, and move what stands under them."""
        first = max(first - 1, 0)
        heights = accumulate(map(self.height_of, range(first, stop)), initial=self._tops[first])
        tops, under = [*heights], self._tops[stop - more + 1 :]
        by = tops[-1] - self._tops[stop - more]
        self._tops[first:] = [*tops, *([top + by for top in under] if by else under)]

    def compose(self, index: int, character: int, text: str) -> None:
        """Show at a place what an input method composes; with an empty text, nothing any more."""
        composed = _Composed(index, character, text) if text else _Composed(-1, 0, "")
        before, self._composed = self._composed, composed
        for changed in {before.line, composed.line} - {-1} if before != composed else ():
            self.lines[changed].exact = False
            self._reflow(changed, changed + 1)
            self._stack(changed)

    # Where things are.

    @property
    def is_measured(self) -> bool:
        """Whether every height is known at the current width."""
        return self._guessed_from >= len(self.lines)

    @property
    def height(self) -> float:
        """The height of everything."""
        return self._tops[-1]

    @property
    def baseline(self) -> float:
        """Where the text of a row stands, from the row's top."""
        return self._baseline

    def height_of(self, index: int) -> float:
        """How much further down the next line begins: the rows that are not shared with it, the name over them, and the
        gap under the last line of a paragraph."""
        return self._height(self.lines[index], self.lines[index + 1] if index + 1 < len(self.lines) else None)

    def _height(self, line: Line, below: Line | None) -> float:
        if below is None or below.begins:
            return line.lead + line.rows * self.line_height + self.gap
        return line.lead + (line.rows - below.joined) * self.line_height

    def begin_of(self, index: int) -> float:
        """Where a line begins, with the name over it."""
        return self._tops[index]

    def top_of(self, index: int) -> float:
        """Where the text of a line begins."""
        return self._tops[index] + self.lines[index].lead

    def bottom_of(self, index: int) -> float:
        """Where the last row of a line ends."""
        return self.top_of(index) + self.lines[index].rows * self.line_height

    def at(self, y: float) -> int:
        """The last line that begins at or over a height; the first or last one beyond the ends. There must be one."""
        return min(max(bisect_right(self._tops, y) - 1, 0), len(self.lines) - 1)

    def first_at(self, y: float) -> int:
        """The first line that has a part of the row at a height. There must be a line."""
        index = self.at(y)
        while self.lines[index].joined and y < self.top_of(index) + self.line_height:
            index -= 1
        return index

    def first_of(self, index: int) -> int:
        """The first line of a line's paragraph."""
        while not self.lines[index].begins:
            index -= 1
        return index

    def last_of(self, index: int) -> int:
        """The last line of a line's paragraph."""
        while index + 1 < len(self.lines) and not self.lines[index + 1].begins:
            index += 1
        return index

    def line_at(self, seconds: float) -> int:
        """The finished line of a time, the first one before there are words; -1 where there is none."""
        found = bisect_right(self.lines, seconds + 0.01, 0, self.settled, key=lambda each: each.start) - 1
        return min(max(found, 0), len(self.lines) - 1)

    def position_at(self, x: float, y: float) -> tuple[int, int]:
        """The line and character nearest to a point. There must be a line."""
        index = self.at(y)
        if y < self.top_of(0):
            return 0, 0
        if y < self.top_of(index):
            return index, 0
        along = self.width - x if self.lines[index].is_right_to_left else x
        while self.lines[index].joined and y < self.top_of(index) + self.line_height:
            self.layout(index)
            if along >= self.lines[index].offset - self._space / 2:
                break
            index -= 1
        layout = self.layout(index)
        row = min(int((y - self.top_of(index)) / self.line_height), layout.lineCount() - 1)
        return index, self._character_at(index, layout.lineAt(row).xToCursor(x))

    def row_edge(self, index: int, character: int, is_end: bool) -> tuple[int, int]:
        """The first or the last place of the row in which a character stands, which may be in another line."""
        _x, row = self.caret_at(index, character)
        y = self.top_of(index) + row + self.line_height / 2
        if not is_end:
            return self.position_at(self.width if self.lines[index].is_right_to_left else 0.0, y)
        found = self.at(y)
        layout = self.layout(found)
        number = min(int((y - self.top_of(found)) / self.line_height), layout.lineCount() - 1)
        end = layout.lineAt(number).textStart() + layout.lineAt(number).textLength()
        if number < layout.lineCount() - 1:  # else it would be the first place of the next row
            end = layout.previousCursorPosition(end)
        return found, self._character_at(found, end)

    def step(self, index: int, character: int, step: int, by_word: bool) -> int:
        """The place beside a character of a line, forwards (`step` 1) or backwards (-1)."""
        layout, at = self.layout(index), self._unit(index, character)
        mode = QTextLayout.CursorMode.SkipWords if by_word else QTextLayout.CursorMode.SkipCharacters
        return self._character_at(
            index, layout.nextCursorPosition(at, mode) if step > 0 else layout.previousCursorPosition(at, mode)
        )

    def caret_at(self, index: int, character: int) -> tuple[float, float]:
        """Where a caret stands: its x, and the top of its row, relative to the line."""
        layout, at = self.layout(index), self._unit(index, character)
        line = layout.lineForTextPosition(at)
        if not line.isValid():
            return 0.0, 0.0
        return _x(line, at), line.lineNumber() * self.line_height

    def spans(self, index: int, begin: int, end: int) -> list[tuple[float, float, float]]:
        """The stretches of rows that a range of characters covers: left, right, top, relative to the line."""
        found = []
        layout, begin, end = self.layout(index), self._unit(index, begin), self._unit(index, end)
        for row in range(layout.lineCount()):
            line = layout.lineAt(row)
            first, last = max(begin, line.textStart()), min(end, line.textStart() + line.textLength())
            if last - first == line.textLength() > 0:
                whole = line.naturalTextRect()  # right in mixed directions too
                found.append((whole.left(), whole.right(), row * self.line_height))
            elif first < last:
                one, other = _x(line, first), _x(line, last)
                found.append((min(one, other), max(one, other), row * self.line_height))
        return found

    def _unit(self, index: int, character: int) -> int:
        """Qt's place of a character, with what is composed before it."""
        composed = self._composed
        before = composed.line == index and composed.character <= character
        return units(self.lines[index].text, character) + (length(composed.text) if before else 0)

    def _character_at(self, index: int, unit: int) -> int:
        """The character at a place of Qt's."""
        composed = self._composed
        if composed.line == index:
            begin = units(self.lines[index].text, composed.character)
            unit = max(min(unit, begin), unit - length(composed.text))
        return characters(self.lines[index].text, unit)


def _flows_on(line: Line, before: Line) -> bool:
    """Whether a line goes on in the paragraph of the one before. Of lines in work nobody knows yet who says them, nor
    how long."""
    segment = line.segment or Segment(0, line.start, line.start, line.text, speaker=before.speaker)
    last = before.segment or Segment(0, before.start, line.start, before.text, speaker=segment.speaker)
    return line.is_right_to_left == before.is_right_to_left and flows_on(segment, last, before.since)


def _settled(segment: Segment) -> Line:
    """A finished line, its rows unknown yet."""
    text = shown(segment)
    made = Line(segment.start, text, len(text), len(text), 1, False, segment.speaker, 0.0, segment)
    if not text.isascii():
        made.is_right_to_left = _is_right_to_left(text)
    return made


def shown(segment: Segment) -> str:
    """The text of a finished line; a space behind it is seen while somebody types."""
    return segment.text.lstrip()


def _breaks_first_word(layout: QTextLayout) -> bool:
    """Whether the first row ends within the first word."""
    words = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Line, layout.text())
    first = words.toNextBoundary()
    return layout.lineCount() > 1 and layout.lineAt(0).textLength() < first


def _alike(some: Sequence[Line], segments: Sequence[Segment]) -> int:
    """How many lines at the beginning have the same text at the same time as these segments."""
    pairs = enumerate(zip(some, segments, strict=False))
    least = min(len(some), len(segments))
    return next((at for at, (one, it) in pairs if one.start != it.start or one.text != shown(it)), least)


def _underlined(begin: int, count: int) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length = begin, count
    made.format = QTextCharFormat()
    made.format.setFontUnderline(True)
    return made


def _is_right_to_left(text: str) -> bool:
    """Whether most letters are of a script like Arabic or Hebrew, or the first one where there are as many others: a
    line in such a language may begin with a name in Latin letters, and one in English may quote a word."""
    if text.isascii() or max(text) < _FIRST_RIGHT_TO_LEFT:
        return False
    kinds = [unicodedata.bidirectional(letter) for letter in text]
    strong = [kind != "L" for kind in kinds if kind in ("L", "R", "AL")]
    return 2 * sum(strong) + (strong[:1] == [True]) > len(strong)


def _written(line: TentativeLine) -> Line:
    """A line in work as a line. What the target wrote of a file is final; of a live line only a part is."""
    whole = line.verified + line.draft
    verified = _whole_words(line.verified, line.draft)
    final = _whole_words(whole[: line.final], whole[line.final :]) if isinstance(line, LiveLine) else verified
    text = whole.strip()
    made = Line(line.start, text, min(final, verified, len(text)), min(verified, len(text)))
    made.is_right_to_left = _is_right_to_left(text)
    return made


def _whole_words(first: str, then: str) -> int:
    """How many characters `first` has without outer spaces, and without the beginning of a word that goes on."""
    first = first.lstrip()
    if then[:1].isalnum() and first[-1:].isalnum():
        space = first.rfind(" ") + 1
        if len(first) - space < _LONGEST_WORD:  # longer ones are of a script without spaces
            return space
    return len(first)


def _x(line: object, position: int) -> float:
    """The place of a character in a line; PySide returns the corrected position with it."""
    found = line.cursorToX(position)  # type: ignore[attr-defined]
    return float(found[0] if isinstance(found, tuple) else found)
