"""The networks of the training: one that grows hears as before, and spectrograms change only where asked."""

from __future__ import annotations

import torch

from models.training.network import Encoder, Whisper, encoder_layers, other_throats


def test_an_encoder_that_grows_hears_the_same_until_it_has_learnt() -> None:
    torch.manual_seed(1)
    encoder = Encoder(width=8, heads=2, layers=1)
    mel, offsets = torch.randn(2, 80, 40), torch.tensor([0, 300])
    before = encoder(mel, offsets)
    encoder.grow(3)
    assert len(encoder.layers) == 3
    after = encoder(mel, offsets)
    assert torch.equal(after, before)
    after.square().mean().backward()
    for layer in list(encoder.layers)[1:]:
        for last in (layer.self_attn.out_proj, layer.fc2):
            assert last.weight.grad.any(), "what is zero must be able to learn"


def test_layers_are_counted_from_the_names_of_tensors() -> None:
    model = Whisper(20, 3, width=8, heads=2, layers=2)
    model.encoder.grow(5)
    assert encoder_layers(model.state_dict()) == 5
    assert encoder_layers({f"model.{name}": value for name, value in model.state_dict().items()}) == 5


def test_throats_move_formants_by_a_few_bands_and_nothing_in_time() -> None:
    torch.manual_seed(2)
    mel = torch.zeros(60, 80, 30)
    mel[:, 40, 10:] = 1.0  # a formant that begins at once
    changed = other_throats(mel, 0.5)
    assert changed.shape == mel.shape
    assert not changed[:, :, :10].any()
    assert torch.equal(changed[:, :, 10], changed[:, :, 29])
    same = (changed == mel).all(2).all(1)
    assert 15 < same.sum() < 45
    moved = changed[~same, :, 20].argmax(1) - 40
    assert moved.any() and moved.abs().max() <= 10
    assert torch.equal(other_throats(mel, 0.0), mel)
