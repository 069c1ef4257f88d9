"""What the front end's process keeps of a live session, so that nothing is lost when an engine ends.

Imports no numpy: the window's process does without.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace

from desktop_app.messages.jobs import Finished, LiveAudio, LiveResume, LiveUpdate, StartLive, StopLive
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.continued import continued
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript
from desktop_app.transcript.speakers import called, union
from desktop_app.transcript.statistics import Statistics

BYTES_A_SAMPLE = 4
LEAST_KEPT = 30 * SAMPLE_RATE
"""Samples that are kept in any case."""

MOST_ENDS, WITHIN = 3, 60.0
"""An engine that ends more often than this within so many seconds will end again."""


class LiveKeeper:
    """A live session: its audio since the last finished line, and its final text.

    Attributes: models (known once the engine has started); stopped (no audio will follow).
    """

    def __init__(self, request: StartLive) -> None:
        self.request = request
        self.stopped = False
        self.models = Models("", "", "", "", "")
        self._blocks: deque[LiveAudio] = deque()
        self._segments: list[Segment] = []
        self._speakers: dict[int, str] = {}  # by the id of a segment
        self._guarded: list[GuardReport] = []
        self._stats = Statistics()
        self._before: Transcript | None = None  # the text of the engines that have ended
        self._needed = 0  # the first sample after the last finished line
        self._final, self._language = "", ""
        self._ends: deque[float] = deque()

    @property
    def job(self) -> str:
        """The asker's name for it."""
        return self.request.job

    def take(self, order: LiveAudio | StopLive) -> None:
        """Keep a block, or note that there will be no more."""
        if isinstance(order, StopLive):
            self.stopped = True
        else:
            self._keep(order)

    def _keep(self, block: LiveAudio) -> None:
        self._blocks.append(block)
        newest = block.start + _length(block)
        while self._blocks and _end(self._blocks[0]) <= min(self._needed, newest - LEAST_KEPT):
            self._blocks.popleft()

    def note(self, update: LiveUpdate) -> LiveUpdate:
        """Keep an update's final text; returns the update with the statistics of earlier engines added."""
        self._segments += update.segments
        self._speakers.update(update.speakers)
        self._guarded += update.guarded
        self._final, self._language = update.final, update.language or self._language
        self._needed = max(self._needed, int(update.start * SAMPLE_RATE))
        self._stats = update.stats
        if self._before is not None:
            self._stats = replace(self._before.stats + update.stats, audio_seconds=update.received)
        return replace(update, stats=self._stats)

    def whole(self, finished: Finished) -> Finished:
        """The result with the text from before the engine ended."""
        if self._before is None:
            return finished
        return Finished(finished.job, continued(self._before, finished.transcript))

    def may_resume(self) -> bool:
        """Note that the engine has ended. Returns whether it is worth starting again."""
        now = time.monotonic()
        self._ends.append(now)
        while now - self._ends[0] > WITHIN:
            self._ends.popleft()
        return len(self._ends) <= MOST_ENDS

    def resumed(self) -> tuple[StartLive, list[LiveAudio]]:
        """What to send to a new engine: the request, and the audio after the last finished line."""
        blocks = [block for block in self._blocks if _end(block) > self._needed]
        if blocks and blocks[0].start < self._needed:
            cut = self._needed - blocks[0].start
            blocks[0] = replace(blocks[0], start=self._needed, samples=blocks[0].samples[cut * BYTES_A_SAMPLE :])
        at = blocks[0].start if blocks else self._needed
        if self._segments or self._before is not None or self._stats != Statistics():
            self._before = self._so_far()
        speakers = max((int(who[1:]) for who in self._speakers.values()), default=0)
        resume = LiveResume(at, self._final, len(self._segments), self._language, speakers)
        return replace(self.request, resume=resume), blocks

    def _so_far(self) -> Transcript:
        segments = tuple(replace(each, speaker=self._speakers.get(each.id)) for each in self._segments)
        people = tuple(
            Speaker(who, called(who), union((each.start, each.end) for each in segments if each.speaker == who))
            for who in dict.fromkeys(each.speaker for each in segments)
            if who is not None
        )
        return Transcript(
            path=self.request.live.path,
            seconds=self._stats.audio_seconds,
            language=self._language,
            language_probability=0.0,
            models=self.models,
            segments=segments,
            speakers=people,
            stats=self._stats,
            guarded=tuple(self._guarded),
        )


def _length(block: LiveAudio) -> int:
    return len(block.samples) // BYTES_A_SAMPLE


def _end(block: LiveAudio) -> int:
    return block.start + _length(block)
