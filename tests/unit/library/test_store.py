"""The library keeps what it was given, whatever happens to the program, the disk or the file."""

from __future__ import annotations

import errno
import os
import random
import signal
import sqlite3
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.library import database, owners, rows
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript import speakers
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript, Word
from desktop_app.transcript.statistics import Statistics

MODELS = Models("Target", "Draft", "model", "CPU", "f32", (Problem("model.notice", text="Read this."),))


def segment(number: int, text: str = "Words") -> Segment:
    word = Word(text, number, number + 0.5, 0.9, "S1")
    return Segment(number, float(number), number + 1.0, text, (1, 2, 3), 0.2, -0.3, 0.01, "S1", (word,))


def searched(library: Library, text: str) -> list[rows.Recording]:
    """What a search finds, the newest first."""
    found = library.search(text)
    return [one for one in library.recordings() if one.id in found]


@pytest.fixture
def library(tmp_path: Path):
    opened = Library(tmp_path / "library")
    yield opened
    opened.close()


def test_a_finished_transcript_comes_back_whole(library: Library, tmp_path: Path):
    recording = library.add("/talks/one.wav")
    library.begin(recording.id, MODELS, 12.0)
    library.append(recording.id, segment(0))
    made = Transcript(
        "/talks/one.wav",
        12.5,
        "en",
        0.97,
        MODELS,
        (segment(0), segment(1)),
        (Speaker("S1", "Ann"),),
        Statistics(12.5, 1.0),
    )
    damage = Problem("file.cut_short", read="0:12", length="0:25")
    made = replace(made, guarded=(GuardReport(3.0, 9.0, "silence", "Thank you."),), damage=damage)
    library.finish(recording.id, made)
    library.close()
    again = Library(tmp_path / "library")
    assert again.transcript(recording.id) == made
    assert [(r.name, r.state, r.seconds) for r in again.recordings()] == [("one.wav", "done", 12.5)]
    again.close()


def test_another_thread_writes_and_reads_too(library: Library):
    with ThreadPoolExecutor(1) as other:
        recording = other.submit(library.add, "/talks/one.wav").result()
        other.submit(library.begin, recording.id, MODELS, 12.0).result()
    library.append(recording.id, segment(0))
    with ThreadPoolExecutor(1) as other:
        assert other.submit(library.transcript, recording.id).result() == library.transcript(recording.id)
        assert [one.id for one in other.submit(library.recordings).result()] == [recording.id]


def test_a_readers_edit_of_speakers_survives_closing(library: Library, tmp_path: Path):
    recording = library.add("/talks/one.wav")
    library.begin(recording.id, MODELS, 2.0)
    ann = Speaker("S1", "Speaker 1", ((0.0, 1.0), (1.5, 2.0)))
    made = Transcript("/talks/one.wav", 2.0, "en", 0.97, MODELS, (segment(0, "good day"), segment(1)), (ann,))
    library.revise(recording.id, made)
    assert library.transcript(recording.id).segments == (), "a recording in work is not edited"
    library.finish(recording.id, made)
    edited = speakers.split(speakers.rename(made, "S1", "Ann"), 0, 4)
    library.revise(recording.id, edited)
    library.close()
    again = Library(tmp_path / "library")
    found = again.transcript(recording.id)
    assert (found.segments, found.speakers) == (edited.segments, edited.speakers)
    assert again.recording(recording.id).corrected
    again.requeue(recording.id)
    again.begin(recording.id, MODELS, 2.0)  # another text comes: the reader's work outlives the old one
    kept = again.corrections(recording.id)
    assert kept.speakers == edited.speakers
    assert [(line.start, line.end, line.speaker) for line in kept.segments] == [
        (line.start, line.end, line.speaker) for line in edited.segments
    ]
    again.finish(recording.id, made)
    again.revise(recording.id, made, corrected=False)
    assert again.corrections(recording.id) is None
    again.close()


def _talk(lines: int) -> Transcript:
    said = tuple(replace(segment(number, f"line {number} of all"), words=()) for number in range(lines))
    return Transcript("/talks/one.wav", float(lines), "en", 0.97, MODELS, said, (Speaker("S1", "Ann"),))


def _edited(chance: random.Random, made: Transcript) -> Transcript:
    """Another edit of a text: a line split, said by somebody else, left out or repeated anywhere, or two in one."""
    at = chance.randrange(len(made.segments))
    before, line, after = made.segments[:at], made.segments[at], made.segments[at + 1 :]
    lines = chance.choice(
        (
            speakers.split(made, at, 4).segments,
            (*before, replace(line, speaker=chance.choice(("S1", "S2"))), *after),
            speakers.numbered((*before, *after)) or made.segments,
            speakers.numbered((*before, line, line, *after)),
            tuple(replace(each, id=each.id * 2) for each in made.segments),
            speakers.numbered(made.segments),
        )
    )
    return replace(made, segments=lines)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_an_edit_changes_is_what_is_read(library: Library, tmp_path: Path, seed: int):
    """Only what differs is written; another program may have written meanwhile, and the text may have gone."""
    chance, other = random.Random(seed), Library(tmp_path / "library")
    recording, made = library.add("/talks/one.wav"), _talk(6)
    library.begin(recording.id, MODELS, 6.0)
    library.finish(recording.id, made)
    for _ in range(40):
        writer = library if chance.random() < 0.8 else other
        if chance.random() < 0.1:
            refused = speakers.numbered((*made.segments[1:], replace(made.segments[0], text=None)))
            with pytest.raises(Problem):
                writer.revise(recording.id, replace(made, segments=refused))
        if chance.random() < 0.1:
            writer.requeue(recording.id)  # its text goes, and no other one comes
            writer.begin(recording.id, MODELS, 6.0)
            writer.cancel(recording.id)
        made = _edited(chance, made)
        writer.revise(recording.id, made)
        assert library.transcript(recording.id).segments == speakers.numbered(made.segments)
    other.close()


def test_an_edit_writes_only_the_lines_that_it_changes(library: Library):
    recording, made = library.add("/talks/one.wav"), _talk(500)
    library.begin(recording.id, MODELS, 500.0)
    library.finish(recording.id, made)
    for edit, most in (
        (speakers.rename(made, "S1", "Beth"), 2),
        (speakers.reassign(speakers.add(made)[0], [400], "S2"), 4),
        (made, 4),
    ):
        before = library._writer.total_changes
        library.revise(recording.id, edit)
        assert library._writer.total_changes - before <= most


def test_the_text_of_an_unfinished_recording_can_be_read(library: Library):
    recording = library.add("/talks/one.wav")
    library.begin(recording.id, MODELS, 12.0)
    library.append(recording.id, segment(0))
    found = library.transcript(recording.id)
    assert found.segments == (segment(0),)
    assert (found.models, found.seconds) == (MODELS, 12.0)


def test_the_figures_of_a_broken_off_recording_stay(library: Library):
    recording = library.add("/talks/one.wav")
    library.begin(recording.id, MODELS, 12.0)
    library.note(recording.id, Statistics(5.0), resume="at 5 s")
    library.note(recording.id, Statistics(6.0, 2.0, tokens=9))
    library.cancel(recording.id)
    assert library.resume(recording.id) == "at 5 s", "until another place is known"
    assert library.transcript(recording.id).stats == Statistics(6.0, 2.0, tokens=9)
    library.note(recording.id, Statistics(7.0))
    assert library.transcript(recording.id).stats.tokens == 9


def test_the_lines_of_an_interrupted_live_recording_stand_when_it_is_gone_on_with(library: Library, tmp_path: Path):
    """With all that was known beside them, even if that is broken off too."""
    recording = library.add_live("talk.flac")
    library.begin(recording.id, MODELS, 0.0)
    for number in range(2):
        library.append(recording.id, segment(number))
    thanks, bye = GuardReport(3.0, 9.0, "silence", "Thank you."), GuardReport(9.0, 9.5, "silence", "Bye.")
    library.note(recording.id, Statistics(6.0), "de", (thanks,))
    library.begin(recording.id, MODELS, 0.0)  # another engine goes on with it
    library.note(recording.id, Statistics(7.0), "", (bye,))
    library.close()
    again = Library(tmp_path / "library")
    assert again.recording(recording.id).state == "interrupted"
    again.requeue(recording.id)
    again.begin(recording.id, MODELS, 12.0, kept=2)
    again.append(recording.id, segment(2))
    found = again.transcript(recording.id)
    assert found.segments == tuple(segment(number) for number in range(3))
    assert (found.stats, found.language, found.guarded, found.seconds) == (Statistics(7.0), "de", (thanks, bye), 12.0)
    again.cancel(recording.id)
    again.requeue(recording.id)
    again.begin(recording.id, MODELS, 12.0)
    assert again.transcript(recording.id).guarded == (), "a text that is written anew begins with nothing"
    again.close()


def test_the_newest_comes_first_and_search_looks_into_names_and_text(library: Library):
    one, two = library.add("/talks/Über uns.wav"), library.add("/talks/two.wav")
    library.begin(two.id, MODELS, 1.0)
    library.append(two.id, segment(0, "Straßen and 100% Rain"))
    assert [r.id for r in library.recordings()] == [two.id, one.id]
    assert [r.id for r in searched(library, "  über ")] == [one.id]
    assert [r.id for r in searched(library, "100% rain")] == [two.id]
    assert searched(library, "0%x") == []


def test_a_state_changes_only_as_it_may(library: Library):
    recording = library.add("a.wav")
    library.finish(recording.id, Transcript("a.wav", 1.0, "en", 1.0, MODELS))
    assert library.recording(recording.id).state == "waiting"
    library.begin(recording.id, MODELS, 1.0)
    library.cancel(recording.id)
    library.append(recording.id, segment(0))
    library.fail(recording.id, Problem("disk.full"))
    assert library.recording(recording.id).state == "cancelled"
    assert library.transcript(recording.id).segments == ()


def test_a_failure_is_kept_until_the_recording_is_taken_up_again(library: Library):
    recording = library.add("a.wav")
    library.begin(recording.id, MODELS, 1.0)
    library.append(recording.id, segment(0))
    library.fail(recording.id, Problem("model.own_draft", cause=Problem("engine.memory")))
    assert library.recording(recording.id).problem == Problem("model.own_draft", cause=Problem("engine.memory"))
    library.requeue(recording.id)
    assert library.recording(recording.id).state == "waiting"
    assert len(library.transcript(recording.id).segments) == 1
    library.begin(recording.id, MODELS, 1.0)
    assert library.transcript(recording.id).segments == ()


def test_a_removed_recording_is_gone_and_late_calls_about_it_are_harmless(library: Library):
    recording = library.add("a.wav")
    library.begin(recording.id, MODELS, 1.0)
    library.remove(recording.id)
    library.append(recording.id, segment(0))
    library.finish(recording.id, Transcript("a.wav", 1.0, "en", 1.0, MODELS, (segment(0),)))
    assert library.recordings() == []
    assert library.recording(recording.id) is None
    with pytest.raises(Problem, match=r"library\.removed"):
        library.transcript(recording.id)


def test_a_file_name_that_is_no_unicode_comes_back_as_it_was(library: Library):
    path = os.fsdecode(b"/talks/ma\xf1ana.wav")
    library.add(path)
    (found,) = searched(library, "ana")
    assert found.path == path
    assert found.name == "ma?ana.wav"


WORKER = """
import sys, time
from pathlib import Path
from desktop_app.library.salvage import RECORDING
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, Segment
library = Library(Path(sys.argv[1]))
library.add("waiting.wav")
working = library.add("working.wav").id
library.begin(working, Models("T", "", "off", "CPU", "f32"), 60.0)
library.append(working, Segment(0, 0.0, 1.0, "kept"))
print(working, flush=True)
time.sleep(60)
"""


def test_work_of_a_living_program_is_left_alone_and_of_a_killed_one_is_interrupted(tmp_path: Path):
    child = subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        working = child.stdout.readline().strip()
        beside = Library(tmp_path)
        assert {r.state for r in beside.recordings()} == {"waiting", "working"}
        beside.close()
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    after = Library(tmp_path)
    assert {r.state for r in after.recordings()} == {"interrupted"}
    assert after.transcript(working).segments[0].text == "kept"
    assert len(list((tmp_path / "owners").iterdir())) == 1, "the dead owner's lock is cleared away"
    after.close()


def test_a_library_that_another_program_is_still_opening_is_waited_for_only_so_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owners, "_PATIENCE", 0.05)
    with owners.opening(tmp_path / "opening.lock"), pytest.raises(Problem, match=r"library\.locked"):
        Library(tmp_path)
    Library(tmp_path).close()


def test_a_library_that_another_program_has_opened_meanwhile_is_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = ExitStack()
    other.enter_context(owners.opening(tmp_path / "opening.lock"))
    monkeypatch.setattr(owners.time, "sleep", lambda seconds: other.close())
    Library(tmp_path).close()


def test_a_lock_that_cannot_be_removed_does_not_stop_the_program_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    library = Library(tmp_path)
    monkeypatch.setattr(Path, "unlink", refuse)
    library.close()


@pytest.mark.parametrize("damage", ["text", "hole"])
def test_a_damaged_file_is_set_aside_and_said(tmp_path: Path, damage: str):
    library = Library(tmp_path)
    for number in range(50):
        recording = library.add(f"{number}.wav")
        library.begin(recording.id, MODELS, 1.0)
        library.append(recording.id, segment(0, "Words " * 100))
    library.close()
    file = tmp_path / "library.sqlite3"
    content = bytearray(file.read_bytes())
    content = bytearray(b"not a database " * 1000) if damage == "text" else content[:4096] + bytes(len(content) - 4096)
    file.write_bytes(content)
    opened = Library(tmp_path)
    assert opened.recordings() == []
    opened.add("new.wav")
    opened.close()
    (aside,) = tmp_path.glob("library-damaged-*.sqlite3")
    assert opened.notice == Problem("library.set_aside", file=aside.name)
    assert aside.read_bytes() == content
    calm = Library(tmp_path)
    assert (calm.notice, len(calm.recordings())) == (None, 1)
    calm.close()


FULL = """
import resource, sys
from pathlib import Path
from desktop_app.library.salvage import RECORDING
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, Segment
library = Library(Path(sys.argv[1]))
working = library.add("working.wav").id
library.begin(working, Models("T", "", "off", "CPU", "f32"), 60.0)
library.append(working, Segment(0, 0.0, 1.0, "kept"))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    for number in range(1, 1000):
        library.append(working, Segment(number, 0.0, 1.0, "x" * 5000))
except Problem as problem:
    print(problem.code)
print(library.transcript(working).segments[0].text)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on file sizes stands for the full disk")
def test_a_full_disk_is_said_and_what_was_written_stays(tmp_path: Path):
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    said, first = done.stdout.splitlines()
    assert said in ("disk.full", "library.disk")
    assert first == "kept"
    assert not done.stderr


def test_a_folder_that_cannot_be_made_is_a_problem(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Problem) as caught:
        Library(tmp_path / "file" / "library")
    assert caught.value.code == "library.failed"


def test_a_library_of_a_newer_galley_is_left_untouched(tmp_path: Path):
    Library(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "library.sqlite3")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Problem, match="newer"):
        Library(tmp_path)
    assert not list(tmp_path.glob("library-damaged-*"))


def test_a_live_recording_keeps_its_text_while_it_is_made(library: Library):
    recording = library.add_live("/talks/live.flac")
    assert (recording.state, recording.live) == ("recording", True)
    assert library.recording(recording.id) == recording
    library.begin(recording.id, MODELS, 0.0)
    library.append(recording.id, segment(0))
    assert library.recording(recording.id).state == "recording"
    assert library.transcript(recording.id).segments == (segment(0),)
    library.recorded(recording.id, 12.5)
    library.append(recording.id, segment(1))
    assert (library.recording(recording.id).state, library.recording(recording.id).seconds) == ("working", 12.5)
    made = Transcript("/talks/live.flac", 12.5, "en", 0.9, MODELS, (segment(0), segment(1)))
    library.finish(recording.id, made)
    assert library.recording(recording.id).state == "done"


def test_a_live_recording_of_a_program_that_is_gone_is_interrupted(library: Library, tmp_path: Path):
    recording = library.add_live("/talks/live.flac")
    library.begin(recording.id, MODELS, 0.0)
    library.append(recording.id, segment(0))
    library.close()
    again = Library(tmp_path / "library")
    found = again.recording(recording.id)
    assert (found.state, found.live) == ("interrupted", True)
    assert again.transcript(recording.id).segments == (segment(0),)
    again.requeue(recording.id)
    assert again.recording(recording.id).live  # still known as one, whatever is done with it
    again.close()


def test_a_checked_text_takes_the_place_of_the_live_one(library: Library):
    recording = library.add_live("/talks/live.flac")
    library.begin(recording.id, MODELS, 0.0)
    other = Transcript("/talks/live.flac", 2.0, "en", 0.9, MODELS, (segment(0, "Better"),))
    library.replace(recording.id, other)
    assert library.transcript(recording.id).segments == ()  # not while it is made
    library.recorded(recording.id, 2.0)
    library.finish(recording.id, Transcript("/talks/live.flac", 2.0, "en", 0.9, MODELS, (segment(0), segment(1))))
    library.replace(recording.id, other)
    assert library.transcript(recording.id) == other
    assert library.recording(recording.id).state == "done"


def words_in(folder: Path, *words: str) -> list[str]:
    """The files that hold one of the words."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path.name for path in files if any(word.encode() in path.read_bytes() for word in words))


@pytest.mark.parametrize("seed", range(4))
def test_nothing_of_a_deleted_recording_is_left_in_the_files(library: Library, tmp_path: Path, seed: int):
    """Rows move between pages while others come; what they leave behind in the gaps is not overwritten by SQLite."""
    chance = random.Random(seed)
    talks: dict[str, list[str]] = {}
    for _ in range(12):
        key = library.add(f"/talks/{uuid.uuid4()}.wav").id
        talks[key] = [f"W{chance.getrandbits(60):016x}" for _ in range(chance.randrange(1, 30))]
        library.begin(key, MODELS, 1.0)
        for number, word in enumerate(talks[key]):
            library.append(key, segment(number, word + "x" * chance.choice((10, 300, 3000))))
    gone = list(talks)[::3]
    words = [word for key in gone for word in talks[key]]
    assert words_in(tmp_path, *words)
    for key in gone:
        library.remove(key)
        assert words_in(tmp_path, *talks[key]) == []
    assert words_in(tmp_path, *talks[list(talks)[1]])


def test_a_deletion_that_was_broken_off_is_completed_at_the_next_start(library: Library, tmp_path: Path):
    """Nothing may be overwritten while another program writes; then it is done later."""
    kept, gone = library.add("/talks/kept.wav").id, library.add("/talks/gone.wav").id
    library.begin(gone, MODELS, 1.0)
    library.append(gone, segment(0, "Xylophonquartett"))
    with library._write() as connection:
        database.delete(connection, gone)
    assert words_in(tmp_path, "Xylophonquartett")
    library.close()
    again = Library(tmp_path / "library")
    assert words_in(tmp_path, "Xylophonquartett") == []
    assert [one.id for one in again.recordings()] == [kept]
    again.close()


def test_a_deleted_recording_is_in_no_copy_of_a_damaged_library_either(tmp_path: Path):
    library = Library(tmp_path)
    gone = library.add("/talks/gone.wav").id
    library.begin(gone, MODELS, 1.0)
    library.append(gone, segment(0, "Xylophonquartett"))
    library.close()
    with (tmp_path / database.NAME).open("r+b") as file:
        file.write(bytes(20))
    (tmp_path / "library-damaged-20200101-000000.sqlite3").write_text("older than the recording")
    again = Library(tmp_path)
    assert len(list(tmp_path.glob("library-damaged-*"))) == 2
    again.remove(gone)
    assert [path.name for path in tmp_path.glob("library-damaged-*")] == ["library-damaged-20200101-000000.sqlite3"]
    assert words_in(tmp_path, "Xylophonquartett") == []
    again.close()


def test_what_another_program_adds_and_does_is_noticed(library: Library, tmp_path: Path):
    mine = library.add("/talks/mine.wav").id
    assert library.changes() is None, "what this program does itself is no news"
    beside = Library(tmp_path / "library")
    theirs = beside.add_live("/talks/theirs.flac").id
    seen = library.changes()
    assert seen is not None and list(seen) == [theirs, mine]
    assert seen[mine] is None
    assert seen[theirs] == beside.recording(theirs)
    assert library.changes() is None
    beside.recorded(theirs, 9.0)
    assert (library.changes() or {})[theirs] == beside.recording(theirs)
    beside.close()
    ended = library.changes()
    assert ended is not None and ended[theirs].state == "interrupted", "its program is gone"
    assert library.changes() is None


def test_work_of_a_program_that_is_killed_meanwhile_is_interrupted(library: Library, tmp_path: Path):
    child = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path / "library")], stdout=subprocess.PIPE, text=True
    )
    try:
        working = child.stdout.readline().strip()
        assert (library.changes() or {})[working].state == "working"
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert {one.state for one in (library.changes() or {}).values()} == {"interrupted"}


def test_nobody_who_reads_holds_up_what_is_written(library: Library, tmp_path: Path):
    """As the write-ahead log promises: a search in one program never makes a recording in another wait. The search here
    does not end, so who waited for it would fail."""
    with closing(sqlite3.connect(tmp_path / "library" / database.NAME, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM recording").fetchone()
        library.add("/talks/one.wav")
        assert reader.execute("SELECT count(*) FROM recording").fetchone() == (0,), "and it sees what it saw"


def test_a_deletion_holds_up_no_recording(library: Library, tmp_path: Path):
    """Writing a large file anew takes seconds, in which lines could only be kept in memory."""
    gone = library.add("/talks/gone.wav").id
    library.begin(gone, MODELS, 1.0)
    library.append(gone, segment(0, "Xylophonquartett"))
    live = library.add_live("/talks/live.flac").id
    library.remove(gone)
    library.changes()
    assert [one.id for one in library.recordings()] == [live]
    assert words_in(tmp_path, "Xylophonquartett"), "not yet"
    library.recorded(live, 9.0)
    library.changes()
    assert words_in(tmp_path, "Xylophonquartett") == []


def test_a_listing_reads_only_the_rows_that_have_changed(library: Library, monkeypatch: pytest.MonkeyPatch):
    """Ten thousand recordings are listed anew whenever another Galley has written."""
    first, second = library.add("/audio/one.flac"), library.add("/audio/two.flac")
    assert library.recordings() == [second, first]
    read: list[object] = []
    whole = rows.recording
    monkeypatch.setattr(rows, "recording", lambda row: read.append(row[0]) or whole(row))
    assert library.recordings() == [second, first] and read == []
    library.describe(first.id, title="Interview")
    assert [each.title for each in library.recordings()] == ["", "Interview"] and read == [first.id]


def test_the_paragraphs_of_a_reader_are_kept(library: Library, tmp_path: Path):
    recording = library.add("a.wav")
    library.begin(recording.id, MODELS, 1.0)
    lines = (segment(0), replace(segment(1), begins_paragraph=True), segment(2))
    for line in lines:
        library.append(recording.id, line)
    library.close()
    with closing(Library(tmp_path / "library")) as again:
        assert again.transcript(recording.id).segments == lines
