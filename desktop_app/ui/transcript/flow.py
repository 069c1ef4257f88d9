"""How a transcript is laid out: paragraphs under each other, each on the same line grid.

While a text is written only its end changes: finished paragraphs keep their place for good, the lines in work are
replaced at the tail. What a new segment costs does not depend on how many there are, and an edit lays out only what it
changes. After a change of width, heights are guessed first and measured when a paragraph comes into view or there is
time. Characters are those of Python; Qt counts units of UTF-16.
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

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QTextCharFormat, QTextLayout, QTextOption

from desktop_app.app.entry import LiveLine
from desktop_app.engine.messages import TentativeLine
from desktop_app.transcript.difference import untouched
from desktop_app.transcript.model import Segment

_AT_ONCE = 60  # more new segments than these are measured when there is time
_LONGEST_WORD = 24
_KEPT_LAYOUTS = 300  # those near the view; others are made again when they are seen


@dataclass(slots=True)
class Paragraph:
    """A segment, or a line that is still being written.

    Attributes: start (seconds); final (how many characters will not change any more); verified (how many are the
    target's); rows (lines of text); exact (whether `rows` is measured at the current width); speaker (an id); lead
    (room over the text for the speaker's name, 0 unless another one begins here); segment (None in work).
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


@dataclass(frozen=True)
class Correction:
    """A place where the target wrote something else than the draft had."""

    paragraph: int
    begin: int
    end: int
    at: float  # time.monotonic()


@dataclass(frozen=True)
class _Composed:
    """What an input method composes, not a part of the text yet: in which paragraph, before which character."""

    paragraph: int
    character: int
    text: str


@dataclass(frozen=True)
class Revision:
    """Where a text was edited.

    Attributes: first (the first paragraph that is another one); before, after (the lengths of those that were there and
    of those that are there now).
    """

    first: int
    before: tuple[int, ...]
    after: tuple[int, ...]

    def place(self, index: int, character: int) -> tuple[int, int]:
        """Where a place in the text is now, a paragraph and a character of it."""
        if index < self.first:
            return index, character
        if index >= self.first + len(self.before):
            return index + len(self.after) - len(self.before), character
        if not self.after:
            return self.first, 0
        left = sum(length + 1 for length in self.before[: index - self.first]) + character
        for number, length in enumerate(self.after):
            if left <= length:
                return self.first + number, left
            left -= length + 1
        return self.first + len(self.after) - 1, self.after[-1]


class Flow:
    """The paragraphs and where they stand, in pixels from the top of the first one.

    Attributes: paragraphs; settled (how many of them will not change any more); corrections (recent ones, for a fading
    mark); measured (how many paragraphs were laid out since the start, for tests and curiosity); lead (the room for a
    speaker's name).
    """

    def __init__(self, font: QFont, line_height: float, gap: float) -> None:
        self.font, self.line_height, self.gap = font, line_height, gap
        metrics = QFontMetricsF(font)
        self._baseline = (line_height - metrics.height()) / 2 + metrics.ascent()
        self._character = metrics.horizontalAdvance("the quick brown fox jumps over it") / 33
        self.width = 600.0
        self.lead = 0.0
        self._layouts: OrderedDict[int, QTextLayout] = OrderedDict()
        self._composed = _Composed(-1, 0, "")
        self.measured = 0
        self.clear()

    def clear(self) -> None:
        """No text."""
        self.paragraphs: list[Paragraph] = []
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
        known = len(self.paragraphs)
        if len(segments) - known > _AT_ONCE:
            self._append_guessed(segments)
        else:
            known = len(segments)
        for index in range(self.settled, known):
            self._place(index, self._settled(segments, index))
        self.settled = len(segments)
        for number, line in enumerate(lines):
            self._place(self.settled + number, _written(line))
        self._cut(self.settled + len(lines))

    def _append_guessed(self, segments: Sequence[Segment]) -> None:
        """A whole transcript at once: its rows are measured later."""
        first = len(self.paragraphs)
        for index in range(first, len(segments)):
            self.paragraphs.append(self._settled(segments, index))
        self._tops += [0.0] * (len(segments) - first)
        self._guessed_from = min(self._guessed_from, first)
        self._stack(first)

    def _settled(self, segments: Sequence[Segment], index: int) -> Paragraph:
        """A finished paragraph, its rows guessed."""
        segment, text = segments[index], shown(segments[index])
        rows, lead = self._guess(text), self._lead(segments, index)
        return Paragraph(segment.start, text, len(text), len(text), rows, False, segment.speaker, lead, segment)

    def _lead(self, segments: Sequence[Segment], index: int) -> float:
        """The room over a finished paragraph: there stands a name where another one begins to speak."""
        before = segments[index - 1].speaker if index else None
        if segments[index].speaker == before or not self.lead:
            return 0.0
        return self.lead if index else self.lead - self.gap

    def revise(self, segments: Sequence[Segment]) -> Revision:
        """Show an edited text. Only what changed is laid out again, and where nothing moves, only that is looked at."""
        self.compose(-1, 0, "")
        old, count = self.paragraphs, len(segments)
        same, rest = untouched([each.segment for each in old], segments)
        first = same + _alike(old[same : len(old) - rest], segments[same : count - rest])
        last = rest + _alike(old[first : len(old) - rest][::-1], segments[first : count - rest][::-1])
        there, end, shift = len(old) - last, count - last, count - len(old)
        made = [self._settled(segments, index) for index in range(first, end)]
        self.paragraphs = [*old[:first], *made, *old[there:]]
        for index in range(same, min(count - rest + 1, count)):  # and one more: another name may stand over it
            paragraph, segment = self.paragraphs[index], segments[index]
            paragraph.segment, paragraph.speaker, paragraph.lead = segment, segment.speaker, self._lead(segments, index)
        kept = [(i if i < first else i + shift, it) for i, it in self._layouts.items() if not first <= i < there]
        self._layouts = OrderedDict(kept)
        self.settled, self.corrections = count, []
        measured = self._guessed_from
        self._guessed_from = min(measured, first)
        if end - first <= _AT_ONCE:
            for index in range(first, end):
                self._measure(index)
            self._guessed_from = measured + shift if measured >= there else min(measured, first)
        self._restack(same, min(count - rest + 1, count), shift)
        lengths = (tuple(len(it.text) for it in part) for part in (old[first:there], made))
        return Revision(first, *lengths)

    def _guess(self, text: str) -> int:
        return max(1, ceil(len(text) * self._character / self.width))

    def _place(self, index: int, new: Paragraph) -> None:
        if index == len(self.paragraphs):
            self.paragraphs.append(new)
            self._tops.append(0.0)
        else:
            there = self.paragraphs[index]
            if there.text == new.text:
                there.start, there.final, there.verified = new.start, new.final, new.verified
                there.speaker, there.segment = new.speaker, new.segment
                if there.lead != new.lead:
                    there.lead = new.lead
                    self._stack(index)
                return
            self._note_correction(index, there, new.text, new.verified)
            self.paragraphs[index] = new
            self._layouts.pop(index, None)
        self._measure(index)
        if self._guessed_from == index:
            self._guessed_from = index + 1
        self._stack(index)

    def _note_correction(self, index: int, before: Paragraph, text: str, verified: int) -> None:
        """Mark the first word in which the target's new text leaves the draft that stood there."""
        stop = min(len(before.text), verified)
        place = next((i for i in range(before.verified, stop) if before.text[i] != text[i]), stop)
        if place < stop:
            begin = text.rfind(" ", 0, place) + 1
            end = text.find(" ", place)
            end = verified if end < 0 else min(end, verified)
            made = Correction(index, begin, end, time.monotonic())
            others = [it for it in self.corrections if it.paragraph != index or it.end <= begin or it.begin >= end]
            self.corrections = [*others, made]

    def _cut(self, count: int) -> None:
        for index in range(count, len(self.paragraphs)):
            self._layouts.pop(index, None)
        del self.paragraphs[count:], self._tops[count + 1 :]
        self._guessed_from = min(self._guessed_from, count)
        self.corrections = [mark for mark in self.corrections if mark.paragraph < count]

    # The layout.

    def set_width(self, width: float) -> None:
        """Break the lines anew at this width; rows are guessed until `refine` has measured them."""
        if width == self.width:
            return
        self.width = width
        self._layouts.clear()
        for paragraph in self.paragraphs:
            paragraph.rows, paragraph.exact = self._guess(paragraph.text), False
        self._guessed_from = 0
        self._stack(0)

    def refine(self, first: int, last: int) -> bool:
        """Measure the paragraphs `first` to `last`; whether any of them has another height than was guessed."""
        changed = None
        for index in range(max(first, 0), min(last + 1, len(self.paragraphs))):
            if not self.paragraphs[index].exact:
                rows = self.paragraphs[index].rows
                self._measure(index)
                if changed is None and rows != self.paragraphs[index].rows:
                    changed = index
        if changed is not None:
            self._stack(changed)
        return changed is not None

    def refine_next(self, seconds: float) -> bool:
        """Measure guessed paragraphs for a while; whether some are left."""
        until = time.monotonic() + seconds
        first = self._guessed_from
        while self._guessed_from < len(self.paragraphs) and time.monotonic() < until:
            if not self.paragraphs[self._guessed_from].exact:
                self._measure(self._guessed_from)
            self._guessed_from += 1
        self._stack(first)
        return self._guessed_from < len(self.paragraphs)

    def layout(self, index: int) -> QTextLayout:
        """The laid out text of a paragraph; its lines stand relative to the paragraph's top."""
        made = self._layouts.get(index)
        if made is None:
            composed = self._composed if index == self._composed.paragraph else None
            made = self._break(self.paragraphs[index].text, composed)
            self._layouts[index] = made
            if len(self._layouts) > _KEPT_LAYOUTS:
                self._layouts.popitem(last=False)
        self._layouts.move_to_end(index)
        return made

    def _break(self, text: str, composed: _Composed | None) -> QTextLayout:
        self.measured += 1
        layout = QTextLayout(text, self.font)
        if composed is not None:
            layout.setPreeditArea(units(text, composed.character), composed.text)
            layout.setFormats([_underlined(units(text, composed.character), length(composed.text))])
        backwards = _is_right_to_left(text)
        option = QTextOption(Qt.AlignmentFlag.AlignRight if backwards else Qt.AlignmentFlag.AlignLeft)
        direction = Qt.LayoutDirection
        option.setTextDirection(direction.RightToLeft if backwards else direction.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        layout.beginLayout()
        row = 0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(self.width)
            line.setPosition(QPointF(0, row * self.line_height + self._baseline - line.ascent()))
            row += 1
        layout.endLayout()
        return layout

    def _measure(self, index: int) -> None:
        paragraph = self.paragraphs[index]
        paragraph.rows, paragraph.exact = max(1, self.layout(index).lineCount()), True

    def _stack(self, first: int) -> None:
        heights = (self.height_of(index) for index in range(first, len(self.paragraphs)))
        self._tops[first:] = accumulate(heights, initial=self._tops[first])

    def _restack(self, first: int, last: int, more: int) -> None:
        """Stack the paragraphs `first` to `last`, `more` of which are new, and move what stands under them."""
        heights = accumulate(map(self.height_of, range(first, last)), initial=self._tops[first])
        tops, under = [*heights], self._tops[last - more + 1 :]
        by = tops[-1] - self._tops[last - more]
        self._tops[first:] = [*tops, *([top + by for top in under] if by else under)]

    def compose(self, index: int, character: int, text: str) -> None:
        """Show at a place what an input method composes; with an empty text, nothing any more."""
        composed = _Composed(index, character, text) if text else _Composed(-1, 0, "")
        before, self._composed = self._composed, composed
        for changed in {before.paragraph, composed.paragraph} - {-1} if before != composed else ():
            self._layouts.pop(changed, None)
            rows = self.paragraphs[changed].rows
            self._measure(changed)
            if self.paragraphs[changed].rows != rows:
                self._stack(changed)

    # Where things are.

    @property
    def is_measured(self) -> bool:
        """Whether every height is known at the current width."""
        return self._guessed_from >= len(self.paragraphs)

    @property
    def height(self) -> float:
        """The height of everything."""
        return self._tops[-1]

    @property
    def baseline(self) -> float:
        """Where the text of a row stands, from the row's top."""
        return self._baseline

    def height_of(self, index: int) -> float:
        """The height of a paragraph with the name over it and the gap under it."""
        return self.paragraphs[index].lead + self.paragraphs[index].rows * self.line_height + self.gap

    def begin_of(self, index: int) -> float:
        """Where a paragraph begins, with the name over it."""
        return self._tops[index]

    def top_of(self, index: int) -> float:
        """Where the text of a paragraph begins."""
        return self._tops[index] + self.paragraphs[index].lead

    def at(self, y: float) -> int:
        """The paragraph at a height; the first or last one beyond the ends. There must be one."""
        return min(max(bisect_right(self._tops, y) - 1, 0), len(self.paragraphs) - 1)

    def line_at(self, seconds: float) -> int:
        """The finished paragraph of a time, the first one before there are words; -1 where there is none."""
        found = bisect_right(self.paragraphs, seconds + 0.01, 0, self.settled, key=lambda each: each.start) - 1
        return min(max(found, 0), len(self.paragraphs) - 1)

    def position_at(self, x: float, y: float) -> tuple[int, int]:
        """The paragraph and character nearest to a point. There must be a paragraph."""
        index = self.at(y)
        layout = self.layout(index)
        if y < self.top_of(0):
            return 0, 0
        row = min(int((y - self.top_of(index)) / self.line_height), layout.lineCount() - 1)
        if row < 0:
            return index, 0
        return index, self._character_at(index, layout.lineAt(row).xToCursor(x))

    def step(self, index: int, character: int, step: int, by_word: bool) -> int:
        """The place beside a character of a paragraph, forwards (`step` 1) or backwards (-1)."""
        layout, at = self.layout(index), self._unit(index, character)
        mode = QTextLayout.CursorMode.SkipWords if by_word else QTextLayout.CursorMode.SkipCharacters
        return self._character_at(
            index, layout.nextCursorPosition(at, mode) if step > 0 else layout.previousCursorPosition(at, mode)
        )

    def caret_at(self, index: int, character: int) -> tuple[float, float]:
        """Where a caret stands: its x, and the top of its row, relative to the paragraph."""
        layout, at = self.layout(index), self._unit(index, character)
        line = layout.lineForTextPosition(at)
        if not line.isValid():
            return 0.0, 0.0
        return _x(line, at), line.lineNumber() * self.line_height

    def spans(self, index: int, begin: int, end: int) -> list[tuple[float, float, float]]:
        """The stretches of rows that a range of characters covers: left, right, top, relative to the paragraph."""
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
        before = composed.paragraph == index and composed.character <= character
        return units(self.paragraphs[index].text, character) + (length(composed.text) if before else 0)

    def _character_at(self, index: int, unit: int) -> int:
        """The character at a place of Qt's."""
        composed = self._composed
        if composed.paragraph == index:
            begin = units(self.paragraphs[index].text, composed.character)
            unit = max(min(unit, begin), unit - length(composed.text))
        return characters(self.paragraphs[index].text, unit)


def shown(segment: Segment) -> str:
    """The text of a finished paragraph; a space behind it is seen while somebody types."""
    return segment.text.lstrip()


def _alike(some: Sequence[Paragraph], segments: Sequence[Segment]) -> int:
    """How many paragraphs at the beginning have the same text at the same time as these segments."""
    pairs = enumerate(zip(some, segments, strict=False))
    least = min(len(some), len(segments))
    return next((at for at, (one, it) in pairs if one.start != it.start or one.text != shown(it)), least)


def units(text: str, character: int) -> int:
    """How many units of UTF-16 stand before a character."""
    return length(text[:character])


def characters(text: str, unit: int) -> int:
    """How many characters stand before a unit of UTF-16."""
    if text.isascii():
        return unit
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * unit].decode("utf-16-le", "ignore"))


def length(text: str) -> int:
    """How many units of UTF-16 a text has, which is what Qt counts in."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _underlined(begin: int, length: int) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length = begin, length
    made.format = QTextCharFormat()
    made.format.setFontUnderline(True)
    return made


def _is_right_to_left(text: str) -> bool:
    """Whether most letters are of a script like Arabic or Hebrew, or the first one where there are as many others: a
    line in such a language may begin with a name in Latin letters, and one in English may quote a word."""
    kinds = [unicodedata.bidirectional(letter) for letter in text] if not text.isascii() else []
    strong = [kind != "L" for kind in kinds if kind in ("L", "R", "AL")]
    return 2 * sum(strong) + (strong[:1] == [True]) > len(strong)


def _written(line: TentativeLine) -> Paragraph:
    """A line in work as a paragraph. What the target wrote of a file is final; of a live line only a part is."""
    whole = line.verified + line.draft
    verified = _whole_words(line.verified, line.draft)
    final = _whole_words(whole[: line.final], whole[line.final :]) if isinstance(line, LiveLine) else verified
    text = whole.strip()
    return Paragraph(line.start, text, min(final, verified, len(text)), min(verified, len(text)))


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
