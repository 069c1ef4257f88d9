"""A live session keeps the language that is spoken, whatever was heard before."""

from __future__ import annotations

import pytest

from desktop_app.decoding.live_language import SpokenLanguage
from desktop_app.decoding.window import Language

ENGLISH, GERMAN, WELSH = Language("en", 0.9), Language("de", 0.8), Language("cy", 0.6)


def code(spoken: SpokenLanguage) -> str:
    assert spoken.language is not None
    return spoken.language.code


def test_a_noise_has_no_language() -> None:
    """The guard took what was written of it: nobody says that it was spoken."""
    spoken = SpokenLanguage(None)
    spoken.detected(WELSH, 9.0)
    assert not spoken.is_kept
    spoken.detected(ENGLISH, 2.0)
    assert (code(spoken), spoken.is_kept) == ("en", False)


def test_a_short_word_does_not_fix_the_language() -> None:
    spoken = SpokenLanguage(None)
    spoken.detected(WELSH, 1.5)
    spoken.spoken(final=True)
    assert (code(spoken), spoken.is_kept) == ("cy", False)
    spoken.detected(GERMAN, 3.0)
    spoken.spoken(final=True)
    assert (code(spoken), spoken.is_kept) == ("de", False)
    assert spoken.language == Language("de", pytest.approx(0.8 * 3.0 / 4.5))
    spoken.detected(WELSH, 1.0)
    spoken.spoken(final=True)
    assert (code(spoken), spoken.is_kept) == ("de", True)


def test_a_growing_speech_is_one_speech() -> None:
    spoken = SpokenLanguage(None)
    for seconds in (1.0, 2.0, 3.0):
        spoken.detected(WELSH, seconds)
        spoken.spoken(final=False)
    assert not spoken.is_kept
    spoken.detected(ENGLISH, 5.0)
    spoken.spoken(final=False)
    assert (code(spoken), spoken.is_kept) == ("en", True)


def test_a_given_language_stays() -> None:
    spoken = SpokenLanguage(GERMAN)
    spoken.spoken(final=True)
    assert (spoken.language, spoken.is_kept) == (GERMAN, True)
