"""What an engine process does with its requests: which it takes next, and when it stops what it is doing."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

from desktop_app.messages.jobs import Cancel, LiveAudio, Shutdown, StartLive, StopLive, Transcribe
from desktop_app.worker.main import LiveSource, _Inbox
from tests.waiting import LONGEST, wait_until


class Pipe:
    """The end of a pipe that nobody closes."""

    def __init__(self) -> None:
        self.requests: SimpleQueue[Any] = SimpleQueue()

    def recv(self) -> Any:
        return self.requests.get()


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


@pytest.fixture
def inbox(pipe: Pipe) -> _Inbox:
    connection: Any = pipe
    return _Inbox(connection)


def test_a_live_session_is_taken_before_the_files_that_wait(pipe: Pipe, inbox: _Inbox) -> None:
    pipe.requests.put(Transcribe("one", "one.wav"))
    pipe.requests.put(StartLive("live"))
    wait_until(lambda: inbox._jobs and inbox._sessions)
    first, second = inbox.next(), inbox.next()
    assert isinstance(first, tuple) and first[0].job == "live"
    assert isinstance(second, Transcribe) and second.job == "one"


def test_in_the_pause_of_a_file_only_a_session_is_taken(pipe: Pipe, inbox: _Inbox) -> None:
    pipe.requests.put(Transcribe("one", "one.wav"))
    wait_until(lambda: inbox._jobs)
    assert inbox.next_session() is None
    pipe.requests.put(StartLive("live"))
    wait_until(lambda: inbox._sessions)
    session = inbox.next_session()
    assert session is not None and session[0].job == "live"


def test_sound_reaches_the_session_that_it_is_for(pipe: Pipe, inbox: _Inbox) -> None:
    sound = LiveAudio("live", np.zeros(3, np.float32).tobytes(), 0)
    pipe.requests.put(LiveAudio("another", b"", 0))
    pipe.requests.put(StartLive("live"))
    pipe.requests.put(sound)
    pipe.requests.put(StopLive("live"))
    session = inbox.next()
    assert isinstance(session, tuple)
    source: LiveSource = session[1]
    found = [*source.take(LONGEST)]
    while len(found) < 2:
        found += source.take(LONGEST)
    assert found == [sound, StopLive("live")]


def test_a_cancelled_job_stops_and_its_name_may_come_again(pipe: Pipe, inbox: _Inbox) -> None:
    pipe.requests.put(Cancel("one"))
    wait_until(lambda: inbox.is_cancelled("one"))
    assert not inbox.is_cancelled("two")
    inbox.forget("one")
    assert not inbox.is_cancelled("one")


def test_an_engine_that_is_to_end_stops_whatever_it_does_and_takes_nothing_more(pipe: Pipe, inbox: _Inbox) -> None:
    pipe.requests.put(Transcribe("one", "one.wav"))
    pipe.requests.put(StartLive("live"))
    pipe.requests.put(Shutdown())
    wait_until(lambda: inbox._closing)
    assert inbox.is_cancelled("any")
    assert inbox.next_session() is None
    assert inbox.next() is None
