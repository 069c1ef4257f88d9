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
from desktop_app.transcript.model import Models, Transcript
from desktop_app.transcript.so_far import TextSoFar
from desktop_app.transcript.statistics import Statistics

BYTES_A_SAMPLE = 4
LEAST_KEPT = 30 * SAMPLE_RATE
"""Samples that are kept in any case."""

MOST_ENDS, WITHIN = 3, 60.0
"""An engine that ends more often than this within so many seconds will end again."""


class LiveKeeper:
    """A live session: its audio since the last finished line, and its final text.

    Attributes: stopped (no audio will follow).
    """

    def __init__(self, request: StartLive) -> None:
        self.request = request
        self.stopped = False
        self._blocks: deque[LiveAudio] = deque()
        self._text = TextSoFar(request.live.path)
        self._before: Transcript | None = None  # the text of the engines that have ended
        self._needed = 0  # the first sample after the last finished line
        self._final = ""
        self._ends: deque[float] = deque()

    def started(self, models: Models) -> None:
        """The engine transcribes with these models."""
        self._text.models = models

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
        text = self._text
        text.add(update.segments, update.guarded)
        text.give_speakers(dict(update.speakers))
        text.language = update.language or text.language
        self._final = update.final
        self._needed = max(self._needed, int(update.start * SAMPLE_RATE))
        text.stats = update.stats
        if self._before is not None:
            text.stats = replace(self._before.stats + update.stats, audio_seconds=update.received)
        return replace(update, stats=text.stats)

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
        text = self._text
        if text.segments or self._before is not None or text.stats != Statistics():
            self._before = text.transcript()
        resume = LiveResume(at, self._final, len(text.segments), text.language, text.speaker_count)
        return replace(self.request, resume=resume), blocks


def _length(block: LiveAudio) -> int:
    return len(block.samples) // BYTES_A_SAMPLE


def _end(block: LiveAudio) -> int:
    return block.start + _length(block)
