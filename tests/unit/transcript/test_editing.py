"""What a reader types into a transcript: words keep their times, and no line and no token is lost."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.export.document import Document, paragraphs
from desktop_app.transcript.editing import clean, placed_words, replace_all, replace_text
from desktop_app.transcript.model import Models, Segment, Speaker, Transcript, Word
from desktop_app.transcript.speakers import Place


def line(number: int, text: str, speaker: str | None = None, words: bool = True) -> Segment:
    """A line of two seconds behind a pause of one, with the times of its words apart from each other."""
    pieces, begin = text.split(), number * 3.0
    step = 2.0 / max(len(pieces), 1)
    spoken = tuple(
        Word(f" {piece}", begin + place * step, begin + (place + 0.75) * step, 0.9, speaker)
        for place, piece in enumerate(pieces)
    )
    return Segment(number, begin, begin + 2, text, (number, 90), 0.0, -0.1, 0.0, speaker, spoken * words)


def talk(*lines: Segment) -> Transcript:
    speakers = tuple(
        Speaker(each, f"Speaker {each[1:]}") for each in sorted({it.speaker for it in lines if it.speaker})
    )
    return Transcript("talk.wav", 30.0, "en", 1.0, Models("t", "", "off", "CPU", "f32"), lines, speakers)


ROOF = talk(line(0, "the roof is done", "S1"), line(1, "and the gutters", "S2"), line(2, "good", "S1"))


def typed(begin: Place, end: Place, text: str, before: Transcript = ROOF) -> list[str]:
    return [each.text for each in replace_text(before, begin, end, text)[0].segments]


def times(transcript: Transcript, number: int) -> list[tuple[str, float, float, bool]]:
    return [(it.text, round(it.start, 3), round(it.end, 3), it.edited) for it in transcript.segments[number].words]


def test_words_beside_an_edit_stay_as_they_are() -> None:
    edited, caret = replace_text(ROOF, (0, 4), (0, 8), "house")
    assert [each.text for each in edited.segments] == ["the house is done", "and the gutters", "good"]
    assert caret == (0, 9)
    assert edited.segments[1:] == ROOF.segments[1:]
    old, new = ROOF.segments[0].words, edited.segments[0].words
    assert (new[0], *new[2:]) == (old[0], *old[2:])
    assert new[1] == Word(" house", old[1].start, old[1].end, 1.0, "S1", edited=True)


def test_a_new_word_gets_the_time_between_its_neighbours() -> None:
    edited, caret = replace_text(ROOF, (0, 8), (0, 8), " there")
    assert caret == (0, 14)
    assert times(edited, 0)[1:4] == [
        (" roof", 0.5, 0.875, False),
        (" there", 0.875, 1.0, True),
        (" is", 1.0, 1.375, False),
    ]
    both = replace_text(ROOF, (0, 8), (0, 8), " up there")[0]
    assert [word[1:3] for word in times(both, 0)[2:4]] == [(0.875, 0.911), (0.911, 1.0)], "shared by length"


def test_a_word_typed_before_a_line_stays_out_of_the_silence_before_it() -> None:
    late = talk(replace(line(1, "and the gutters"), start=0.0))
    edited, _caret = replace_text(late, (0, 0), (0, 0), "so ")
    assert times(edited, 0)[:2] == [(" so", 3.0, 3.0, True), (" and", 3.0, 3.5, False)]
    assert edited.segments[0].speech_start == late.segments[0].speech_start == 3.0


def test_letter_by_letter_is_the_same_as_at_once() -> None:
    edited, place = ROOF, (0, 8)
    for letter in " up there":
        edited, place = replace_text(edited, place, place, letter)
    assert [(it.text, it.edited) for it in edited.segments[0].words][1:5] == [
        (" roof", False), (" up", True), (" there", True), (" is", False),
    ]  # fmt: skip
    while place > (0, 8):
        edited, place = replace_text(edited, (0, place[1] - 1), place, "")
    assert edited == ROOF


def test_a_word_that_is_cut_in_two_shares_its_time() -> None:
    edited, _caret = replace_text(ROOF, (0, 6), (0, 6), " ")
    assert times(edited, 0)[1:3] == [(" ro", 0.5, 0.688, True), (" of", 0.688, 0.875, True)]
    joined, _caret = replace_text(edited, (0, 6), (0, 7), "")
    assert times(joined, 0)[1] == (" roof", 0.5, 0.875, True), "and back: edited, in its old time"


def test_a_line_is_split_where_enter_is_typed() -> None:
    edited, caret = replace_text(ROOF, (0, 8), (0, 8), "\n")
    assert [each.text for each in edited.segments] == ["the roof", "is done", "and the gutters", "good"]
    assert caret == (1, 0)
    assert edited.segments[2:] == ROOF.segments[1:], "what stands behind stays as it is"
    first, second = edited.segments[:2]
    assert (first.start, first.end, second.end) == (0.0, 0.9375, 2.0)
    assert first.end == second.start
    assert (*first.words, *second.words) == ROOF.segments[0].words, "no word is another one"
    assert (first.tokens, second.tokens) == ((0, 90), ())
    assert typed((0, 10), (0, 10), "\n")[:2] == ["the roof i", "s done"], "inside a word too"


def test_a_line_whose_words_reach_beyond_it_is_split_inside_it() -> None:
    late = replace(ROOF.segments[0], end=1.2)
    first, second = replace_text(talk(late), (0, 11), (0, 11), "\n")[0].segments
    assert (first.start, first.end, second.start, second.end) == (0.0, 1.2, 1.2, 1.2)


def test_at_its_ends_an_empty_line_begins_in_the_pause() -> None:
    behind, caret = replace_text(ROOF, (1, 15), (1, 15), "\n")
    assert [(it.text, it.start, it.end) for it in behind.segments[1:3]] == [
        ("and the gutters", 3.0, 5.0),
        ("", 5.0, 6.0),
    ]
    assert caret == (2, 0)
    before, caret = replace_text(ROOF, (1, 0), (1, 0), "\n")
    assert [(it.text, it.start, it.end) for it in before.segments[1:3]] == [
        ("", 2.0, 3.0),
        ("and the gutters", 3.0, 5.0),
    ]
    assert caret == (2, 0)
    filled, _caret = replace_text(behind, (2, 0), (2, 0), "so what")
    assert times(filled, 2) == [(" so", 5.0, 5.333, True), (" what", 5.333, 6.0, True)]
    last = replace_text(ROOF, (2, 4), (2, 4), "\n")[0].segments[3]
    assert (last.start, last.end) == (8.0, 30.0)


def test_a_word_that_was_split_is_whole_again_and_others_stay_apart() -> None:
    split, _caret = replace_text(ROOF, (0, 6), (0, 6), "\n")
    assert [it.text for it in split.segments[:2]] == ["the ro", "of is done"]
    assert typed((0, 6), (1, 0), "", split)[0] == "the roof is done"
    more, _caret = replace_text(split, (0, 6), (0, 6), "o")
    assert typed((0, 7), (1, 0), "", more)[0] == "the rooof is done", "and after something was typed"
    apart, _caret = replace_text(ROOF, (0, 8), (0, 8), "\n")
    other, _caret = replace_text(apart, (1, 0), (1, 2), "was")
    assert typed((0, 8), (1, 0), "", other)[0] == "the roof was done"


def test_enter_at_the_edge_of_a_paragraph_takes_no_other_break_away() -> None:
    """Neither one at a pause nor one at the end of a sentence; nor does what is typed into the new one."""
    lines = [Segment(at, at * 2.0 + 4 * (at > 3), at * 2.0 + 2 + 4 * (at > 3), " A sentence.") for at in range(60)]
    before = talk(*lines)
    begins = [each.segments[0] for each in paragraphs(Document(before))]
    assert [it.id for it in begins] == [0, 4, 25, 46]
    for paragraph in (4, 25):
        for line, character in ((paragraph - 1, len(" A sentence.")), (paragraph, 1)):
            after, _caret = replace_text(before, (line, character), (line, character), "\n")
            found = [each.segments[0].start for each in paragraphs(Document(after))]
            assert found == [it.start for it in begins], (line, character)
            empty = next(at for at, it in enumerate(after.segments) if not it.text.strip())
            filled, _caret = replace_text(after, (empty, 0), (empty, 0), "New")
            found = [each.text for each in paragraphs(Document(filled))]
            assert "New" in found and len(found) == len(begins) + 1, (line, character)


def test_lines_are_merged_with_a_space_and_the_first_speaker() -> None:
    merged, caret = replace_text(ROOF, (0, 16), (1, 0), "")
    assert [(it.text, it.speaker, it.start, it.end) for it in merged.segments] == [
        ("the roof is done and the gutters", "S1", 0.0, 5.0), ("good", "S1", 6.0, 8.0),
    ]  # fmt: skip
    assert caret == (0, 17)
    assert [word.text for word in merged.segments[0].words] == " the, roof, is, done, and, the, gutters".split(",")
    assert {word.speaker for word in merged.segments[0].words} == {"S1"}
    assert not any(word.edited for word in merged.segments[0].words)
    assert merged.segments[0].tokens == (0, 90, 1, 90)
    assert [each.id for each in merged.speakers] == ["S1"], "who has no line any more is gone"
    chinese = talk(line(0, "你好。"), line(1, "世界"))
    assert typed((0, 3), (1, 0), "", chinese) == ["你好。世界"]


def test_an_empty_line_gives_its_place_to_the_speaker_of_the_other() -> None:
    emptied, caret = replace_text(ROOF, (0, 0), (0, 16), "")
    assert (emptied.segments[0].text, emptied.segments[0].words, len(emptied.segments), caret) == ("", (), 3, (0, 0))
    merged, _caret = replace_text(emptied, (0, 0), (1, 0), "")
    assert [(it.text, it.speaker) for it in merged.segments] == [("and the gutters", "S2"), ("good", "S1")]


def test_a_selection_across_lines_is_replaced() -> None:
    assert typed((0, 6), (2, 2), "") == ["the rood"], "inside words nothing is put between"
    assert typed((0, 4), (1, 4), "") == ["the the gutters", "good"]
    assert typed((1, 4), (0, 4), "") == ["the the gutters", "good"], "from its end too"
    assert typed((0, 0), (2, 4), "all") == ["all"]
    assert typed((0, 8), (1, 7), "\n") == ["the roof", "gutters", "good"]
    kept = replace_text(ROOF, (0, 8), (1, 7), "\n")[0]
    assert [it.speaker for it in kept.segments] == ["S1", "S2", "S1"]


def test_pasted_lines_are_lines() -> None:
    assert typed((0, 8), (0, 8), " is old\r\nit leaks\u2029but it") == [
        "the roof is old", "it leaks", "but it is done", "and the gutters", "good",
    ]  # fmt: skip


def test_a_line_without_times_of_words_gets_them_by_length() -> None:
    bare = talk(line(0, "one three", words=False))
    edited, _caret = replace_text(bare, (0, 9), (0, 9), " four")
    words = edited.segments[0].words
    assert [(it.text, it.edited, round(it.probability, 2)) for it in words] == [
        ("one", False, 0.9), (" three", False, 0.9), (" four", True, 1.0),
    ]  # fmt: skip
    assert [(round(it.start, 2), round(it.end, 2)) for it in words[:2]] == [(0.0, 0.75), (0.75, 2.0)]


def test_scripts_without_spaces_have_a_word_for_each_character() -> None:
    plain = talk(replace(line(0, "你好。"), words=(Word("你", 0.0, 1.0, 0.9), Word("好。", 1.0, 2.0, 0.9))))
    edited, _caret = replace_text(plain, (0, 1), (0, 1), "们")
    assert times(edited, 0) == [("你", 0.0, 1.0, False), ("们", 1.0, 1.0, True), ("好。", 1.0, 2.0, False)]


def test_replacing_all_changes_every_hit_and_nothing_else() -> None:
    edited = replace_all(ROOF, [(0, 0, 3), (0, 9, 11), (1, 4, 7)], "our\nown")
    assert [each.text for each in edited.segments] == ["our own roof our own done", "and our own gutters", "good"]
    assert edited.segments[2] is ROOF.segments[2]


@pytest.mark.parametrize(("text", "cleaned"), [("a\tb\x00c", "a bc"), ("a\r\nb\rc", "a\nb\nc"), ("\ud800x 👍", "x 👍")])
def test_what_no_transcript_can_hold_is_left_out(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


TEXT = st.text("ab 你。\n", max_size=6)
EDITS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 5), st.integers(0, 30), TEXT), max_size=6
)
LINES = st.lists(st.tuples(st.text("ab cd", max_size=12), st.sampled_from([None, "S1", "S2"])), min_size=1, max_size=4)


@given(LINES, EDITS)
def test_any_edits_leave_a_whole_transcript(lines: list[tuple[str, str | None]], edits: list[tuple]) -> None:
    edited = talk(*(line(number, " ".join(text.split()), speaker) for number, (text, speaker) in enumerate(lines)))
    tokens = [token for each in edited.segments for token in each.tokens]
    for first, begin, last, end, text in edits:
        one, other = sorted((_inside(edited, first, begin), _inside(edited, last, end)))
        before, caret = edited, None
        edited, caret = replace_text(edited, one, other, text)
        head, tail = before.segments[one[0]].text[: one[1]], before.segments[other[0]].text[other[1] :]
        changed = edited.segments[one[0] : caret[0] + 1]
        assert "".join("\n".join(it.text for it in changed).split()) == "".join(f"{head}{text}{tail}".split())
        assert before.segments[: one[0]] == edited.segments[: one[0]]
        assert [it.text for it in edited.segments[caret[0] + 1 :]] == [
            it.text for it in before.segments[other[0] + 1 :]
        ]
        assert caret[1] <= len(edited.segments[caret[0]].text)
    assert [token for each in edited.segments for token in each.tokens] == tokens
    for one, other in pairwise(edited.segments):
        assert one.start <= one.end <= other.start
    for each in edited.segments:
        assert "".join(word.text for word in each.words).strip() == each.text.strip()
        spans = [each.start, *(time for word in each.words for time in (word.start, word.end)), each.end]
        assert spans == sorted(spans), "in order, inside the line"
        assert {word.speaker for word in each.words} <= {each.speaker}
        assert [each.text[start:stop] for _word, start, stop in placed_words(each)] == [
            word.text.strip() for word in each.words
        ]


def _inside(transcript: Transcript, number: int, character: int) -> Place:
    number = min(number, len(transcript.segments) - 1)
    return number, min(character, len(transcript.segments[number].text))
