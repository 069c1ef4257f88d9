"""Error rates: edits are counted rightly, after normalisers that are Whisper's own."""

from __future__ import annotations

import pytest

from desktop_app.measure import error_rates
from desktop_app.measure.error_rates import EditCounts, character_edits, normaliser, word_edits

TEXTS = (
    "Mr. Brown didn't pay $20 million, but twenty-one dollars and five cents!",
    "[music] Um, the colour of MY neighbours' grey theatre (laughs) -- it's 3,000 years old",
    "it was nineteen eighty four; chapter one oh one of the 2nd book, three and a half",
    "Ça, c'est où? L'été 1.5%, señor Núñez",
    "客観的実在の判断的知識が、成立する。",
)


def test_edits_are_counted_by_kind() -> None:
    found = word_edits("the cat sat on the mat", "The cat sat up on mat.", "en")
    assert found == EditCounts(total=6, substitutions=0, deletions=1, insertions=1)
    assert found.count == 2 and found.rate == pytest.approx(2 / 6)
    assert character_edits("cat", "cut", "en") == EditCounts(total=3, substitutions=1)
    assert found + EditCounts(4, 1, 0, 0) == EditCounts(10, 1, 1, 1)


def test_what_english_writes_in_two_ways_is_no_error() -> None:
    assert word_edits("MISTER BROWN DID NOT PAY TWENTY ONE DOLLARS", "Mr. Brown didn't pay $21.", "en").count == 0
    assert word_edits("colour", "color", "en").count == 0
    assert word_edits("colour", "color", "fr").count == 1


def test_characters_are_the_words_of_languages_without_spaces() -> None:
    """As in Whisper's paper; a space that one text has and the other has not is no error."""
    for count in (word_edits, character_edits):
        assert count("广州市房地产", "广州市 房地铲", "zh") == EditCounts(6, 1, 0, 0)


def test_an_empty_reference_has_a_rate() -> None:
    assert word_edits("", "so it goes", "en").rate == 3.0
    assert word_edits("", "", "en").rate == 0.0


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert error_rates.missing_packages() == ()
    monkeypatch.setattr(error_rates, "find_spec", lambda name: None)
    assert error_rates.missing_packages() == ("jiwer", "whisper-normalizer")


@pytest.mark.parity
@pytest.mark.parametrize("text", TEXTS)
def test_the_normalisers_are_openais(text: str) -> None:
    from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

    assert normaliser("en")(text) == EnglishTextNormalizer()(text)
    assert normaliser("fr")(text) == BasicTextNormalizer()(text)
    assert normaliser("ja")(text) == BasicTextNormalizer(split_letters=True)(text)
