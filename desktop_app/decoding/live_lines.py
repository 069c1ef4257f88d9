"""The committed text of a live session: the ink of the window in work, and the segments it becomes."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.decoding.lines import Line
from desktop_app.decoding.live_text import Item, Spell
from desktop_app.decoding.longform import segment_of
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import WindowText
from desktop_app.transcript.model import Segment


class Lines:
    """Ink only grows; at a line break it becomes a segment.

    Attributes:
        ink: the committed items since the window's begin.
        start: where the open line starts, in seconds of the recording.
    """

    def __init__(self, vocabulary: Vocabulary, words: Spell, timestamps: bool) -> None:
        self._vocabulary, self._words, self._timestamps = vocabulary, words, timestamps
        self.ink: list[Item] = []
        self.start = 0.0
        self._open = 0  # where the open line begins in the ink
        self._text: WindowText | None = None
        self._ready: list[Segment] = []
        self._count = 0  # segments that were made
        self._end = 0.0  # of the last segment

    @property
    def open(self) -> Sequence[Item]:
        """The ink of the open line."""
        return self.ink[self._open :]

    @property
    def breaks(self) -> list[int]:
        """The places of line breaks in the ink."""
        return [place for place, item in enumerate(self.ink) if item.is_break]

    def resume(self, ink: Sequence[Item], start: float) -> None:
        """Begin with an open line."""
        self.ink, self.start, self._end = list(ink), start, start

    def commit(self, items: Sequence[Item], begin: float, start: float, text: WindowText) -> None:
        """More ink, from `text` of a window that begins at `begin` and whose first line starts `start` seconds
        later."""
        self._text = text
        for item in items:
            if not self.ink:
                self.start = max(self._end, begin + start)
            self.ink.append(item)
            if item.is_break:
                self._finish(self.ink[self._open : -1], begin, item.end)
                self._open = len(self.ink)
                self.start = max(self._end, begin + item.start)

    def close(self, begin: float, end: float) -> None:
        """The open line ends at `end` seconds of a window that begins at `begin`."""
        if self.open:
            self._finish(self.open, begin, end)
        self._open = len(self.ink)
        self.start = max(self.start, begin + end)

    def cut(self) -> None:
        """Forget the ink that became segments: the window begins behind it."""
        del self.ink[: self._open]
        self._open = 0

    def said(self) -> list[int]:
        """The tokens of the ink that a cut would forget."""
        return [token for item in self.ink[: self._open] for token in item.tokens]

    def taken(self) -> tuple[Segment, ...]:
        """The segments that are new."""
        ready, self._ready = tuple(self._ready), []
        return ready

    def text(self, items: Sequence[Item]) -> str:
        """What the items say, as it is shown."""
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
