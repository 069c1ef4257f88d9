"""The computer is kept awake while there is work, and not a moment longer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop_app.app.system.awake import Awake
from desktop_app.messages.jobs import Cancelled, Failed, Finished
from desktop_app.problems import Problem
from tests.staging import Stage, finish, transcript

Make = Callable[[str], Path]


class Locks:
    """The system's. Attributes: held (how many are); asked (how often)."""

    def __init__(self) -> None:
        self.held = self.asked = 0

    def take(self, why: str) -> Callable[[], None]:
        self.held, self.asked = self.held + 1, self.asked + 1
        return self.let_go

    def let_go(self) -> None:
        self.held -= 1


@pytest.fixture
def locks(stage: Stage) -> Iterator[Locks]:
    made = Locks()
    awake = Awake(stage.session, stage.live, stage.checks, made.take)
    stage.awake = awake  # type: ignore[attr-defined]
    yield made
    awake.close()
    assert made.held == 0


def is_held(stage: Stage, locks: Locks, wanted: bool) -> None:
    """It is, or is not, when the system was asked."""
    stage.until(lambda: (locks.held == 1) == wanted and locks.held in (0, 1))


def test_files_keep_it_awake_from_the_first_to_the_last(stage: Stage, locks: Locks, recording: Make) -> None:
    one, two, three = stage.drop(*(recording(f"{name}.wav") for name in ("one", "two", "three")))
    is_held(stage, locks, True)
    finish(stage, one)
    stage.say(Failed(two.id, Problem("file.not_media")))
    finish(stage, three)
    is_held(stage, locks, False)
    assert locks.asked == 1, "nothing is let go between two files"


def test_a_paused_queue_lets_it_sleep(stage: Stage, locks: Locks, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    is_held(stage, locks, True)
    stage.session.queue.pause()
    stage.say(Cancelled(entry.id))
    is_held(stage, locks, False)
    stage.session.queue.resume()
    is_held(stage, locks, True)
    stage.session.queue.cancel_all()
    stage.say(Cancelled(entry.id))
    is_held(stage, locks, False)


def test_a_recording_keeps_it_awake_but_not_its_pause(stage: Stage, locks: Locks) -> None:
    entry = stage.record()
    is_held(stage, locks, True)
    stage.live.toggle_pause()
    is_held(stage, locks, False)
    stage.live.toggle_pause()
    stage.stop()
    assert stage.awake.wanted, "its last words are transcribed"  # type: ignore[attr-defined]
    stage.say(Finished(entry.id, transcript()))
    is_held(stage, locks, False)


def test_a_version_and_the_search_for_speakers_keep_it_awake(stage: Stage, locks: Locks, recording: Make) -> None:
    (entry,) = stage.drop(recording("one.wav"))
    finish(stage, entry)
    is_held(stage, locks, False)
    stage.checks.transcribe_version(entry.id)
    is_held(stage, locks, True)
    stage.checks.forget(entry.id)
    is_held(stage, locks, False)
    stage.checks.versions.find_speakers(entry.id, "auto")
    is_held(stage, locks, True)
