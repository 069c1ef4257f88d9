"""What is done to an utterance or a spectrogram in training leaves its labels right."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from models.training.batches import FRAME, Utterance, stretched
from models.training.network import masked


@pytest.mark.parametrize("factor", [0.88, 1.0, 1.12])
def test_a_stretched_utterance_keeps_each_sound_beside_its_label(factor: float) -> None:
    """A second of silence, then a tone: where the tone begins, its label and its token's place do too."""
    tone = (8000 * np.sin(2 * np.pi * 440 / 16000 * np.arange(16000))).astype(np.int16)
    audio = np.concatenate([np.zeros(16000, np.int16), tone])
    phones = np.repeat(np.array([0, 7], np.uint8), 50)
    changed = stretched(Utterance(audio, [5, 6], [-1.0, 50.0], phones), factor)
    begins = int(np.argmax(np.abs(changed.audio) > 4000))
    assert begins == pytest.approx(16000 * factor, abs=80)
    assert int(np.argmax(changed.phones == 7)) == pytest.approx(begins / FRAME, abs=1)
    assert changed.centres == [-1.0, pytest.approx(begins / FRAME, abs=0.5)]
    assert len(changed.audio) == FRAME * len(changed.phones)


def test_masks_hide_a_little_and_leave_the_other_rows_alone() -> None:
    torch.manual_seed(3)
    mel = torch.randn(400, 80, 500)
    changed = masked(mel, 0.5)
    touched = (changed != mel).flatten(1).any(1)
    assert 0.4 < touched.float().mean() < 0.6
    means = mel.mean((1, 2))[:, None, None]
    hidden = (changed == means).float()[touched].mean((1, 2))
    assert 0.0 < hidden.mean() < 0.3
    assert hidden.max() < 0.5
