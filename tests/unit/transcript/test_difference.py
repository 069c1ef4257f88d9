"""What a check against the file would change, in words."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.transcript.difference import Change, changes, word_count
from desktop_app.transcript.model import Segment
from tests.calls import calls


def segments(*texts: str) -> list[Segment]:
    return [Segment(number, number * 5.0, number * 5.0 + 5, f" {text}") for number, text in enumerate(texts)]


def test_the_same_words_are_no_difference_however_they_are_cut() -> None:
    assert changes(segments("One two three.", "Four five."), segments("One two", "three. Four five.")) == ()


def test_replaced_added_and_missing_words_are_told_with_their_place() -> None:
    before = segments("The roof is down and the men left.", "They come Friday if it it opens.")
    after = segments("The roof is done and the men left.", "They come on Friday if it opens.")
    replaced, added, missing = changes(before, after)
    assert (replaced.before, replaced.after, replaced.start) == ("down", "done", 0.0)
    assert (replaced.lead, replaced.trail) == ("The roof is", "and the men left. They come")
    assert (added.before, added.after, added.start) == ("", "on", 5.0)
    assert (missing.before, missing.after) == ("it", "")
    assert word_count((replaced, added, missing)) == 3


def test_a_run_of_words_counts_as_many_as_it_has() -> None:
    (change,) = changes(segments("We wait until the end of May."), segments("We wait until spring."))
    assert word_count((change,)) == 4


def test_text_where_there_was_none() -> None:
    assert [change.after for change in changes([], segments("Hello there."))] == ["Hello there."]
    assert [change.before for change in changes(segments("Thank you."), [])] == ["Thank you."]
    assert changes([], []) == ()


WORDS = st.lists(st.sampled_from("a b c d the roof".split()), max_size=40)


@given(WORDS, WORDS)
def test_taking_every_change_gives_the_other_text(old: list[str], new: list[str]) -> None:
    found = changes(segments(" ".join(old)), segments(" ".join(new)))
    assert sum(len(change.after.split()) - len(change.before.split()) for change in found) == len(new) - len(old)
    assert bool(found) == (old != new)


def test_a_long_text_takes_as_much_work_a_word_as_a_short_one() -> None:
    """Of the 60 words each stands in a sixtieth of the text, and comparing all of those places would not."""
    chance = random.Random(1)
    common = [f"w{number}" for number in range(60)]
    words = [chance.choice(common) for _ in range(4_000)]
    other = [chance.choice(common) if chance.random() < 0.02 else word for word in words]

    def work(count: int) -> int:
        old, new = segments(" ".join(words[:count])), segments(" ".join(other[:count]))
        return calls(lambda: found.append(changes(old, new)))

    found: list[tuple[Change, ...]] = []
    assert work(4_000) < 12 * work(500)
    assert 40 < word_count(found[0]) < 120
