"""Live sessions as the asker sees them: no audio and no final text is lost with the engine, and files only wait."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from desktop_app.engine.client import Engine
from desktop_app.engine.live_keeper import LEAST_KEPT, LiveKeeper
from desktop_app.engine.watchdog import Limits
from desktop_app.messages.jobs import (
    Cancelled,
    Event,
    Failed,
    Finished,
    LiveAudio,
    LiveOptions,
    LiveUpdate,
    Preparing,
    Started,
    StartLive,
)
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport, Models, Segment, Transcript
from desktop_app.transcript.statistics import Statistics
from tests.unit.engine import programs
from tests.waiting import LONGEST, Within

BLOCK = SAMPLE_RATE // 2
LAST = (Finished, Failed, Cancelled)


class Watched:
    """An engine that listens, and what it said."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.engine = Engine(self.events.put, programs.listening, Limits(silent=3.0))
        self._sent = 0

    def begin(self, path: str = "") -> None:
        self.engine.start_live("live", Options(), LiveOptions(path))

    def speak(self, seconds: float) -> None:
        for _ in range(round(seconds * 2)):
            self.engine.live_audio("live", self._sent, np.zeros(BLOCK, np.float32))
            self._sent += BLOCK

    def until(self, job: str, kind: type | tuple[type, ...] = LAST) -> list[Event]:
        found = [self.events.get(timeout=LONGEST)]
        while not (found[-1].job == job and isinstance(found[-1], kind)):
            found.append(self.events.get(timeout=LONGEST))
        return found


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    made.engine.close()


def texts(event: Event) -> list[str]:
    assert isinstance(event, Finished)
    return [segment.text for segment in event.transcript.segments]


def test_a_session_ends_with_all_that_was_committed(watched: Watched) -> None:
    watched.begin("recording.flac")
    watched.speak(4.5)
    watched.engine.stop_live("live")
    events = watched.until("live")
    assert texts(events[-1]) == ["0", "1", "2", "3", "rest"]
    assert sum(isinstance(event, Started) for event in events) == 1
    watched.begin()
    watched.speak(1)
    watched.engine.stop_live("live")
    assert isinstance(watched.until("live")[-1], Finished)


@pytest.mark.parametrize("end", ["die", "stop"])
def test_an_engine_that_ends_or_falls_silent_takes_nothing_with_it(watched: Watched, end: str) -> None:
    """It goes on behind the last finished line, with the final text that was on the screen, and says so once."""
    watched.begin(end)
    watched.speak(2.5)
    watched.until("live", LiveUpdate)
    watched.speak(3)
    watched.engine.stop_live("live")
    events = watched.until("live")
    assert texts(events[-1]) == ["0", "1", "2", "3", "4", "rest"]
    said = [event.stage for event in events if isinstance(event, Preparing)]
    assert said[0] == "restarting"
    assert said[1].endswith("from 48000 behind ''")
    assert sum(isinstance(event, Started) for event in events) == 1
    committed = [segment.id for event in events if isinstance(event, LiveUpdate) for segment in event.segments]
    assert committed == sorted(set(committed))


def test_an_engine_that_always_ends_is_given_up(watched: Watched) -> None:
    watched.begin("die always")
    watched.speak(20)
    failed = watched.until("live")[-1]
    assert isinstance(failed, Failed)
    assert failed.problem.kind == "engine"


def test_a_file_waits_for_the_session_and_is_done_behind_it(watched: Watched) -> None:
    watched.engine.transcribe("file", "any", Options())
    watched.until("file", Preparing)
    watched.begin()
    watched.speak(1)
    watched.engine.transcribe("next", "any", Options())
    watched.engine.stop_live("live")
    events = watched.until("file")
    assert [event.job for event in events if isinstance(event, LAST)] == ["live", "file"]
    assert isinstance(watched.until("next", Preparing)[-1], Preparing)


def test_a_file_is_done_again_when_the_engine_ended_in_a_session(watched: Watched) -> None:
    watched.engine.transcribe("file", "any", Options())
    watched.until("file", Preparing)
    watched.begin("die")
    watched.speak(4)
    watched.engine.stop_live("live")
    watched.until("live")
    watched.until("file", Preparing)
    watched.begin()
    watched.engine.stop_live("live")
    events = watched.until("file")
    assert isinstance(events[-1], Finished)


def test_a_waiting_file_is_cancelled_at_once_and_the_session_goes_on(watched: Watched, within: Within) -> None:
    watched.engine.transcribe("file", "any", Options())
    watched.until("file", Preparing)
    watched.begin()
    watched.speak(1)
    with within(0.9):
        watched.engine.cancel("file")
        watched.until("file", Cancelled)
    watched.engine.stop_live("live")
    events = watched.until("live")
    assert isinstance(events[-1], Finished)
    assert "restarting" not in [event.stage for event in events if isinstance(event, Preparing)], "by the same engine"
    watched.engine.transcribe("file", "any", Options())
    assert isinstance(watched.until("file", Preparing)[-1], Preparing)


def test_an_engine_that_listens_no_more_is_killed_when_it_is_cancelled(watched: Watched, within: Within) -> None:
    """The pipe to it is full by then, which must hold up nobody."""
    watched.begin("deaf")
    watched.speak(60)
    watched.until("live", Started)
    with within(3.0):
        watched.engine.cancel("live")
        assert watched.until("live")[-1] == Cancelled("live")


def test_a_session_that_is_cancelled_does_not_cost_the_next_one_its_text(watched: Watched) -> None:
    """Who starts, stops before the first sample and starts again does this; the first engine may still load models."""
    watched.begin("deaf")
    watched.speak(1)
    watched.until("live", Started)
    watched.engine.cancel("live")
    watched.engine.start_live("second", Options(), LiveOptions("second.flac"))
    for start in range(0, 3 * SAMPLE_RATE, BLOCK):
        watched.engine.live_audio("second", start, np.zeros(BLOCK, np.float32))
    watched.engine.start_live("third", Options(), LiveOptions())
    watched.engine.stop_live("second")
    events = watched.until("second")
    assert texts(events[-1]) == ["0", "1", "2", "rest"]
    assert {event.job for event in events if isinstance(event, (Cancelled, Failed))} == {"third", "live"}


def test_a_session_that_waits_can_be_cancelled(watched: Watched) -> None:
    watched.begin("deaf")
    watched.speak(1)
    watched.until("live", Started)
    watched.engine.cancel("live")
    watched.engine.start_live("second", Options(), LiveOptions())
    watched.engine.cancel("second")
    assert watched.until("second")[-1] == Cancelled("second")
    assert watched.until("live")[-1] == Cancelled("live")


def test_there_is_one_session_at_a_time(watched: Watched) -> None:
    watched.begin()
    watched.engine.start_live("second", Options(), LiveOptions())
    assert watched.until("second")[-1] == Failed("second", Problem("engine.recording"))
    watched.engine.cancel("live")
    assert watched.until("live")[-1] == Cancelled("live")


def update(start: float, *lines: Segment) -> LiveUpdate:
    return LiveUpdate("live", lines, "final", "", "", start, 0.0, 0.0, 0.0, True, Statistics(), "de")


def test_acts_and_figures_of_an_engine_that_ended_are_kept() -> None:
    """The guard has left something out, and passes were counted: nobody else knows of that."""
    keeper = LiveKeeper(StartLive("live", live=LiveOptions("talk.flac")))
    keeper.started(Models("Large", "", "off", "CPU", "f32"))
    thanks, bye = GuardReport(1.0, 2.0, "silence", "Thanks."), GuardReport(8.0, 9.0, "silence", "Bye.")
    line = Segment(0, 2.0, 5.0, "One.")
    first = replace(update(5.0, line), guarded=(thanks,), stats=Statistics(7.0, 1.0, tokens=4), received=7.0)
    assert keeper.note(first).stats == Statistics(7.0, 1.0, tokens=4)
    keeper.resumed()
    second = replace(update(5.0), guarded=(bye,), stats=Statistics(6.0, 2.0, tokens=3), received=11.0)
    assert keeper.note(second).stats == Statistics(11.0, 3.0, tokens=7)
    small = Models("Small", "", "off", "CPU", "f32")
    rest = Segment(1, 5.0, 11.0, "Two.")
    made = Transcript("talk.flac", 11.0, "de", 0.9, small, (rest,), (), Statistics(6.0, 2.0, tokens=3), guarded=(bye,))
    whole = keeper.whole(Finished("live", made)).transcript
    assert (whole.segments, whole.guarded) == ((line, rest), (thanks, bye))
    assert whole.stats == Statistics(11.0, 3.0, tokens=7)
    assert whole.models.notices == (Problem("model.continued", model="Large", time="0:05"),)


def test_what_is_kept_does_not_grow_with_the_session() -> None:
    keeper = LiveKeeper(StartLive("live"))
    for second in range(600):
        keeper.take(LiveAudio("live", second * SAMPLE_RATE, bytes(4 * SAMPLE_RATE)))
        keeper.note(update(second - 2.5))
    request, blocks = keeper.resumed()
    assert len(keeper._blocks) <= LEAST_KEPT // SAMPLE_RATE + 1
    assert (request.resume.at, request.resume.text, request.resume.language) == (
        round(596.5 * SAMPLE_RATE),
        "final",
        "de",
    )
    assert [block.start for block in blocks] == [
        round(596.5 * SAMPLE_RATE),
        597 * SAMPLE_RATE,
        598 * SAMPLE_RATE,
        599 * SAMPLE_RATE,
    ]
    assert sum(len(block.samples) for block in blocks) == round(3.5 * SAMPLE_RATE) * 4
