"""Who speaks when, from samples to turns, with voices made of tones: the right people at the right times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from desktop_app.speakers.diarisation import Diarisation
from desktop_app.speakers.filterbanks import filterbanks
from desktop_app.speakers.networks import Array
from desktop_app.speakers.pieces import BATCH, embedded, pooled
from desktop_app.speakers.powerset import CLASSES, WINDOW, probabilities, spans
from desktop_app.speakers.stream import VoiceStream
from desktop_app.speakers.turns import Turn, joined, named
from desktop_app.transcript.constants import SAMPLE_RATE
from tests.unit.speakers.voices import NETWORKS, segment, talk

TALK = talk(("", 1), ("a", 4), ("", 0.5), ("b", 5), ("", 1), ("a", 3), ("c", 4), ("", 0.6), ("b", 3), ("", 1))
TURNS = [(1.0, 5.0, "S1"), (5.5, 10.5, "S2"), (11.5, 14.5, "S1"), (14.5, 18.5, "S3"), (19.1, 22.1, "S2")]


def diarised(samples: Array, count: int | None = None, block: int = SAMPLE_RATE) -> list[Turn]:
    diarisation = Diarisation(NETWORKS, count)
    for at in range(0, samples.size, block):
        diarisation.feed(samples[at : at + block])
    return diarisation.finish()


def assert_near(found: list[Turn], expected: list[tuple[float, float, str]], within: float) -> None:
    assert [turn.speaker for turn in found] == [speaker for _, _, speaker in expected]
    for turn, (start, end, _) in zip(found, expected, strict=True):
        assert turn.start == pytest.approx(start, abs=within)
        assert turn.end == pytest.approx(end, abs=within)


def test_everybody_is_found_and_recognised_again() -> None:
    assert_near(diarised(TALK), TURNS, 0.1)


@pytest.mark.parametrize("block", [333, 16_000, 400_000])
def test_how_the_stream_is_cut_changes_nothing(block: int) -> None:
    assert diarised(TALK, block=block) == diarised(TALK)


def test_who_knows_the_number_is_believed() -> None:
    assert {turn.speaker for turn in diarised(TALK, 2)} == {"S1", "S2"}
    assert {turn.speaker for turn in diarised(TALK, 1)} == {"S1"}


@pytest.mark.parametrize("samples", [np.zeros(0, np.float32), talk(("", 3)), talk(("", 11))])
def test_where_nobody_speaks_there_are_no_turns(samples: Array) -> None:
    assert diarised(samples) == []


@pytest.mark.parametrize("seconds", [0.4, 3.0, 11.0])
def test_a_recording_of_any_length_is_somebodys(seconds: float) -> None:
    found = diarised(talk(("", 1), ("a", seconds), ("", 0.3)))
    assert_near(found, [(1.0, 1.0 + seconds, "S1")], 0.1)


def test_two_at_once_are_two_turns() -> None:
    one = talk(("", 1), ("a", 8), ("", 7), ("b", 6), ("", 2))
    other = talk(("", 7), ("b", 5), ("", 3), ("a", 5), ("", 4))
    expected = [(1.0, 9.0, "S1"), (7.0, 12.0, "S2"), (15.0, 20.0, "S1"), (16.0, 22.0, "S2")]
    assert_near(diarised(one + other), expected, 0.15)


def test_a_change_that_the_segmentation_does_not_hear_is_heard_by_the_voices() -> None:
    """Its three speakers of ten seconds may be more people than three."""

    def deaf(samples: Array) -> Array:
        scores = segment(samples)
        return np.concatenate(
            [scores[..., :1], scores[..., 1:].max(-1, keepdims=True), np.full_like(scores[..., 2:], -9)], 2
        )

    diarisation = Diarisation(replace(NETWORKS, segment=deaf))
    diarisation.feed(talk(("a", 6), ("b", 6), ("a", 5), ("c", 6)))
    assert_near(diarisation.finish(), [(0, 6, "S1"), (6, 12, "S2"), (12, 17, "S1"), (17, 23, "S3")], 0.4)


def test_a_piece_holds_one_voice_also_beside_another() -> None:
    """A piece is pooled over the frames of one person only: not over somebody who speaks a moment later."""
    stream = VoiceStream(NETWORKS, 4)
    stream.feed(talk(("a", 5.0), ("b", 5.0)))
    stream.finish()
    pieces = stream.pieces()
    vectors = pieces.vectors.astype(np.float32)
    seconds = pieces.places * 0.08
    first, last = vectors[seconds < 4.9], vectors[seconds > 5.1]
    assert len(first) > 15 and len(last) > 15
    assert (first @ first.T).min() > 0.9 and (first @ last.T).max() < 0.3
    assert not pieces.follows[np.searchsorted(seconds, 5.0)]


def test_an_hour_takes_a_few_megabytes_and_one_shape() -> None:
    """What is kept has no sound behind it, and the networks see one shape: OpenVINO keeps memory for every new one."""
    shapes = set()

    def watched(name: str, network):
        def run(given: Array) -> Array:
            shapes.add((name, given.shape))
            return network(given)

        return run

    def embed(statistics: Array) -> Array:
        return np.ones((len(statistics), 256), np.float32)  # as many numbers as the real network's

    networks = replace(
        NETWORKS,
        segment=watched("segment", segment),
        features=watched("features", NETWORKS.features),
        embed=watched("embed", embed),
    )
    stream = VoiceStream(networks, 4)
    for seconds in (1, 2, 3, 5, 8, 13, 21):
        stream.feed(talk(("a", seconds), ("", 0.5)))
    stream.finish()
    assert {shape for name, shape in shapes if name != "features"} == {(1, 1, WINDOW), (BATCH, 160)}
    assert len(shapes) == 3
    windows, pieces = stream.windows, stream.pieces()
    assert all(array.base is None for window in windows for array in (window.active, window.alone))
    kept = sum(window.active.nbytes + window.alone.nbytes for window in windows) + pieces.vectors.nbytes
    assert kept / 56.5 * 3600 < 13e6


def test_pooling_is_the_mean_and_the_deviation_of_the_frames_that_count() -> None:
    features = np.random.default_rng(0).standard_normal((10, 4)).astype(np.float32)
    weights = np.zeros((2, 10), np.float32)
    weights[0, 2:7], weights[1] = 1.0, 1.0
    found = pooled(features, weights)
    for row, part in zip(found, (features[2:7], features), strict=True):
        assert np.allclose(row, np.concatenate([part.mean(0), part.std(0, ddof=1)]), atol=1e-4)


def test_vectors_have_length_one_however_many_there_are() -> None:
    statistics = np.random.default_rng(0).uniform(3, 9, (BATCH + 1, 160)).astype(np.float32)
    found = embedded(NETWORKS.embed, statistics)
    assert found.shape == (BATCH + 1, 80)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)


def test_filter_banks_are_kaldis() -> None:
    banks = filterbanks(talk(("c", 1)))
    assert banks.shape == (98, 80)
    loudest = banks[:40].mean(0).argmax()
    assert 45 < loudest < 65, "2400 and 3200 Hz on a mel scale of 80 bands up to 8 kHz"
    assert filterbanks(np.zeros(399, np.float32)).shape == (0, 80)


def test_turns_of_one_speaker_are_joined_over_a_breath_and_named_as_they_come() -> None:
    turns = [Turn(3.0, 4.0, "7"), Turn(0.0, 1.0, "9"), Turn(1.2, 2.0, "9"), Turn(1.1, 1.5, "7")]
    assert joined(turns, 0.3) == [Turn(0.0, 2.0, "9"), Turn(1.1, 1.5, "7"), Turn(3.0, 4.0, "7")]
    assert [turn.speaker for turn in named(joined(turns, 0.3))] == ["S1", "S2", "S2"]


def test_the_powerset_says_who_speaks_and_who_at_once() -> None:
    assert np.array_equal(CLASSES[probabilities(np.eye(7, dtype=np.float32)).argmax(1)], CLASSES)
    assert probabilities(np.float32([[1e3] * 7])).tolist() == [[pytest.approx(1 / 7)] * 7]
    assert CLASSES.sum(1).tolist() == [0, 1, 1, 1, 2, 2, 2]
    assert spans(np.array([1, 1, 0, 1], bool)) == [(0, 2), (3, 4)]
    with pytest.raises(ValueError, match="classes"):
        probabilities(np.zeros((1, 589, 4), np.float32))
