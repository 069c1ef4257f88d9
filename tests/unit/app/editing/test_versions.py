"""Other texts of a recording: asked for, compared, taken back; and speakers that are found in a text that stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.app.editing.recheck import AGAIN, VERSION
from desktop_app.app.library.recovery import Recovery
from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.entry import CANCELLED, DONE, WAITING, Entry
from desktop_app.messages.jobs import Cancelled, Failed, Finished, Progress, SegmentReady, Started
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.model import ResumePoint, Speaker, Transcript
from desktop_app.transcript.statistics import Statistics
from tests.talks import talk
from tests.ui.staging import Stage
from tests.unit.app.editing.test_edits import finish, name, stored, type_in

GERMAN = Options(language="de", task="translate", words=True, hot_words=("Galley",))


@pytest.fixture
def entry(stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation of two."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2, named=False))
    stage.settle()
    return made


def other(text: Transcript, *places: int) -> Transcript:
    """Another text: the first word of these lines is another one."""
    lines = [
        replace(it, text=f"Other {it.text.split(' ', 1)[1]}", words=()) if it.id in places else it
        for it in text.segments
    ]
    return replace(text, segments=tuple(lines))


def found(stage: Stage, entry: Entry, text: Transcript) -> None:
    """The engine has another text."""
    stage.say(Finished(f"check:{entry.id}", text))
    stage.settle()
    stage.settle()


def test_the_text_stays_while_another_one_is_written_and_then_becomes_a_version(stage: Stage, entry: Entry) -> None:
    before, told = entry.transcript(), list[str]()
    stage.checks.told.connect(told.append)
    stage.checks.transcribe_version(entry.id, GERMAN)
    assert stage.engine.jobs[-1] == (f"check:{entry.id}", entry.path, GERMAN)
    stage.say(Started(f"check:{entry.id}", 60.0, before.models), SegmentReady(f"check:{entry.id}", talk().segments[0]))
    stage.say(Progress(f"check:{entry.id}", 15.0, 60.0, Statistics()))
    assert (entry.state, entry.transcript(), stage.checks.running[entry.id].progress) == (DONE, before, 0.25)
    assert stored(stage, entry.id).segments == before.segments
    found(stage, entry, other(talk(2, named=False), 0))
    assert entry.segments[0].text.startswith("Other")
    assert stored(stage, entry.id).segments == tuple(entry.segments)
    assert len(told) == 1 and not stage.checks.running
    standing, version = stage.checks.versions.known[entry.id]
    assert resuming.options(standing.asked) == GERMAN
    assert stage.library.version(entry.id, version.number).segments == before.segments


@pytest.mark.parametrize("event", ["failed", "moved", "cancelled", "silent"])
def test_nothing_is_lost_when_there_is_no_other_text(stage: Stage, entry: Entry, event: str) -> None:
    before, job = entry.transcript(), f"check:{entry.id}"
    stage.checks.transcribe_version(entry.id)
    if event == "cancelled":
        stage.checks.forget(entry.id)
        assert stage.engine.cancelled == [job]
        stage.say(Cancelled(job))
        assert not stage.checks.running
    elif event == "silent":
        found(stage, entry, replace(before, segments=()))
        assert stage.checks.running[entry.id].problem == Problem("file.no_words")
    else:
        stage.say(Failed(job, Problem("file.missing" if event == "moved" else "engine.memory")))
        moved = Problem("file.moved", name=Path(entry.path).name)
        assert stage.checks.running[entry.id].problem == (moved if event == "moved" else Problem("engine.memory"))
    stage.settle()
    assert (entry.state, entry.transcript()) == (DONE, before)
    assert stored(stage, entry.id).segments == before.segments
    assert len(stage.library.versions(entry.id)) == 1


def test_changes_are_taken_and_refused_one_by_one_and_each_can_be_undone(stage: Stage, entry: Entry) -> None:
    type_in(stage, entry, (0, 0), "So, ")
    mine = [it.text for it in entry.segments]
    stage.checks.transcribe_version(entry.id)
    found(stage, entry, other(talk(2, named=False), 1, 2, 3))
    check = stage.checks.running[entry.id]
    assert check.kind == AGAIN and check.number and check.is_whole
    first, second, *others = check.changes
    stage.checks.refuse(entry.id, [first])
    stage.checks.accept_changes(entry.id, [second])
    stage.settle()
    assert list(check.changes) == others, "what is refused is not asked again"
    assert not check.is_whole
    accepted = [it.text for it in entry.segments]
    assert accepted != mine and entry.reworded
    assert name(stage.edits.undo(entry.id)) == "accepted change"
    stage.settle()
    assert [it.text for it in entry.segments] == mine
    assert second in check.changes, "what was undone can be taken again"
    stage.edits.redo(entry.id)
    stage.settle()
    stage.checks.accept(entry.id)
    stage.settle()
    assert not check.changes
    assert entry.segments[0].text == mine[0] or first.old[0][0] != 0, "the rest was taken, not the whole text"
    assert name(stage.edits.undo(entry.id)).startswith("accepted change")
    assert [it.text for it in entry.segments] == accepted
    assert stored(stage, entry.id).segments == tuple(entry.segments)


def test_a_change_of_a_text_that_is_another_one_now_is_not_taken(stage: Stage, entry: Entry) -> None:
    type_in(stage, entry, (0, 0), "So, ")
    stage.checks.transcribe_version(entry.id)
    found(stage, entry, other(talk(2, named=False), 1))
    changes = stage.checks.running[entry.id].changes
    type_in(stage, entry, (0, 0), "Well ")
    before = entry.transcript()
    stage.checks.accept_changes(entry.id, changes[:1])
    assert entry.transcript() == before


def test_a_version_is_compared_and_taken_back_with_its_corrections(stage: Stage, entry: Entry) -> None:
    stage.edits.rename(entry.id, "S1", "Ann")
    before = entry.transcript()
    stage.checks.transcribe_version(entry.id)
    found(stage, entry, other(talk(2, named=False), 1))
    assert entry.speakers[0].name == "Ann", "who speaks is carried over"
    type_in(stage, entry, (0, 0), "So, ")  # and not written yet
    second, (_standing, old) = entry.transcript(), stage.checks.versions.known[entry.id]
    stage.checks.compare(entry.id, old.number)
    stage.settle()
    stage.settle()
    check = stage.checks.running[entry.id]
    assert (check.kind, bool(check.changes)) == (VERSION, True)
    stage.checks.accept(entry.id)
    assert not stage.edits.may_edit(entry.id), "what is typed now would be typed into another text"
    stage.settle()
    assert (entry.transcript().segments, entry.reworded, entry.corrected) == (before.segments, False, True)
    assert stored(stage, entry.id).segments == before.segments
    (new,) = stage.checks.versions.known[entry.id][1:]
    stage.checks.versions.take(entry.id, new.number)
    stage.settle()
    assert (entry.transcript().segments, entry.reworded) == (second.segments, True)


def test_only_the_chosen_lines_are_redone(stage: Stage, entry: Entry) -> None:
    lines = list(entry.segments)
    stage.checks.redo(entry.id, 1, 2, GERMAN)
    job, _path, options = stage.engine.jobs[-1]
    begin, end = stage.engine.parts[job]
    assert lines[0].end <= begin <= lines[1].start and lines[2].end <= end <= lines[3].start
    assert (options.language, options.speakers) == ("de", "off")
    found(stage, entry, replace(entry.transcript(), segments=other(entry.transcript(), 2).segments[1:3]))
    check = stage.checks.running[entry.id]
    assert {change.old[0][0] for change in check.changes} == {2}
    stage.checks.accept(entry.id)
    assert [it.id for it in entry.segments if it.text != lines[it.id].text] == [2]
    assert len(entry.segments) == len(lines)
    assert len(stage.library.versions(entry.id)) == 1


def test_speakers_are_found_in_a_text_that_was_edited_meanwhile(stage: Stage, entry: Entry) -> None:
    stage.checks.versions.find_speakers(entry.id, "3")
    assert stage.engine.finding == [(f"speakers:{entry.id}", entry.path, "3")]
    type_in(stage, entry, (0, 0), "So, ")
    words = [it.text for it in entry.segments]
    last = entry.segments[-1].end
    result = Transcript("", last, "", 0.0, entry.transcript().models, (), (Speaker("S1", "Speaker 1", ((0.0, last),)),))
    stage.say(Finished(f"speakers:{entry.id}", result))
    stage.settle()
    assert [it.text for it in entry.segments] == words
    assert {it.speaker for it in entry.segments} == {"S1"}
    assert name(stage.edits.undo(entry.id)) == "speakers"
    stage.checks.versions.find_speakers(entry.id, "auto")
    stage.say(Failed(f"speakers:{entry.id}", Problem("file.missing")))
    assert stage.checks.versions.problems[entry.id].code == "file.moved"


def test_a_file_goes_on_with_the_options_that_it_was_dropped_with_after_a_restart_too(
    stage: Stage, recording: Callable[[str], Path]
) -> None:
    stage.session.add([str(recording("talk.wav"))], GERMAN)
    stage.until(lambda: bool(stage.engine.jobs))
    (entry,) = stage.session.entries.values()
    assert stage.engine.jobs[-1] == (entry.id, entry.path, GERMAN)
    later = stage.restart()
    later.session.transcribe_again(entry.id)
    later.settle()
    assert later.session.entries[entry.id].state == WAITING
    place = ResumePoint(480_000, 1, "de", 0.75)
    text = talk(2)
    later.say(Started(entry.id, 60.0, text.models), SegmentReady(entry.id, text.segments[0]))
    later.say(Progress(entry.id, 30.0, 60.0, Statistics(), place=place), Cancelled(entry.id))
    assert later.session.entries[entry.id].state == CANCELLED
    last = later.restart()
    last.session.transcribe_again(entry.id)
    last.until(lambda: last.engine.places.get(entry.id) is not None)
    assert last.engine.jobs[-1][2] == GERMAN
    assert len(last.session.entries[entry.id].segments) == 1, "the text so far stands"


def half(stage: Stage, entry: Entry) -> ResumePoint:
    """The engine has done a window of another text."""
    job, text, place = f"check:{entry.id}", talk(2, named=False), ResumePoint(240_000, 1, "en", 0.75, file=(7, 8))
    stage.say(Started(job, 60.0, text.models), SegmentReady(job, text.segments[0]))
    stage.say(Progress(job, 15.0, 60.0, Statistics(audio_seconds=15.0), place=place))
    return place


def offered(stage: Stage) -> Recovery:
    """What a start offers to go on with."""
    recovery, done = Recovery(stage.session, stage.preferences), list[None]()
    recovery._worker.do(lambda: None, done.append)
    stage.until(lambda: done)
    recovery.close()
    return recovery


def test_a_version_that_was_being_written_at_the_end_of_the_program_is_offered(stage: Stage, entry: Entry) -> None:
    """With its options; the old text stands meanwhile. Who declines it is not asked again."""
    stage.checks.transcribe_version(entry.id, GERMAN)
    half(stage, entry)
    later = stage.restart()
    recovery = offered(later)
    (found,) = recovery.found
    assert (found.id, found.state) == (entry.id, DONE)
    assert recovery.sentence() == "1 transcription was interrupted."
    recovery.transcribe()
    assert not recovery.found and stage.engine.jobs[-1] == (f"check:{entry.id}", entry.path, GERMAN)
    last = later.restart()
    recovery = offered(last)
    assert recovery.found, "it was not done that time either"
    recovery.decline()
    end = last.restart()
    assert not offered(end).found
    assert stored(end, entry.id).segments == entry.transcript().segments


@pytest.mark.parametrize("end", ["done", "cancelled", "failed"])
def test_a_version_that_is_done_or_given_up_is_not_offered(stage: Stage, entry: Entry, end: str) -> None:
    stage.checks.transcribe_version(entry.id, GERMAN)
    if end == "done":
        found(stage, entry, other(talk(2, named=False), 0))
    elif end == "failed":
        stage.say(Failed(f"check:{entry.id}", Problem("engine.memory")))
    else:
        stage.checks.forget(entry.id)
    assert not offered(stage.restart()).found


def test_a_version_is_paused_with_the_queue_and_goes_on_where_it_was(
    stage: Stage, entry: Entry, recording: Callable[[str], Path]
) -> None:
    """It comes before the files that wait, as somebody looks at it."""
    (first, second), job = stage.drop(recording("one.wav"), recording("two.wav")), f"check:{entry.id}"
    stage.checks.transcribe_version(entry.id, GERMAN)
    assert [each for each, _path, _options in stage.engine.jobs[-2:]] == [entry.id, first.id], "one after the other"
    assert stage.session.queue.count == 3
    stage.say(Finished(first.id, talk(2)))
    place, queue = half(stage, entry), stage.session.queue
    queue.pause()
    stage.say(Cancelled(job))
    check = stage.checks.running[entry.id]
    assert check.paused and queue.count == 2 and stage.engine.jobs[-1][0] == job, "nothing else begins"
    queue.resume()
    assert not check.paused and stage.engine.jobs[-1] == (job, entry.path, GERMAN)
    written = stage.engine.written[job]
    assert written is not None and len(written.segments) == 1 and stage.engine.places[job] == place
    found(stage, entry, other(talk(2, named=False), 0))
    assert entry.segments[0].text.startswith("Other") and stage.engine.jobs[-1][0] == second.id


def test_all_jobs_of_the_queue_are_cancelled_versions_too(stage: Stage, entry: Entry) -> None:
    """One that waits, and one that a pause has stopped, of which the engine says nothing more."""
    queue, job = stage.session.queue, f"check:{entry.id}"
    stage.checks.transcribe_version(entry.id, GERMAN)
    queue.pause()
    stage.say(Cancelled(job))
    queue.cancel_all()
    assert not stage.checks.running and not queue.count and not queue.paused
    queue.pause()
    stage.checks.transcribe_version(entry.id)
    assert len(stage.engine.jobs) == 2 and queue.count == 1
    stage.checks.forget(entry.id)
    queue.resume()
    assert len(stage.engine.jobs) == 2 and not queue.count
