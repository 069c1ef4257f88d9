"""Tentative states come at an eye's pace, the newest always, never after what replaces them."""

from __future__ import annotations

import sys
from multiprocessing import Pipe
from threading import Semaphore

import pytest

from desktop_app.messages.jobs import Cancelled, Event, Tentative, TentativeLine
from desktop_app.worker.outbox import A_SECOND, Outbox


def state(number: int) -> Tentative:
    return Tentative("a", (TentativeLine(0.0, str(number), ""),))


class Pauses:
    """The pauses between two states, which last until the test ends them. Attributes: asked (seconds of each)."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._ended = Semaphore(0)

    def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        self._ended.acquire()

    def end(self, count: int = 1) -> None:
        self._ended.release(count)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    made = Pauses()
    monkeypatch.setattr(sys.modules[Outbox.__module__], "time", made)
    return made


@pytest.fixture
def ends(pauses: Pauses):
    here, there = Pipe(duplex=False)
    yield here, Outbox(there)
    pauses.end(1000)
    here.close()


def received(connection, last: Event) -> list[Event]:
    """What comes, up to an event."""
    found = [connection.recv()]
    while found[-1] != last:
        found.append(connection.recv())
    return found


def test_many_states_become_few_and_the_last_one_comes(ends, pauses: Pauses):
    """One before each pause, and none while it lasts."""
    here, outbox = ends
    outbox.tentative(lambda: state(0))
    assert here.recv() == state(0)
    for number in range(1, 500):
        outbox.tentative(lambda number=number: state(number))
    pauses.end()
    assert here.recv() == state(499)
    assert pauses.asked[0] == 1 / A_SECOND


def test_a_state_is_not_shown_after_the_event_that_replaces_it(ends, pauses: Pauses):
    here, outbox = ends
    outbox.tentative(lambda: state(1))
    assert here.recv() == state(1)
    outbox.tentative(lambda: state(2))
    outbox.send(Cancelled("a"))
    pauses.end()
    outbox.tentative(lambda: state(3))
    assert received(here, state(3)) == [Cancelled("a"), state(3)]


def test_the_text_of_a_state_that_is_never_sent_is_never_made(ends, pauses: Pauses):
    here, outbox = ends
    made = []
    for number in range(100):
        outbox.tentative(lambda number=number: made.append(number) or state(number))
    pauses.end()
    assert len(received(here, state(99))) == len(made) <= 2
