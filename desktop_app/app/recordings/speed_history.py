"""How acceptance and look-ahead went in the course of a recording, for the chart of the speed panel."""

from __future__ import annotations

from dataclasses import dataclass, field

from desktop_app.transcript.statistics import Statistics

_EVERY = 10.0  # seconds of audio between two points at least: a live recording has figures every second


@dataclass(frozen=True)
class Point:
    """A stretch of the recording up to `seconds`: the share of draft tokens accepted there, and the mean number of
    tokens drafted for each pass of the target."""

    seconds: float
    acceptance: float
    look_ahead: float


@dataclass
class SpeedHistory:
    """Attributes: points, in order; a stretch in which nothing was drafted has none."""

    points: list[Point] = field(default_factory=list)
    _seconds: float = 0.0
    _before: Statistics = field(default_factory=Statistics)

    def note(self, seconds: float, stats: Statistics) -> None:
        """The recording has come to `seconds`, and these are its figures from the beginning on."""
        if seconds < self._seconds + _EVERY:
            return
        before, self._before, self._seconds = self._before, stats, seconds
        compared, passes = stats.compared - before.compared, stats.target_passes - before.target_passes
        if compared > 0 and passes > 0:
            acceptance = (stats.accepted - before.accepted) / compared
            self.points.append(Point(seconds, acceptance, (stats.drafted - before.drafted) / passes))
