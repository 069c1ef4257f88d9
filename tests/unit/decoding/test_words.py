"""Word times against a plain re-telling of openai/whisper's alignment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.decoding.words import Timing, align, fit, smooth, spans, split, tidy, warp


def spell(tokens: Sequence[int]) -> str:
    """Tokens as bytes."""
    return bytes(tokens).decode("utf-8", "replace")


def words_of(text: str, spaced: bool = True) -> list[str]:
    return [word for word, _ in split(list(text.encode()), spell, spaced)]


def plain_warp(cost: np.ndarray) -> tuple[list[int], list[int]]:
    """Dynamic time warping cell by cell."""
    rows, columns = cost.shape
    total = np.full((rows + 1, columns + 1), np.inf)
    total[0, 0] = 0
    came = {}
    for column in range(1, columns + 1):
        for row in range(1, rows + 1):
            before = [total[row - 1, column - 1], total[row - 1, column], total[row, column - 1]]
            if before[0] < before[1] and before[0] < before[2]:
                choice = 0
            elif before[1] < before[0] and before[1] < before[2]:
                choice = 1
            else:
                choice = 2
            came[row, column] = choice
            total[row, column] = cost[row - 1, column - 1] + before[choice]
    row, column, path = rows, columns, []
    while row > 0 and column > 0:
        path.append((row - 1, column - 1))
        choice = came[row, column]
        row, column = row - (choice != 2), column - (choice != 1)
    path.reverse()
    return [r for r, _ in path], [c for _, c in path]


@given(st.integers(1, 7), st.integers(1, 12), st.integers(0, 999), st.booleans())
def test_the_path_is_the_one_found_cell_by_cell(rows: int, columns: int, seed: int, ties: bool) -> None:
    cost = np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)
    if ties:
        cost = np.round(cost)
    found_rows, found_columns = warp(cost)
    assert (found_rows.tolist(), found_columns.tolist()) == plain_warp(cost)


@given(st.integers(4, 30), st.integers(0, 999))
def test_the_filter_takes_medians_with_mirrored_ends(frames: int, seed: int) -> None:
    weights = np.random.default_rng(seed).normal(size=(2, 3, frames)).astype(np.float32)
    padded = np.pad(weights, [(0, 0), (0, 0), (3, 3)], mode="reflect")
    for i in range(frames):
        assert np.array_equal(smooth(weights)[:, :, i], np.median(padded[:, :, i : i + 7], axis=-1))


def test_the_exchanges_find_the_median_of_any_seven_values() -> None:
    """Exchanges that are right for all sequences of two values are right for all values (Knuth's 0-1 principle)."""
    every = (np.arange(128)[:, None] >> np.arange(7) & 1).astype(np.float32)
    assert np.array_equal(smooth(every[None])[0, :, 3], np.median(every, axis=-1))


def test_words_end_at_spaces_and_punctuation() -> None:
    assert words_of(" Hello there, it's me.") == [" Hello", " there", ",", " it", "'s", " me", "."]


def test_a_character_of_several_tokens_is_not_torn() -> None:
    assert words_of(" ñandú ¿qué?") == [" ñandú", " ¿qué", "?"]
    assert words_of("日本語", spaced=False) == ["日", "本", "語"]


def test_bytes_that_are_no_character_belong_to_their_word() -> None:
    found = split([*b" ok", 0xFF, *b" no"], spell, True)
    assert [word for word, _ in found] == [" ok\ufffd", " no"]
    assert [token for _, tokens in found for token in tokens] == [*b" ok", 0xFF, *b" no"]


def test_an_unfinished_character_at_the_end_stays_with_its_word() -> None:
    assert words_of(" ok") + [word for word, _ in split([0xC3], spell, True)] == [" ok", "\ufffd"]


def attention_of(spans: list[tuple[int, int]], frames: int) -> np.ndarray:
    """Two heads that look at each row's span of frames."""
    scores = np.full((2, len(spans), frames), -9.0, np.float32)
    for row, (begin, end) in enumerate(spans):
        scores[:, row, begin:end] = 3.0
    return scores


def test_words_get_the_times_where_the_target_looked() -> None:
    spans = [(0, 20), (20, 50), (50, 60), (60, 100), (100, 120)]
    words = [(" one", (1,)), (" twenty", (2, 3)), (" six", (4,))]
    timings = align(attention_of(spans, 150), 0, np.array([0.9, 0.5, 0.7, 0.8], np.float32), words, 120)
    assert [(timing.text, timing.start, timing.end) for timing in timings] == [
        (" one", 0.0, pytest.approx(0.4, abs=0.04)),
        (" twenty", pytest.approx(0.4, abs=0.04), pytest.approx(1.2, abs=0.04)),
        (" six", pytest.approx(1.2, abs=0.04), pytest.approx(2.0, abs=0.04)),
    ]
    assert [timing.probability for timing in timings] == pytest.approx([0.9, 0.6, 0.8])


def timing(text: str, start: float, end: float) -> Timing:
    return Timing(text, (1,) if text else (), start, end, 0.9)


def test_punctuation_goes_to_its_word() -> None:
    given_words = [timing(" “", 0, 0.1), timing("Yes", 0.1, 0.4), timing(",", 0.4, 0.5), timing(" sir", 0.5, 0.8)]
    words, _ = tidy([*given_words, timing(".", 0.8, 0.9), timing("”", 0.9, 1.0)])
    assert [word.text for word in words] == [" “Yes,", " sir.”"]
    assert [(word.start, word.end) for word in words] == [(0.1, 0.4), (0.5, 0.8)]


def test_a_long_word_at_the_end_of_a_sentence_is_cut() -> None:
    words, median = tidy([timing(" a", 0, 0.3), timing(" b", 0.3, 0.6), timing(".", 0.6, 4.0), timing(" c", 4.0, 9.0)])
    assert median == 0.7
    assert words[-1].start == pytest.approx(9.0 - 1.4)


def test_a_mark_of_its_own_is_cut_as_well() -> None:
    """It has its word before it only where that does not end with a space."""
    words, median = tidy([timing(" a", 0, 0.3), timing(" b ", 0.3, 0.6), timing(".", 0.6, 4.0), timing("c", 4.0, 4.3)])
    assert median == pytest.approx(0.3)
    assert [(word.text, word.end) for word in words[1:3]] == [(" b ", 0.6), (".", pytest.approx(1.2))]


def test_the_first_word_behind_a_pause_does_not_take_the_pause() -> None:
    words, spoken = fit([timing(" so", 1.0, 9.0), timing(" we", 9.0, 9.3)], 8.7, 9.5, median=0.3, last_speech=0.0)
    assert words[0].start == pytest.approx(8.4)
    assert words[0].end == 9.0
    assert spoken == 9.3


def test_a_lone_word_behind_a_pause_does_not_take_the_pause_either() -> None:
    words, spoken = fit([timing(" so", 1.0, 9.0)], 8.7, 9.5, median=0.3, last_speech=0.0)
    assert (words[0].start, words[0].end, spoken) == (pytest.approx(8.4), 9.0, 9.0)


def test_a_pause_in_the_second_word_is_no_part_of_either() -> None:
    words, spoken = fit([timing(" so", 1.0, 2.0), timing(" we", 2.0, 9.0)], 7.7, 9.2, median=0.3, last_speech=0.0)
    assert [word.start for word in words] == pytest.approx([7.8, 8.4])
    assert [word.end for word in words] == pytest.approx([8.4, 9.0])
    assert spoken == 9.0


def test_the_last_word_ends_with_its_segment() -> None:
    words, spoken = fit([timing(" go", 1.0, 1.2), timing(" on", 1.2, 6.0)], 1.0, 2.0, median=0.3, last_speech=0.9)
    assert words[-1].end == 2.0
    assert spoken == 2.0


def test_speech_ends_where_its_segment_does_even_if_the_last_word_needs_longer() -> None:
    words, spoken = fit([timing(" go", 1.0, 1.9), timing(" on", 1.9, 6.0)], 1.0, 2.0, median=0.3, last_speech=0.9)
    assert words[-1].end == pytest.approx(2.2)
    assert spoken == 2.0


@pytest.mark.parametrize(("end", "fitted"), [(2.4, 2.4), (2.5, 2.5), (2.6, 2.0)])
def test_a_last_word_may_outlast_its_segment_by_half_a_second(end: float, fitted: float) -> None:
    words, spoken = fit([timing(" go", 1.0, 1.6), timing(" on", 1.6, end)], 1.0, 2.0, median=0.3, last_speech=0.9)
    assert words[-1].end == fitted
    assert spoken == fitted


@pytest.mark.parametrize(("start", "fitted"), [(1.4, 1.0), (1.5, 1.0), (1.6, 1.5)])
def test_a_first_word_may_begin_half_a_second_before_its_segment(start: float, fitted: float) -> None:
    words, _ = fit([timing(" go", 1.0, 1.8), timing(" on", 1.8, 2.0)], start, 2.0, median=0.3, last_speech=0.9)
    assert words[0].start == pytest.approx(fitted)


def test_pieces_of_a_text_have_the_times_of_their_words() -> None:
    timings = [Timing(" a", (1, 2), 0.5, 0.9, 0.9), Timing(" b", (3,), 1.0, 1.4, 0.9)]
    assert spans(timings, [2, 1]) == [(0.5, 0.9), (1.0, 1.4)]
    assert spans(timings, [0, 3, 2]) == [(1.4, 1.4), (0.5, 1.4), (1.4, 1.4)], "what has no time gets the last one"
    assert spans([], [1]) == [(0.0, 0.0)]


def test_no_words_are_no_trouble_nor_words_without_length() -> None:
    assert tidy([]) == ([], 0.0)
    momentary = [timing(" a", 1.0, 1.0), timing(" b", 1.0, 1.0)]
    assert tidy(momentary) == (momentary, 0.0)
    assert fit([], 0, 1, 0.3, 0.2) == ([], 0.2)
