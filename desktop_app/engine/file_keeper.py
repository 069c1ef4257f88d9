"""What the supervisor keeps of a file's job, so that another engine can resume it."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.messages.jobs import Event, Progress, SegmentReady, Started, Transcribe
from desktop_app.transcript.model import GuardReport, Models, Place, Segment, Transcript
from desktop_app.transcript.statistics import Statistics

MOST_ENDS = 2
"""A file that has ended so many engines is set aside."""


class FileKeeper:
    """A file's job, and its transcript up to the last whole window.

    Attributes: request; ends (the number of engines that have ended while they transcribed it).
    """

    def __init__(self, request: Transcribe) -> None:
        before = request.written if request.place else None
        self.request, self.ends = request, 0
        self._segments: list[Segment] = list(before.segments) if before else []
        self._window: list[Segment] = []  # of the window in work
        self._guarded: list[GuardReport] = list(before.guarded) if before else []
        self._models = Models("", "", "", "", "")
        self._stats = Statistics()
        self._place: Place | None = None  # that an engine of this program has reached

    @property
    def job(self) -> str:
        """The caller's name for it."""
        return self.request.job

    def note(self, event: Event) -> None:
        """Keep what is final."""
        match event:
            case Started():
                del self._segments[event.kept :]
                self._guarded = self._guarded if event.kept else []
                self._window, self._models = [], event.models
            case SegmentReady():
                self._window.append(event.segment)
            case Progress() if event.place is not None:
                self._segments += self._window
                self._window = []
                self._guarded += event.guarded
                self._stats, self._place = event.stats, event.place

    def resumed(self) -> Transcribe:
        """The request for another engine."""
        place = self._place
        if place is None:
            return self.request
        so_far = Transcript(
            path=self.request.path,
            seconds=self._stats.audio_seconds,
            language=place.language,
            language_probability=place.probability,
            models=self._models,
            segments=tuple(self._segments),
            stats=self._stats,
            guarded=tuple(self._guarded),
        )
        return replace(self.request, written=so_far, place=place)
