"""Whatever the engine does, the window keeps its turn."""

from __future__ import annotations

import itertools
import random
from threading import Thread

import pytest
from PySide6.QtCore import QThread, QTimer
from pytestqt.qtbot import QtBot

from desktop_app.messages.jobs import Event, Finished, Progress, SegmentReady, Started, Tentative, TentativeLine
from desktop_app.transcript.model import Transcript
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.mailbox import Mailbox
from tests.event_loop import drain
from tests.ui.staging import MODELS, SilentEngine, segment


def _flood(job: str, count: int) -> list[Event]:
    words = " ".join(f"word{n}" for n in range(60))
    return [Tentative(job, (TentativeLine(0.0, words[: n % 300], " and a draft"),)) for n in range(count)]


def test_of_a_flood_only_the_last_is_delivered(qtbot: QtBot) -> None:
    seen: list[Event] = []
    mailbox = Mailbox(seen.append)
    flood = _flood("a", 5000)
    sender = Thread(target=lambda: [mailbox.post(event) for event in flood])
    sender.start()
    sender.join()
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [flood[-1]]


def test_the_order_of_everything_else_is_kept(qtbot: QtBot) -> None:
    chance = random.Random(7)
    events: list[Event] = []
    for number in range(400):
        job = chance.choice("ab")
        kind = chance.randrange(3)
        if kind == 0:
            events.append(SegmentReady(job, segment(number)))
        elif kind == 1:
            events.append(Tentative(job, (TentativeLine(float(number), "x", ""),)))
        else:
            events.append(Progress(job, float(number), 800.0, Statistics()))
    seen: list[Event] = []
    mailbox = Mailbox(seen.append)
    for event in events:
        mailbox.post(event)
    qtbot.waitUntil(lambda: events[-1] in seen)
    assert [e for e in seen if isinstance(e, SegmentReady)] == [e for e in events if isinstance(e, SegmentReady)]
    places = [events.index(event) for event in seen]
    for job in "ab":
        mine = [place for place in places if events[place].job == job]
        segments = [place for place in mine if isinstance(events[place], SegmentReady)]
        for before, after in itertools.pairwise(segments):
            between = [p for p in mine[mine.index(before) : mine.index(after)] if isinstance(events[p], Tentative)]
            assert all(before < place < after for place in between)
            assert len(between) <= 1


def test_events_are_delivered_in_the_thread_of_the_mailbox(qtbot: QtBot) -> None:
    threads: list[QThread] = []
    mailbox = Mailbox(lambda event: threads.append(QThread.currentThread()))
    main = QThread.currentThread()
    sender = Thread(target=lambda: mailbox.post(SegmentReady("a", segment(0))))
    sender.start()
    qtbot.waitUntil(lambda: bool(threads))
    sender.join()
    assert threads == [main]


def test_a_slow_receiver_leaves_the_window_its_turn(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred events that take long each: the window's own timer comes in between, after every few of them."""
    clock = [0.0]
    monkeypatch.setattr("desktop_app.ui.mailbox.time.monotonic", lambda: clock[0])
    turns: list[int] = []
    seen: list[Event] = []

    def receive(event: Event) -> None:
        clock[0] += 0.003
        seen.append(event)

    mailbox = Mailbox(receive)
    heartbeat = QTimer()
    heartbeat.timeout.connect(lambda: turns.append(len(seen)))
    heartbeat.start(0)
    for number in range(200):
        mailbox.post(SegmentReady("a", segment(number)))
    qtbot.waitUntil(lambda: len(seen) == 200)
    heartbeat.stop()
    steps = [after - before for before, after in itertools.pairwise(turns)]
    assert max(steps) <= 4


def test_a_flood_costs_the_window_few_layouts(qtbot: QtBot, window, stage, recording) -> None:  # type: ignore[no-untyped-def]
    """Counted work instead of time: 3,000 drafts while a long text stands cost fewer layouts than 3,000."""
    (entry,) = stage.drop(recording("talk.wav"))
    assert isinstance(stage.engine, SilentEngine)
    stage.say(Started(entry.id, 600.0, MODELS), *(SegmentReady(entry.id, segment(n)) for n in range(300)))
    mailbox = Mailbox(stage.session.handle)
    flow = window.page.view.flow
    qtbot.waitUntil(lambda: flow.is_measured)
    drain()
    before = flow.measured
    beats: list[int] = []
    heartbeat = QTimer()
    heartbeat.timeout.connect(lambda: beats.append(1))
    heartbeat.start(5)

    def send() -> None:
        for event in _flood(entry.id, 3000):
            mailbox.post(event)
        figures = Statistics(audio_seconds=600.0, wall_seconds=60.0, tokens=900, target_passes=300)
        mailbox.post(Finished(entry.id, Transcript("", 600.0, "en", 1.0, MODELS, tuple(entry.segments), stats=figures)))

    sender = Thread(target=send)
    sender.start()
    qtbot.waitUntil(lambda: entry.state == "done")
    sender.join()
    heartbeat.stop()
    assert flow.measured - before < 300
    assert beats
