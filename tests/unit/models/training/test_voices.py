"""A voice that emphasises a word is told which one, and the places of words stay those of the text."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from models.training.voices import Espeak, Voice, emphatic, word_at

TEXT = "Did you see the old man?"
VOICE = Voice("espeak", "en-us")


@pytest.mark.parametrize(("place", "word"), [(0.0, "Did"), (0.4, "see"), (0.99, "man"), (1.0, "man")])
def test_a_place_names_a_word(place: float, word: str) -> None:
    first, last = word_at(TEXT, place)
    assert TEXT[first:last] == word


def test_what_looks_like_a_mark_is_spoken_as_it_is() -> None:
    assert word_at("Fish & chips", 0.5) == (0, 0)
    assert word_at("1, 2.", 0.5) == (0, 0)


def test_emphatic_voices_differ_in_nothing_else() -> None:
    rng = random.Random(1)
    for _ in range(20):
        voice = emphatic(VOICE, rng)
        assert voice.emphasis is not None and replace(voice, movement=50, emphasis=None) == VOICE


def test_an_emphasised_word_is_louder_and_every_word_keeps_its_place() -> None:
    try:
        espeak = Espeak()
    except OSError:
        pytest.skip("espeak-ng is not installed")
    plain, emphasised = espeak.say(TEXT, VOICE), espeak.say(TEXT, replace(VOICE, emphasis=0.4))
    assert [place for place, _ in emphasised.words] == [place for place, _ in plain.words] == [0, 4, 8, 12, 16, 20]
    (first, last), (usual, behind) = ([at for place, at in s.words if place in (8, 12)] for s in (emphasised, plain))
    assert np.square(emphasised.audio[first:last]).sum() > 1.3 * np.square(plain.audio[usual:behind]).sum()
