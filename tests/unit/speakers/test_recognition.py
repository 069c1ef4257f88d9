"""Who speaks when, from samples to turns, with voices made of tones: the right people at the right times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from desktop_app.speakers.diarisation import Diarisation
from desktop_app.speakers.filterbanks import filterbanks
from desktop_app.speakers.networks import RATE, Array
from desktop_app.speakers.pieces import BATCH, LENGTH
from desktop_app.speakers.powerset import CLASSES, WINDOW, active, spans
from desktop_app.speakers.segmented import Segmented
from desktop_app.speakers.speech import SpeechFinder
from desktop_app.speakers.turns import Turn, changes, joined, named, path, snapped
from tests.unit.speakers.voices import NETWORKS, loud, talk

TALK = talk(("", 1), ("a", 4), ("", 0.5), ("b", 5), ("", 1), ("a", 3), ("c", 4), ("", 0.6), ("b", 3), ("", 1))
TURNS = [(1.0, 5.0, "S1"), (5.5, 10.5, "S2"), (11.5, 14.5, "S1"), (14.5, 18.5, "S3"), (19.1, 22.1, "S2")]


def heard(samples: Array, count: int | None = None, block: int = RATE) -> list[Turn]:
    diarisation = Diarisation(NETWORKS, loud, count)
    for at in range(0, samples.size, block):
        diarisation.hear(samples[at : at + block])
    return diarisation.finish()


def assert_near(found: list[Turn], expected: list[tuple[float, float, str]], within: float) -> None:
    assert [turn.speaker for turn in found] == [speaker for _, _, speaker in expected]
    for turn, (start, end, _) in zip(found, expected, strict=True):
        assert turn.start == pytest.approx(start, abs=within)
        assert turn.end == pytest.approx(end, abs=within)


def test_everybody_is_found_and_recognised_again() -> None:
    assert_near(heard(TALK), TURNS, 0.3)


@pytest.mark.parametrize("block", [333, 16_000, 400_000])
def test_how_the_stream_is_cut_changes_nothing(block: int) -> None:
    assert heard(TALK, block=block) == heard(TALK)


def test_who_knows_the_number_is_believed() -> None:
    assert {turn.speaker for turn in heard(TALK, 2)} == {"S1", "S2"}
    assert {turn.speaker for turn in heard(TALK, 1)} == {"S1"}


@pytest.mark.parametrize("samples", [np.zeros(0, np.float32), talk(("", 3)), talk(("", 1), ("a", 0.1), ("", 1))])
def test_where_nobody_speaks_there_are_no_turns(samples: Array) -> None:
    assert heard(samples) == []


def test_very_short_speech_is_somebodys() -> None:
    assert [turn.speaker for turn in heard(talk(("", 1), ("a", 0.4), ("", 1)))] == ["S1"]


def test_speech_without_a_pause_is_handed_on() -> None:
    finder = SpeechFinder(loud, longest=5.0)
    found = [stretch for at in range(13) for stretch in finder.hear(talk(("a", 1)))]
    assert [samples.size / RATE for _, samples in found] == pytest.approx([5.0, 5.0], abs=0.1)
    rest = finder.finish()
    assert rest[0][0] + rest[0][1].size == pytest.approx(13 * RATE, abs=0.1 * RATE)


def test_an_hour_takes_a_few_megabytes_and_one_batch_size() -> None:
    """What is kept has no sound behind it, and the network sees one shape: OpenVINO keeps memory for every new one."""
    shapes = set()

    def embed(banks: Array) -> Array:
        shapes.add(banks.shape)
        return np.ones((len(banks), 128), np.float32)  # as many numbers as the starter's

    diarisation = Diarisation(replace(NETWORKS, embed=embed), loud)
    for seconds in (1, 2, 3, 5, 8, 13, 21):
        diarisation.hear(talk(("a", seconds), ("", 0.5)))
        diarisation.flush()
    diarisation.finish()
    assert shapes == {(BATCH, LENGTH, 80)}
    kept = [array for each in diarisation.stretches for array in (each.level, each.middles, each.vectors)]
    assert all(array.base is None for array in kept)
    assert sum(array.nbytes for array in kept) / 53 * 3600 < 5e6


def test_filter_banks_are_kaldis() -> None:
    banks = filterbanks(talk(("c", 1)))
    assert banks.shape == (98, 80)
    loudest = banks[:40].mean(0).argmax()
    assert 45 < loudest < 65, "2400 and 3200 Hz on a mel scale of 80 bands up to 8 kHz"
    assert filterbanks(np.zeros(399, np.float32)).shape == (0, 80)


def test_a_short_doubt_is_no_change_and_a_change_is_where_both_are_as_likely() -> None:
    likeness = np.array(
        [[0.9, 0.1], [0.9, 0.1], [0.4, 0.5], [0.9, 0.1], [0.2, 0.8], [0.1, 0.9], [0.1, 0.9]], np.float32
    )
    best = path(likeness, 0.4)
    assert best.tolist() == [0, 0, 0, 0, 1, 1, 1]
    found = changes(likeness, np.arange(7, dtype=np.float32), best)
    assert found == [(pytest.approx(3 + 0.8 / 1.4), 1)]


def test_a_change_moves_to_the_quietest_moment_near() -> None:
    level = np.full(200, -20.0, np.float32)
    level[108:112] = -50.0
    assert snapped(1.0, level) == pytest.approx(1.1, abs=0.03)
    assert snapped(0.5, level) == pytest.approx(0.5, abs=0.02), "it is too far away"


def test_turns_of_one_speaker_are_joined_over_a_breath_and_named_as_they_come() -> None:
    turns = [Turn(3.0, 4.0, "7"), Turn(0.0, 1.0, "9"), Turn(1.2, 2.0, "9"), Turn(1.1, 1.5, "7")]
    assert joined(turns, 0.3) == [Turn(0.0, 2.0, "9"), Turn(1.1, 1.5, "7"), Turn(3.0, 4.0, "7")]
    assert [turn.speaker for turn in named(joined(turns, 0.3))] == ["S1", "S2", "S2"]


def test_the_powerset_says_who_speaks_and_who_at_once() -> None:
    assert np.array_equal(active(np.eye(7, dtype=np.float32)), CLASSES)
    assert CLASSES.sum(1).tolist() == [0, 1, 1, 1, 2, 2, 2]
    assert spans(np.array([1, 1, 0, 1], bool)) == [(0, 2), (3, 4)]
    with pytest.raises(ValueError, match="classes"):
        active(np.zeros((1, 589, 4), np.float32))


def segment(samples: Array) -> Array:
    """A Segment that hears tones: the first of three outputs is whoever comes first in this window."""
    size = samples.shape[-1] // 500
    parts = samples[0, 0, : 500 * size].reshape(500, size)
    spectrum = np.abs(np.fft.rfft(parts, axis=1))
    bins = {
        who: [round(note * size / RATE) for note in notes] for who, notes in (("a", (300, 500)), ("b", (900, 1300)))
    }
    on = {who: spectrum[:, places].max(1) > 5 for who, places in bins.items()}
    order = sorted(on, key=lambda who: int(on[who].argmax()) if on[who].any() else 999)
    first, second = (on[who] for who in order)
    kind = np.where(first & second, 4, np.where(first, 1, np.where(second, 2, 0)))
    return np.eye(7, dtype=np.float32)[kind][None]


def test_a_segmentation_network_hears_two_at_once_and_people_keep_their_names() -> None:
    one = talk(("", 1), ("a", 8), ("", 7), ("b", 6), ("", 2))
    other = talk(("", 7), ("b", 5), ("", 3), ("a", 5), ("", 4))
    segmented = Segmented(NETWORKS, segment)
    for at in range(0, one.size, 7000):
        segmented.hear(one[at : at + 7000] + other[at : at + 7000])
    found = segmented.finish()
    expected = [(1.0, 9.0, "S1"), (7.0, 12.0, "S2"), (15.0, 20.0, "S1"), (16.0, 22.0, "S2")]
    assert_near(found, expected, 0.15)


def test_a_segmentation_network_hears_a_recording_shorter_than_its_window() -> None:
    segmented = Segmented(NETWORKS, segment)
    segmented.hear(talk(("", 1), ("a", 3)))
    assert_near(segmented.finish(), [(1.0, 4.0, "S1")], 0.1)
    assert Segmented(NETWORKS, segment).finish() == []
    assert WINDOW == 10 * RATE
