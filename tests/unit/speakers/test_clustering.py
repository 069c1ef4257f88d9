"""Which clusters are one voice: by how alike they are beyond the noise in each, and by how much speech there is."""

from __future__ import annotations

import numpy as np
import pytest

from desktop_app.speakers.clustering import MOST, Clusters, merged, unit, voices
from desktop_app.speakers.networks import Array, VoiceLimits

LIMITS = VoiceLimits(alike=0.5, doubt=1.5, same=0.85, least=0.65)
NOISE = 1.0  # as long as a voice: pieces of one voice have a cosine of about a half


def people(count: int, dims: int = 256, seed: int = 0) -> Array:
    """Voices that have nothing in common."""
    made = np.random.default_rng(seed).standard_normal((dims, count))
    return np.asarray(np.linalg.qr(made)[0].T[:count], np.float32)


def spoken(voice: Array, runs: int, seconds: float = 2.0, noise: float = NOISE, seed: int = 0) -> Clusters:
    """So many runs of a voice, each with an error of its own, each a cluster."""
    errors = np.random.default_rng(seed).standard_normal((runs, voice.size)) / np.sqrt(voice.size)
    return Clusters.of(unit(voice + noise * errors) * np.float32(seconds), np.full(runs, seconds, np.float32))


def alike(cosine: float) -> Array:
    """Two voices with this cosine."""
    one, other = people(2)
    return np.stack([one, cosine * one + np.float32(np.sqrt(1 - cosine**2)) * other])


@pytest.mark.parametrize("noise", [0.2, 1.0, 1.5])
def test_a_voice_is_one_however_noisy_its_pieces_are(noise: float) -> None:
    """The mean cosine of its pieces is 0.96, 0.5 and 0.3: no limit on that would do for all three."""
    (voice,) = people(1)
    assert len(voices([spoken(voice, 20, noise=noise)], LIMITS, 2.5, None)) == 1


def test_two_voices_that_are_much_alike_stay_two_when_there_is_speech_enough_to_tell() -> None:
    one, other = alike(0.75)
    much = Clusters.together([spoken(one, 12), spoken(other, 12, seed=1)])
    assert len(voices([much], LIMITS, 2.5, None)) == 2
    little = Clusters.together([spoken(one, 12), spoken(other, 1, seed=1)])
    assert len(voices([little], LIMITS, 2.5, None)) == 1


def test_who_knows_the_number_is_believed_and_what_is_hardly_heard_does_not_count() -> None:
    one, other = alike(0.9)
    stranger = people(3)[2]
    cough = spoken(people(4)[3], 1, 0.5)
    clusters = Clusters.together([spoken(one, 12), spoken(other, 12, seed=1), spoken(stranger, 3), cough])
    told = {count: voices([clusters], LIMITS, 2.5, count) for count in (None, 1, 2, 3)}
    assert {count: len(found) for count, found in told.items()} == {None: 2, 1: 1, 2: 2, 3: 3}
    assert (told[2] @ stranger).max() > 0.8, "the two who are alike are the one, not the stranger"
    assert (told[3] @ np.stack([one, other, stranger]).T).max(0).min() > 0.8


def test_a_voice_that_is_hardly_heard_is_nobody_but_somebody_speaks() -> None:
    one, other, third = people(3)
    clusters = [spoken(one, 10), spoken(other, 10), spoken(third, 1, 1.0)]
    assert len(voices([Clusters.together(clusters)], LIMITS, 10, None)) == 2
    assert len(voices([spoken(one, 1, 0.3)], LIMITS, 10, None)) == 1


def test_a_speaker_of_a_long_recording_is_the_sum_of_many_small_clusters() -> None:
    hours = [Clusters.together([spoken(who, 1, 2.0, 0.5, seed) for who in people(3)]) for seed in range(100)]
    assert len(voices(hours, LIMITS, 2.5, None)) == 3


def test_thousands_of_clusters_are_never_compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten hours have no matrix over everything, also where nobody speaks twice."""
    sizes = []

    def watched(clusters: Clusters, *rest: object, **more: object) -> Clusters:
        sizes.append(len(clusters))
        return merged(clusters, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("desktop_app.speakers.clustering.merged", watched)
    five = people(5)
    many = [Clusters.together([spoken(who, 1, 2.0, 0.3, seed) for who in five]) for seed in range(2 * MOST // 5)]
    found = voices(many, LIMITS, 2.5, None)
    assert len(found) == 5
    assert (five @ found.T).max(0).min() > 0.99
    strangers = spoken(np.zeros(512, np.float32), 3 * MOST)
    assert len(voices([strangers], LIMITS, 1.0, None)) <= MOST
    assert max(sizes) <= MOST
