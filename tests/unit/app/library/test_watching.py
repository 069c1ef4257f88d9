"""New recordings of a watched folder are queued once, when they are complete, and none is touched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from desktop_app import folders
from desktop_app.app.library import watching
from desktop_app.app.library.watching import UNCHANGED, Watch
from desktop_app.app.recordings.entry import DONE, Entry
from desktop_app.messages.jobs import Cancelled, Finished, SegmentReady, Started
from tests.staging import MODELS, Stage, finish, segment, transcript


class Watcher:
    """A watch with a clock that tests turn."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage, self.now = stage, 0.0
        stage.preferences.watched = str(folder)
        self.watch = Watch(stage.session, stage.checks, stage.preferences, lambda: self.now)

    def check(self, seconds: float = 0.0) -> list[str]:
        """Let time go by, look, and give the names of all that was queued until now."""
        self.now += seconds
        self.watch.check()
        self.stage.until(lambda: not self.watch._is_looking)
        for _turn in range(3):
            self.stage.settle()
        done: list[None] = []
        self.watch._worker.do(lambda: None, done.append)
        self.stage.until(lambda: bool(done))
        return [entry.file_name for entry in reversed(self.stage.session.entries.values())]

    def grow(self, file: Path) -> list[str]:
        """Let a file grow until it is complete again, and give the names of all that was queued until now."""
        with file.open("ab") as more:
            more.write(b" and more")
        self.check()
        return self.check(UNCHANGED)

    def restart(self, folder: Path) -> Watcher:
        """The watch of the next start of the program."""
        self.watch.close()
        return Watcher(self.stage.restart(), folder)

    def queued(self, folder: Path) -> tuple[Path, Entry]:
        """A file that has come and is queued, and its recording."""
        self.check()
        file = folder / "new.wav"
        file.write_bytes(b"first")
        self.check()
        self.check(UNCHANGED)
        (entry,) = self.stage.session.entries.values()
        return file, entry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "inbox"
    made.mkdir()
    (made / "old.wav").write_bytes(b"old")
    return made


def test_only_what_comes_later_is_queued_and_only_when_it_is_complete(stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder)
    assert watcher.check() == [] and watcher.check(UNCHANGED) == []
    for name in ("new.wav", "notes.txt", ".hidden.wav", "empty.wav"):
        (folder / name).write_bytes(b"" if name == "empty.wav" else b"first")
    watcher.check(1.0)
    with (folder / "new.wav").open("ab") as file:
        file.write(b"second")
    assert watcher.check(UNCHANGED) == [], "it was still being written"
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert watcher.check(UNCHANGED) == ["new.wav"]
    assert watcher.check(UNCHANGED) == ["new.wav"], "once"
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before
    watcher.watch.close()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_to_itself_stops_no_other_file(stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder)
    told: list[object] = []
    stage.session.trouble.connect(told.append)
    watcher.check()
    (folder / "a.wav").symlink_to("a.wav")
    (folder / "new.wav").write_bytes(b"new")
    watcher.check()
    assert watcher.check(UNCHANGED) == ["new.wav"]
    assert not told
    watcher.watch.close()


def test_a_file_that_is_written_with_long_pauses_is_one_recording(stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder)
    file, entry = watcher.queued(folder)
    finish(stage, entry, 1)
    with file.open("ab") as more:
        more.write(b" second")
    watcher.check()
    assert watcher.check(UNCHANGED) == ["new.wav"]
    assert [job for job, *_rest in stage.engine.jobs] == [entry.id, entry.id]
    assert watcher.check(UNCHANGED) == ["new.wav"] and len(stage.engine.jobs) == 2, "once"
    finish(stage, entry, 3)
    stage.settle()
    assert len(entry.segments) == 3
    assert len(stage.library.versions(entry.id)) == 2, "nothing that was written is lost"
    watcher.watch.close()


def test_a_file_that_grows_while_it_is_transcribed_is_stopped_and_begun_anew(stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder)
    file, entry = watcher.queued(folder)
    with file.open("ab") as more:
        more.write(b" second")
    watcher.check()
    watcher.check(UNCHANGED)
    assert stage.engine.cancelled == [entry.id]
    stage.say(Cancelled(entry.id))
    assert watcher.check() == ["new.wav"]
    assert [job for job, *_rest in stage.engine.jobs] == [entry.id, entry.id]
    watcher.watch.close()


@pytest.mark.parametrize("state", ["waiting", "in work", "done"])
def test_a_file_that_grows_while_galley_is_closed_is_one_recording(stage: Stage, folder: Path, state: str) -> None:
    watcher = Watcher(stage, folder)
    file, entry = watcher.queued(folder)
    if state == "in work":
        stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    elif state == "done":
        finish(stage, entry, 1)
    again = watcher.restart(folder)
    assert again.grow(file) == ["new.wav"]
    entry = again.stage.session.entries[entry.id]
    assert [job for job, *_rest in stage.engine.jobs] == [entry.id, entry.id]
    finish(again.stage, entry, 3)
    again.stage.settle()
    assert len(entry.segments) == 3
    texts = again.stage.library.versions(entry.id)
    assert len(texts) == (1 if state == "waiting" else 2), "nothing that was written is lost"
    assert again.check(UNCHANGED) == ["new.wav"] and len(stage.engine.jobs) == 2, "once"
    again.watch.close()


def test_a_file_that_was_known_before_it_was_dropped_grows_in_its_recording(stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder)
    watcher.check()
    (entry,) = stage.drop(folder / "old.wav")
    finish(stage, entry, 1)
    assert watcher.grow(folder / "old.wav") == ["old.wav"]
    assert [job for job, *_rest in stage.engine.jobs] == [entry.id, entry.id]
    watcher.watch.close()


@pytest.mark.parametrize("restarts", [False, True])
def test_words_of_a_reader_stay_when_their_file_grows(stage: Stage, folder: Path, restarts: bool) -> None:
    """The text of the whole file stands beside theirs, to be compared."""
    watcher = Watcher(stage, folder)
    file, entry = watcher.queued(folder)
    finish(stage, entry, 1)
    stage.edits.replace(entry.id, (0, 0), (0, 0), "Mine: ")
    stage.edits.save()
    stage.settle()
    if restarts:
        watcher = watcher.restart(folder)
    stage = watcher.stage
    assert watcher.grow(file) == ["new.wav"]
    entry = stage.session.entries[entry.id]
    stage.settle()
    mine = [each.text for each in entry.segments]
    assert mine[0].startswith("Mine: ") and entry.state == DONE
    (_first, (job, *_rest)) = stage.engine.jobs
    assert job != entry.id
    assert watcher.grow(file) == ["new.wav"] and len(stage.engine.jobs) == 2, "the engine is at it"
    stage.say(Started(job, 60.0, MODELS), Finished(job, transcript(segment(0), segment(1))))
    stage.until(lambda: stage.checks.running[entry.id].changes)
    assert [each.text for each in entry.segments] == mine
    assert [each.text for each in stage.library.transcript(entry.id).segments] == mine
    standing, other = stage.library.versions(entry.id)
    assert standing.corrected and len(stage.library.version(entry.id, other.number).segments) == 2
    watcher.check()
    assert [key for key, *_rest in stage.engine.jobs[2:]] == [job], "and again, since it has grown meanwhile"
    watcher.watch.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
def test_names_that_are_no_text_are_known_apart(stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder)
    watcher.check()
    for name, data in ((b"\xfe.wav", b"one"), (b"\xff.wav", b"another")):
        (folder / os.fsdecode(name)).write_bytes(data)
    watcher.check()
    assert len(watcher.check(UNCHANGED)) == 2
    for _look in range(3):
        assert len(watcher.check(UNCHANGED)) == 2, "once"
    watcher.watch.close()


def test_what_is_known_is_written_once_for_files_that_come_together(
    stage: Stage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watcher(stage, folder)
    watcher.check()
    writes: list[int] = []
    write = watching._write
    monkeypatch.setattr(watching, "_write", lambda state: (writes.append(len(state.known)), write(state)))
    for number in range(40):
        (folder / f"{number}.wav").write_bytes(b"new")
    watcher.check()
    assert len(watcher.check(UNCHANGED)) == 40
    assert writes == [41], "all of them, and the one that was there"
    watcher.watch.close()


def test_after_a_restart_it_goes_on(stage: Stage, folder: Path) -> None:
    """What came meanwhile is found; what was deleted from the library is not queued again."""
    watcher = Watcher(stage, folder)
    watcher.check()
    (folder / "new.wav").write_bytes(b"new")
    watcher.check()
    assert watcher.check(UNCHANGED) == ["new.wav"]
    watcher.watch.close()
    (entry,) = stage.session.entries.values()
    stage.session.remove(entry.id)
    (folder / "later.wav").write_bytes(b"later")
    again = Watcher(stage.restart(), folder)
    again.check()
    assert again.check(UNCHANGED) == ["later.wav"]
    assert b"new.wav" not in (folders.data() / "watched.json").read_bytes(), "no name is kept"
    again.watch.close()


def test_what_was_queued_before_a_kill_is_not_queued_again(stage: Stage, folder: Path) -> None:
    """The library had it, and what is known was not written any more."""
    watcher = Watcher(stage, folder)
    watcher.check()
    known = (folders.data() / "watched.json").read_bytes()
    (folder / "new.wav").write_bytes(b"new")
    watcher.check()
    watcher.check(UNCHANGED)
    watcher.watch.close()
    (folders.data() / "watched.json").write_bytes(known)
    again = Watcher(stage.restart(), folder)
    again.check()
    assert again.check(UNCHANGED) == ["new.wav"]
    assert len(again.stage.session.entries) == 1
    again.watch.close()


def test_another_folder_begins_anew_and_a_damaged_record_floods_nobody(
    stage: Stage, folder: Path, tmp_path: Path
) -> None:
    watcher = Watcher(stage, folder)
    watcher.check()
    other = tmp_path / "other"
    other.mkdir()
    (other / "there.wav").write_bytes(b"there")
    stage.preferences.watched = str(other)
    watcher.check()
    assert watcher.check(UNCHANGED) == []
    watcher.watch.close()
    (folders.data() / "watched.json").write_text("{")
    again = Watcher(stage.restart(), other)
    again.check()
    assert again.check(UNCHANGED) == []
    again.watch.close()


def test_a_folder_that_is_gone_is_said_once(stage: Stage, folder: Path) -> None:
    watcher = Watcher(stage, folder / "gone")
    told = []
    stage.session.trouble.connect(told.append)
    watcher.check()
    watcher.check()
    assert [problems[0].code for problems in told] == ["file.watched"]
    stage.preferences.watched = ""
    watcher.check()
    watcher.watch.close()
