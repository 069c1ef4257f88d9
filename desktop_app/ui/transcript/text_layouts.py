"""Lines broken into rows by Qt, and the places of characters in those rows.

Characters are those of Python; Qt counts units of UTF-16.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPointF, Qt, QTextBoundaryFinder
from PySide6.QtGui import QFont, QFontMetricsF, QTextCharFormat, QTextLayout, QTextLine, QTextOption

from desktop_app.ui.transcript.text_line import TextLine
from desktop_app.ui.transcript.utf16 import characters, length, units

LEAST_ROOM = 24  # pixels; a line begins another row where there is less
_LONGEST_WORD = 1000  # characters
_KEPT = 300  # layouts near the view; others are made again when they are seen


@dataclass(frozen=True)
class _Preedit:
    """What an input method composes, not a part of the text yet: in which line, before which character."""

    index: int = -1
    character: int = 0
    text: str = ""


class TextLayouts:
    """The layouts of the lines that were asked for last, by the lines' numbers.

    Attributes: font; line_height, width (of a row, in pixels); baseline (from the top of a row to that of its text);
    space, character (the widths of a space and of an average character); made (how many layouts were made so far).
    """

    def __init__(self, font: QFont, line_height: float, width: float) -> None:
        self._layouts: OrderedDict[int, QTextLayout] = OrderedDict()
        self._preedit = _Preedit()
        self.width, self.made = width, 0
        self.set_type(font, line_height)

    def set_type(self, font: QFont, line_height: float) -> None:
        """Break lines in another font from now on."""
        self.font, self.line_height = font, line_height
        metrics = QFontMetricsF(font)
        self.space = metrics.horizontalAdvance(" ")
        self.baseline = (line_height - metrics.height()) / 2 + metrics.ascent()
        self.character = metrics.horizontalAdvance("the quick brown fox jumps over it") / 33

    # Which layouts are kept.

    def reset(self) -> None:
        """Begin another text."""
        self.forget_all()
        self._preedit = _Preedit()

    def forget_all(self) -> None:
        """Make every layout anew when it is needed."""
        self._layouts.clear()

    def forget(self, index: int) -> None:
        """Make the layout of a line anew when it is needed."""
        self._layouts.pop(index, None)

    def move(self, first: int, stop: int, by: int) -> None:
        """Forget the lines `first` to `stop` (exclusive); those from `stop` on have a number that is `by` higher."""
        kept = [(at if at < first else at + by, it) for at, it in self._layouts.items() if not first <= at < stop]
        self._layouts = OrderedDict(kept)

    def compose(self, index: int, character: int, text: str) -> set[int]:
        """Show at a place what an input method composes, nothing for an empty text; the lines that this changes."""
        before, self._preedit = self._preedit, _Preedit(index, character, text) if text else _Preedit()
        return {before.index, self._preedit.index} - {-1} if before != self._preedit else set()

    # How a line is broken.

    def layout(self, index: int, line: TextLine) -> QTextLayout:
        """The laid-out text of a line; its rows stand relative to the line's top. Says in `line.joined` whether it
        begins behind the line before it."""
        made = self._layouts.get(index)
        if made is None:
            preedit = self._preedit if index == self._preedit.index else None
            line.joined = 0 < line.offset < self.width - LEAST_ROOM
            made = self._break(line, preedit, line.offset if line.joined else 0.0)
            if line.joined and _breaks_first_word(made):
                line.joined = False
                made = self._break(line, preedit, 0.0)
            self._layouts[index] = made
            if len(self._layouts) > _KEPT:
                self._layouts.popitem(last=False)
        self._layouts.move_to_end(index)
        return made

    def _break(self, line: TextLine, preedit: _Preedit | None, offset: float) -> QTextLayout:
        """Break a line into rows; the first begins `offset` pixels from the side where its script begins."""
        self.made += 1
        text, backwards = line.text, line.is_right_to_left
        layout = QTextLayout(text, self.font)
        if preedit is not None:
            begin = units(text, preedit.character)
            layout.setPreeditArea(begin, preedit.text)
            layout.setFormats([_underlined(begin, length(preedit.text))])
        option = QTextOption(Qt.AlignmentFlag.AlignRight if backwards else Qt.AlignmentFlag.AlignLeft)
        direction = Qt.LayoutDirection
        option.setTextDirection(direction.RightToLeft if backwards else direction.LeftToRight)
        option.setWrapMode(_wrap_mode(text))
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        layout.beginLayout()
        number = 0
        while (row := layout.createLine()).isValid():
            indent = 0.0 if number else offset
            row.setLineWidth(self.width - indent)
            top = number * self.line_height + self.baseline - row.ascent()
            row.setPosition(QPointF(0.0 if backwards else indent, top))
            number += 1
        layout.endLayout()
        return layout

    # Places in a line; `y` is relative to its top.

    def character_at(self, index: int, line: TextLine, x: float, y: float) -> int:
        """The character nearest to a point."""
        layout = self.layout(index, line)
        return self._character(index, line, layout.lineAt(self._row_at(layout, y)).xToCursor(x))

    def row_end(self, index: int, line: TextLine, y: float) -> int:
        """The last place in the row at a height."""
        layout = self.layout(index, line)
        number = self._row_at(layout, y)
        row = layout.lineAt(number)
        end = row.textStart() + row.textLength()
        if number < layout.lineCount() - 1:  # else it would be the first place of the next row
            end = layout.previousCursorPosition(end)
        return self._character(index, line, end)

    def _row_at(self, layout: QTextLayout, y: float) -> int:
        return min(int(y / self.line_height), layout.lineCount() - 1)

    def step(self, index: int, line: TextLine, character: int, step: int, by_word: bool) -> int:
        """The place beside a character, forwards (`step` 1) or backwards (-1)."""
        layout, at = self.layout(index, line), self._unit(index, line, character)
        mode = QTextLayout.CursorMode.SkipWords if by_word else QTextLayout.CursorMode.SkipCharacters
        beside = layout.nextCursorPosition(at, mode) if step > 0 else layout.previousCursorPosition(at, mode)
        return self._character(index, line, beside)

    def caret_at(self, index: int, line: TextLine, character: int) -> tuple[float, float]:
        """Where a caret stands: its x, and the top of its row."""
        at = self._unit(index, line, character)
        row = self.layout(index, line).lineForTextPosition(at)
        return (_x(row, at), row.lineNumber() * self.line_height) if row.isValid() else (0.0, 0.0)

    def spans(self, index: int, line: TextLine, begin: int, end: int) -> list[tuple[float, float, float]]:
        """The stretches of rows that a range of characters covers: left, right, top."""
        found = []
        layout = self.layout(index, line)
        begin, end = self._unit(index, line, begin), self._unit(index, line, end)
        for number in range(layout.lineCount()):
            row = layout.lineAt(number)
            first, last = max(begin, row.textStart()), min(end, row.textStart() + row.textLength())
            if last - first == row.textLength() > 0:
                whole = row.naturalTextRect()  # right in mixed directions too
                found.append((whole.left(), whole.right(), number * self.line_height))
            elif first < last:
                one, other = _x(row, first), _x(row, last)
                found.append((min(one, other), max(one, other), number * self.line_height))
        return found

    def _unit(self, index: int, line: TextLine, character: int) -> int:
        """Qt's place of a character, with what is composed before it."""
        preedit = self._preedit
        before = preedit.index == index and preedit.character <= character
        return units(line.text, character) + (length(preedit.text) if before else 0)

    def _character(self, index: int, line: TextLine, unit: int) -> int:
        """The character at a place of Qt's."""
        preedit = self._preedit
        if preedit.index == index:
            begin = units(line.text, preedit.character)
            unit = max(min(unit, begin), unit - length(preedit.text))
        return characters(line.text, unit)


def _wrap_mode(text: str) -> QTextOption.WrapMode:
    """Between words, but anywhere where one is very long: Qt looks for its end anew for each of its rows."""
    if len(text) > _LONGEST_WORD and max(map(len, text.split()), default=0) > _LONGEST_WORD:
        return QTextOption.WrapMode.WrapAnywhere
    return QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


def _breaks_first_word(layout: QTextLayout) -> bool:
    """Whether the first row ends within the first word."""
    words = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Line, layout.text())
    first = words.toNextBoundary()
    return layout.lineCount() > 1 and layout.lineAt(0).textLength() < first


def _underlined(begin: int, count: int) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length = begin, count
    made.format = QTextCharFormat()
    made.format.setFontUnderline(True)
    return made


def _x(row: QTextLine, position: int) -> float:
    """The place of a character in a row; PySide returns the corrected position with it."""
    found: Any = row.cursorToX(position)
    return float(found[0] if isinstance(found, tuple) else found)
