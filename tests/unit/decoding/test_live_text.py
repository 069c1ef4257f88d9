"""The text of a growing window: its parts, what two of them agree on, what follows the final text, loops."""

from __future__ import annotations

import pytest

from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.live_drafters import LEAST, MOST, PreviousDrafter
from desktop_app.decoding.live_lines import Lines
from desktop_app.decoding.live_text import Item, agreed, index_after, parse, shifted, unlooped
from desktop_app.decoding.lookahead import PRIOR_SLOPE, best_look_ahead
from desktop_app.decoding.rules import Rules
from desktop_app.decoding.window import WindowText
from desktop_app.transcript.settings import Settings

from .test_live import WORDS, spell
from .toys import END, FIRST_TIME, toy_window

PIECES = {0: " so", 1: " we", 2: " go", 3: ".", 4: ",", 5: " on", 6: " now", 7: " here", 8: "'", 9: "m"}


def text(*words: str) -> list[Item]:
    """Items of words and marks; "/" is a break."""
    return [Item("") if word == "/" else Item(word if word in ".,?" else f" {word}", (1,)) for word in words]


def spoken(items: list[Item]) -> str:
    return "".join("/" if item.is_break else item.text for item in items).strip()


def test_words_marks_and_breaks_are_found_with_their_places_and_times() -> None:
    tokens = [FIRST_TIME + 20, 0, 1, 3, FIRST_TIME + 70, FIRST_TIME + 80, 2, 4, 5, FIRST_TIME + 120]
    found = parse(tokens, WORDS, lambda ids: "".join(PIECES[each] for each in ids), spaced=True)
    assert spoken(list(found.items)) == "so we./ go, on"
    assert [item.place for item in found.items] == [1, 2, 3, 4, 6, 7, 8]
    assert (found.start, found.end) == (pytest.approx(0.4), pytest.approx(2.4))
    line_break = found.items[3]
    assert (line_break.end, line_break.start) == (pytest.approx(1.4), pytest.approx(1.6))


def test_times_do_not_go_beyond_the_audio() -> None:
    found = parse([FIRST_TIME, 0, FIRST_TIME + 1000], WORDS, spell, spaced=True, seconds=3.0)
    assert found.end == 3.0


def test_a_word_with_an_apostrophe_is_one() -> None:
    found = parse([FIRST_TIME, 1, 8, 9, 2, 8, 5], WORDS, lambda ids: "".join(PIECES[each] for each in ids), spaced=True)
    assert [(item.text, item.tokens, item.place) for item in found.items] == [
        (" we'm", (1, 8, 9), 1),
        (" go", (2,), 4),
        ("'", (8,), 5),
        (" on", (5,), 6),
    ]


def test_an_empty_text_has_no_items() -> None:
    found = parse([FIRST_TIME, FIRST_TIME + 5], WORDS, spell, spaced=True)
    assert (found.items, found.end) == ((), None)


@pytest.mark.parametrize(
    ("final", "now", "rest"),
    [
        ("", "so we go", "so we go"),
        ("so we", "so we go", "go"),
        ("so we", "so he go", "go"),  # heard otherwise: the word is not said again
        ("so we", "So , we go", "go"),
        ("so we .", "so we , go", "go"),
        ("so we .", "so we go", "go"),
        ("so we . /", "so we go", "go"),
        ("so we", "so we / go", "/ go"),
        ("so we .", "so we . / go", "/ go"),
        ("so we . /", "so we . / go", "go"),
        ("so we", "we go on", "go on"),
        ("so we go", "so we really go on", "on"),
        ("so we go", "so", ""),
        ("so we go", "", ""),
    ],
)
def test_what_stands_behind_the_ink(final: str, now: str, rest: str) -> None:
    items = text(*now.split())
    assert spoken(items[index_after(text(*final.split()), items) :]) == spoken(text(*rest.split()))


@pytest.mark.parametrize(
    ("before", "now", "count"),
    [
        ("so we go", "so we go on", 3),
        ("so we go", "so we go", 2),  # the last word may be cut
        ("so we go .", "so we go .", 2),
        ("so we go . / on", "so we go . / on now", 6),
        ("so we", "so he went on", 1),
        ("so we go", "so we , go on", 2),
        ("", "so we", 0),
        ("so", ".", 0),
    ],
)
def test_what_two_texts_agree_on(before: str, now: str, count: int) -> None:
    assert agreed(text(*before.split()), text(*now.split())) == count


@pytest.mark.parametrize(
    ("loop", "kept"),
    [
        ("so " + "we " * 8, "so we"),
        ("so " + "we " * 7, "so " + "we " * 7),
        ("so " + "we go on now " * 3, "so we go on now"),
        ("so " + "we go on " * 3, "so " + "we go on " * 3),  # eleven words are no loop: people count and pray
        ("we go " * 6, "we go"),
        ("so " + "we go on now and here they are " * 3, "so we go on now and here they are"),
        ("so " + "we go on now and here they are " * 2, "so " + "we go on now and here they are " * 2),
        ("we go on now and here they are too " * 3, "we go on now and here they are too " * 3),  # nine words
        ("", ""),
    ],
)
def test_a_loop_at_the_end_is_cut(loop: str, kept: str) -> None:
    assert spoken(list(unlooped(text(*loop.split())))) == kept.strip()


def test_times_move_with_the_window() -> None:
    assert shifted([FIRST_TIME + 10, 3, FIRST_TIME + 100], WORDS, 1.0) == [FIRST_TIME, 3, FIRST_TIME + 50]


class Noting(Drafter):
    """A drafter that always says the same and notes when it was asked."""

    def __init__(self, *tokens: int) -> None:
        self.tokens, self.begun, self.asked = list(tokens), 0, []

    def begin(self, window: object, task: object, rules: object) -> None:
        self.begun += 1

    def propose(self, tokens: list[int], count: int, confidence: float = 0.0) -> list[int]:
        self.asked.append(list(tokens))
        return self.tokens[:count]


def previous(inner: Noting | None, *old: int) -> PreviousDrafter:
    made = PreviousDrafter(WORDS, inner)
    made.expect(old)
    made.begin(toy_window(), Settings("en"), Rules(WORDS))
    return made


def test_the_old_text_is_proposed_again_and_another_drafter_goes_on() -> None:
    inner = Noting(9, 8)
    made = previous(inner, 1, 2, 3)
    assert made.propose([1], 4) == [2, 3, 9, 8]
    assert inner.asked == [[1, 2, 3]]
    assert made.propose([1, 2, 3, 9], 4) == [9, 8]


def test_behind_a_correction_the_old_text_goes_on() -> None:
    old = (0, 1, 2, 3, 4, 5, 6, 7)
    made = previous(None, *old)
    assert made.propose([0], 4)[:3] == [1, 2, 3]
    assert made.propose([0, 9], 4)[:3] == [2, 3, 4], "another word for one"
    assert previous(None, *old).propose([0, 1, 3], 4)[:3] == [4, 5, 6], "a word less"
    inserted = previous(None, *old)
    inserted.propose([0, 1], 4)
    inserted.propose([0, 1, 11], 4)
    assert inserted.propose([0, 1, 11, 2], 4)[:3] == [3, 4, 5], "a word more"


def test_where_the_place_is_lost_the_other_drafter_goes_first_until_the_next_text() -> None:
    old = (0, 1, 2, 3, 4, 5, 6, 7)
    made = previous(Noting(9, 8), *old)
    assert made.propose([0], 2)[:2] == [1, 2]
    assert made.propose([0, 11], 2) == [9, 8]
    made.begin(toy_window(), Settings("en"), Rules(WORDS))
    assert made.propose([], 2)[:2] == [0, 1]


def test_as_much_of_the_old_text_is_proposed_as_was_right_so_far() -> None:
    """At first nine of ten tokens are expected to be; what is learned outlasts a window."""

    def expected(rate: float) -> int:
        return best_look_ahead(0.0, 1 - PRIOR_SLOPE, PRIOR_SLOPE, rate, LEAST, MOST)

    old = [number % 8 for number in range(64)]
    made = previous(None, *old)
    assert len(made.propose([], 1)) == expected(9 / 10) > LEAST
    made.propose(old[:10], 1)
    agreed, compared = 9.0, 10.0
    for _ in range(10):
        agreed, compared = 0.98 * agreed + 1, 0.98 * compared + 1
    assert len(made.propose(old[:10], 1)) == expected(agreed / compared) > expected(9 / 10)
    for _ in range(60):
        made.begin(toy_window(), Settings("en"), Rules(WORDS))
        made.propose([], 1)
        made.propose([11], 1)
    made.begin(toy_window(), Settings("en"), Rules(WORDS))
    assert len(made.propose([], 1)) < expected(9 / 10)


@pytest.mark.parametrize(
    ("ended", "inner", "asked"),
    [
        (1, [[9]], 24),  # a token a time: as many as may be drafted ahead
        (1, [[9] * 10], 3),
        (1, [[9], [9, END]], 2),
        (1, [[9], []], 2),
    ],
)
def test_ahead_of_the_target_the_draft_is_asked_until_it_ends(ended: int, inner: list[list[int]], asked: int) -> None:
    class Turns(Noting):
        def propose(self, tokens: list[int], count: int, confidence: float = 0.0) -> list[int]:
            super().propose(tokens, count)
            return inner[min(len(self.asked), len(inner)) - 1][:count]

    turns = Turns()
    found = previous(turns, 1, 2).ahead(toy_window(), Settings("en"), Rules(WORDS))
    assert len(turns.asked) == asked
    assert turns.asked[-1][:2] == [1, 2] and len(found) <= 24
    assert len(found) == 24 or found in ([9, 9, END], [9])


def test_another_drafter_is_asked_only_behind_the_end_of_the_old_text() -> None:
    inner = Noting(9, 8)
    long = [number % 8 for number in range(64)]
    assert previous(inner, *long).propose([], 40) == long[:40]
    assert previous(inner, 1, 2, END).propose([1], 8) == [2, END]
    assert previous(inner, 1, 2).propose([], 2) == [1, 2]
    assert len(previous(inner, *long).propose([], 2)) > 2, "the old text costs nothing"
    assert inner.asked == []
    assert previous(inner, 1, 2).propose([], 3) == [1, 2, 9]


def test_a_lost_place_is_found_by_a_word_and_not_by_a_time() -> None:
    old = (0, 1, FIRST_TIME + 50, FIRST_TIME + 50, 3, 4, 5)
    made = previous(Noting(9), *old)
    assert made.propose([0, 11], 1) == [9], "lost"
    assert made.propose([0, 11, FIRST_TIME + 40], 1) == [9]
    assert made.propose([0, 11, FIRST_TIME + 40, FIRST_TIME + 40], 1) == [9]
    assert made.propose([0, 11, FIRST_TIME + 40, FIRST_TIME + 40, 3], 1)[0] == 4


@pytest.mark.parametrize(
    ("old", "tokens", "expected"),
    [
        ([0, *[1] * 9, 7, 8, 6], [0, 7, 8], 6),  # two tokens that are the same, nine places on
        ([0, *[1] * 10, 7, 8, 6], [0, 7, 8], 1),
        ([0, 1, 1, 7, 6], [0, 7], 6),  # one token, two places on
        ([0, 1, 1, 1, 7, 6], [0, 7], 1),
    ],
)
def test_how_far_the_old_text_is_searched(old: list[int], tokens: list[int], expected: int) -> None:
    assert previous(None, *old).propose(tokens, 1)[0] == expected


def test_lines_are_numbered_and_lie_on_the_recordings_clock() -> None:
    lines = Lines(WORDS, spell, timestamps=True)
    lines.resume(parse((0, 1), WORDS, spell, spaced=True).items, 5.0)
    lines.close(5.0, 2.0)
    lines.cut()
    (first,) = lines.taken()
    assert (first.id, first.start, first.end, first.text) == (0, 5.0, 7.0, "a b")
    assert first.tokens == (FIRST_TIME, 0, 1, FIRST_TIME + 100)
    assert (first.temperature, first.mean_log_probability, first.no_speech_probability) == (0.0, 0.0, 0.0)
    text = WindowText((), -0.3, 0.2, 0.4)
    items = parse((FIRST_TIME + 100, 2, FIRST_TIME + 150, FIRST_TIME + 200, 3), WORDS, spell, spaced=True)
    lines.commit(items.items, 6.0, items.start, text)
    assert (lines.start, lines.breaks, [item.text for item in lines.open]) == (10.0, [1], [" d"])
    assert lines.finished_tokens() == [2]
    lines.close(6.0, 40.0)
    second, third = lines.taken()
    assert (second.id, second.start, second.end) == (1, 8.0, 9.0)
    assert (third.id, third.start, third.end, third.mean_log_probability) == (2, 10.0, 46.0, -0.3)
    assert third.tokens == (FIRST_TIME + 200, 3, WORDS.size - 1), "there is no later time in a window"
    assert lines.taken() == ()


def test_a_time_that_moved_is_no_correction() -> None:
    made = previous(None, FIRST_TIME, 1, 2, FIRST_TIME + 50, FIRST_TIME + 60, 3, 4)
    assert made.propose([FIRST_TIME + 2, 1, 2, FIRST_TIME + 48], 4) == [FIRST_TIME + 60, 3, 4]


def test_the_draft_ahead_becomes_a_part_of_the_draft_and_costs_one_beginning() -> None:
    inner = Noting(7, END)
    made = PreviousDrafter(WORDS, inner)
    made.expect([1, 2])
    window, task, rules = toy_window(), Settings("en"), Rules(WORDS)
    assert made.ahead(window, task, rules) == [7, END]
    made.begin(window, task, rules)
    assert inner.begun == 1
    assert made.propose([1], 8) == [2, 7, END]
