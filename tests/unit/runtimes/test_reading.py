"""A place in a text: what is behind it is never there, and what has no room is refused."""

from __future__ import annotations

import pytest

from desktop_app.runtimes.reading import Reading


def test_only_what_was_read_is_forgotten() -> None:
    reading = Reading(10)
    assert reading.length == 0
    reading._length = 4
    for length in (4, 2, 0):
        reading.rewind(length)
        assert reading.length == length
    for length in (1, -1):
        with pytest.raises(ValueError, match=f"rewind to {length} of 0"):
            reading.rewind(length)


def test_a_pass_has_tokens_and_they_have_room() -> None:
    reading = Reading(10)
    reading._length = 4
    reading.check_room(1)
    reading.check_room(6)
    for count in (0, 7):
        with pytest.raises(ValueError, match=f"{count} tokens at position 4 of 10"):
            reading.check_room(count)
