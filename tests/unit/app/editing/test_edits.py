"""Corrections of words and speakers: each changes something, can be taken back, and waits for no disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from desktop_app.app.editing.edits import EditStep
from desktop_app.app.recordings.entry import CANCELLED, DONE, Entry
from desktop_app.messages.jobs import Cancelled, Finished, SegmentReady, Started
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Transcript
from desktop_app.transcript.speakers import Place
from tests.staging import Stage
from tests.talks import talk
from tests.waiting import LONGEST


def finish(stage: Stage, entry: Entry, made: Transcript) -> None:
    """The engine says it as it does: first lines as they are written, at the end who speaks."""
    stage.say(Started(entry.id, made.seconds, made.models))
    stage.say(*(SegmentReady(entry.id, replace(part, speaker=None)) for part in made.segments[:16]))
    stage.say(Finished(entry.id, replace(made, path=entry.path)))


@pytest.fixture
def entry(stage: Stage, recording: Callable[[str], Path]) -> Entry:
    """A conversation of two."""
    (made,) = stage.drop(recording("talk.wav"))
    finish(stage, made, talk(2))
    return made


def stored(stage: Stage, key: str) -> Transcript:
    """What is on the disk."""
    stage.settle()
    return stage.library.transcript(key)


def name(step: EditStep | None) -> str:
    """What an edit is called that was undone or made again."""
    return step.name if step else ""


def type_in(stage: Stage, entry: Entry, place: Place, text: str) -> None:
    """Type letter by letter."""
    for number, letter in enumerate(text):
        here = place[0], place[1] + number
        assert stage.edits.replace(entry.id, here, here, letter)


def test_a_correction_is_one_that_changes_something(stage: Stage, entry: Entry) -> None:
    edits, before = stage.edits, entry.transcript()
    assert not edits.rename(entry.id, "S1", "Rose")
    assert not edits.rename(entry.id, "S1", "  ")
    assert not edits.rename(entry.id, "S9", "Zoe")
    assert not edits.reassign(entry.id, [0], "S1")
    assert not edits.reassign(entry.id, [0], "S9")
    assert not edits.merge(entry.id, "S1", "S1")
    assert not edits.split(entry.id, 0, 0)
    assert not edits.split(entry.id, 99, 4)
    assert entry.transcript() == before
    assert edits.next_undo(entry.id) == ""


def test_what_was_undone_goes_when_something_else_is_done(stage: Stage, entry: Entry) -> None:
    edits = stage.edits
    edits.rename(entry.id, "S1", "One")
    edits.undo(entry.id)
    assert edits.next_redo(entry.id) == "rename"
    edits.rename(entry.id, "S1", "Two")
    assert edits.next_redo(entry.id) == ""


def test_many_corrections_at_once_are_written_once(stage: Stage, entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.settle()
    written: list[str] = []
    revise, disk = stage.library.revise, Event()

    def slow(key: str, made: Transcript, corrected: bool, reworded: bool) -> None:
        disk.wait(LONGEST)
        written.append(made.speakers[0].name)
        revise(key, made, corrected, reworded)

    monkeypatch.setattr(stage.library, "revise", slow)
    for number in range(40):
        stage.edits.rename(entry.id, "S1", f"Name {number}")
    disk.set()
    assert stored(stage, entry.id).speakers[0].name == "Name 39"
    assert len(written) <= 2, "the one that the disk was busy with, and the newest"


def test_words_and_speakers_are_undone_one_after_the_other_to_the_exact_text(stage: Stage, entry: Entry) -> None:
    edits, steps = stage.edits, [entry.transcript()]
    carets: list[Place] = []
    edits.placed.connect(lambda key, place: carets.append(place))
    for edit in (
        lambda: edits.replace(entry.id, (0, 8), (0, 13), "had"),
        lambda: edits.replace(entry.id, (1, 17), (1, 17), "\n"),
        lambda: edits.reassign(entry.id, [2], "S1"),
        lambda: edits.replace(entry.id, (1, 17), (2, 0), ""),
        lambda: edits.rename(entry.id, "S1", "Someone"),
        lambda: edits.replace(entry.id, (0, 3), (4, 2), "all of this"),
        lambda: edits.merge(entry.id, "S2", "S1"),
    ):
        assert edit()
        steps.append(entry.transcript())
    assert carets == [(0, 11), (2, 0), (1, 18), (0, 14)]
    for before in reversed(steps[:-1]):
        assert edits.undo(entry.id)
        assert _numbered(entry.transcript()) == _numbered(before)
    assert edits.undo(entry.id) is None
    assert carets[4:] == [(4, 2), (2, 0), (1, 17), (0, 13)]
    for after in steps[1:]:
        assert edits.redo(entry.id)
        assert _numbered(entry.transcript()) == _numbered(after)
    edits.save()
    kept = stored(stage, entry.id)
    assert (kept.segments, kept.speakers) == (speakers.numbered(steps[-1].segments), steps[-1].speakers)


def _numbered(transcript: Transcript) -> Transcript:
    """As it is stored: while somebody edits, lines keep the numbers that they had."""
    return replace(transcript, segments=speakers.numbered(transcript.segments))


def test_typing_is_undone_by_the_word(stage: Stage, entry: Entry) -> None:
    before, edits = entry.segments[3].text, stage.edits
    type_in(stage, entry, (3, 3), "really so")
    assert entry.segments[3].text == "He really socomes on Friday."
    edits.undo(entry.id)
    assert entry.segments[3].text == "He really comes on Friday."
    edits.undo(entry.id)
    assert entry.segments[3].text == before
    for at in (18, 17, 16):
        edits.replace(entry.id, (3, at - 1), (3, at), "")
    assert name(edits.undo(entry.id)) == "deletion"
    assert entry.segments[3].text == before, "letters that are deleted behind each other are one"
    type_in(stage, entry, (3, 3), "re")
    stage.now += 2.1
    type_in(stage, entry, (3, 5), "a")
    edits.undo(entry.id)
    assert entry.segments[3].text == "He recomes on Friday.", "a pause begins another one"


def test_a_space_where_a_line_begins_is_no_step(stage: Stage, entry: Entry) -> None:
    before, edits = entry.segments[3].text, stage.edits
    assert not edits.replace(entry.id, (3, 0), (3, 0), " ") and edits.next_undo(entry.id) == ""
    edits.replace(entry.id, (3, 0), (3, 0), " So ")
    assert entry.segments[3].text == "So He comes on Friday."
    edits.undo(entry.id)
    assert entry.segments[3].text == before and edits.next_undo(entry.id) == ""


def test_a_word_that_was_only_in_between_one_with_what_was_typed_is_not_edited(stage: Stage, entry: Entry) -> None:
    before = entry.segments[9].words
    type_in(stage, entry, (9, 5), "so ")  # in between that is "slet", "solet"
    stage.edits.replace(entry.id, (9, 4), (9, 5), "")
    stage.edits.replace(entry.id, (9, 4), (9, 4), " ")
    assert entry.segments[9].text.startswith("Then so let us ")
    changed = [word.text for word in entry.segments[9].words if word.edited]
    assert changed == [" so"]
    assert [(it.start, it.end) for it in entry.segments[9].words if not it.edited] == [(i.start, i.end) for i in before]


@pytest.mark.parametrize("in_between", [False, True])
def test_a_word_that_is_split_and_merged_is_whole_again(stage: Stage, entry: Entry, in_between: bool) -> None:
    edits, before = stage.edits, list(entry.segments)
    at = before[0].text.index(" ") + 3
    edits.replace(entry.id, (0, at), (0, at), "\n")
    assert edits.next_undo(entry.id) == "split"
    if in_between:
        edits.replace(entry.id, (1, 1), (1, 1), "x")
        edits.replace(entry.id, (1, 1), (1, 2), "")
    edits.replace(entry.id, (0, len(entry.segments[0].text)), (1, 0), "")
    assert entry.segments == before
    assert edits.next_undo(entry.id) == "merge"
    edits.undo(entry.id)
    assert len(entry.segments) == len(before) + 1


def test_a_word_that_was_split_is_whole_again_after_a_restart(stage: Stage, entry: Entry) -> None:
    text = entry.segments[0].text
    at = text.index(" ") + 3
    stage.edits.replace(entry.id, (0, at), (0, at), "\n")
    stage.edits.save()
    later = stage.restart()
    later.session.load(entry.id)
    later.until(lambda: later.edits.may_edit(entry.id))
    later.edits.replace(entry.id, (0, at), (1, 0), "")
    assert later.session.entries[entry.id].segments[0].text == text


def test_a_space_that_is_typed_over_one_is_selected_no_more(stage: Stage, entry: Entry) -> None:
    at = entry.segments[0].text.index(" ")
    stage.edits.replace(entry.id, (0, at), (0, at + 1), " ")  # now the words have their spaces, as those of Whisper
    with stage.emits(stage.edits.placed) as placed:
        assert not stage.edits.replace(entry.id, (0, at), (0, at + 1), " ")
    assert placed.args == [entry.id, (0, at + 1)]


def test_an_empty_line_split_twice_is_merged(stage: Stage, entry: Entry) -> None:
    text, count = entry.segments[0].text, len(entry.segments)
    stage.edits.replace(entry.id, (0, 0), (0, 0), "\n")
    stage.edits.replace(entry.id, (0, 0), (1, 0), "\n")
    stage.edits.replace(entry.id, (0, 0), (1, 0), "")
    assert (entry.segments[0].text, len(entry.segments)) == (text, count)


def test_a_selection_that_enter_has_replaced_does_not_come_back_with_a_merge(stage: Stage, entry: Entry) -> None:
    edits, text = stage.edits, entry.segments[0].text
    edits.replace(entry.id, (0, 2), (0, 6), "\n")
    edits.replace(entry.id, (0, 2), (1, 0), "")
    assert "".join(entry.segments[0].text.split()) == "".join(f"{text[:2]}{text[6:]}".split())


def test_a_merge_right_behind_a_deletion_is_a_step_of_its_own(stage: Stage, entry: Entry) -> None:
    before = entry.transcript()
    stage.edits.replace(entry.id, (1, 0), (1, 1), "")
    between = entry.transcript()
    stage.edits.replace(entry.id, (0, len(entry.segments[0].text)), (1, 0), "")
    assert len(entry.segments) == len(before.segments) - 1
    stage.edits.undo(entry.id)
    assert entry.transcript() == between
    stage.edits.undo(entry.id)
    assert entry.transcript() == before


def test_what_is_typed_is_written_when_it_is_saved_and_when_the_text_goes(stage: Stage, entry: Entry) -> None:
    type_in(stage, entry, (0, 0), "So, ")
    assert stored(stage, entry.id).segments[0].text.startswith("We have"), "not at each key"
    stage.edits.save()
    assert stored(stage, entry.id).segments[0].text.startswith("So, We have")


def test_nothing_is_typed_into_a_recording_in_work(stage: Stage, recording: Callable[[str], Path]) -> None:
    (entry,) = stage.drop(recording("other.wav"))
    stage.say(Started(entry.id, 60.0, talk().models), SegmentReady(entry.id, talk().segments[0]))
    assert not stage.edits.replace(entry.id, (0, 0), (0, 0), "a")
    stage.edits.replace_all(entry.id, [(0, 0, 2)], "a")
    stage.settle()
    assert entry.segments[0].text == talk().segments[0].text


def test_all_places_are_replaced_in_one_step_unless_something_is_typed_meanwhile(stage: Stage, entry: Entry) -> None:
    before = entry.transcript()
    stage.edits.replace_all(entry.id, [(0, 0, 2), (1, 4, 8)], "THEY")
    stage.settle()
    assert [it.text[:8] for it in entry.segments[:2]] == ["THEY hav", "The THEY"]
    assert entry.reworded
    assert name(stage.edits.undo(entry.id)) == "replacement"
    assert entry.transcript() == before
    stage.edits.replace_all(entry.id, [(0, 0, 2)], "THEY")
    type_in(stage, entry, (2, 0), "x")
    stage.settle()
    assert entry.segments[0].text == before.segments[0].text


def test_no_engine_replaces_words_of_the_reader(stage: Stage, entry: Entry) -> None:
    """To transcribe again is to compare then: the reader sees what would change, and can take it back."""
    stage.edits.rename(entry.id, "S2", "Bo")
    type_in(stage, entry, (0, 0), "So, ")
    mine, check = entry.transcript(), f"check:{entry.id}"
    stage.session.transcribe_again(entry.id)
    assert [job for job, _path, _options in stage.engine.jobs][-1] == check
    assert (entry.state, entry.transcript()) == (DONE, mine)
    fresh = talk(2, named=False)
    stage.say(Finished(check, fresh))
    stage.settle()
    found = stage.checks.running[entry.id]
    assert (found.words, found.reworded, entry.transcript()) == (1, True, mine)
    type_in(stage, entry, (1, 0), "Oh, ")
    stage.settle()
    assert found.words == 2, "what is typed meanwhile is compared too"
    mine = entry.transcript()
    stage.checks.accept(entry.id)
    assert [it.text for it in entry.segments] == [it.text for it in fresh.segments]
    assert [it.name for it in entry.speakers] == ["Rose", "Bo"]
    assert not entry.reworded
    assert name(stage.edits.undo(entry.id)) == "kept corrections"
    assert name(stage.edits.undo(entry.id)) == "new text"
    assert (entry.transcript().segments, entry.reworded) == (mine.segments, True)
    assert stored(stage, entry.id).segments == mine.segments


def test_words_of_the_reader_are_known_after_a_restart(stage: Stage, entry: Entry) -> None:
    type_in(stage, entry, (0, 0), "So, ")
    stage.edits.save()
    later = stage.restart()
    again = later.session.entries[entry.id]
    assert again.reworded
    later.session.transcribe_again(entry.id)
    assert later.engine.jobs[-1][0] == f"check:{entry.id}"
    later.session.load(entry.id)
    later.until(lambda: bool(again.segments))
    assert [word.text for word in again.segments[0].words if word.edited] == ["So,"]


def test_a_text_that_was_stopped_and_changed_is_compared_too(stage: Stage, recording: Callable[[str], Path]) -> None:
    (entry,) = stage.drop(recording("talk.wav"))
    made = talk(2)
    stage.say(Started(entry.id, made.seconds, made.models), *(SegmentReady(entry.id, it) for it in made.segments[:3]))
    stage.say(Cancelled(entry.id))
    type_in(stage, entry, (0, 0), "So, ")
    stage.session.transcribe_again(entry.id)
    assert entry.state == CANCELLED
    stage.say(Finished(f"check:{entry.id}", made))
    stage.settle()
    stage.checks.accept(entry.id)
    assert (entry.state, len(entry.segments)) == (DONE, len(made.segments))
    stage.settle()
    assert stage.library.recording(entry.id).state == "done"
