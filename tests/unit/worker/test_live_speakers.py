"""Speakers of a live session: labels come, change, and are final; they hold up no text, nor does their failure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from desktop_app.decoding.live import LiveText
from desktop_app.engine.live_keeper import LiveKeeper
from desktop_app.messages.jobs import Finished, LiveAudio, LiveUpdate, StartLive, StopLive
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.speakers.networks import Networks
from desktop_app.speakers.turns import Turn
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript
from desktop_app.transcript.statistics import Statistics
from desktop_app.worker import live_job, live_speakers
from desktop_app.worker.live_speakers import SessionSpeakers
from tests.unit.speakers.voices import NETWORKS

MODELS = Models("t", "", "off", "CPU", "f32", (Problem("model.notice", text="Read this."),))
LINES = (Segment(0, 0.0, 2.0, "One."), Segment(1, 2.0, 4.0, "Two."))
SECOND = np.zeros(SAMPLE_RATE, np.float32)


class Scripted:
    """A LiveSpeakers: who speaks in the seconds heard so far is what `said` says."""

    said: tuple[tuple[int, list[Turn]], ...] = (
        (2, [Turn(0, 2, "S1")]),
        (4, [Turn(0, 4, "S1")]),
        (5, [Turn(0, 2, "S1"), Turn(2, 5, "S2")]),
    )

    def __init__(self, networks: Networks, count: int | None) -> None:
        self.seconds, self.last = 0.0, Scripted.said[-1][1]

    def feed(self, samples: np.ndarray) -> bool:
        self.seconds += samples.size / SAMPLE_RATE
        return True

    def turns(self) -> list[Turn]:
        return next((turns for at, turns in reversed(Scripted.said) if at <= self.seconds), [])

    def finish(self) -> list[Turn]:
        return self.last


@pytest.fixture(autouse=True)
def _scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_speakers, "LiveSpeakers", Scripted)


def loaded(beside: SessionSpeakers) -> SessionSpeakers:
    beside.work(1.0)
    assert beside._loading is not None
    beside._loading.join()
    return beside


def transcript(*lines: Segment) -> Transcript:
    return Transcript("a.flac", 5.0, "en", 1.0, MODELS, lines)


def test_labels_come_change_and_are_final() -> None:
    beside = loaded(SessionSpeakers("auto", load=lambda: NETWORKS))
    told = []
    for second in range(5):
        beside.feed(SECOND, second * SAMPLE_RATE)
        beside.work(1e9)
        told.append(beside.changes(LINES[: (second + 1) // 2]))
    assert told == [(), ((0, "S1"),), (), ((1, "S1"),), ((1, "S2"),)]
    whole = beside.finish(transcript(*LINES))
    assert [line.speaker for line in whole.segments] == ["S1", "S2"]
    assert [(who.id, who.name) for who in whole.speakers] == [("S1", "Speaker 1"), ("S2", "Speaker 2")]


def test_a_line_keeps_its_speaker_when_it_is_old(monkeypatch: pytest.MonkeyPatch) -> None:
    late = [Turn(0, 200, "S2")]
    monkeypatch.setattr(Scripted, "said", ((1, [Turn(0, 130, "S1")]), (200, late)))
    beside = loaded(SessionSpeakers("2", load=lambda: NETWORKS))
    told = []
    for second in range(210):
        beside.feed(SECOND, second * SAMPLE_RATE)
        beside.work(1e9)
        told += beside.changes(LINES)
    assert told == [(0, "S1"), (1, "S1")]


def test_no_update_waits_for_it() -> None:
    """Without the time for it nothing is taken in; the end takes in everything."""
    beside = loaded(SessionSpeakers("auto", load=lambda: NETWORKS))
    beside.feed(SECOND, 0)
    beside.work(0.0)
    assert beside._speakers is None
    beside._cost = 0.2
    beside.work(0.1)
    assert beside._speakers is None
    assert len(beside.finish(transcript(*LINES)).speakers) == 2


def test_a_long_silence_before_the_first_words_is_not_kept() -> None:
    beside = SessionSpeakers("auto", load=lambda: NETWORKS)
    for second in range(300):
        beside.feed(SECOND, second * SAMPLE_RATE)
    assert len(beside._blocks) == 120
    beside = loaded(beside)
    assert beside._begin == 180 * SAMPLE_RATE


def test_after_another_engine_names_go_on_and_times_are_the_recordings() -> None:
    beside = loaded(SessionSpeakers("auto", 2, lambda: NETWORKS))
    for second in range(100, 105):
        beside.feed(SECOND, second * SAMPLE_RATE)
        beside.work(1e9)
    assert beside.changes((Segment(7, 102.0, 104.0, "Later."),)) == ((7, "S4"),)


def test_the_end_of_an_engine_keeps_the_speakers_before_it() -> None:
    keeper = LiveKeeper(StartLive("live"))
    update = LiveUpdate(
        "live", LINES, "", "", "", 4.0, 4.0, 4.0, 0.0, True, Statistics(), speakers=((0, "S1"), (1, "S2"))
    )
    keeper.note(update)
    request, _ = keeper.resumed()
    assert (request.resume.segments, request.resume.speakers) == (2, 2)
    later = (Segment(0, 4.0, 5.0, "Three.", speaker="S3"), Segment(1, 5.0, 6.0, "Four.", speaker="S3"))
    made = Transcript("", 6.0, "en", 1.0, MODELS, later, (Speaker("S3", "Speaker 3"),))
    whole = keeper.whole(Finished("live", made)).transcript
    assert [(line.id, line.speaker) for line in whole.segments] == [(0, "S1"), (1, "S2"), (2, "S3"), (3, "S3")]
    assert [who.name for who in whole.speakers] == ["Speaker 1", "Speaker 2", "Speaker 3"]
    assert whole.speakers[1].turns == ((2.0, 4.0),)


# The engine's session, with a text that is written without a model.


class Writes:
    """A decoding.live.Live that commits a line every two seconds."""

    language, speaking = None, True

    def __init__(self, *_: Any, **__: Any) -> None:
        self.received, self.lines, self.reports = 0, 0, [GuardReport(1.0, 2.0, "silence", "Thanks.")]
        self.text = LiveText((), "", "", "", 0.0)

    decoded = property(lambda self: self.received)
    due = property(lambda self: self.received >= (self.lines + 1) * 2 * SAMPLE_RATE)

    def feed(self, samples: np.ndarray) -> None:
        self.received += samples.size

    def update(self) -> LiveText:
        self.lines += 1
        return LiveText((LINES[self.lines - 1],), "", "", "", 2.0 * self.lines)

    def finish(self) -> None:
        pass


class Outbox:
    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, event: Any) -> None:
        self.sent.append(event)


class Speech:
    """Five seconds of audio, each when the engine has had time for the one before; then the end."""

    def __init__(self) -> None:
        self._blocks: Iterator[LiveAudio] = (LiveAudio("j", s * SAMPLE_RATE, SECOND.tobytes()) for s in range(5))
        self._pauses = 0

    def take(self, seconds: float) -> list[LiveAudio | StopLive]:
        self._pauses += 1
        if self._pauses % 4:
            return []
        found = next(self._blocks, None)
        return [found or StopLive("j")]


def session(monkeypatch: pytest.MonkeyPatch, speakers: str = "auto") -> list[Any]:
    checkpoint = SimpleNamespace(vocabulary=None, text=None)
    target = SimpleNamespace(checkpoint=checkpoint, model=None)
    pair = SimpleNamespace(target=target, draft=None, setup=lambda guard: None)
    monkeypatch.setattr(live_job, "pair_for_live", lambda *_: (pair, MODELS))
    monkeypatch.setattr(live_job, "settings_of", lambda *_: None)
    monkeypatch.setattr(live_job, "REPORT_EVERY", 0.0)
    monkeypatch.setattr(live_job.live, "Live", Writes)
    monkeypatch.setattr(live_speakers, "Thread", AtOnce)
    outbox = Outbox()
    request = StartLive("j", Options(speakers=speakers))
    live_job.run(request, Speech(), None, outbox, lambda: False)  # type: ignore[arg-type]
    return outbox.sent


class AtOnce:
    """A thread that has done its work when it is started."""

    def __init__(self, target: Any, args: Any, **_: Any) -> None:
        self.start = lambda: target(*args)

    def is_alive(self) -> bool:
        return False

    def join(self) -> None:
        pass


def test_a_session_tells_labels_after_the_first_words_and_decides_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_speakers, "networks", lambda: NETWORKS)
    monkeypatch.setattr(live_job, "Pace", lambda: SimpleNamespace(took=lambda *_: None, interval=0.0))
    monkeypatch.setattr(SessionSpeakers, "work", _whatever_the_time(SessionSpeakers.work))
    events = session(monkeypatch)
    updates = [event for event in events if isinstance(event, LiveUpdate)]
    first = next(at for at, update in enumerate(updates) if update.segments)
    assert not any(update.speakers for update in updates[:first])
    assert [change for update in updates for change in update.speakers] == [(0, "S1"), (1, "S1"), (1, "S2")]
    whole = events[-1].transcript
    assert [line.speaker for line in whole.segments] == ["S1", "S2"] and whole.models == MODELS


def test_a_failure_leaves_the_text_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Networks:
        raise Problem("model.no_network", name="voices")

    monkeypatch.setattr(live_speakers, "networks", load)
    whole = session(monkeypatch)[-1].transcript
    assert whole.segments == LINES and whole.speakers == ()
    assert whole.models.notices[1:] == (Problem("model.no_speakers", cause=Problem("model.no_network", name="voices")),)


def test_off_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_speakers, "networks", lambda: pytest.fail("off is off"))
    whole = session(monkeypatch, "off")[-1].transcript
    assert (whole.segments, whole.speakers, whole.models) == (LINES, (), MODELS)
    assert [act.text for act in whole.guarded] == ["Thanks."], "what the guard left out is told, as for a file"


def test_between_two_texts_latency_does_not_grow_and_what_the_guard_did_is_told_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pause of a minute is no minute of waiting."""
    updates = [event for event in session(monkeypatch, "off") if isinstance(event, LiveUpdate)]
    assert any(update.latency > 0 for update in updates)
    assert all(now.latency == before.latency for before, now in pairwise(updates) if not now.segments)
    assert [act.text for update in updates for act in update.guarded] == ["Thanks."]


def _whatever_the_time(work: Any) -> Any:
    return lambda self, seconds: work(self, 1e9)
