"""The starter's measures count what they say they count."""

import numpy as np
import pytest

from desktop_app.decoding.figures import Figures
from models.training import evaluate
from models.training.evaluate import Example
from models.training.listening import Counts, Said


def example(*ends: float, seconds: float = 4.0) -> Example:
    return Example("voice", "one two", "source", np.zeros(int(16000 * seconds), np.float32), ends)


def test_an_end_counts_if_a_written_end_is_near() -> None:
    clips = [example(1.0, 3.0), example(2.0)]
    said = [Said("", (1.1, 2.7), Figures()), Said("", (), Figures())]
    assert evaluate.ends_in_place(clips, said) == pytest.approx(1 / 3)


def test_acceptance_is_accepted_of_compared_and_every_pass_counts() -> None:
    counts = Counts(
        [
            Figures(tokens=10, target_passes=4, compared=8, accepted=6, drafted=12),
            Figures(tokens=5, target_passes=2, compared=2, accepted=2, drafted=2),
        ]
    )
    assert counts.acceptance == 0.8
    assert counts.tokens_per_pass == 2.5


def test_there_are_twenty_clips_without_speech() -> None:
    clips = evaluate.silences()
    assert len(clips) == 20 and len({clip.name for clip in clips}) == 20
    assert all(np.abs(clip.audio).max() <= 0.3 for clip in clips)


def test_words_are_compared_without_case_and_punctuation() -> None:
    assert evaluate.word_error_rate(["It's nine, Tom!"], ["it's NINE tom"]) == 0.0
    assert evaluate.word_error_rate(["one two three four"], ["one two four"]) == 0.25
