"""The sound in an exported page is the recording's, in a form that browsers play."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from desktop_app.audio import mp3
from desktop_app.audio.files import AudioFile

CLIP = Path(__file__).resolve().parents[2] / "data" / "clips" / "00.flac"


def samples(path: Path) -> np.ndarray:
    with AudioFile(path) as blocks:
        return np.concatenate(list(blocks))


def test_the_sound_is_encoded_whole_and_small(tmp_path: Path) -> None:
    made = tmp_path / "clip.mp3"
    made.write_bytes(mp3.encoded(CLIP))
    before, after = samples(CLIP), samples(made)
    assert abs(after.size - before.size) < 4000  # the encoder's own delay
    assert made.stat().st_size < 1.1 * mp3.BYTES_A_SECOND * before.size / 16000 + 1000
    shift = int(np.argmax(np.correlate(after[:40000], before[:32000], "valid")))
    both = np.corrcoef(after[shift : shift + 32000], before[:32000])[0, 1]
    assert both > 0.95
