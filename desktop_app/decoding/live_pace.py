"""How often a live text is written again: as often as it costs, and no more of the processor than its share."""

from __future__ import annotations

from dataclasses import dataclass

SHARE = 0.6
"""Of one core, for the updates while somebody speaks."""

OFTEN = 0.3
"""Seconds: nobody reads faster than this."""

SELDOM = 0.7
"""Seconds: a word is not to wait longer for its update where the computer could write it sooner, whatever the share."""

REST = 1.25
"""An update is followed by at least a quarter of its time in which the audio is taken in and others may work."""

_FORGET = 0.7


@dataclass
class Pace:
    """Measures updates and says how far apart their beginnings are to be, in seconds."""

    _wall: float = 0.0
    _processor: float = 0.0

    def took(self, wall: float, processor: float) -> None:
        """An update took so long, by the clock and of all cores together."""
        keep = _FORGET if self._wall else 0.0
        self._wall = keep * self._wall + (1 - keep) * wall
        self._processor = keep * self._processor + (1 - keep) * processor

    @property
    def interval(self) -> float:
        """Seconds from the beginning of one update to that of the next.

        A machine of many cores is not held to the share of one: an update that took little of its time may come again
        when three times that time has passed.
        """
        return max(OFTEN, REST * self._wall, min(self._processor / SHARE, 3 * self._wall, SELDOM))
