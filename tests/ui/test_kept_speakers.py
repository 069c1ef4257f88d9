"""A new text of a recording whose speakers were corrected: the reader's work is not lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.engine.messages import Failed
from desktop_app.ui.entry import Entry
from desktop_app.ui.window import Window
from tests.ui.staging import Stage
from tests.ui.talks import talk
from tests.ui.test_speakers import finish, stored


@pytest.fixture
def entry(stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation of two."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    return made


def test_a_new_text_keeps_the_corrections_and_they_can_be_undone(stage: Stage, window: Window, entry: Entry) -> None:
    """Names, merges and reassigned lines are an hour of a reader's work: "Transcribe again" must not lose them."""
    stage.edits.rename(entry.id, "S1", "One")
    stage.edits.reassign(entry.id, [2], "S1")
    mine = entry.transcript()
    stage.session.again(entry.id)
    assert not stage.edits.may_edit(entry.id)
    assert not stage.edits.rename(entry.id, "S1", "Two")
    stage.say(Failed(entry.id, "no memory", "close something", "memory"))
    stage.session.again(entry.id)  # a failure in between loses nothing either
    fresh = talk(2, named=False)
    finish(stage, entry, fresh)
    assert (entry.transcript().segments, entry.transcript().speakers) == (mine.segments, mine.speakers)
    kept = stored(stage, entry.id)
    assert (kept.segments, kept.speakers) == (mine.segments, mine.speakers)
    assert "Your speakers were kept" in window.toast.text()
    assert stage.edits.undo(entry.id) == "kept speakers"
    assert entry.transcript().speakers == fresh.speakers
    assert stage.edits.next_undo(entry.id) == ""


def test_a_text_that_nobody_corrected_is_simply_replaced(stage: Stage, window: Window, entry: Entry) -> None:
    stage.session.put_text(entry, talk(2, named=False))
    stage.edits.undo(entry.id)  # the first text had names
    stage.session.again(entry.id)
    finish(stage, entry, talk(3, named=False))
    assert [speaker.name for speaker in entry.speakers] == ["Speaker 1", "Speaker 2", "Speaker 3"]
    assert stage.edits.next_undo(entry.id) == ""


def test_the_text_of_a_check_keeps_the_corrections(stage: Stage, entry: Entry) -> None:
    stage.edits.merge(entry.id, "S2", "S1")
    stage.session.put_text(entry, talk(2))
    assert {segment.speaker for segment in entry.segments} == {"S1"}
    assert stage.edits.undo(entry.id) == "kept speakers"
