"""What a draft learns from is changed as rooms, lines and other people change it, and stays the speech that it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from desktop_app.training.augment import Augmenter, Shares
from desktop_app.transcript.constants import SAMPLE_RATE

NONE = Shares(speed=0, room=0, voice=0, noise=0, band=0, telephone=0, loudness=0)
SECONDS = 4


def tones(*hertz: float) -> Tensor:
    """A tone for each window, [B, samples], silent in its last second."""
    at = torch.arange(SECONDS * SAMPLE_RATE) / SAMPLE_RATE
    return torch.stack([0.2 * torch.sin(2 * torch.pi * each * at) * (at < SECONDS - 1) for each in hertz])


def strength(sound: Tensor, hertz: float) -> float:
    """How strong a frequency is in the first two seconds."""
    return float(torch.fft.rfft(sound[: 2 * SAMPLE_RATE]).abs()[round(2 * hertz)])


@pytest.mark.parametrize("change", list(vars(NONE)))
def test_each_change_alters_every_window_and_keeps_its_length(change: str) -> None:
    windows = tones(300, 500, 1100)
    changed = Augmenter(1, replace(NONE, **{change: 1.0}))(windows)
    assert changed.shape == windows.shape and changed.isfinite().all() and changed.abs().max() <= 1
    assert all((changed - windows).abs().amax(1) > 1e-4)


def test_the_same_seed_changes_alike_and_another_does_not() -> None:
    windows = tones(300, 500, 1100)
    first = Augmenter(1)(windows)
    assert torch.equal(Augmenter(1)(windows), first)
    assert not torch.equal(Augmenter(2)(windows), first)


def test_what_is_given_stays_as_it_is() -> None:
    windows = tones(300, 500)
    before = windows.clone()
    Augmenter(1, Shares(*[1.0] * 7))(windows)
    assert torch.equal(windows, before)
    assert torch.equal(Augmenter(1, NONE)(windows), before)


def test_a_line_keeps_the_voice_and_loses_what_no_line_carries() -> None:
    low, voice, high = (
        strength(Augmenter(1, replace(NONE, telephone=1.0))(tones(hertz))[0], hertz) / strength(tones(hertz)[0], hertz)
        for hertz in (50, 1000, 6000)
    )
    assert low < 0.1 and 0.8 < voice < 1.2 and high < 0.1


def test_a_room_is_heard_behind_the_sound() -> None:
    tone = tones(500)[0]
    heard = Augmenter(1, replace(NONE, room=1.0))(tone[None])[0]
    behind = heard[round((SECONDS - 0.99) * SAMPLE_RATE) :]
    assert not tone[-len(behind) :].any() and behind.abs().max() > 1e-3
    assert strength(heard, 500) > 0.5 * strength(tone, 500)


def test_noise_is_softer_than_the_speech() -> None:
    windows = tones(*[500.0] * 64)
    changed = Augmenter(1, replace(NONE, noise=1.0))(windows)
    added = (changed - windows).square().mean(1).sqrt() / windows.square().mean(1).sqrt()
    assert added.max() <= 1.05 and added.min() < 0.1


def test_the_speed_moves_the_pitch_within_bounds() -> None:
    for row in Augmenter(1, replace(NONE, speed=1.0))(tones(*[1000.0] * 8)):
        loudest = float(torch.fft.rfft(row[: 2 * SAMPLE_RATE]).abs().argmax()) / 2
        assert 870 < loudest < 1150 and loudest != 1000
