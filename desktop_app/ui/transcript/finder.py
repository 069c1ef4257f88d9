"""Finding words in a transcript."""

from __future__ import annotations

from bisect import bisect_left

from desktop_app.ui.transcript.flow import Flow

Hit = tuple[int, int, int]  # line, first character, the one after the last


class Finder:
    """The places where a text stands in the finished lines of a flow, in any case of letters.

    Attributes: text; hits (in order); current (index of the one that is looked at, -1 when there is none).
    """

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.clear()

    def clear(self) -> None:
        """Look for nothing."""
        self.text = ""
        self.hits: list[Hit] = []
        self.current = -1
        self._marks: dict[int, list[Hit]] = {}

    def look_for(self, text: str, near: tuple[int, int] = (0, 0)) -> None:
        """Find a text; the first hit from `near` on is the current one."""
        self.clear()
        self.text = text
        self.extend(0)
        if self.hits:
            self.current = bisect_left(self.hits, (*near, 0)) % len(self.hits)

    def extend(self, first: int) -> None:
        """Search the finished lines from `first` on too, after the text has grown."""
        wanted = self.text.lower()
        if not wanted:
            return
        for index in range(first, self._flow.settled):
            text = self._flow.lines[index].text.lower()
            at = text.find(wanted)
            while at >= 0:
                hit = (index, at, at + len(wanted))
                self.hits.append(hit)
                self._marks.setdefault(index, []).append(hit)
                at = text.find(wanted, at + len(wanted))
        if self.hits and self.current < 0:
            self.current = 0

    def step(self, by: int) -> None:
        """Go to the next or the previous hit, around the ends."""
        if self.hits:
            self.current = (self.current + by) % len(self.hits)

    @property
    def hit(self) -> Hit | None:
        """The hit that is looked at."""
        return self.hits[self.current] if self.current >= 0 else None

    def marks_in(self, index: int) -> list[tuple[int, int, str]]:
        """What to mark in a line: begin, end and the palette's name for it."""
        return [(hit[1], hit[2], "hit_now" if hit == self.hit else "hit") for hit in self._marks.get(index, ())]
