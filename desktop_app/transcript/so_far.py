"""The text of a recording while it is written: segments and reports are added, and it is a Transcript at any time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from desktop_app.problems import Problem
from desktop_app.transcript.model import NO_MODELS, GuardReport, Models, Segment, Speaker, Transcript
from desktop_app.transcript.speakers import called, union
from desktop_app.transcript.statistics import Statistics


class TextSoFar:
    """Begins empty, or with what was written `before`.

    Attributes: path; segments; guarded; models, stats; language ("" while unknown), language_probability.
    """

    def __init__(self, path: str, before: Transcript | None = None) -> None:
        self.path = path
        self.segments: list[Segment] = list(before.segments) if before else []
        self.guarded: list[GuardReport] = list(before.guarded) if before else []
        self.models: Models = NO_MODELS
        self.stats = Statistics()
        self.language, self.language_probability = "", 0.0
        self._speakers: dict[int, str] = {}

    def add(self, segments: Iterable[Segment], guarded: Iterable[GuardReport] = ()) -> None:
        """Segments that will not change any more, and what the guard did."""
        self.segments += segments
        self.guarded += guarded

    def keep(self, count: int) -> None:
        """Let the first `count` segments stand alone: the rest is written again."""
        del self.segments[count:]
        if not count:
            self.guarded.clear()

    def give_speakers(self, speakers: Mapping[int, str]) -> None:
        """Who speaks in segments, by their ids. Kept apart from the segments: it may be known later, and change."""
        self._speakers.update(speakers)

    @property
    def speaker_count(self) -> int:
        """The highest number of a speaker so far."""
        return max((int(speaker[1:]) for speaker in self._speakers.values()), default=0)

    def transcript(self, seconds: float | None = None, damage: Problem | None = None) -> Transcript:
        """All of it, of a recording of so many seconds; None: as many as the statistics say."""
        segments, speakers = tuple(self.segments), tuple[Speaker, ...]()
        if self._speakers:
            segments = tuple(replace(each, speaker=self._speakers.get(each.id)) for each in segments)
            speakers = _speakers_in(segments)
        return Transcript(
            path=self.path,
            seconds=self.stats.audio_seconds if seconds is None else seconds,
            language=self.language,
            language_probability=self.language_probability,
            models=self.models,
            segments=segments,
            speakers=speakers,
            stats=self.stats,
            damage=damage,
            guarded=tuple(self.guarded),
        )


def _speakers_in(segments: Iterable[Segment]) -> tuple[Speaker, ...]:
    turns: dict[str, list[tuple[float, float]]] = {}
    for segment in segments:
        if segment.speaker is not None:
            turns.setdefault(segment.speaker, []).append((segment.start, segment.end))
    return tuple(Speaker(speaker, called(speaker), union(spans)) for speaker, spans in turns.items())
