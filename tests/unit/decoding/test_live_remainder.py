"""The rest of a live recording that was broken off: what was said behind its last line, and nothing twice."""

from __future__ import annotations

import numpy as np

from desktop_app.decoding import live_remainder
from desktop_app.decoding.longform import Listener
from desktop_app.decoding.setup import Setup
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from desktop_app.transcript.statistics import Counter

from .test_live import WORDS, English, Gate, Reader, extract, say, spell


class Collector(Listener):
    def __init__(self) -> None:
        self.lines: list[Segment] = []
        self.done: list[float] = []

    def segments(self, segments, done_seconds):  # type: ignore[no-untyped-def]
        self.lines += segments
        self.done.append(done_seconds)


def rest(spoken: np.ndarray, since: int = 0) -> tuple[Collector, Reader]:
    collector, model = Collector(), Reader()
    blocks = (spoken[start : start + 4096] for start in range(0, len(spoken), 4096))
    live_remainder.transcribe(blocks, since, extract, Setup(model, WORDS, spell), Gate(), collector, English, Counter())
    return collector, model


def test_it_is_written_on_the_recordings_clock_each_speech_at_once() -> None:
    collector, model = rest(say("abcd  efgh ", pause=20.0), since=100 * SAMPLE_RATE)
    assert [spell(line.tokens).replace(" ", "") for line in collector.lines] == ["abcd", "efgh"]
    assert [round(line.start) for line in collector.lines] == [100, 142]
    assert len(model.lengths) == 2, "nobody waits for the first words of a speech"
    assert collector.done == sorted(collector.done)
    assert collector.done[-1] == 100 + 64
    assert len(collector.done) >= 5, "also in a long silence it is told how far it is"


def test_a_long_speech_is_written_whole_and_in_windows() -> None:
    spoken = "abcdefghijkl" * 15  # a minute and a half without a pause
    collector, model = rest(say(spoken))
    assert "".join(spell(line.tokens).replace(" ", "") for line in collector.lines) == spoken
    assert max(model.lengths) <= 30
