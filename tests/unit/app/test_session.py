"""The queue, its states, and what reaches the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.app import entry as states
from desktop_app.app.session import Session
from desktop_app.engine.messages import (
    Cancelled,
    Failed,
    Finished,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
    TentativeLine,
)
from desktop_app.problems import Problem
from desktop_app.transcript.statistics import Statistics
from tests.staging import MODELS, Stage, segment, transcript

Make = Callable[[str], Path]


def test_dropped_files_are_queued_in_their_order(stage: Stage, recording: Make) -> None:
    one, two = stage.drop(recording("one.wav"), recording("two.mp3"))
    (three,) = stage.drop(recording("three.flac"))
    assert [job[0] for job in stage.engine.jobs] == [one.id, two.id, three.id]
    assert [entry.name for entry in stage.session.in_work] == ["one.wav", "two.mp3", "three.flac"]
    assert list(stage.session.entries) == [three.id, two.id, one.id]  # the newest first


def test_a_folder_gives_its_recordings(stage: Stage, recording: Make, tmp_path: Path) -> None:
    for name in ("talks/b.WAV", "talks/a.mp4", "talks/notes.txt", "talks/.hidden.wav", "talks/old/c.ogg"):
        recording(name)
    stage.session.add([str(tmp_path / "talks")])
    stage.until(lambda: len(stage.session.entries) == 3)
    assert [entry.name for entry in stage.session.in_work] == ["a.mp4", "b.WAV", "c.ogg"]


def test_a_folder_without_recordings_says_so(stage: Stage, tmp_path: Path) -> None:
    with stage.hears(stage.session.trouble) as told:
        stage.session.add([str(tmp_path)])
    assert told.args == [(Problem("file.none_found"),)]
    assert not stage.engine.jobs


def test_a_run_from_the_first_word_to_the_last(stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    assert entry.summary() == "Queued"
    stage.say(Preparing(entry.id, "loading", {"name": "Large"}))
    assert entry.summary() == "Loading Large…"
    stage.say(Started(entry.id, 60.0, MODELS))
    stage.say(Tentative(entry.id, (TentativeLine(0.0, " One", " two"), TentativeLine(2.0, "", " three"))))
    stage.say(SegmentReady(entry.id, segment(0)))
    assert [line.start for line in entry.lines] == [2.0]
    stage.say(Progress(entry.id, 15.0, 60.0, Statistics(audio_seconds=15.0, wall_seconds=100.0)))
    assert entry.summary() == "25% · about 5 min left"
    stage.say(Finished(entry.id, transcript(segment(0), segment(1))))
    assert (entry.state, entry.progress, len(entry.segments), entry.lines) == (states.DONE, 1.0, 2, ())
    stage.settle()
    kept = stage.library.transcript(entry.id)
    assert [part.text for part in kept.segments] == [segment(0).text, segment(1).text]
    assert stage.library.recordings()[0].state == "done"


def test_every_segment_is_kept_when_it_comes(stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    stage.say(Started(entry.id, 60.0, MODELS), *(SegmentReady(entry.id, segment(n)) for n in range(3)))
    stage.settle()
    assert len(stage.library.transcript(entry.id).segments) == 3


def test_what_was_written_stands_after_cancelling(stage: Stage, recording: Make) -> None:
    entry, other = stage.drop(recording("talk.wav"), recording("other.wav"))
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    stage.say(Tentative(entry.id, (TentativeLine(2.0, " Half", " a"),)))
    stage.session.cancel(entry.id)
    assert stage.engine.cancelled == [entry.id]
    stage.say(Cancelled(entry.id))
    assert (entry.state, len(entry.segments), entry.lines) == (states.CANCELLED, 1, ())
    assert stage.session.in_work == [other]
    stage.settle()
    assert stage.library.recording(entry.id).state == "cancelled"
    assert len(stage.library.transcript(entry.id).segments) == 1


def test_a_failure_is_one_sentence_and_the_next_goes_on(stage: Stage, recording: Make) -> None:
    entry, other = stage.drop(recording("bad.wav"), recording("good.wav"))
    stage.say(Failed(entry.id, Problem("file.not_media")))
    assert entry.problem == Problem("file.not_media")
    stage.say(Started(other.id, 60.0, MODELS), Finished(other.id, transcript(segment(0))))
    assert other.state == states.DONE
    stage.settle()
    assert stage.library.recording(entry.id).problem == entry.problem


def test_a_failed_one_can_be_tried_again(stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    stage.say(Failed(entry.id, Problem("engine.killed")))
    assert len(entry.segments) == 1
    stage.session.again(entry.id)
    assert (entry.state, entry.problem, entry.segments) == (states.WAITING, None, [])
    assert len(stage.engine.jobs) == 2
    stage.settle()
    assert stage.library.recording(entry.id).state == "waiting"


def test_unfinished_ones_are_interrupted_at_the_next_start(stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    later = stage.restart().session
    found = later.entries[entry.id]
    assert found.state == states.INTERRUPTED
    later.load(entry.id)
    stage.until(lambda: len(found.segments) == 1)
    later.again(entry.id)
    assert later.in_work == [found]


def test_one_that_never_began_has_no_text_after_a_restart(stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("list.mp3"))
    stage.say(Failed(entry.id, Problem("file.not_media")))
    stage.settle()
    later = Session(stage.engine, stage.library, stage.keeper, stage.preferences.options)
    stage.until(lambda: entry.id in later.entries)
    with stage.hears(later.text_changed):
        later.load(entry.id)
    found = later.entries[entry.id]
    assert (found.state, found.problem, found.segments) == (states.FAILED, entry.problem, [])


def test_events_about_removed_recordings_are_passed_over(stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    path = Path(entry.path)
    stage.session.remove(entry.id)
    assert stage.engine.cancelled == [entry.id]
    stage.say(SegmentReady(entry.id, segment(0)), Cancelled(entry.id))
    stage.settle()
    assert not stage.library.recordings()
    assert path.exists()


def test_a_library_that_cannot_keep_does_not_stop_the_work(
    stage: Stage, recording: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise Problem("disk.full")

    for name in ("add", "begin", "append"):
        monkeypatch.setattr(stage.library, name, full)
    with stage.hears(stage.session.trouble) as told:
        (entry,) = stage.drop(recording("talk.wav"))
    assert told.args == [(Problem("disk.full"),)]
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    assert entry.has_text


def test_the_search_looks_into_the_texts(stage: Stage, recording: Make) -> None:
    one, two = stage.drop(recording("one.wav"), recording("two.wav"))
    stage.say(Started(one.id, 60.0, MODELS), SegmentReady(one.id, segment(0, " The roof is done.")))
    found: list[set[str] | None] = []
    stage.session.search("ROOF", found.append)
    stage.session.search("two", found.append)
    stage.until(lambda: len(found) == 2)
    assert found == [{one.id}, {two.id}]


def test_the_chosen_model_and_draft_reach_the_engine(stage: Stage, recording: Make, tmp_path: Path) -> None:
    stage.preferences.target = str(tmp_path)
    stage.preferences.draft = "off"
    stage.preferences.precision = "int8"
    stage.drop(recording("talk.wav"))
    options = stage.engine.jobs[0][2]
    assert (options.target, options.draft, options.precision) == (str(tmp_path), "off", "int8")
