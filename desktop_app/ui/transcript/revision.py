"""What becomes of the places in a text whose lines are divided anew."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Revision:
    """Where the same words were divided anew.

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
        left = sum(length + 1 for length in self.before[: index - self.first]) + character
        for number, length in enumerate(self.after):
            if left <= length:
                return self.first + number, left
            left -= length + 1
        return self.first + len(self.after) - 1, self.after[-1]
