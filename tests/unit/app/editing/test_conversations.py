"""A conversation is noticed by its voices, only where somebody looks, and never twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.app.editing.conversations import is_conversation
from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import Failed, Finished
from desktop_app.messages.options import OFF
from desktop_app.problems import Problem
from desktop_app.transcript.model import Speaker, Transcript
from tests.staging import Stage
from tests.talks import talk
from tests.unit.app.editing.test_edits import finish


def silent_of(made: Transcript) -> Transcript:
    """The same text, of which nobody has found the speakers."""
    segments = tuple(replace(it, speaker=None) for it in made.segments)
    return replace(made, segments=segments, speakers=())


@pytest.fixture
def entry(stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A text of ten minutes without speakers."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, silent_of(talk(2, rounds=8)))
    return made


def voices(stage: Stage, entry: Entry, count: int) -> None:
    """The engine has heard so many people in the two minutes that it was asked for."""
    stage.say(Finished(f"conversation:{entry.id}", replace(talk(count, rounds=2), path="")))


def test_two_minutes_from_the_middle_are_listened_to_once(stage: Stage, entry: Entry) -> None:
    told: list[str] = []
    stage.core.conversations.noticed.connect(told.append)
    stage.core.conversations.look(entry)
    stage.core.conversations.look(entry)
    ((job, path, (begin, end)),) = stage.engine.listening
    assert (job, path) == (f"conversation:{entry.id}", entry.path)
    assert (begin + end) / 2 == pytest.approx(entry.seconds / 2) and end - begin == 120.0
    assert not stage.core.conversations.is_noticed(entry)
    voices(stage, entry, 2)
    assert told == [entry.id] and stage.core.conversations.is_noticed(entry)
    entry.speakers = talk(2).speakers
    assert not stage.core.conversations.is_noticed(entry)
    assert not stage.engine.finding


def test_nothing_is_said_of_one_voice_nor_of_a_failure(stage: Stage, entry: Entry) -> None:
    stage.core.conversations.look(entry)
    stage.say(Failed(f"conversation:{entry.id}", Problem("file.missing")))
    assert not stage.core.conversations.is_noticed(entry)
    assert not stage.checks.versions.problems
    voices(stage, entry, 1)
    assert not stage.core.conversations.is_noticed(entry)


def test_it_listens_only_when_the_engine_has_nothing_else_to_do(
    stage: Stage, entry: Entry, recording: Callable[[str], Path]
) -> None:
    (other,) = stage.drop(recording("other.wav"))
    stage.core.conversations.look(entry)
    assert not stage.engine.listening
    finish(stage, other, talk(2))
    stage.core.conversations.look(other)
    assert not stage.engine.listening, "its speakers are known"
    stage.core.conversations.look(entry)
    assert len(stage.engine.listening) == 1


def test_an_old_recording_starts_no_engine_and_off_is_off(stage: Stage, entry: Entry) -> None:
    later = stage.restart()
    kept = later.session.entries[entry.id]
    later.session.load(entry.id)
    later.settle()
    later.core.conversations.look(kept)
    assert not later.engine.listening
    later.preferences.conversations = OFF
    (new,) = later.drop(Path(entry.path))
    finish(later, new, silent_of(talk(2)))
    later.core.conversations.look(new)
    assert not later.engine.listening


def _voices(*turns: tuple[str, float, float]) -> tuple[Speaker, ...]:
    names = sorted({who for who, _, _ in turns})
    return tuple(Speaker(name, name, tuple((begin, end) for who, begin, end in turns if who == name)) for name in names)


def test_a_conversation_has_two_voices_that_take_turns() -> None:
    lively = [("S1" if n % 2 else "S2", n * 4.0, n * 4.0 + 3.0) for n in range(8)]
    assert is_conversation(_voices(*lively), 32.0)
    assert not is_conversation(_voices(*lively), 160.0), "two voices that seldom change"
    assert not is_conversation(_voices(*lively[:3]), 12.0)
    brief = [(who, begin, begin + (0.5 if who == "S1" else 3.0)) for who, begin, _ in lively]
    assert not is_conversation(_voices(*brief), 32.0), "a cough is nobody"
    assert not is_conversation(_voices(*[("S1", begin, end) for _, begin, end in lively]), 32.0)
    assert not is_conversation((), 32.0)
