"""Drafters without a model: each that `--draft` can name leaves the text as it is, and n-grams find what was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding import longform
from desktop_app.decoding.drafter_names import DRAFTERS
from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.ngram import LENGTH, MEMORY, NGramDrafter
from desktop_app.decoding.setup import Setup
from desktop_app.transcript.statistics import Counter, Statistics
from tests.unit.decoding.test_identity import Scripted, models, vocabulary
from tests.unit.decoding.toys import SIZE, Toy


class Collector(longform.DecodingListener):
    """Keeps the tokens of all segments."""

    def __init__(self) -> None:
        self.tokens: list[int] = []

    def segments(self, segments: object, done_seconds: float) -> None:
        self.tokens += [token for segment in segments for token in segment.tokens]  # type: ignore[attr-defined]


def transcribed(setup: Setup) -> tuple[list[int], Statistics]:
    """The text of a recording of four windows."""
    collector, counter = Collector(), Counter()
    longform.transcribe(
        iter([np.zeros(100 * 16_000, np.float32)]),
        lambda samples, bins, before, behind, place: np.linspace(-1, 1, 12 * bins).reshape(bins, 12).astype(np.float32),
        setup,
        collector,
        longform.Settings("en"),
        counter,
    )
    return collector.tokens, counter.total


@pytest.mark.parametrize("name", DRAFTERS)
@given(models, st.lists(st.integers(0, SIZE - 1), max_size=60))
def test_a_drafter_without_a_model_changes_no_text(name: str, model: Toy, before: list[int]) -> None:
    """Whatever it has learned."""
    setup, drafter = Setup(model, vocabulary(), str), DRAFTERS[name]()
    drafter.learn(before)
    alone, _ = transcribed(setup)
    drafted, statistics = transcribed(replace(setup, drafter=drafter))
    assert drafted == alone
    assert statistics.draft_passes == 0


class Forgetful(NGramDrafter):
    """Knows only the text of the window in work."""

    def learn(self, tokens: Sequence[int]) -> None:
        pass


def test_a_recording_is_learned_window_by_window() -> None:
    """The toy writes the same in every window, so that all but the first can be drafted from what was learned."""
    setup = Setup(Toy(3), vocabulary(), str)
    drafters = (None, Forgetful(), NGramDrafter())
    (alone, _), (old, forgot), (new, learned) = (transcribed(replace(setup, drafter=each)) for each in drafters)
    assert old == new == alone and len(alone) > 4 * LENGTH
    assert learned.accepted > 1.2 * forgot.accepted
    assert learned.target_passes < forgot.target_passes


def ngram(inner: Drafter | None = None, said: list[int] | None = None) -> NGramDrafter:
    made = NGramDrafter(inner)
    made.learn(said or [])
    return made


def test_what_followed_the_same_words_is_proposed() -> None:
    made = ngram(said=[1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 8])
    assert made.propose([9, 2, 3, 4], 2) == [8], "the newest place counts"
    assert made.propose([4, 5, 6], 2) == [7, 2]
    assert made.propose([9, 9, 3, 4], 2) == made.propose([3, 4], 2) == []
    assert made.propose([2, 3, 4, 0, 2, 3, 4], 3) == [0, 2, 3], "the text of this window is newer still"


def test_another_drafter_comes_first() -> None:
    inner = Scripted([[5], []])
    inner.begin(None, None, None)  # type: ignore[arg-type]
    made = ngram(inner, [1, 2, 3, 4])
    assert [made.propose([1, 2, 3], 4) for _ in range(2)] == [[5], [4]]


def test_old_text_is_forgotten() -> None:
    made = ngram(said=[1, 2, 3, 4])
    made.learn([0] * MEMORY)
    assert made.propose([1, 2, 3], 4) == []
