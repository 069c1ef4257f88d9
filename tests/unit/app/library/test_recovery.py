"""Recordings that were interrupted: they are offered, their lines stand, and what is missing is transcribed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from desktop_app import folders
from desktop_app.app.library.recovery import Recovery
from desktop_app.app.recordings import entry as states
from desktop_app.audio.flac import FlacWriter
from desktop_app.messages.jobs import Cancelled, Finished, SegmentReady, Started
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment
from tests.staging import MODELS, Stage, finish, segment, transcript


def interrupted(stage: Stage, *lines: Segment, seconds: float = 90.0) -> Stage:
    """The next start after a program that was killed while it recorded."""
    path = folders.recordings() / "Recording 2026-05-04 14.02.flac"
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = FlacWriter(path, SAMPLE_RATE)
    writer.write(np.zeros(round(seconds * SAMPLE_RATE), np.int16))
    writer.sync()  # and no close: the header never says how long it is
    entry = stage.library.add_live(str(path))
    stage.library.begin(entry.id, MODELS, 0.0)
    for line in lines:
        stage.library.append(entry.id, line)
    later = stage.restart()
    assert later.session.entries
    return later


def looked(stage: Stage, recovery: Recovery) -> None:
    """Wait until every recording was looked at."""
    done: list[None] = []
    recovery._worker.do(lambda: None, done.append)
    stage.until(lambda: done)


def test_an_interrupted_recording_is_offered_with_its_length(stage: Stage) -> None:
    later = interrupted(stage)
    recovery = Recovery(later.session, later.preferences)
    stage.until(lambda: bool(recovery.found))
    (entry,) = recovery.found
    assert entry.seconds == pytest.approx(90.0, abs=0.5)
    assert recovery.sentence() == (
        f"A recording of 2 min (Today {entry.created.astimezone():%H:%M}) was interrupted. Its audio is safe."
    )
    later.preferences.choose(speakers="auto")
    recovery.transcribe()
    assert not recovery.found
    assert not recovery.sentence()
    stage.until(lambda: bool(stage.engine.jobs))
    job, path, options = stage.engine.jobs[-1]
    assert (job, path, options.speakers, options.words) == (entry.id, entry.path, "auto", True), "a file like any other"
    recovery.close()


def test_the_lines_of_an_interrupted_recording_stand_and_the_rest_is_written_behind_them(stage: Stage) -> None:
    """Whoever breaks that off too, or lets an engine die in it, has all lines still; then a check is offered."""
    first, second, third = (segment(number) for number in range(3))
    later = interrupted(stage, first, second)
    (entry,) = later.session.entries.values()
    checks = later.checks
    later.session.load(entry.id)  # the page asks for the text, and has it only later
    later.session.transcribe_again(entry.id)
    later.session.transcribe_again(entry.id)  # twice
    stage.until(lambda: bool(stage.engine.jobs))
    assert len(stage.engine.jobs) == 1
    written = stage.engine.written[entry.id]
    assert written is not None and written.segments == (first, second)
    later.session.handle(Started(entry.id, 90.0, MODELS))
    later.session.handle(SegmentReady(entry.id, third))
    later.session.handle(Started(entry.id, 90.0, MODELS))  # an engine that died is replaced: it begins behind the two
    assert entry.segments == [first, second]
    later.session.handle(SegmentReady(entry.id, third))
    later.session.handle(Cancelled(entry.id))
    later.session.transcribe_again(entry.id)
    stage.until(lambda: len(stage.engine.jobs) == 2)
    written = stage.engine.written[entry.id]
    assert written is not None and written.segments == (first, second, third)
    later.session.handle(Started(entry.id, 90.0, MODELS))
    assert not checks.is_offered(entry.id)
    later.session.handle(Finished(entry.id, transcript(first, second, third)))
    assert (entry.state, entry.segments) == (states.DONE, [first, second, third])
    assert checks.is_offered(entry.id), "what the whole file gives is offered, never imposed"
    done: list[None] = []
    later.keeper.do(lambda: None, done.append)
    stage.until(lambda: bool(done))
    assert later.library.transcript(entry.id).segments == (first, second, third)
    later.session.transcribe_again(entry.id)  # now it is asked for by name: a file like any other
    assert stage.engine.jobs[-1][0] == f"check:{entry.id}"
    assert stage.engine.written[f"check:{entry.id}"] is None


def test_a_library_that_cannot_be_read_costs_no_line(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    later = interrupted(stage, segment(0))
    (entry,) = later.session.entries.values()

    def broken(key: str) -> None:
        raise Problem("library.disk")

    with monkeypatch.context() as patch:
        patch.setattr(later.library, "requeue", broken)
        with later.emits(later.session.trouble):
            later.session.transcribe_again(entry.id)
        stage.until(lambda: entry.state == states.INTERRUPTED)
    assert not stage.engine.jobs
    assert later.library.transcript(entry.id).segments == (segment(0),)


def test_who_says_not_now_is_not_asked_again(stage: Stage) -> None:
    later = interrupted(stage)
    recovery = Recovery(later.session, later.preferences)
    stage.until(lambda: bool(recovery.found))
    recovery.decline()
    assert not recovery.sentence()
    again = Recovery(later.session, later.preferences)
    looked(stage, again)
    assert not again.found
    recovery.close()


def test_one_without_sound_is_not_called_safe(stage: Stage) -> None:
    later = interrupted(stage)
    (entry,) = later.session.entries.values()
    Path(entry.path).write_bytes(b"")
    recovery = Recovery(later.session, later.preferences)
    looked(stage, recovery)
    assert not recovery.found
    recovery.close()


def test_one_without_any_sound_or_line_is_removed(stage: Stage) -> None:
    """Nothing can be recovered of it, and trying would only fail."""
    header, torn, gone, away, told = (folders.recordings() / name for name in ("a", "b", "c", "away/d", "e"))
    writer = FlacWriter(header.parent.mkdir(parents=True, exist_ok=True) or header, SAMPLE_RATE)
    writer.sync()
    torn.write_bytes(header.read_bytes() + b"\xff\xf8" + bytes(100))
    keys = [stage.library.add_live(str(path)).id for path in (header, torn, gone, away, told)]
    stage.library.begin(keys[-1], MODELS, 0.0)
    stage.library.append(keys[-1], segment(0))
    later = stage.restart()
    recovery = Recovery(later.session, later.preferences)
    stage.until(lambda: len(later.session.entries) == 2)
    later.settle()
    later.settle()  # the library is told when the sound is gone
    assert set(later.session.entries) == set(keys[3:]), "a disk that is away may come back, and lines are kept"
    assert {one.id for one in later.library.recordings()} == set(keys[3:])
    assert not header.exists() and not torn.exists()
    recovery.close()


def test_several_are_offered_together(stage: Stage) -> None:
    later = interrupted(stage)
    recovery = Recovery(later.session, later.preferences)
    stage.until(lambda: bool(recovery.found))
    recovery.found.append(replace(recovery.found[0], id="other"))
    assert recovery.sentence() == "2 recordings were interrupted. Their audio is safe."
    recovery.close()


def test_files_that_were_killed_are_resumed_together(stage: Stage, tmp_path: Path) -> None:
    """All that were waiting or in work; but for those that are gone."""
    for name in ("one.wav", "two.wav", "gone.wav"):
        (tmp_path / name).write_bytes(b"sound")
    stage.drop(tmp_path / "one.wav", tmp_path / "two.wav", tmp_path / "gone.wav")
    (tmp_path / "gone.wav").unlink()
    later = stage.restart()
    recovery = Recovery(later.session, later.preferences)
    looked(stage, recovery)
    assert recovery.sentence() == "2 transcriptions were interrupted."
    recovery.transcribe()
    stage.until(lambda: len(stage.engine.jobs) == 2)
    assert [entry.file_name for entry in later.session.queue.files] == ["one.wav", "two.wav"]
    finish(later, later.session.queue.files[0])
    assert [Path(path).name for _, path, _ in stage.engine.jobs[1:]] == ["one.wav", "two.wav"]
    assert not recovery.sentence()
    recovery.close()
