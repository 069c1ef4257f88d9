"""The transcript counted through as one text, as screen readers count it, and what they are told of it."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from PySide6.QtGui import QAccessible, QAccessibleTextCursorEvent, QAccessibleTextUpdateEvent
from PySide6.QtWidgets import QWidget

from desktop_app.ui.transcript.flow import Flow, Revision
from desktop_app.ui.transcript.selection import Place
from desktop_app.ui.transcript.text_line import TextLine
from desktop_app.ui.transcript.utf16 import characters, length, units

# macOS takes the caret from the selection, which PySide cannot answer: there the whole line is announced instead.
HAS_TEXT_INTERFACE = sys.platform != "darwin"


class Offsets:
    """The places of a flow counted through, in units of UTF-16, a line break between two lines."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._starts: list[int] | None = None

    def forget(self) -> None:
        """The text has changed."""
        self._starts = None

    @property
    def count(self) -> int:
        """The length of the whole text."""
        return max(self._counted()[-1] - 1, 0)

    def of(self, place: Place) -> int:
        """The offset of a place."""
        if not self.flow.lines:
            return 0
        return self._counted()[place[0]] + units(self.flow.lines[place[0]].text, place[1])

    def place(self, offset: int) -> Place:
        """The place at an offset, the nearest one if it is beyond the text."""
        if not self.flow.lines:
            return 0, 0
        inside = min(max(offset, 0), self.count)
        index = min(bisect_right(self._counted(), inside) - 1, len(self.flow.lines) - 1)
        return index, characters(self.flow.lines[index].text, inside - self._counted()[index])

    def text(self, begin: int, end: int) -> str:
        """The text between two offsets."""
        (first, at), (last, to) = self.place(begin), self.place(end)
        if not self.flow.lines or (last, to) <= (first, at):
            return ""
        if first == last:
            return self.flow.lines[first].text[at:to]
        between = [line.text for line in self.flow.lines[first + 1 : last]]
        return "\n".join([self.flow.lines[first].text[at:], *between, self.flow.lines[last].text[:to]])

    def _counted(self) -> list[int]:
        if self._starts is None:
            self._starts = [*accumulate((length(it.text) + 1 for it in self.flow.lines), initial=0)]
        return self._starts


def tell_caret(view: QWidget, offsets: Offsets, caret: Place) -> None:
    """Let screen readers know where the caret is."""
    if HAS_TEXT_INTERFACE and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleTextCursorEvent(view, offsets.of(caret)))


def tell_change(view: QWidget, offsets: Offsets, before: Sequence[TextLine], change: Revision) -> None:
    """Let screen readers know which characters an edit removed and which it inserted."""
    if not HAS_TEXT_INTERFACE or not QAccessible.isActive():
        return
    old = "\n".join(it.text for it in before[change.first : change.first + len(change.before)])
    new = "\n".join(it.text for it in offsets.flow.lines[change.first : change.first + len(change.after)])
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    removed, inserted = old[start : len(old) - end], new[start : len(new) - end]
    if removed or inserted:
        at = offsets.of((change.first, 0)) + units(new, start)
        QAccessible.updateAccessibility(QAccessibleTextUpdateEvent(view, at, removed, inserted))


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
