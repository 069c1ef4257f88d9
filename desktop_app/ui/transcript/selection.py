"""What is selected in a transcript: an anchor and a caret that survive whatever is written behind them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt

from desktop_app.transcript.editing import joint
from desktop_app.ui.transcript.flow import Flow

Place = tuple[int, int]  # line, character


class Selection:
    """Anchor and caret in a flow. Attributes: anchor, caret (the same place: nothing is selected)."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.anchor: Place = (0, 0)
        self.caret: Place = (0, 0)

    def reset(self) -> None:
        """Back to the beginning."""
        self.anchor = self.caret = (0, 0)

    def clamp(self) -> None:
        """Stay inside the text, after its end has changed."""
        self.anchor, self.caret = self._inside(self.anchor), self._inside(self.caret)

    def _inside(self, place: Place) -> Place:
        lines = self._flow.lines
        if not lines:
            return 0, 0
        index = min(place[0], len(lines) - 1)
        return index, min(place[1], len(lines[index].text)) if index == place[0] else len(lines[index].text)

    @property
    def has_selection(self) -> bool:
        return self.anchor != self.caret

    @property
    def range(self) -> tuple[Place, Place]:
        """The places between which text is selected, in order; twice the caret when none is."""
        first, last = sorted((self.anchor, self.caret))
        return first, last

    def range_in(self, index: int) -> tuple[int, int]:
        """The selected characters of a line, begin and end; equal when there are none."""
        first, last = self.range
        if not first[0] <= index <= last[0]:
            return 0, 0
        begin = first[1] if index == first[0] else 0
        return begin, last[1] if index == last[0] else len(self._flow.lines[index].text)

    def text(self) -> str:
        """What is selected, a paragraph a line."""
        if not self.has_selection:
            return ""
        first, last = sorted((self.anchor[0], self.caret[0]))
        made = ""
        for index in range(first, min(last + 1, len(self._flow.lines))):
            line = self._flow.lines[index]
            part = line.text[slice(*self.range_in(index))]
            if index > first:
                made += "\n" if line.begins else joint(self._flow.lines[index - 1].text, line.text)
            made += part
        return made

    def put(self, place: Place, keep_anchor: bool) -> None:
        """Move the caret, and the anchor too unless it is kept."""
        self.caret = place
        if not keep_anchor:
            self.anchor = place

    def select_all(self) -> None:
        self.anchor = (0, 0)
        self.caret = self._end()

    def select_word(self, place: Place) -> None:
        """The word around a place."""
        index, at = place
        text = self._flow.lines[index].text
        begin, end = at, at
        while begin > 0 and _in_word(text[begin - 1]):
            begin -= 1
        while end < len(text) and _in_word(text[end]):
            end += 1
        self.anchor, self.caret = (index, begin), (index, end)

    def select_paragraph(self, index: int) -> None:
        """The paragraph of a line."""
        last = self._flow.last_of(index)
        self.anchor, self.caret = (self._flow.first_of(index), 0), (last, self._length(last))

    def move(self, key: int, by_word: bool, keep_anchor: bool) -> bool:
        """Move as an arrow key, Home or End says; whether the key is one of these."""
        steps: dict[int, Callable[[bool], Place]] = {
            Qt.Key.Key_Left: lambda word: self._sideways(-1, word),
            Qt.Key.Key_Right: lambda word: self._sideways(1, word),
            Qt.Key.Key_Up: lambda _: self._vertical(-1),
            Qt.Key.Key_Down: lambda _: self._vertical(1),
            Qt.Key.Key_Home: lambda document: (0, 0) if document else self._flow.row_edge(*self.caret, False),
            Qt.Key.Key_End: lambda document: self._end() if document else self._flow.row_edge(*self.caret, True),
        }
        step = steps.get(key)
        if step is None or not self._flow.lines:
            return False
        self.put(step(by_word), keep_anchor)
        return True

    def beside(self, step: int, by_word: bool) -> Place:
        """The place beside the caret, forwards (`step` 1) or backwards (-1); the caret itself at the ends."""
        return self._sideways(step, by_word)

    def _length(self, index: int) -> int:
        return len(self._flow.lines[index].text)

    def _end(self) -> Place:
        last = len(self._flow.lines) - 1
        return (last, self._length(last)) if last >= 0 else (0, 0)

    def _sideways(self, step: int, by_word: bool) -> Place:
        index, at = self.caret
        if not 0 <= at + step <= self._length(index):
            other = index + step
            if not 0 <= other < len(self._flow.lines):
                return self.caret
            return other, 0 if step > 0 else self._length(other)
        return index, self._flow.step(index, at, step, by_word)

    def _vertical(self, step: int) -> Place:
        index, at = self.caret
        spans = self._flow.spans(index, max(at - 1, 0), max(at, 1))
        left, right, top = spans[-1] if spans else (0.0, 0.0, 0.0)
        x = right if at else left
        flow, middle = self._flow, self._flow.line_height / 2
        y = flow.top_of(index) + top
        if step < 0 and y < flow.top_of(flow.first_of(index)) + middle:
            above = flow.first_of(index) - 1
            return flow.position_at(x, flow.bottom_of(above) - middle) if above >= 0 else (0, 0)
        if step > 0 and y + flow.line_height > flow.bottom_of(flow.last_of(index)) - middle:
            below = flow.last_of(index) + 1
            return flow.position_at(x, flow.top_of(below) + middle) if below < len(flow.lines) else self._end()
        return flow.position_at(x, y + flow.line_height * step + middle)


def _in_word(character: str) -> bool:
    return character.isalnum() or character in "'’_"
