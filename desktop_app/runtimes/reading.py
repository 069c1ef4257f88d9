"""How far a text is read: what the cursors of all runtimes have in common."""

from __future__ import annotations


class Reading:
    """A place in a text of at most `positions` tokens: the half of `decoding.protocol.Cursor` that needs no device."""

    def __init__(self, positions: int) -> None:
        self._positions = positions
        self._length = 0

    @property
    def length(self) -> int:
        """How many tokens the decoder has read."""
        return self._length

    def rewind(self, length: int) -> None:
        """Forget everything from position `length` on."""
        if not 0 <= length <= self._length:
            raise ValueError(f"rewind to {length} of {self._length}")
        self._length = length

    def check_room(self, count: int) -> None:
        """Raise ValueError unless `count` tokens are some and have room."""
        if not 0 < count <= self._positions - self._length:
            raise ValueError(f"{count} tokens at position {self._length} of {self._positions}")
