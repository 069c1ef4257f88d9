"""The engine gets one file after another, in the user's order; pausing, moving and cancelling lose no text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.app.library.recovery import Recovery
from desktop_app.app.recordings import entry as states
from desktop_app.app.recordings.entry import Entry
from desktop_app.messages.jobs import Cancelled, Failed, Finished, Progress, SegmentReady, Started
from desktop_app.problems import Problem
from desktop_app.transcript.model import ResumePoint
from desktop_app.transcript.statistics import Statistics
from tests.staging import MODELS, Stage, finish, segment, transcript

Make = Callable[[str], Path]


def names(stage: Stage) -> list[str]:
    return [entry.file_name for entry in stage.session.queue.files]


def sent(stage: Stage) -> list[str]:
    """The names of the files that the engine was given, in order."""
    return [Path(path).name for _job, path, _options in stage.engine.jobs]


@pytest.fixture
def four(stage: Stage, recording: Make) -> list[Entry]:
    return stage.drop(*(recording(f"{name}.wav") for name in ("one", "two", "three", "four")))


def half(stage: Stage, entry: Entry) -> None:
    """The engine has done a window of it."""
    place = ResumePoint(15 * 16_000, 1, "en", 0.75, (1,), 1.5, (7, 8))
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    stage.say(Progress(entry.id, 15.0, 60.0, Statistics(audio_seconds=15.0), (), place))


def test_the_next_file_begins_when_the_one_before_it_has_ended(stage: Stage, four: list[Entry]) -> None:
    """However it ended: done, failed or cancelled."""
    one, two, three, _last = four
    assert sent(stage) == ["one.wav"]
    finish(stage, one)
    stage.say(Failed(two.id, Problem("file.not_media")))
    assert sent(stage) == ["one.wav", "two.wav", "three.wav"]
    stage.session.cancel(three.id)
    assert stage.engine.cancelled == [three.id] and len(sent(stage)) == 3
    stage.say(Cancelled(three.id))
    assert sent(stage)[3:] == ["four.wav"]


def test_files_that_wait_are_moved_and_that_outlives_a_kill(stage: Stage, four: list[Entry]) -> None:
    one, two, _three, last = four
    assert stage.session.queue.move(last.id, 0) and names(stage) == ["one.wav", "four.wav", "two.wav", "three.wav"]
    assert stage.session.queue.move(two.id, 2) and names(stage) == ["one.wav", "four.wav", "three.wav", "two.wav"]
    assert not stage.session.queue.move(one.id, 0), "what is in work stays where it is"
    assert not stage.session.queue.move(two.id, 3) and not stage.session.queue.move(last.id, -1)
    later = stage.restart()
    recovery = Recovery(later.session, later.preferences)
    later.until(lambda: len(recovery.found) == 4)
    recovery.transcribe()
    later.settle()
    later.settle()
    assert names(later) == ["four.wav", "three.wav", "two.wav", "one.wav"]
    recovery.close()


def test_a_new_file_comes_behind_those_that_were_moved(stage: Stage, four: list[Entry], recording: Make) -> None:
    stage.session.queue.move(four[3].id, 0)
    stage.drop(recording("five.wav"))
    assert names(stage)[-1] == "five.wav"


def test_a_paused_queue_goes_on_where_it_was(stage: Stage, four: list[Entry]) -> None:
    one, two, _three, _last = four
    half(stage, one)
    stage.session.queue.pause()
    assert stage.engine.cancelled == [one.id]
    stage.say(Cancelled(one.id))
    assert (one.state, one.segments, sent(stage)) == (states.WAITING, [segment(0)], ["one.wav"])
    assert all(entry.progress_words().startswith("Paused") for entry in four)
    stage.settle()
    assert {kept.state for kept in stage.library.recordings()} == {"waiting"}, "as the next start finds it"
    stage.session.queue.resume()
    stage.until(lambda: len(stage.engine.jobs) == 2)
    assert sent(stage)[1] == "one.wav" and stage.engine.places[one.id] == ResumePoint(
        240_000, 1, "en", 0.75, (1,), 1.5, (7, 8)
    )
    stage.say(Started(one.id, 60.0, MODELS, kept=1), Finished(one.id, transcript(segment(0), segment(1))))
    assert one.segments == [segment(0), segment(1)] and sent(stage)[2] == "two.wav"
    assert two.progress_words() == "Queued"


def test_a_file_that_is_done_before_it_can_be_paused_is_done(stage: Stage, four: list[Entry]) -> None:
    half(stage, four[0])
    stage.session.queue.pause()
    stage.say(Finished(four[0].id, transcript(segment(0))))
    assert four[0].state == states.DONE and len(sent(stage)) == 1
    stage.session.queue.resume()
    assert sent(stage) == ["one.wav", "two.wav"]


def test_a_queue_that_is_resumed_before_the_engine_has_stopped_loses_no_file(stage: Stage, four: list[Entry]) -> None:
    half(stage, four[0])
    stage.session.queue.pause()
    stage.session.queue.resume()
    stage.say(Cancelled(four[0].id))
    for entry in (four[1], four[2], four[3]):
        if sent(stage)[-1] == entry.file_name:
            finish(stage, entry)
    stage.until(lambda: sent(stage).count("one.wav") == 2)
    assert four[0].state == states.WAITING


def test_a_queue_that_was_paused_at_a_kill_is_offered(stage: Stage, four: list[Entry]) -> None:
    """With the text so far."""
    half(stage, four[0])
    stage.session.queue.pause()
    stage.say(Cancelled(four[0].id))
    later = stage.restart()
    assert [entry.state for entry in later.session.entries.values()] == [states.INTERRUPTED] * 4
    assert later.library.transcript(four[0].id).segments == (segment(0),)


def test_all_are_cancelled_at_once(stage: Stage, four: list[Entry]) -> None:
    half(stage, four[0])
    stage.session.queue.cancel_all()
    stage.say(Cancelled(four[0].id))
    assert {entry.state for entry in four} == {states.CANCELLED} and sent(stage) == ["one.wav"]
    assert four[0].segments == [segment(0)]
    stage.settle()
    assert {one.state for one in stage.library.recordings()} == {"cancelled"}


def test_what_is_surely_no_recording_is_not_queued(stage: Stage, tmp_path: Path, recording: Make) -> None:
    """It is said at once, and not when its turn comes; what may be one is left to FFmpeg."""
    (tmp_path / "notes.txt").write_text("Words, Umlaute: äöü\n" * 900, encoding="utf-8")
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.7\n\xe2\xe3")
    (tmp_path / "unknown.bin").write_bytes(bytes(range(256)))
    with stage.emits(stage.session.trouble) as told:
        stage.drop(recording("one.wav"))
        stage.session.add([str(tmp_path / name) for name in ("notes.txt", "scan.pdf", "unknown.bin")])
    assert told.args == [(Problem("file.no_media", names="notes.txt, scan.pdf"),)]
    stage.until(lambda: len(stage.session.entries) == 2)
    assert names(stage) == ["one.wav", "unknown.bin"]
