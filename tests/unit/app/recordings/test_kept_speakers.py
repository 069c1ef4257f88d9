"""A new text of a recording whose speakers were corrected: the reader's work is not lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.app.editing.edits import NEW
from desktop_app.app.recordings.entry import DONE, Entry
from desktop_app.messages.jobs import Failed, Finished, SegmentReady, Started
from desktop_app.problems import Problem
from desktop_app.transcript.model import Transcript
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish, name, stored
from tests.unit.app.library.test_recovery import interrupted


@pytest.fixture
def entry(stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation of two."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    return made


def again(stage: Stage, entry: Entry, text: Transcript) -> None:
    """Let it be transcribed again."""
    stage.session.transcribe_again(entry.id)
    stage.say(Finished(f"check:{entry.id}", text))
    stage.settle()


def test_a_new_text_keeps_the_corrections_and_they_can_be_undone(stage: Stage, entry: Entry) -> None:
    """Names, merges and reassigned lines are an hour of a reader's work: "Transcribe again" must not lose them."""
    stage.edits.rename(entry.id, "S1", "One")
    stage.edits.reassign(entry.id, [2], "S1")
    mine = entry.transcript()
    told: list[str] = []
    stage.edits.kept.connect(told.append)
    stage.session.transcribe_again(entry.id)
    assert (entry.state, entry.transcript()) == (DONE, mine), "no blank page while it runs"
    stage.say(Failed(f"check:{entry.id}", Problem("engine.memory")))  # a failure in between loses nothing either
    fresh = talk(2, named=False)
    again(stage, entry, fresh)
    assert (entry.transcript().segments, entry.transcript().speakers) == (mine.segments, mine.speakers)
    kept = stored(stage, entry.id)
    assert (kept.segments, kept.speakers) == (mine.segments, mine.speakers)
    assert told == [entry.id]
    assert name(stage.edits.undo(entry.id)) == "kept corrections"
    assert entry.transcript().speakers == fresh.speakers
    assert stage.edits.next_undo(entry.id) == ""


def test_a_text_that_nobody_corrected_is_simply_replaced(stage: Stage, entry: Entry) -> None:
    stage.session.put_text(entry, talk(2, named=False), lambda library: None)
    stage.edits.undo(entry.id)  # the first text had names
    again(stage, entry, talk(3, named=False))
    assert [speaker.name for speaker in entry.speakers] == ["Speaker 1", "Speaker 2", "Speaker 3"]
    assert stage.edits.next_undo(entry.id) == ""


def test_the_text_of_a_check_keeps_the_corrections(stage: Stage, entry: Entry) -> None:
    stage.edits.merge(entry.id, "S2", "S1")
    stage.session.put_text(entry, talk(2), lambda library: None)
    assert {segment.speaker for segment in entry.segments} == {"S1"}
    assert name(stage.edits.undo(entry.id)) == "kept corrections"


def test_lines_that_were_only_reassigned_are_kept_after_a_restart(
    stage: Stage, recording: Callable[[str], Path]
) -> None:
    """Nobody was renamed, so the text itself does not show that a reader has worked on it."""
    (entry,) = stage.drop(recording("talk.wav"))
    finish(stage, entry, talk(2, named=False))
    stage.edits.reassign(entry.id, [2], "S1")
    mine = entry.transcript()
    later = stage.restart()
    entry = later.session.entries[entry.id]
    again(later, entry, talk(2, named=False))
    later.settle()
    assert (entry.transcript().segments, entry.transcript().speakers) == (mine.segments, mine.speakers)
    assert name(later.edits.undo(entry.id)) == "kept corrections"
    assert entry.segments[2].speaker == "S2"
    later.settle()
    assert later.library.corrections(entry.id) is None


def test_a_program_that_ends_while_a_text_is_transcribed_again_leaves_it_whole(stage: Stage, entry: Entry) -> None:
    """It is not called unfinished at the next start, and what was corrected in it is there."""
    stage.edits.rename(entry.id, "S1", "One")
    stage.edits.reassign(entry.id, [2], "S1")
    mine = entry.transcript()
    stage.session.transcribe_again(entry.id)
    fresh = talk(2, named=False)
    job = f"check:{entry.id}"
    stage.say(Started(job, fresh.seconds, fresh.models), SegmentReady(job, fresh.segments[0]))
    later = stage.restart()
    entry = later.session.entries[entry.id]
    assert (entry.state, later.session.interrupted_files) == (DONE, [])
    later.session.load(entry.id)
    later.settle()
    assert (entry.transcript().segments, entry.transcript().speakers) == (mine.segments, mine.speakers)
    again(later, entry, fresh)
    assert (entry.transcript().segments, entry.transcript().speakers) == (mine.segments, mine.speakers)


def test_a_live_recording_that_was_broken_off_and_goes_on_keeps_what_was_corrected(stage: Stage) -> None:
    """Its lines stand; who speaks in the whole recording is found anew, and need not be what the reader has said."""
    whole = talk(2, named=False)
    later = interrupted(stage, *(replace(part, speaker=None) for part in whole.segments[:4]))
    session, edits = later.session, later.edits
    (entry,) = session.entries.values()
    session.load(entry.id)
    stage.until(lambda: bool(entry.segments))
    edits.reassign(entry.id, [0, 1], NEW)
    edits.reassign(entry.id, [2, 3], NEW)
    assert [part.speaker for part in entry.segments] == ["S1", "S1", "S2", "S2"]
    session.transcribe_again(entry.id)
    stage.until(lambda: bool(stage.engine.jobs))
    session.handle(Started(entry.id, whole.seconds, whole.models))
    session.handle(Finished(entry.id, replace(whole, path=entry.path)))
    assert entry.state == DONE
    assert [part.speaker for part in entry.segments[:4]] == ["S1", "S1", "S2", "S2"]
    assert {part.speaker for part in entry.segments[4:]} == {"S1", "S2"}
    assert name(edits.undo(entry.id)) == "kept corrections"
    assert [part.speaker for part in entry.segments] == [part.speaker for part in whole.segments]
