"""The queue, its states, and what reaches the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app import folders
from desktop_app.app.recordings import entry as states
from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.session import Session
from desktop_app.library.store import Library
from desktop_app.messages.jobs import (
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
from desktop_app.transcript.model import GuardReport, ResumePoint
from desktop_app.transcript.statistics import Statistics
from tests.staging import MODELS, Stage, finish, segment, transcript

Make = Callable[[str], Path]


def test_dropped_files_are_queued_in_their_order(stage: Stage, recording: Make) -> None:
    one, two = stage.drop(recording("one.wav"), recording("two.mp3"))
    (three,) = stage.drop(recording("three.flac"))
    assert [entry.name for entry in stage.session.in_work] == ["one.wav", "two.mp3", "three.flac"]
    assert list(stage.session.entries) == [three.id, two.id, one.id]  # the newest first
    for entry in (one, two, three):
        assert stage.engine.jobs[-1][0] == entry.id
        finish(stage, entry)


def killed(stage: Stage, path: Path) -> Stage:
    """The next start after a program that was killed in the third window of a file."""
    (entry,) = stage.drop(path)
    places = [ResumePoint(15 * 16_000 * done, done, "en", 0.75, (1, 2), 1.5, (7, 8)) for done in (1, 2)]
    stage.say(Started(entry.id, 60.0, MODELS), SegmentReady(entry.id, segment(0)))
    acts = (GuardReport(1.0, 2.0, "silence", "Bye."),)
    stage.say(Progress(entry.id, 15.0, 60.0, Statistics(audio_seconds=15.0, tokens=3), acts, places[0]))
    stage.say(SegmentReady(entry.id, segment(1)))
    stage.say(Progress(entry.id, 30.0, 60.0, Statistics(audio_seconds=30.0, tokens=5), (), places[1]))
    stage.say(SegmentReady(entry.id, segment(2)))
    return stage.restart()


def test_a_file_that_was_killed_goes_on_behind_its_last_whole_window(stage: Stage, recording: Make) -> None:
    later = killed(stage, recording("talk.wav"))
    (entry,) = later.session.entries.values()
    assert (entry.state, entry.resumable) == (states.INTERRUPTED, True)
    later.session.transcribe_again(entry.id)
    stage.until(lambda: len(stage.engine.jobs) == 2)
    assert stage.engine.places[entry.id] == ResumePoint(480_000, 2, "en", 0.75, (1, 2), 1.5, (7, 8))
    written = stage.engine.written[entry.id]
    assert written is not None
    assert (written.segments, written.models, written.language) == ((segment(0), segment(1)), MODELS, "en")
    assert (written.stats.tokens, written.guarded) == (5, (GuardReport(1.0, 2.0, "silence", "Bye."),))
    assert (entry.segments, entry.done_seconds) == ([segment(0), segment(1)], 30.0)
    later.session.handle(Started(entry.id, 60.0, MODELS, kept=2))
    later.session.handle(SegmentReady(entry.id, segment(2)))
    assert entry.segments == [segment(0), segment(1), segment(2)]
    again = later.restart()
    (entry,) = again.session.entries.values()
    assert again.library.transcript(entry.id).segments == (segment(0), segment(1), segment(2))
    assert entry.resumable, "also when it is killed before its next window is done"
    again.session.transcribe_again(entry.id)
    stage.until(lambda: len(stage.engine.jobs) == 3)
    again.session.handle(Started(entry.id, 60.0, MODELS))
    assert entry.segments == [], "the engine begins anew where the file has changed"
    again.session.handle(Finished(entry.id, transcript(segment(0))))
    assert not entry.resumable
    again.settle()
    assert again.library.resume(entry.id) == ""


def test_a_file_that_was_killed_goes_on_with_the_options_that_it_was_begun_with(stage: Stage, recording: Make) -> None:
    """Half a text of each would be no text of either, and to begin anew would throw the work away."""
    later = killed(stage, recording("talk.wav"))
    (entry,) = later.session.entries.values()
    later.preferences.choose(speakers="auto")
    later.session.transcribe_again(entry.id)
    stage.until(lambda: len(stage.engine.jobs) == 2)
    assert stage.engine.jobs[-1][2].speakers == "off"
    assert stage.engine.places[entry.id] is not None
    assert entry.segments == [segment(0), segment(1)]


def test_a_damaged_place_is_none(stage: Stage, recording: Make) -> None:
    later = killed(stage, recording("talk.wav"))
    (entry,) = later.session.entries.values()
    whole = later.library.resume(entry.id)
    options = later.preferences.options()
    assert resuming.place(whole, options) is not None
    for text in ("", "[]", "{", whole[:-9], whole.replace('"samples"', '"sample"'), whole.replace("[7, 8]", "[]")):
        assert resuming.place(text, options) is None


def test_a_text_begun_with_other_arithmetic_is_not_resumed(
    stage: Stage, recording: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Device and precision of the models have the same names, but they might write another text."""
    later = killed(stage, recording("talk.wav"))
    (entry,) = later.session.entries.values()
    whole, options = later.library.resume(entry.id), later.preferences.options()
    monkeypatch.setattr(resuming, "_ARITHMETIC", resuming._ARITHMETIC + 1)
    assert resuming.place(whole, options) is None


def test_a_folder_gives_its_recordings(stage: Stage, recording: Make, tmp_path: Path) -> None:
    for name in ("talks/b.WAV", "talks/a.mp4", "talks/notes.txt", "talks/.hidden.wav", "talks/old/c.ogg"):
        recording(name)
    stage.session.add([str(tmp_path / "talks")])
    stage.until(lambda: len(stage.session.entries) == 3)
    assert [entry.name for entry in stage.session.in_work] == ["a.mp4", "b.WAV", "c.ogg"]


def test_a_folder_without_recordings_says_so(stage: Stage, tmp_path: Path) -> None:
    with stage.emits(stage.session.trouble) as told:
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


def test_the_beginning_of_a_long_file_is_shown_before_it_is_final(stage: Stage, recording: Make) -> None:
    """While the rest of the file is read its text is shown, and neither kept nor resumed behind."""
    (entry,) = stage.drop(recording("day.wav"))
    stage.say(Started(entry.id, 86_400.0, MODELS), Progress(entry.id, 30.0, 86_400.0, Statistics()))
    stage.say(Tentative(entry.id, (TentativeLine(0.0, "One.", ""), TentativeLine(15.0, "Two.", ""))))
    assert [line.verified for line in entry.lines] == ["One.", "Two."]
    assert (entry.done_seconds, entry.segments, entry.resumable) == (30.0, [], False)
    stage.settle()
    assert stage.library.transcript(entry.id).segments == ()
    stage.say(SegmentReady(entry.id, segment(0)), SegmentReady(entry.id, segment(1)))
    place = ResumePoint(480_000, 2, "en", 0.75, (1, 2), 1.5, (7, 8))
    stage.say(Progress(entry.id, 30.0, 80_000.0, Statistics(), (), place))
    assert (entry.seconds, list(entry.lines), entry.resumable) == (80_000.0, [], True)
    stage.settle()
    assert stage.library.transcript(entry.id).segments == (segment(0), segment(1))


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
    stage.session.transcribe_again(entry.id)
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
    later.transcribe_again(entry.id)
    assert later.in_work == [found]


def test_one_that_never_began_has_no_text_after_a_restart(stage: Stage, recording: Make) -> None:
    (entry,) = stage.drop(recording("list.mp3"))
    stage.say(Failed(entry.id, Problem("file.not_media")))
    stage.settle()
    later = Session(stage.engine, stage.library, stage.keeper, stage.preferences.options)
    stage.until(lambda: entry.id in later.entries)
    with stage.emits(later.text_changed):
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
    with stage.emits(stage.session.trouble) as told:
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
    stage.preferences.choose(target=str(tmp_path))
    stage.preferences.choose(draft="off")
    stage.preferences.choose(precision="int8")
    stage.drop(recording("talk.wav"))
    options = stage.engine.jobs[0][2]
    assert (options.target, options.draft, options.precision) == (str(tmp_path), "off", "int8")


def test_a_damaged_recording_is_said_to_be_so_and_not_written_over(stage: Stage) -> None:
    """Also where that is known only when its text has been read."""
    (entry,) = stage.drop("/talk.wav")
    finish(stage, entry, 2)
    stage.settle()
    with stage.library._write() as connection:
        connection.execute("UPDATE segment SET words = '{' WHERE id = 0")
    later = stage.restart()
    found = later.session.entries[entry.id]
    jobs = len(later.engine.jobs)
    with later.emits(later.session.trouble) as told:
        later.session.transcribe_again(found.id)
        stage.until(lambda: found.is_damaged and found.has_text)
    assert told.args == [(Problem("library.row"),)]
    assert later.engine.cancelled == [f"check:{found.id}"] and len(later.engine.jobs) == jobs + 1
    assert (found.state, found.segments) == (states.DONE, [segment(0), segment(1)])
    later.session.transcribe_again(found.id)
    later.checks.begin(found.id)
    assert not later.edits.may_edit(found.id)
    assert (len(later.engine.jobs), later.checks.running) == (jobs + 1, {})


def test_deleting_a_live_recording_deletes_its_sound_and_the_texts_beside_it(stage: Stage, tmp_path: Path) -> None:
    """And none of its words is left in any file of the data folder."""
    word = "Xylophonquartett"
    sound = folders.recordings() / "Recording 2026-05-04 14.02.flac"
    sound.parent.mkdir(parents=True)
    other = sound.with_name("Recording 2026-05-04 14.03.txt")
    for path in (sound, sound.with_suffix(".txt"), sound.with_suffix(".checked.json"), other):
        path.write_text("Other words" if path == other else word, encoding="utf-8")
    stored = stage.library.add_live(str(sound))
    stage.library.begin(stored.id, MODELS, 60.0)
    for number in range(50):
        stage.library.append(stored.id, segment(number, f"{word} {number}"))
    kept = stage.library.add("/talk.wav")
    later = stage.restart()
    later.session.remove(stored.id)
    later.settle()
    later.settle()  # the library is told when the sound is gone
    assert [path.name for path in folders.recordings().iterdir()] == [other.name]
    assert [one.id for one in later.library.recordings()] == [kept.id]
    files = [path for path in folders.data().rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert [path.name for path in files if word.encode() in path.read_bytes()] == []


def test_a_recording_elsewhere_loses_its_sound_and_no_file_of_the_users(stage: Stage, tmp_path: Path) -> None:
    sound, text, dropped = (tmp_path / name for name in ("talk.flac", "talk.txt", "dropped.wav"))
    for path in (sound, text, dropped):
        path.write_bytes(bytes(5000))
    stored = stage.library.add_live(str(sound))
    later = stage.restart()
    (entry,) = later.drop(dropped)
    later.session.remove(stored.id)
    later.session.remove(entry.id)
    later.settle()
    later.settle()
    assert later.library.recordings() == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dropped.wav", "talk.txt"]


def test_sound_that_cannot_be_deleted_is_said_and_stays_listed(stage: Stage, tmp_path: Path) -> None:
    """Else it would lie there, and nobody could delete it from the program."""
    sound = tmp_path / "talk.flac"
    sound.mkdir()
    stored = stage.library.add_live(str(sound))
    later = stage.restart()
    order = [entry.id for entry in (*later.drop("/one.wav"), later.session.entries[stored.id])]
    with later.emits(later.session.trouble) as told:
        later.session.remove(stored.id)
        assert stored.id not in later.session.entries
    assert told.args[0][0].kind == "disk"
    assert list(later.session.entries) == order
    assert later.library.recording(stored.id) is not None


def test_what_is_being_recorded_is_not_deleted(stage: Stage) -> None:
    entry = stage.record()
    stage.session.remove(entry.id)
    assert entry.id in stage.session.entries
    stage.stop()


def looked(stage: Stage) -> None:
    """Let the session look at what other programs have written."""
    stage.session.refresh()
    stage.settle()
    stage.settle()  # a text that is asked for


def test_what_a_terminal_records_beside_the_window_is_listed_with_its_states(stage: Stage) -> None:
    (mine,) = stage.drop("/mine.wav")
    terminal = Library(folders.data() / "library")
    theirs = terminal.add_live("/theirs.flac").id
    looked(stage)
    assert list(stage.session.entries) == [theirs, mine.id]
    entry = stage.session.entries[theirs]
    assert (entry.summary(), entry.elsewhere) == ("Recording in another Galley", True)
    assert stage.session.in_work == [mine], "it neither waits in this queue nor holds it up"
    stage.session.load(theirs)
    terminal.begin(theirs, MODELS, 0.0)
    terminal.append(theirs, segment(0))
    terminal.recorded(theirs, 9.0)
    looked(stage)
    assert (entry.state, entry.seconds, entry.segments) == (states.WORKING, 9.0, [segment(0)])
    for ask in (stage.session.cancel, stage.session.transcribe_again, stage.session.remove):
        ask(theirs)
    assert theirs in stage.session.entries and stage.engine.cancelled == [], "what another Galley does is its own"
    terminal.finish(theirs, transcript(segment(0, "Other words"), segment(1)))
    looked(stage)
    assert (entry.state, entry.elsewhere) == (states.DONE, False)
    assert entry.segments == [segment(0, "Other words"), segment(1)]
    stage.session.remove(mine.id)
    terminal.add_live("/away/gone.flac")
    looked(stage)
    assert mine.id not in stage.session.entries
    terminal.close()
    looked(stage)
    assert [one.state for one in stage.session.entries.values()] == [states.INTERRUPTED, states.DONE]


def test_a_look_changes_nothing_of_what_this_program_does(stage: Stage) -> None:
    """What it asks of the library may come there later than the look."""
    one, two, three = stage.drop("/one.wav", "/two.wav", "/three.wav")
    terminal = Library(folders.data() / "library")
    terminal.add("/theirs.wav")
    stage.session.refresh()
    finish(stage, one)
    stage.session.remove(two.id)
    stage.say(Started(three.id, 60.0, MODELS))
    stage.settle()
    assert (one.state, three.state, one.elsewhere, three.elsewhere) == (states.DONE, states.WORKING, False, False)
    assert two.id not in stage.session.entries
    terminal.close()
