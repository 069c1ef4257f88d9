"""Where a head's text goes on, though it spells words wrong: behind the place that the target's letters are nearest to,
and with the tokens and times that the target would write there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.head_text import TIME, HeadText

from .test_other_vocabularies import spelling
from .toys import END, FIRST_TIME, vocabulary

PIECES = [b"a", b"b", b"c", b"d", b" ", b" a", b" b", b" c", b" d", b"ab"]
WORDS = vocabulary()
SPELLING = spelling(WORDS, PIECES)
MEET = FIRST_TIME + 5


def tokens(text: str) -> list[int]:
    """The tokens that this tokenizer makes of a text."""
    return list(SPELLING.split(text.encode()))


def wrote(*parts: str | int) -> HeadText:
    symbols = [part.encode() if isinstance(part, str) else [TIME + part - FIRST_TIME] for part in parts]
    return HeadText(SPELLING, [each for part in symbols for each in part])


def after(text: HeadText, *parts: str | int, count: int = 99) -> list[int]:
    written = [each for part in parts for each in (tokens(part) if isinstance(part, str) else [part])]
    return text.after(written, count)


def test_it_goes_on_behind_what_was_written() -> None:
    assert after(wrote("ab cd"), "ab") == [*tokens(" cd"), END]
    assert after(wrote("ab cd"), "ab cd") == [END]
    assert after(wrote("ab cd"), "ab", count=2) == tokens(" cd")


def test_a_word_that_was_spelled_wrong_is_skipped_as_a_whole() -> None:
    assert after(wrote("ab cccc ad"), "ab", " cdbc") == [*tokens(" ad"), END]
    assert after(wrote("ab dd ad"), "ab", " ddcb") == [*tokens(" ad"), END], "one with too few letters"
    assert after(wrote("ab dddcc ad"), "ab", " ddd") == [*tokens("cc ad"), END], "or of which more is to come"


def test_a_word_that_was_left_out_or_made_up_does_not_mislead() -> None:
    text = wrote("ab bb ccdccd aaa")
    assert after(text, "ab", " ccdccd") == [*tokens(" aaa"), END]
    more = wrote("ab cc ad")
    assert after(more, "ab", " ddd", " cc") == [*tokens(" ad"), END]


def test_every_token_is_aligned_in_its_turn() -> None:
    whole, text = tokens("ab cdd ac ddb"), wrote("ab ccd ac dab")
    for length in range(len(whole) + 1):
        assert text.after(whole[:length], 4) == wrote("ab ccd ac dab").after(whole[:length], 4)


def test_what_was_proposed_and_rejected_is_forgotten() -> None:
    text = wrote("ab cdcd ac ddda b")
    after(text, "ab", " cdcd", " ac", " ddda")
    assert after(text, "ab", " cdcd") == [*tokens(" ac ddda b"), END]


def test_where_segments_meet_there_are_two_times_and_before_the_first_and_behind_the_last_there_is_one() -> None:
    text = wrote(FIRST_TIME, "ab", MEET, " cd", MEET + 4)
    end = [*tokens(" cd"), MEET + 4, END]
    assert text.tokens(99) == [FIRST_TIME, *tokens("ab"), MEET, MEET, *end]
    assert after(text, FIRST_TIME) == [*tokens("ab"), MEET, MEET, *end]
    assert after(text, FIRST_TIME, "ab", MEET) == [MEET, *end]
    assert after(text, FIRST_TIME, "ab", MEET, MEET) == end
    assert after(text, FIRST_TIME, "ab", MEET, MEET, " cd", MEET + 4) == [END]


def test_a_word_that_was_spelled_wrong_may_be_the_last_of_its_segment() -> None:
    text = wrote(FIRST_TIME, "ab cdcc", MEET, " cd", MEET + 4)
    assert after(text, FIRST_TIME, "ab", " cddd", count=3) == [MEET, MEET, *tokens(" cd")][:3]


def test_another_time_than_the_heads_is_where_the_next_segment_begins() -> None:
    text = wrote(FIRST_TIME, "ab", MEET, " cd", MEET + 4)
    assert after(text, FIRST_TIME, "ab", MEET - 2, count=3) == [MEET - 2, *tokens(" cd")][:3]


def test_segments_may_end_where_the_head_saw_no_end() -> None:
    assert after(wrote(FIRST_TIME, "ab cd"), FIRST_TIME, "ab", MEET) == [MEET, *tokens(" cd"), END]
    text = wrote(FIRST_TIME, "ab", MEET, " cd")
    assert after(text, FIRST_TIME, "ab", " cd") == [END], "nor need they where it saw one"


def test_silence_is_the_end() -> None:
    assert wrote().after([], 3) == [END]
    assert wrote(FIRST_TIME).after([], 3) == [FIRST_TIME, END]
    assert after(wrote(), "ab") == [END]


@pytest.mark.parametrize("count", [1, 3])
@given(st.lists(st.integers(0, len(PIECES) - 1), max_size=20), st.lists(st.integers(0, len(PIECES) - 1), max_size=20))
def test_whatever_was_written_something_follows(count: int, written: Sequence[int], text: Sequence[int]) -> None:
    found = wrote("".join(PIECES[token].decode() for token in text)).after(written, count)
    assert 1 <= len(found) <= count
    assert len(found) == count or found[-1] == END


@given(st.lists(st.integers(0, len(PIECES) - 1), max_size=20), st.integers(0, 20))
def test_what_was_right_is_proposed_to_the_end(text: Sequence[int], known: int) -> None:
    words = "".join(PIECES[token].decode() for token in text)
    whole = tokens(words)
    known = min(known, len(whole))
    assert wrote(words).after(whole[:known], 99) == [*whole[known:], END]


SPACED = spelling(WORDS, [b"a", b"b", b" ", b"  ", b"   ", b" a", b" b", b"ab"])


@given(st.text("ab ", max_size=60), st.integers(0, 60), st.integers(1, 8))
def test_behind_any_place_the_letters_of_the_text_follow(text: str, at: int, count: int) -> None:
    """Also where that is within a token, or one of several spaces."""
    at = min(at, len(text))
    found = HeadText(SPACED, list(text.encode())).tokens(count, at)
    assert len(found) == count or found[-1] == END
    letters = b"".join(SPACED.pieces[token] for token in found).decode()
    assert text[at:].replace(" ", "").startswith(letters.replace(" ", ""))
    if at == 0:
        assert found == [*SPACED.split(text.encode()), END][:count]


def test_a_text_is_tokenised_once() -> None:
    seen = list[bytes]()

    def split(text: bytes) -> Sequence[int]:
        seen.append(text)
        return SPELLING.split(text)

    text = HeadText(replace(SPELLING, split=split), list(b" ab" * 20))
    for known in range(20):
        assert text.after(tokens(" ab" * known), 4) == [*tokens(" ab" * (20 - known)), END][:4]
    assert seen == [b" ab" * 20]


def test_within_a_word_its_rest_follows_and_the_text_behind_it() -> None:
    text = wrote(FIRST_TIME, "ab dddcc ad", MEET, " cd", MEET + 4)
    behind = [*tokens(" ad"), MEET, MEET, *tokens(" cd"), MEET + 4, END]
    assert after(text, FIRST_TIME, "ab", " ddd") == [*tokens("cc"), *behind]


def test_the_rest_of_a_word_is_tokenised_as_a_whole() -> None:
    pieces = spelling(WORDS, [b"a", b"b", b" ", b"aab", b"ba"])
    assert pieces.split(b"aaba") == [3, 0]
    assert HeadText(pieces, list(b"aaba b")).tokens(9, 2) == [4, 2, 1, END]
