"""The figures of live text are what docs/design/live-text.md says they are."""

from __future__ import annotations

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.audio.voice import speech
from desktop_app.measure.error_rates import matched, normalised, word_error_rate
from desktop_app.measure.in_process import Run, Shown
from desktop_app.measure.live_figures import SpokenWord, accuracy, erasure, latency
from desktop_app.measure.live_speech import silence

SPOKEN = [SpokenWord("so", 0.0, 0.5), SpokenWord("we", 0.5, 1.0), SpokenWord("go", 2.0, 2.5)]


def shown(time: float, recognised: float, final: str, provisional: str = "", draft: str = "") -> Shown:
    return Shown(time, recognised, tuple(final.split()), tuple(provisional.split()), tuple(draft.split()))


def test_words_are_compared_without_case_and_marks() -> None:
    assert normalised("Don\u2019t go, Rose! It's 3.") == ["don't", "go", "rose", "it's", "3"]


texts = st.lists(st.sampled_from("abc"), min_size=1, max_size=9)


@given(texts, texts)
def test_the_word_error_rate_is_jiwers(gold: list[str], recognised: list[str]) -> None:
    assert word_error_rate(gold, recognised) == pytest.approx(jiwer.wer(" ".join(gold), " ".join(recognised)))
    pairs, _ = matched(gold, recognised)
    assert all(gold[i] == recognised[j] for i, j in pairs)
    assert pairs == sorted(pairs)


def test_a_word_is_shown_when_it_is_first_in_its_place_and_final_when_it_is_committed() -> None:
    run = Run(
        [
            shown(0.9, 0.8, "", "", "so"),
            shown(1.2, 1.0, "", "so he"),
            shown(1.6, 1.4, "so", "we"),
            shown(2.0, 1.9, "so we"),
            shown(3.0, 2.9, "so we go"),
        ]
    )
    found = latency(run, SPOKEN)
    assert found["matched_words"] == 3
    assert found["shown_aware"]["mean"] == pytest.approx((0.4 + 0.6 + 0.5) / 3)
    assert found["final_aware"]["mean"] == pytest.approx((1.1 + 1.0 + 0.5) / 3)
    assert found["final_unaware"]["mean"] == pytest.approx((0.9 + 0.9 + 0.4) / 3)
    assert found["end_of_speech_to_final"]["mean"] == pytest.approx((1.0 + 0.5) / 2)
    assert accuracy(run, SPOKEN) == 0


def test_what_was_shown_and_taken_away_is_erased() -> None:
    run = Run(
        [shown(1, 1, "", "so he"), shown(2, 2, "", "so", "she"), shown(3, 3, "so", "we go"), shown(4, 4, "so we")]
    )
    assert erasure(run) == {"provisional": pytest.approx(2 / 2), "with_draft": pytest.approx(3 / 2), "final": 0.0}
    assert erasure(Run([shown(1, 1, "so"), shown(2, 2, "we")]))["final"] == 1.0


def test_nothing_said_and_nothing_written_has_no_figures() -> None:
    assert latency(Run(), [])["shown_aware"] == {}
    assert accuracy(Run(), []) == 0


@pytest.mark.parametrize("kind", ["silence", "noise", "music"])
def test_what_is_played_for_silence_is_none(kind: str) -> None:
    audio = silence(6.0, kind)
    assert len(audio) == 6 * 16_000
    assert np.abs(audio).max() < 1
    assert speech(audio) == []
