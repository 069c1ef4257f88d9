"""A live recording: what the recorder, the engine and the library are told, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.app.live.live_recording import OFF, OPENING, PAUSED, RUNNING
from desktop_app.app.presentation.problems import sentence
from desktop_app.app.recordings import entry as states
from desktop_app.audio.recording import Gap, Recorded
from desktop_app.messages.jobs import Failed, Finished, Preparing, Started
from desktop_app.problems import Problem
from tests.staging import MODELS, Stage, segment, transcript, update
from tests.studio import DESK, HEADSET, SPEAKERS, FakeRecorder

Make = Callable[[str], Path]


def test_recording_is_said_after_the_first_sample_only(stage: Stage) -> None:
    stage.live.start()
    stage.until(lambda: bool(stage.studio.recorders) and "start" in stage.studio.recorder.asked)
    stage.settle()
    assert stage.live.phase == OPENING
    stage.studio.recorder.feed(0.1)
    stage.until(lambda: stage.live.phase == RUNNING)


def test_every_block_reaches_the_engine_and_the_file_lies_in_the_users_folder(stage: Stage) -> None:
    entry = stage.record(0.5)
    stage.studio.recorder.feed(0.25)
    assert stage.engine.received == [(entry.id, 0, 8000), (entry.id, 8000, 4000)]
    assert stage.studio.recorder.path.parent == stage.preferences.recordings
    assert stage.engine.live[0][0] == entry.id
    assert stage.engine.live[0][2].path == entry.path == str(stage.studio.recorder.path)


def test_a_live_recording_becomes_one_like_any_other(stage: Stage) -> None:
    entry = stage.record()
    assert (entry.state, stage.session.in_work) == (states.RECORDING, [entry])
    stage.say(Preparing(entry.id, "loading", {"name": "Large"}), Started(entry.id, 0.0, MODELS))
    stage.say(update(entry.id, (segment(0),), " And", " now", " this", 2.0))
    assert entry.state == states.RECORDING
    stage.stop()
    assert stage.engine.stopped == [entry.id]
    assert (entry.state, entry.seconds) == (states.WORKING, 1.0)
    stage.say(update(entry.id, (segment(1),)), Finished(entry.id, transcript(segment(0), segment(1))))
    assert (entry.state, len(entry.segments), entry.lines) == (states.DONE, 2, ())
    stage.settle()
    stored = stage.library.recording(entry.id)
    assert stored is not None
    assert (stored.state, stored.path) == ("done", entry.path)
    assert len(stage.library.transcript(entry.id).segments) == 2
    stage.session.transcribe_again(entry.id)  # and its sound can be transcribed as any file
    assert stage.engine.jobs[-1][:2] == (f"check:{entry.id}", entry.path)


def test_ink_unsettled_and_draft_are_told_apart(stage: Stage) -> None:
    entry = stage.record()
    stage.say(update(entry.id, (), " The roof", " is done", " and the", 3.0))
    (line,) = entry.lines
    assert isinstance(line, states.LiveLine)
    assert (line.start, line.verified, line.draft, line.final) == (3.0, " The roof is done", " and the", 9)
    assert entry.live == states.LiveState(False, 0.5, 2.0, 0.8, True)


def test_what_is_committed_is_kept_when_it_comes(stage: Stage) -> None:
    entry = stage.record()
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id, (segment(0), segment(1))))
    stage.settle()
    assert len(stage.library.transcript(entry.id).segments) == 2


def test_an_engine_that_fails_does_not_end_the_recording(stage: Stage) -> None:
    entry = stage.record()
    stage.say(Failed(entry.id, Problem("model.tokenizer")))
    assert entry.state == states.RECORDING
    assert entry.problem == Problem("model.tokenizer")
    stage.studio.recorder.feed(1.0)
    stage.stop()
    assert (entry.state, entry.seconds) == (states.FAILED, 2.0)
    assert not stage.engine.stopped
    assert Path(entry.path).exists()


def test_a_pause_and_going_on(stage: Stage) -> None:
    entry = stage.record()
    stage.live.toggle_pause()
    assert stage.live.phase == PAUSED
    assert entry.summary() == "Paused · 0:01"
    stage.live.toggle_pause()
    stage.until(lambda: stage.studio.recorder.asked == ["start", "pause", "resume"])
    assert stage.live.phase == OPENING
    stage.studio.recorder.listener.began()
    stage.until(lambda: stage.live.phase == RUNNING)
    assert entry.summary() == "Recording · 0:01"


def test_a_microphone_that_cannot_be_opened_leaves_nothing_behind(stage: Stage) -> None:
    stage.studio.refusal = Problem("microphone.busy", name="Desk microphone")
    with stage.emits(stage.live.refused) as told:
        stage.live.start()
    assert told.args == [Problem("microphone.busy", name="Desk microphone")]
    assert stage.live.phase == OFF
    assert not stage.session.entries
    stage.settle()
    assert not stage.library.recordings()


def test_without_an_input_it_is_refused_before_anything_is_made(stage: Stage) -> None:
    stage.studio.inputs = []
    with stage.emits(stage.live.refused) as told:
        stage.live.start()
    assert told.args == [Problem("microphone.none")]
    stage.settle()
    assert (stage.live.phase, stage.studio.recorders, stage.library.recordings()) == (OFF, [], [])
    assert not stage.preferences.recordings.exists()


def test_without_a_single_sample_there_is_no_recording(stage: Stage) -> None:
    stage.live.start()
    stage.until(lambda: bool(stage.studio.recorders))
    with stage.emits(stage.live.told):
        stage.live.stop()
    stage.until(lambda: stage.live.phase == OFF)
    assert not stage.session.entries


def test_stopping_at_once_stops(stage: Stage) -> None:
    stage.live.toggle()
    stage.live.toggle()
    stage.until(lambda: stage.live.phase == OFF)
    stage.settle()
    assert not stage.session.entries
    assert not stage.library.recordings()
    assert stage.record().state == states.RECORDING  # and the next one works


def test_stopping_while_a_microphone_refuses_ends_it(stage: Stage) -> None:
    """The refusal comes when the stop has been asked for already."""
    stage.studio.refusal = Problem("microphone.busy", name="Desk microphone")

    def stop() -> None:
        if stage.live.entry is not None:
            stage.live.stop()

    stage.live.changed.connect(stop)
    stage.live.start()
    stage.until(lambda: stage.live.phase == OFF)
    assert not stage.session.entries
    stage.live.changed.disconnect(stop)
    stage.studio.refusal = None
    assert stage.record().state == states.RECORDING


def test_a_mistake_does_not_leave_the_window_waiting(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(recorder: FakeRecorder) -> None:
        raise ZeroDivisionError("by nought")

    with monkeypatch.context() as patch:
        patch.setattr(FakeRecorder, "start", fail)
        with stage.emits(stage.live.refused) as told:
            stage.live.start()
    assert told.args == [Problem("engine.failed", error="by nought")]
    assert stage.live.phase == OFF
    assert stage.record().state == states.RECORDING


def test_the_chosen_input_is_remembered_by_its_name(stage: Stage) -> None:
    stage.record()
    assert stage.studio.recorder.input_id == DESK.id  # the default, while none was chosen
    stage.live.switch(HEADSET)
    stage.until(lambda: "switch alsa:headset" in stage.studio.recorder.asked)
    stage.stop()
    moved = type(HEADSET)("alsa:headset#2", HEADSET.name, HEADSET.host, 1, 16_000, False, False)
    stage.studio.inputs = [DESK, SPEAKERS, moved]
    stage.record()
    assert stage.studio.recorder.input_id == moved.id
    assert stage.live.source == "Headset"


def test_a_lost_input_is_told_with_another_to_take(stage: Stage) -> None:
    stage.record()
    stage.studio.inputs = [SPEAKERS, HEADSET]
    stage.studio.recorder.listener.trouble((Problem("microphone.gone", name="Desk microphone"),))
    stage.until(lambda: stage.live.problems)
    stage.until(lambda: stage.live.inputs.found == [SPEAKERS, HEADSET])
    assert stage.live.inputs.another_than(stage.live.source) == HEADSET  # a microphone before what the computer plays
    stage.studio.recorder.listener.trouble(())
    stage.until(lambda: not stage.live.problems)


def test_files_wait_while_something_is_recorded(stage: Stage, recording: Make) -> None:
    (before,) = stage.drop(recording("one.wav"))
    stage.say(Started(before.id, 60.0, MODELS))
    entry = stage.record()
    (later,) = stage.drop(recording("two.wav"))
    assert (before.summary(), later.summary()) == ("Paused while recording",) * 2
    assert stage.session.in_work == [entry, before, later]
    stage.stop()
    assert later.summary() == "Paused while recording"  # its last words are still written
    stage.say(Finished(entry.id, transcript(segment(0))))
    assert later.summary() == "Queued"


def test_the_next_recording_waits_for_the_last_words_of_the_one_before(stage: Stage) -> None:
    one = stage.record(1.0)
    stage.stop()
    two = stage.record(2.0)
    stage.studio.recorder.feed(0.5)
    assert [job for job, *_ in stage.engine.live] == [one.id]
    stage.stop()
    assert stage.engine.stopped == [one.id]
    stage.say(Finished(one.id, transcript(segment(0))))
    assert [job for job, *_ in stage.engine.live] == [one.id, two.id]
    assert [block for block in stage.engine.received if block[0] == two.id] == [
        (two.id, 0, 32000),
        (two.id, 32000, 8000),
    ]
    assert stage.engine.stopped == [one.id, two.id]
    stage.say(Started(two.id, 0.0, MODELS), Finished(two.id, transcript(segment(0))))
    assert two.state == states.DONE


def test_an_engine_that_is_started_again_loses_no_text(stage: Stage) -> None:
    entry = stage.record()
    stage.say(Started(entry.id, 0.0, MODELS), update(entry.id, (segment(0),)))
    stage.say(Preparing(entry.id, "restarting"))
    assert (entry.state, len(entry.segments)) == (states.RECORDING, 1)
    stage.say(update(entry.id, (segment(1),)))
    assert (entry.preparing, len(entry.segments)) == ("", 2)
    stage.settle()
    assert len(stage.library.transcript(entry.id).segments) == 2


def test_a_recording_is_neither_cancelled_nor_started_twice(stage: Stage) -> None:
    entry = stage.record()
    stage.session.cancel(entry.id)
    stage.live.start()
    assert not stage.engine.cancelled
    assert len(stage.engine.live) == 1


def test_a_full_disk_ends_it_with_what_was_written(stage: Stage) -> None:
    entry = stage.record()
    recorder = stage.studio.recorder
    with stage.emits(stage.session.trouble) as told:
        recorder.listener.ended(ended := _ended_early(recorder.path))
    assert told.args == [(Problem("microphone.ended_early", cause=ended.problem),)]
    assert stage.live.phase == OFF
    assert entry.seconds == 1.0
    assert stage.engine.stopped == [entry.id]


def test_where_no_sound_came_is_said_at_the_end(stage: Stage) -> None:
    """A microphone was pulled, say, and put back: the recording is silent there, and whoever reads it should know."""
    entry = stage.record()
    gaps = tuple(Gap(start, 1.5) for start in (12.0, 75.0, 80.0, 90.0))
    with stage.emits(stage.session.trouble) as told:
        stage.studio.recorder.listener.ended(Recorded(Path(entry.path), 100.0, gaps))
    assert sentence(*told.args[0]) == (
        "No audio arrived for 6.0 s (0:12–0:13, 1:15–1:16, 1:20–1:21 and 1 more); the recording is silent there."
    )


def _ended_early(path: Path) -> Recorded:
    return Recorded(path, 1.0, (), Problem("disk.full"))


def test_the_program_can_end_in_the_middle(stage: Stage) -> None:
    stage.record()
    stage.live.close()
    assert stage.studio.recorder.asked[-1] == "stop"
