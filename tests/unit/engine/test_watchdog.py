"""Silence is measured by the watcher's own ticks: who sleeps accuses nobody, and nobody is waited for without end."""

from __future__ import annotations

import pytest

from desktop_app.engine.watchdog import Limits, Watchdog
from desktop_app.messages.jobs import BEAT_SECONDS, Beat, Preparing, Started
from desktop_app.transcript.model import Models

LIMITS = Limits(silent=10.0, stuck=60.0, silent_loading=30.0, stuck_loading=300.0)
STARTED = Started("a", 60.0, Models("Target", "", "off", "CPU", "f32"))


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A watch, and the seconds that it has been looked at every second."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.watchdog = Watchdog(LIMITS, self.clock)

    def patience(self, beats: bool = False) -> int:
        """After how many seconds it is over, where the process beats on without coming further or says nothing."""
        for second in range(1000):
            if beats:
                self.watchdog.note(Beat(7))
            self.clock.now += BEAT_SECONDS
            if self.watchdog.expired():
                return second
        raise AssertionError("it is waited for without end")


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_a_silent_process_is_given_up_sooner_than_one_that_only_comes_no_further(watched: Watched) -> None:
    watched.watchdog.note(STARTED)
    assert watched.patience() == 10
    watched.watchdog.restart()
    watched.watchdog.note(STARTED)
    assert watched.patience(beats=True) == 60


def test_loading_may_take_minutes_until_the_models_are_there(watched: Watched) -> None:
    assert watched.patience() == 30
    watched.watchdog.restart()
    assert watched.patience(beats=True) == 300
    watched.watchdog.restart()
    watched.watchdog.note(STARTED)
    watched.watchdog.note(Preparing("b", "loading", {"name": "Target"}))
    assert watched.watchdog.loads_model
    assert watched.patience(beats=True) == 300
    watched.watchdog.note(STARTED)
    assert not watched.watchdog.loads_model


def test_each_step_and_each_word_proves_that_it_goes_on(watched: Watched) -> None:
    watched.watchdog.note(STARTED)
    for second in range(1000):
        watched.watchdog.note(Beat(second // 50))
        watched.clock.now += BEAT_SECONDS
        assert not watched.watchdog.expired()


def test_the_time_in_which_the_watcher_slept_is_nobodys_silence(watched: Watched) -> None:
    watched.watchdog.note(STARTED)
    watched.clock.now += 3600.0
    assert not watched.watchdog.expired()
    assert watched.patience() == 8
