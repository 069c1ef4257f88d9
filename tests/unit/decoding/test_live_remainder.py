"""The rest of a live recording that was broken off: what was said behind its last line, and nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from desktop_app.decoding import live_remainder
from desktop_app.decoding.longform import DecodingListener
from desktop_app.decoding.setup import Listen, Setup
from desktop_app.decoding.window import Language
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport, Segment
from desktop_app.transcript.statistics import Counter

from .test_live import WORDS, English, Gate, Reader, extract, say, spell
from .test_live_silence import Detector


class Collector(DecodingListener):
    def __init__(self) -> None:
        self.lines: list[Segment] = []
        self.done: list[float] = []
        self.languages: list[Language] = []
        self.reports: list[list[tuple[str, str]]] = []

    def language(self, language: Language) -> None:
        self.languages.append(language)

    def guarded(self, reports: Sequence[GuardReport]) -> None:
        self.reports.append([(report.kind, report.text) for report in reports])

    def segments(self, segments, done_seconds):  # type: ignore[no-untyped-def]
        self.lines += segments
        self.done.append(done_seconds)


def rest(spoken: np.ndarray, since: int = 0, listen: Listen | None = None) -> tuple[Collector, Reader]:
    collector, model = Collector(), Reader()
    blocks = (spoken[start : start + 4000] for start in range(0, len(spoken), 4000))
    setup = Setup(model, WORDS, spell, listen=listen)
    live_remainder.transcribe(blocks, since, extract, setup, Gate(), collector, English, Counter())
    return collector, model


def test_it_is_written_on_the_recordings_clock_each_speech_at_once() -> None:
    collector, model = rest(say("abcd  efgh ", pause=20.0), since=100 * SAMPLE_RATE)
    assert [spell(line.tokens).replace(" ", "") for line in collector.lines] == ["abcd", "efgh"]
    assert [round(line.start) for line in collector.lines] == [100, 142]
    assert len(model.lengths) == 2, "nobody waits for the first words of a speech"
    assert collector.done == [102.5, 112.5, 122.5, 132.5, 144.5, 154.5, 164], (
        "in a long silence, too, every ten seconds"
    )
    assert collector.languages == [Language("en", 1.0)] * 2
    assert collector.reports == []


def test_each_removal_is_reported_once() -> None:
    collector, _ = rest(say("efgh  ijkl "), listen=Detector())
    assert collector.lines == []
    assert collector.reports == [[("silence", "e f g h")], [("silence", "i j k l")]]


def test_a_long_speech_is_written_whole_and_in_windows() -> None:
    spoken = "abcdefghijkl" * 15  # a minute and a half without a pause
    collector, model = rest(say(spoken))
    assert "".join(spell(line.tokens).replace(" ", "") for line in collector.lines) == spoken
    assert max(model.lengths) <= 30
