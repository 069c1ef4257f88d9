"""Corrections of speakers: each changes something, can be taken back, and waits for no disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from desktop_app.app.entry import Entry
from desktop_app.engine.messages import Finished, SegmentReady, Started
from desktop_app.transcript.model import Transcript
from tests.staging import Stage
from tests.talks import talk


def finish(stage: Stage, entry: Entry, made: Transcript) -> None:
    """The engine says it as it does: first lines as they are written, at the end who speaks."""
    stage.say(Started(entry.id, made.seconds, made.models))
    stage.say(*(SegmentReady(entry.id, replace(part, speaker=None)) for part in made.segments[:16]))
    stage.say(Finished(entry.id, replace(made, path=entry.path)))


@pytest.fixture
def entry(stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation of two."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    return made


def stored(stage: Stage, key: str) -> Transcript:
    """What is on the disk."""
    stage.settle()
    return stage.library.transcript(key)


def test_a_correction_is_one_that_changes_something(stage: Stage, entry: Entry) -> None:
    edits, before = stage.edits, entry.transcript()
    assert not edits.rename(entry.id, "S1", "Rose")
    assert not edits.rename(entry.id, "S1", "  ")
    assert not edits.rename(entry.id, "S9", "Zoe")
    assert not edits.reassign(entry.id, [0], "S1")
    assert not edits.reassign(entry.id, [0], "S9")
    assert not edits.merge(entry.id, "S1", "S1")
    assert not edits.split(entry.id, 0, 0)
    assert not edits.split(entry.id, 99, 4)
    assert entry.transcript() == before
    assert edits.next_undo(entry.id) == ""


def test_what_was_undone_goes_when_something_else_is_done(stage: Stage, entry: Entry) -> None:
    edits = stage.edits
    edits.rename(entry.id, "S1", "One")
    edits.undo(entry.id)
    assert edits.next_redo(entry.id) == "rename"
    edits.rename(entry.id, "S1", "Two")
    assert edits.next_redo(entry.id) == ""


def test_many_corrections_at_once_are_written_once(stage: Stage, entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.settle()
    written: list[str] = []
    revise, disk = stage.library.revise, Event()

    def slow(key: str, made: Transcript, corrected: bool) -> None:
        disk.wait(30)
        written.append(made.speakers[0].name)
        revise(key, made, corrected)

    monkeypatch.setattr(stage.library, "revise", slow)
    for number in range(40):
        stage.edits.rename(entry.id, "S1", f"Name {number}")
    disk.set()
    assert stored(stage, entry.id).speakers[0].name == "Name 39"
    assert len(written) <= 2, "the one that the disk was busy with, and the newest"
