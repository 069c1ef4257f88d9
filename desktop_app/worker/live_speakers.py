"""Speakers of a live session: found between two updates of the text, never before the first words. No failure here
stops the text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from time import perf_counter

import numpy as np
import numpy.typing as npt

from desktop_app.speakers.attribution import attribute, main_speaker
from desktop_app.speakers.live import WINDOW, LiveSpeakers
from desktop_app.speakers.networks import Networks
from desktop_app.speakers.turns import Turn
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment, Transcript
from desktop_app.worker.file_speakers import AUTO, Attempts, networks

_LEAST, _MOST = SAMPLE_RATE // 2, SAMPLE_RATE  # samples that are taken in at a time
_BEFORE = round(WINDOW * SAMPLE_RATE)  # samples that are kept before the first words
_SETTLED = WINDOW + 10.0  # seconds after which a line keeps its speaker: all turns near it are frozen by then


class SessionSpeakers:
    """Takes the session's audio, runs the speaker networks on it when asked, and assigns lines to speakers.

    `wanted` is "auto" or the number of speakers, as text. Where a session resumes in a new engine, the voices are
    learned anew: the names of the `taken` earlier speakers are not given again, so one person may get two names.
    """

    def __init__(self, wanted: str, taken: int = 0, load: Callable[[], Networks] | None = None) -> None:
        self._count = None if wanted == AUTO else int(wanted)
        self._taken, self._load = taken, load or networks
        self._blocks: deque[npt.NDArray[np.float32]] = deque()
        self._begin = -1  # the sample of the recording with which the audio here begins
        self._taken_in = 0  # samples
        self._attempts = Attempts()
        self._loading: Thread | None = None
        self._loaded: Networks | None = None
        self._speakers: LiveSpeakers | None = None
        self._cost = 0.0
        self._turns: list[Turn] = []
        self._labels: dict[int, str] = {}
        self._first = 0  # the first line whose speaker may still change

    def feed(self, block: npt.NDArray[np.float32], start: int) -> None:
        """The next block, whose first sample is the recording's sample `start`; nothing is done with it yet."""
        if self._attempts.problem:
            self._blocks.clear()
            return
        self._begin = start if self._begin < 0 else self._begin
        self._blocks.append(block)
        while self._loading is None and _length(self._blocks) > _BEFORE:  # a long silence before the first words
            self._begin += len(self._blocks.popleft())

    def work(self, seconds: float) -> None:
        """Process some of the waiting audio if that takes no more than `seconds`. Loads the networks at first."""
        if self._attempts.problem:
            return
        if self._loading is None:
            self._loading = Thread(target=self._attempts.do, args=(self._fetch,), name="speakers", daemon=True)
            self._loading.start()
        if self._loading.is_alive() or seconds <= self._cost or _length(self._blocks) < _LEAST:
            return
        began = perf_counter()
        self._attempts.do(self._take_in)
        self._cost = max(perf_counter() - began, 0.9 * self._cost)

    def changes(self, segments: Sequence[Segment]) -> tuple[tuple[int, str], ...]:
        """The speakers that became known or have changed since the last call, by line id; `segments` are all finished
        lines."""
        found = []
        now = (self._begin + self._taken_in) / SAMPLE_RATE
        recent = [turn for turn in self._turns if turn.end > now - 2 * _SETTLED]
        for segment in segments[self._first :]:
            who = main_speaker(recent, segment.start, segment.end)
            if who is not None and self._labels.get(segment.id) != who:
                self._labels[segment.id] = who
                found.append((segment.id, who))
        while self._first < len(segments) and segments[self._first].end < now - _SETTLED:
            self._first += 1
        return tuple(found)

    def finish(self, transcript: Transcript) -> Transcript:
        """The transcript with its speakers after one pass over everything, or as it is with a notice that says why
        there are none."""
        found = transcript

        def attributed() -> None:
            nonlocal found
            while self._blocks:
                self._take_in()
            if self._speakers is not None:
                found = attribute(transcript, [self._placed(turn) for turn in self._speakers.finish()])

        if self._loading is not None:
            self._loading.join()
        self._attempts.do(attributed)
        return self._attempts.noted(found)

    def _fetch(self) -> None:
        self._loaded = self._load()

    def _take_in(self) -> None:
        if self._speakers is None:
            self._speakers = LiveSpeakers(self._loaded or self._load(), self._count)
        some: list[npt.NDArray[np.float32]] = []
        while self._blocks and _length(some) < _MOST:
            some.append(self._blocks.popleft())
        self._taken_in += _length(some)
        if self._speakers.feed(np.concatenate(some)):
            self._turns = [self._placed(turn) for turn in self._speakers.turns()]

    def _placed(self, turn: Turn) -> Turn:
        """A turn in the recording's time, under a name that no earlier speaker has."""
        begin = self._begin / SAMPLE_RATE
        return Turn(turn.start + begin, turn.end + begin, f"S{int(turn.speaker[1:]) + self._taken}")


def _length(blocks: Iterable[npt.NDArray[np.float32]]) -> int:
    return sum(block.size for block in blocks)
