"""The final text of a live session: that of the current window, and the segments made of it."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.decoding.lines import Line
from desktop_app.decoding.live_text import Item, Spell
from desktop_app.decoding.longform import segment_of
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import WindowText
from desktop_app.transcript.model import Segment


class Lines:
    """Collects final text. It only grows; at a line break it becomes a segment.

    Attributes:
        final: the final items since the beginning of the window.
        start: where the open line starts, in seconds of the recording.
    """

    def __init__(self, vocabulary: Vocabulary, words: Spell, timestamps: bool) -> None:
        self._vocabulary, self._words, self._timestamps = vocabulary, words, timestamps
        self.final: list[Item] = []
        self.start = 0.0
        self._open = 0  # index of the open line's first item in `final`
        self._text: WindowText | None = None
        self._ready: list[Segment] = []
        self._count = 0  # segments that were made
        self._end = 0.0  # of the last segment

    @property
    def open(self) -> Sequence[Item]:
        """The final items of the open line."""
        return self.final[self._open :]

    @property
    def breaks(self) -> list[int]:
        """The indexes of line breaks in `final`."""
        return [place for place, item in enumerate(self.final) if item.is_break]

    def resume(self, final: Sequence[Item], start: float) -> None:
        """Begin with an open line."""
        self.final, self.start, self._end = list(final), start, start

    def commit(self, items: Sequence[Item], begin: float, start: float, text: WindowText) -> None:
        """Make items final. They are part of `text`, the text of a window that begins at `begin` seconds and whose
        first line starts `start` seconds later."""
        self._text = text
        for item in items:
            if not self.final:
                self.start = max(self._end, begin + start)
            self.final.append(item)
            if item.is_break:
                self._finish(self.final[self._open : -1], begin, item.end)
                self._open = len(self.final)
                self.start = max(self._end, begin + item.start)

    def close(self, begin: float, end: float) -> None:
        """The open line ends at `end` seconds of a window that begins at `begin`."""
        if self.open:
            self._finish(self.open, begin, end)
        self._open = len(self.final)
        self.start = max(self.start, begin + end)

    def cut(self) -> None:
        """Forget the items that became segments, because the window now begins after them."""
        del self.final[: self._open]
        self._open = 0

    def finished_tokens(self) -> list[int]:
        """The tokens of the items that became segments."""
        return [token for item in self.final[: self._open] for token in item.tokens]

    def taken(self) -> tuple[Segment, ...]:
        """The segments finished since the last call."""
        ready, self._ready = tuple(self._ready), []
        return ready

    def text(self, items: Sequence[Item]) -> str:
        """The text of items as it is displayed."""
        return "".join(item.text for item in items).lstrip().rstrip("\ufffd")

    def _finish(self, items: Sequence[Item], begin: float, end: float) -> None:
        tokens = [token for item in items for token in item.tokens]
        stop = max(self.start, begin + end)
        if self._timestamps:
            times = (self._vocabulary.timestamp(max(0.0, time - begin)) for time in (self.start, stop))
            first, last = (self._vocabulary.size - 1 if time is None else time for time in times)
            tokens = [first, *tokens, last]
        if items:
            text = self._text or WindowText((), 0.0, 0.0)
            self._ready.append(segment_of(self._count, Line(self.start, stop, tuple(tokens)), text, self._words))
            self._count += 1
        self._end = stop
