"""Which part of a recording its waveform shows."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

SHORTEST = 5.0
"""Seconds that are shown at least: the peaks (audio/peaks.py) of a shorter part would not fill a wide screen."""

_LEAD = 0.1  # of what is shown: this much stays in sight before a place that was out of sight


class VisiblePart(QObject):
    """Attributes, in seconds: length (of the recording); begin, end (of what is shown). Signals: changed()."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.length = self.begin = self.end = 0.0

    @property
    def seconds(self) -> float:
        """How long the visible part is."""
        return self.end - self.begin

    @property
    def is_zoomed(self) -> bool:
        """Whether it is not the whole recording."""
        return self.seconds < self.length

    @property
    def can_zoom_in(self) -> bool:
        """Whether a shorter part can be shown."""
        return self.seconds > SHORTEST

    def holds(self, seconds: float) -> bool:
        """Whether a place is in sight."""
        return self.begin <= seconds <= self.end

    def set_length(self, seconds: float) -> None:
        """The recording has this length. What is shown of it stays, the whole too."""
        was_zoomed, self.length = self.is_zoomed, seconds
        self._show(self.begin, self.seconds if was_zoomed else seconds)

    def show_all(self) -> None:
        """Show the whole recording."""
        self._show(0.0, self.length)

    def zoom(self, factor: float, around: float) -> None:
        """Show a part that is so many times shorter; the place `around` stays where it is in the picture, or comes
        into its middle."""
        share = (around - self.begin) / self.seconds if self.holds(around) and self.seconds else 0.5
        shorter = max(self.seconds / factor, SHORTEST)
        self._show(around - share * shorter, shorter)

    def move(self, begin: float) -> None:
        """Show as long a part from another place on."""
        self._show(begin, self.seconds)

    def reveal(self, seconds: float) -> None:
        """Show the part around a place, unless it is in sight."""
        if not self.holds(seconds):
            self.move(seconds - _LEAD * self.seconds)

    def _show(self, begin: float, seconds: float) -> None:
        before = self.begin, self.end
        seconds = min(seconds, self.length)
        self.begin = min(max(begin, 0.0), self.length - seconds)
        self.end = self.begin + seconds if seconds < self.length else self.length
        if (self.begin, self.end) != before:
            self.changed.emit()
