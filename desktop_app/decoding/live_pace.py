"""How often a live text is updated: as often as its cost and its share of the processor allow."""

from __future__ import annotations

PROCESSOR_SHARE = 0.6
"""The share of one core that updates may use while somebody speaks."""

SHORTEST_INTERVAL = 0.3
"""Seconds between two updates at least: nobody reads faster."""

LONGEST_INTERVAL = 0.7
"""Seconds between two updates at most where the computer is fast enough, whatever share of the processor they take."""

REST_FACTOR = 1.25
"""The interval is at least this multiple of an update's duration: in the rest audio is taken in and others may work."""

_DECAY = 0.7


class Pace:
    """Measures updates and chooses the interval between the beginnings of two updates."""

    def __init__(self) -> None:
        self._wall = self._processor = 0.0

    def took(self, wall: float, processor: float) -> None:
        """An update took `wall` seconds by the clock and `processor` seconds of all cores together."""
        keep = _DECAY if self._wall else 0.0
        self._wall = keep * self._wall + (1 - keep) * wall
        self._processor = keep * self._processor + (1 - keep) * processor

    @property
    def interval(self) -> float:
        """Seconds from the beginning of one update to that of the next.

        A machine of many cores is not held to the share of one: an update that took little of its time may come again
        when three times that time has passed.
        """
        return max(
            SHORTEST_INTERVAL,
            REST_FACTOR * self._wall,
            min(self._processor / PROCESSOR_SHARE, 3 * self._wall, LONGEST_INTERVAL),
        )
