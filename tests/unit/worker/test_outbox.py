"""Tentative states come at an eye's pace, the newest always, never after what replaces them."""

from __future__ import annotations

import time
from multiprocessing import Pipe

import pytest

from desktop_app.messages.jobs import Cancelled, Event, Tentative, TentativeLine
from desktop_app.worker.outbox import A_SECOND, Outbox


def state(number: int) -> Tentative:
    return Tentative("a", (TentativeLine(0.0, str(number), ""),))


@pytest.fixture
def ends():
    here, there = Pipe(duplex=False)
    yield here, Outbox(there)
    here.close()


def drain(connection, seconds: float) -> list[Event]:
    """What comes within some time after the last event."""
    found = []
    while connection.poll(seconds):
        found.append(connection.recv())
    return found


def test_many_states_become_few_and_the_last_one_comes(ends):
    here, outbox = ends
    began = time.monotonic()
    number = 0
    while time.monotonic() - began < 0.5:
        number += 1
        outbox.tentative(lambda number=number: state(number))
        time.sleep(0.001)
    got = drain(here, 0.3)
    assert got[-1] == state(number)
    assert 5 <= len(got) <= 0.5 * A_SECOND + 3


def test_a_state_is_not_shown_after_the_event_that_replaces_it(ends):
    here, outbox = ends
    outbox.tentative(lambda: state(1))
    assert here.recv() == state(1)
    outbox.tentative(lambda: state(2))
    outbox.send(Cancelled("a"))
    assert drain(here, 0.2) == [Cancelled("a")]


def test_the_text_of_a_state_that_is_never_sent_is_never_made(ends):
    here, outbox = ends
    made = []
    for number in range(100):
        outbox.tentative(lambda number=number: made.append(number) or state(number))
    assert len(drain(here, 0.2)) == len(made) <= 4
