"""The training's rooms and noises keep length, time and level, whatever is drawn."""

import numpy as np
import pytest

from models.training import rooms

KINDS = ("silence", "noise", "hum", "clicks", "tones", "music", "wind", *rooms.COLOURS)


def speech(samples: int = 24000) -> np.ndarray:
    """Bursts of a tone with pauses, as loud as a voice."""
    seconds = np.arange(samples) / 16000
    return (0.3 * np.sin(1500 * seconds) * (np.sin(9 * seconds) > 0)).astype(np.float32)


@pytest.mark.parametrize("strength", [0.2, 1.0])
def test_disturbed_audio_keeps_its_length_and_stays_in_range(strength: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        heard = rooms.disturb(speech(), rng, strength)
        assert heard.dtype == np.float32 and heard.shape == (24000,)
        assert np.isfinite(heard).all() and np.abs(heard).max() <= 1.0


def test_nothing_is_done_at_strength_zero_or_to_silence() -> None:
    rng, clean = np.random.default_rng(0), speech()
    assert rooms.disturb(clean, rng, 0.0) is clean
    assert not rooms.disturb(np.zeros(8000, np.float32), rng, 1.0).any()


def test_the_same_seed_gives_the_same_recording() -> None:
    first, second = (rooms.disturb(speech(), np.random.default_rng(5), 1.0) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_room_does_not_delay_the_direct_sound() -> None:
    rng, click = np.random.default_rng(2), np.zeros(16000, np.float32)
    click[4000] = 1.0
    for _ in range(10):
        heard = rooms.through(click, rng, echo=True, telephone=False, strength=0.5)
        assert np.abs(heard[:3900]).max() < 0.05
        assert abs(int(np.abs(heard).argmax()) - 4000) <= 3


def test_noise_is_as_far_below_the_speech_as_asked() -> None:
    rng, clean = np.random.default_rng(3), speech()
    added = rooms.mixed(clean, rooms.noise(len(clean), rng), 10.0) - clean
    below = 20 * np.log10(rooms.speech_level(clean) / np.sqrt(np.mean(added**2)))
    assert below == pytest.approx(10.0, abs=0.1)


def test_what_drowns_speech_lies_near_it() -> None:
    clean, other = speech(), [np.sin(np.arange(9000) / 7).astype(np.float32)]
    ratios = []
    for seed in range(40):
        heard = rooms.drowned(clean, np.random.default_rng(seed), other)
        assert heard.shape == clean.shape and heard.dtype == np.float32 and np.abs(heard).max() <= 1.0
        voice = float(heard @ clean) / float(clean @ clean)  # what the level made of it; noise is not alike
        rest = heard - np.float32(voice) * clean
        ratios.append(20 * np.log10(voice * rooms.speech_level(clean) / np.sqrt(np.mean(rest**2))))
    assert 3 < min(ratios) < 7 and 13 < max(ratios) < 17


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_non_speech_has_the_length_asked_for(kind: str) -> None:
    for samples in (8000, 80000):
        made = rooms.sound(kind, samples, np.random.default_rng(1))
        assert made.shape == (samples,) and np.isfinite(made).all()
        assert np.abs(made).max() == pytest.approx(0.0 if kind == "silence" else 1.0)


def test_a_codec_leaves_the_voice_where_it_was() -> None:
    clean = speech()
    for seed in range(8):
        heard = rooms.coded(clean, np.random.default_rng(seed))
        assert heard.shape == clean.shape
        assert np.corrcoef(clean, heard)[0, 1] > 0.9


@pytest.mark.parametrize("faintest", [35.0, 15.0])
def test_noise_is_at_most_so_faint_as_is_asked_for(monkeypatch: pytest.MonkeyPatch, faintest: float) -> None:
    ratios: list[float] = []
    mixed = rooms.mixed
    monkeypatch.setattr(rooms, "mixed", lambda *given: ratios.append(given[2]) or mixed(*given))
    for seed in range(60):
        rooms.disturb(speech(), np.random.default_rng(seed), 0.3, faintest=faintest)
    assert len(ratios) > 40
    assert max(ratios) <= faintest + 3  # murmur lies 2 dB lower than asked for, music 3
    assert max(ratios) > faintest - 10


def test_white_and_pink_noise_drown_oftener_than_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def noise(samples: int, rng: np.random.Generator, colour: str) -> np.ndarray:
        drawn.append(colour)
        return np.ones(samples, np.float32)

    monkeypatch.setattr(rooms, "noise", noise)
    rng = np.random.default_rng(4)
    for _ in range(2000):
        rooms.drowned(speech(1600), rng, [speech(1600)])
    shares = {colour: drawn.count(colour) / len(drawn) for colour in rooms.COLOURS}
    assert 900 < len(drawn) < 1100
    assert shares["white"] > shares["pink"] > shares["speech"] > shares["brown"] > 0.1
