"""Numbers are said as they are written, so that the training's texts are true."""

import pytest

from models.training import numbers
from models.training.text import PLAIN_WORDS, held_out, sentences_with_numbers


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "zero"),
        (40, "forty"),
        (214, "two hundred and fourteen"),
        (1005, "one thousand and five"),
        (84300, "eighty four thousand three hundred"),
        (7818, "seven thousand eight hundred and eighteen"),
    ],
)
def test_cardinals(number: int, said: str) -> None:
    assert numbers.cardinal(number) == said


def test_ordinals_and_years() -> None:
    assert [numbers.ordinal(n) for n in (1, 2, 12, 20, 23, 30)] == [
        "first", "second", "twelfth", "twentieth", "twenty third", "thirtieth",
    ]  # fmt: skip
    assert [numbers.year(n) for n in (1800, 1906, 1998, 2000, 2005, 2019)] == [
        "eighteen hundred", "nineteen oh six", "nineteen ninety eight", "two thousand", "two thousand and five",
        "twenty nineteen",
    ]  # fmt: skip


def test_every_sentence_is_said_in_letters_only() -> None:
    for written, said in numbers.number_sentences(600, seed=3):
        assert "{" not in written + said
        assert not any(letter.isdigit() for letter in said), said
        assert written[0].isupper() and said[0].isupper()


def test_numbers_are_not_plain_and_hold_back_a_part() -> None:
    kept = sentences_with_numbers(600, seed=4)
    assert 400 < len(kept) < 600
    assert all(s.rank >= PLAIN_WORDS and not s.plain and not held_out(s.spoken) for s in kept)
