"""A reader's corrections of speakers: each changes what it says, keeps all else, and leaves the old one for undo."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.transcript import speakers
from desktop_app.transcript.difference import untouched
from desktop_app.transcript.editing import replace_text
from desktop_app.transcript.model import Models, Segment, Speaker, Transcript, Word


def line(number: int, text: str, speaker: str | None, words: bool = True) -> Segment:
    """A line of two seconds, its words evenly in it."""
    pieces = text.split(" ")
    step = 2.0 / len(pieces)
    spoken = tuple(
        Word(f" {piece}", number * 2 + place * step, number * 2 + (place + 1) * step, 0.9, speaker)
        for place, piece in enumerate(pieces)
    )
    return Segment(number, number * 2.0, number * 2.0 + 2, text, (number, 90), 0.0, -0.1, 0.0, speaker, spoken * words)


TALK = Transcript(
    "talk.wav",
    8.0,
    "en",
    1.0,
    Models("t", "", "off", "CPU", "f32"),
    (
        line(0, "good morning to you", "S1"),
        line(1, "and to you", "S2"),
        line(2, "shall we begin", "S1", words=False),
        line(3, "yes", "S2"),
    ),
    (Speaker("S1", "Speaker 1", ((0.0, 2.0), (4.0, 6.5))), Speaker("S2", "Speaker 2", ((1.5, 4.0), (6.0, 8.0)))),
)


def said(transcript: Transcript) -> list[tuple[str, str | None]]:
    return [(each.text, each.speaker) for each in transcript.segments]


def test_a_name_is_given_once_for_the_whole_recording() -> None:
    renamed = speakers.rename(TALK, "S2", "  Bob\n Smith ")
    assert renamed.speakers[1].name == "Bob Smith"
    assert renamed.segments == TALK.segments
    assert TALK.speakers[1].name == "Speaker 2", "the old one is the undo"
    with pytest.raises(ValueError, match="needs a name"):
        speakers.rename(TALK, "S2", "  ")
    with pytest.raises(KeyError):
        speakers.rename(TALK, "S9", "Bob")


def test_a_line_goes_to_another_speaker_with_its_words_and_its_turn() -> None:
    moved = speakers.reassign(TALK, [1], "S1")
    assert said(moved)[1] == ("and to you", "S1")
    assert {word.speaker for word in moved.segments[1].words} == {"S1"}
    first, second = moved.speakers
    assert first.turns == ((0.0, 6.5),)
    assert second.turns == ((1.5, 2.0), (6.0, 8.0)), "what was outside the line stays"


def test_who_loses_everything_is_gone_and_who_is_new_gets_a_free_id() -> None:
    alone = speakers.reassign(TALK, [1, 3], "S1")
    assert [each.id for each in alone.speakers] == ["S1", "S2"], "the turn before the line still stands"
    cleaned = speakers.reassign(speakers.merge(TALK, ["S2"], "S1"), range(4), None)
    assert cleaned.speakers == (), "nobody speaks"
    with_third, third = speakers.add(TALK)
    assert (third, with_third.speakers[-1]) == ("S3", Speaker("S3", "Speaker 3"))
    taken = speakers.reassign(with_third, [0], third)
    assert said(taken)[0][1] == "S3" and taken.speakers[2].turns == ((0.0, 2.0),)
    assert speakers.add(TALK, "Cleo")[0].speakers[-1].name == "Cleo"
    with pytest.raises(KeyError):
        speakers.reassign(TALK, [0], "S9")


def test_two_speakers_become_one() -> None:
    merged = speakers.merge(TALK, ["S2"], "S1")
    assert merged.speakers == (Speaker("S1", "Speaker 1", ((0.0, 8.0),)),)
    assert {each.speaker for each in merged.segments} == {"S1"}
    assert speakers.merge(TALK, ["S1"], "S1") == TALK


@pytest.mark.parametrize(("caret", "parts"), [(13, ["good morning", "to you"]), (11, ["good morning", "to you"])])
def test_a_line_is_split_between_words_at_the_caret(caret: int, parts: list[str]) -> None:
    cut = speakers.split(TALK, 0, caret)
    first, second = cut.segments[:2]
    assert [first.text, second.text] == parts
    assert (first.start, first.end, second.start, second.end) == (0.0, 1.0, 1.0, 2.0)
    assert [word.text for word in second.words] == [" to", " you"]
    assert [each.id for each in cut.segments] == [0, 1, 2, 3, 4]
    assert sum((each.tokens for each in cut.segments), ()) == sum((each.tokens for each in TALK.segments), ())


def test_a_line_without_times_of_words_is_split_by_its_length() -> None:
    cut = speakers.split(TALK, 2, 9)
    assert [each.text for each in cut.segments[2:4]] == ["shall we", "begin"]
    assert cut.segments[2].end == cut.segments[3].start == pytest.approx(4 + 2 * 9 / 14)


def test_text_without_spaces_is_split_anywhere() -> None:
    chinese = Transcript("a", 2.0, "zh", 1.0, TALK.models, (Segment(0, 0.0, 2.0, "你好再见"),))
    assert [each.text for each in speakers.split(chinese, 0, 2).segments] == ["你好", "再见"]


@pytest.mark.parametrize("caret", [0, 1, 19, 18, 400, -3])
def test_there_is_nothing_to_split_at_the_ends(caret: int) -> None:
    assert speakers.split(TALK, 0, caret) == TALK


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ((0, 13), (1, 4), [("good morning", "S1"), ("to you", "S2"), ("and", "S2"), ("to you", "S2")]),
        ((0, 0), (0, 19), [("good morning to you", "S2"), ("and to you", "S2")]),
        ((0, 5), (0, 12), [("good", "S1"), ("morning", "S2"), ("to you", "S1")]),
        ((0, 19), (1, 10), [("good morning to you", "S1"), ("and to you", "S2")]),
        ((1, 4), (0, 13), [("good morning", "S1"), ("to you", "S2"), ("and", "S2"), ("to you", "S2")]),
        ((0, 5), (0, 5), [("good", "S1"), ("morning to you", "S1")]),
    ],
)
def test_a_selection_takes_the_words_in_it(begin, end, expected) -> None:
    changed = speakers.reassign_selection(TALK, begin, end, "S2")
    assert said(changed)[: len(expected)] == expected


def test_share_of_speaking_time_and_where_to_listen() -> None:
    assert speakers.shares(TALK) == {"S1": pytest.approx(0.5), "S2": pytest.approx(0.5)}
    assert speakers.preview(TALK, "S1") == (4.0, 6.0), "where nobody else speaks"
    assert speakers.preview(TALK, "S2", 1.0) == (2.0, 3.0)
    assert speakers.preview(TALK, "S9") is None
    nobody = Transcript("a", 1.0, "en", 1.0, TALK.models, (), (Speaker("S1", "Ann"),))
    assert speakers.shares(nobody) == {"S1": 0.0}


def test_without_turns_the_lines_are_the_turns() -> None:
    plain = Transcript("a", 8.0, "en", 1.0, TALK.models, TALK.segments, (Speaker("S1", "Ann"),))
    assert speakers.turns_of(plain, plain.speakers[0]) == ((0.0, 2.0), (4.0, 6.0))


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("split"), st.integers(0, 5), st.integers(0, 20)),
            st.tuples(st.just("reassign"), st.integers(0, 5), st.sampled_from(["S1", "S2"])),
            st.tuples(
                st.just("select"), st.tuples(st.integers(0, 3), st.integers(0, 20)), st.sampled_from(["S1", "S2"])
            ),
        ),
        max_size=8,
    )
)
def test_no_edit_loses_a_word_or_a_token(edits) -> None:
    edited = TALK
    for kind, what, how in edits:
        if kind == "split":
            edited = speakers.split(edited, what, how)
        elif kind == "reassign" and how in {each.id for each in edited.speakers}:
            edited = speakers.reassign(edited, [what], how)
        elif kind == "select" and how in {each.id for each in edited.speakers}:
            edited = speakers.reassign_selection(edited, (0, 3), what, how)
    assert " ".join(each.text for each in edited.segments) == " ".join(each.text for each in TALK.segments)
    assert [token for each in edited.segments for token in each.tokens] == [0, 90, 1, 90, 2, 90, 3, 90]
    before = [word.text for each in TALK.segments for word in each.words]
    assert [word.text for each in edited.segments for word in each.words] == before
    assert [each.id for each in edited.segments] == list(range(len(edited.segments)))
    assert all(each.start <= each.end for each in edited.segments)
    for each in edited.speakers:
        assert each.turns == speakers.union(each.turns), "in order, apart, none empty"


def test_words_that_change_leave_who_is_heard_when_as_it_was() -> None:
    """So the timelines of hours are not made anew for each key that is typed."""
    lines = tuple(Segment(at, at * 2.0, at * 2.0 + 2, f"line {at} of all", speaker=f"S{at % 2 + 1}") for at in range(6))
    talk = Transcript("talk.wav", 12.0, "en", 0.9, TALK.models, lines, (Speaker("S1", "One"), Speaker("S2", "Two")))
    split, _caret = replace_text(talk, (2, 6), (2, 6), "\n")
    typed, _caret = replace_text(split, (5, 0), (5, 0), "and ")
    assert speakers.have_same_turns(talk, split) and speakers.have_same_turns(talk, typed)
    assert not speakers.have_same_turns(talk, speakers.reassign(talk, {2}, "S2"))
    assert not speakers.have_same_turns(talk, speakers.rename(talk, "S1", "Anna"))
    assert not speakers.have_same_turns(talk, replace(talk, segments=lines[:-1]))
    assert speakers.turns(talk) == {each.id: speakers.turns_of(talk, each) for each in talk.speakers}


def test_an_edit_is_found_by_the_lines_that_are_the_same_objects() -> None:
    one, two, three, four = (object() for _ in range(4))
    assert untouched((one, two, three), (one, four, three)) == (1, 1)
    assert untouched((one, two), (one, two)) == (2, 0)
    assert untouched((one, one), (one, one, one)) == (2, 0), "no line counts twice"
    assert untouched((), (one,)) == (0, 0)


def test_the_parts_of_a_line_begin_no_paragraph_that_a_reader_has_not_begun() -> None:
    begun = Segment(0, 0.0, 9.0, "One two. Three four. Five.", begins_paragraph=True)
    words = tuple(Word(word, at, at + 1.0, 0.9) for at, word in enumerate(begun.text.split()))
    begun = replace(begun, words=words)
    assert [part.begins_paragraph for part in speakers.split_segment(begun, [9, 21])] == [True, False, False]
