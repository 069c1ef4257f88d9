"""What the supervisor keeps of a file's job, so that another engine can resume it."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.messages.jobs import Event, Progress, SegmentReady, Started, Transcribe
from desktop_app.transcript.model import ResumePoint, Segment
from desktop_app.transcript.so_far import TextSoFar

MOST_ENDS = 2
"""A file during which this many engine processes have ended fails."""


class FileKeeper:
    """A file's job, and its transcript up to the last whole window.

    Attributes: request; ends (the number of engines that have ended while they transcribed it).
    """

    def __init__(self, request: Transcribe) -> None:
        before = request.written if request.place else None
        self.request, self.ends = request, 0
        self._text = TextSoFar(request.path, before)
        self._window: list[Segment] = []  # of the window in work
        self._place: ResumePoint | None = None  # that an engine of this program has reached

    @property
    def job(self) -> str:
        """The caller's name for it."""
        return self.request.job

    def note(self, event: Event) -> None:
        """Keep what is final."""
        match event:
            case Started():
                self._text.keep(event.kept)
                self._window, self._text.models = [], event.models
            case SegmentReady():
                self._window.append(event.segment)
            case Progress() if event.place is not None:
                self._text.add(self._window, event.guarded)
                self._window = []
                self._text.stats, self._place = event.stats, event.place
                self._text.language, self._text.language_probability = event.place.language, event.place.probability

    def resumed(self) -> Transcribe:
        """The request for another engine."""
        if self._place is None:
            return self.request
        return replace(self.request, written=self._text.transcript(), place=self._place)
