"""How a transcript is laid out: lines that flow together in paragraphs, all rows on the same grid.

A line (a segment, or what is still being written of one) begins where the one before it ends, on the same row, unless
another paragraph begins with it. While a text is written only its end changes: finished lines keep their place for
good, the lines in work are replaced at the tail. What a new segment costs does not depend on how many there are, and an
edit lays out only what it changes or moves within its paragraph. After a change of width, heights are guessed first and
measured when a line comes into view or there is time.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil

from PySide6.QtGui import QFont, QTextLayout

from desktop_app.messages.jobs import TentativeLine
from desktop_app.transcript.difference import untouched
from desktop_app.transcript.editing import joint
from desktop_app.transcript.model import Segment
from desktop_app.ui.transcript.text_layouts import LEAST_ROOM, TextLayouts
from desktop_app.ui.transcript.text_line import (
    TextLine,
    ends_sentence,
    finished_line,
    paragraph_of,
    shown_text,
    unfinished_line,
)

_AT_ONCE = 60  # more new segments than these are measured when there is time
_USUAL_WIDTH = 600.0  # pixels, until it is set


@dataclass(frozen=True)
class Correction:
    """A place where the target wrote something else than the draft had."""

    line: int
    begin: int
    end: int
    at: float  # time.monotonic()


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
    mark); gap (under a paragraph); lead (the room for a speaker's name); joins (whether lines flow together; else each
    is a paragraph).
    """

    def __init__(self, font: QFont, line_height: float, gap: float, *, joins: bool = False) -> None:
        self.gap, self.joins = gap, joins
        self._layouts = TextLayouts(font, line_height, _USUAL_WIDTH)
        self.lead = 0.0
        self.clear()

    def clear(self) -> None:
        """No text."""
        self.lines: list[TextLine] = []
        self.settled = 0
        self.corrections: list[Correction] = []
        self._tops: list[float] = [0.0]
        self._layouts.reset()
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
            self._place(index, finished_line(segments[index]))
        self.settled = len(segments)
        for number, line in enumerate(lines):
            self._place(self.settled + number, unfinished_line(line))
        self._cut(self.settled + len(lines))

    def _append_guessed(self, segments: Sequence[Segment]) -> None:
        """A whole transcript at once: its rows are measured later."""
        first = len(self.lines)
        self.lines += [finished_line(segment) for segment in segments[first:]]
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
        made = [finished_line(segment) for segment in segments[first:end]]
        self.lines = [*old[:first], *made, *old[there:]]
        for index in range(same, count - rest):
            line, segment = self.lines[index], segments[index]
            line.segment, line.speaker = segment, segment.speaker
        self._layouts.move(first, there, shift)
        self.settled, self.corrections = count, []
        measured = self._guessed_from
        self._guessed_from = min(measured, first) if measured < there else measured + shift
        if end - first > _AT_ONCE:
            self._tops[first + 1 : there + 1] = [0.0] * (end - first)
            self._join_from(same)
            self._guess_from(same)
        else:
            self._restack(same, self._reflow(same, count - rest), shift)
        lengths = (tuple(len(line.text) for line in part) for part in (old[first:there], made))
        return Revision(first, *lengths)

    def _place(self, index: int, new: TextLine) -> None:
        if index == len(self.lines):
            self.lines.append(new)
            self._tops.append(0.0)
        elif (there := self.lines[index]).text == new.text:
            there.start, there.final, there.verified = new.start, new.final, new.verified
            there.speaker, there.segment = new.speaker, new.segment
        else:
            self._note_correction(index, there, new.text, new.verified)
            self.lines[index] = new
            self._layouts.forget(index)
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
            before = line.begins, line.since, line.is_over, line.lead, line.offset
            self._begin(index)
            is_same = (line.begins, line.since, line.is_over, line.lead, line.offset) == before
            if is_same and index >= stop:
                return index
            if not line.exact or line.offset != before[-1]:
                self._layouts.forget(index)
                self._measure(index)
        return len(self.lines)

    def _begin(self, index: int) -> None:
        """Where a line begins, after the one before it."""
        line, before = self.lines[index], self.lines[index - 1] if index else None
        self._join(line, before)
        if before is not None and not line.begins:
            self._put_behind(line, before)

    def _join(self, line: TextLine, before: TextLine | None) -> None:
        """Whether a line goes on in the paragraph of the one before, and whose name stands over it."""
        line.lead = line.offset = 0.0
        line.begins, line.since = True, line.start
        if before is not None and self.joins:
            line.begins, line.since = paragraph_of(line, before)
        line.is_over = ends_sentence(line, before)
        if line.begins and self.lead and line.segment and line.speaker != (before.speaker if before else None):
            line.lead = self.lead if before else self.lead - self.gap

    def _join_from(self, first: int) -> None:
        before = self.lines[first - 1] if first else None
        for line in self.lines[first:]:
            self._join(line, before)
            before = line

    def _put_behind(self, line: TextLine, before: TextLine) -> None:
        is_spaced = (line.text.isascii() and before.text.isascii()) or joint(before.text, line.text)
        line.offset = before.stop + self._layouts.space if is_spaced else before.stop

    def _guess_from(self, first: int) -> None:
        """Guess the rows of all lines from one on; they are measured later."""
        before = self.lines[first - 1] if first else None
        width, room, character = self.width, self.width - LEAST_ROOM, self._layouts.character
        for line in self.lines[first:]:  # of which there are ten thousand in ten hours
            if before is not None and not line.begins:
                self._put_behind(line, before)
            line.exact, line.joined = False, 0 < line.offset < room
            whole = len(line.text) * character + (line.offset if line.joined else 0.0)
            line.rows = rows = ceil(whole / width) or 1
            line.stop = whole - (rows - 1) * width
            before = line
        self._layouts.forget_all()
        self._guessed_from = min(self._guessed_from, first)
        self._stack(first)

    def _note_correction(self, index: int, before: TextLine, text: str, verified: int) -> None:
        """Mark the first word in which the target's new text leaves the draft that stood there."""
        stop = min(len(before.text), verified)
        place = next((i for i in range(before.verified, stop) if before.text[i] != text[i]), stop)
        if place < stop:
            begin = text.rfind(" ", 0, place) + 1
            end = text.find(" ", place)
            end = verified if end < 0 else min(end, verified)
            made = Correction(index, begin, end, time.monotonic())
            others = [each for each in self.corrections if each.line != index or each.end <= begin or each.begin >= end]
            self.corrections = [*others, made]

    def _cut(self, count: int) -> None:
        for index in range(count, len(self.lines)):
            self._layouts.forget(index)
        del self.lines[count:], self._tops[count + 1 :]
        self._guessed_from = min(self._guessed_from, count)
        self.corrections = [mark for mark in self.corrections if mark.line < count]

    # The layout.

    def set_width(self, width: float) -> None:
        """Break the lines anew at this width; rows are guessed until `refine` has measured them."""
        if width != self.width:
            self._layouts.width = width
            self._guess_from(0)

    def set_type(self, font: QFont, line_height: float) -> None:
        """Lay out in another font; rows are guessed until `refine` has measured them."""
        if font != self.font or line_height != self.line_height:
            self._layouts.set_type(font, line_height)
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
        self._layouts.forget(index)
        self._measure(index)
        return (line.rows, line.joined) != before

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
        for changed in self._layouts.compose(index, character, text):
            self.lines[changed].exact = False
            self._reflow(changed, changed + 1)
            self._stack(changed)

    # How rows are set.

    @property
    def font(self) -> QFont:
        """The font of the text."""
        return self._layouts.font

    @property
    def line_height(self) -> float:
        """The height of a row."""
        return self._layouts.line_height

    @property
    def width(self) -> float:
        """The width of a row."""
        return self._layouts.width

    @property
    def baseline(self) -> float:
        """Where the text of a row stands, from the row's top."""
        return self._layouts.baseline

    @property
    def measured(self) -> int:
        """How many layouts were made so far, by which tests count the work."""
        return self._layouts.made

    def layout(self, index: int) -> QTextLayout:
        """The laid-out text of a line; its rows stand relative to the line's top."""
        return self._layouts.layout(index, self.lines[index])

    # Where things are.

    @property
    def is_measured(self) -> bool:
        """Whether every height is known at the current width."""
        return self._guessed_from >= len(self.lines)

    @property
    def height(self) -> float:
        """The height of everything."""
        return self._tops[-1]

    def height_of(self, index: int) -> float:
        """How much further down the next line begins: the rows that are not shared with it, the name over them, and the
        gap under the last line of a paragraph."""
        return self._height(self.lines[index], self.lines[index + 1] if index + 1 < len(self.lines) else None)

    def _height(self, line: TextLine, below: TextLine | None) -> float:
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
            if along >= self.lines[index].offset - self._layouts.space / 2:
                break
            index -= 1
        return index, self._layouts.character_at(index, self.lines[index], x, y - self.top_of(index))

    def row_edge(self, index: int, character: int, is_end: bool) -> tuple[int, int]:
        """The first or the last place of the row in which a character stands, which may be in another line."""
        _x, row = self.caret_at(index, character)
        y = self.top_of(index) + row + self.line_height / 2
        if not is_end:
            return self.position_at(self.width if self.lines[index].is_right_to_left else 0.0, y)
        found = self.at(y)
        return found, self._layouts.row_end(found, self.lines[found], y - self.top_of(found))

    def step(self, index: int, character: int, step: int, by_word: bool) -> int:
        """The place beside a character of a line, forwards (`step` 1) or backwards (-1)."""
        return self._layouts.step(index, self.lines[index], character, step, by_word)

    def caret_at(self, index: int, character: int) -> tuple[float, float]:
        """Where a caret stands: its x, and the top of its row, relative to the line."""
        return self._layouts.caret_at(index, self.lines[index], character)

    def spans(self, index: int, begin: int, end: int) -> list[tuple[float, float, float]]:
        """The stretches of rows that a range of characters covers: left, right, top, relative to the line."""
        return self._layouts.spans(index, self.lines[index], begin, end)


def _alike(lines: Sequence[TextLine], segments: Sequence[Segment]) -> int:
    """How many lines at the beginning have the same text at the same time as these segments."""
    for count, (line, segment) in enumerate(zip(lines, segments, strict=False)):
        if line.start != segment.speech_start or line.text != shown_text(segment):
            return count
    return min(len(lines), len(segments))
