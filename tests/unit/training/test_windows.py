"""Recordings become windows of a model's length: short files share one, long ones are cut, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.training import windows
from desktop_app.training.windows import FULL_SECONDS, Piece, TrainingWindow
from desktop_app.transcript.constants import SAMPLE_RATE


@pytest.fixture
def recordings(tmp_path: Path) -> dict[Path, float]:
    """Twenty files of five seconds in two folders, and one of 100 seconds."""
    found = {}
    for number in range(20):
        file = tmp_path / f"{number % 2}" / f"{number:02}.wav"
        file.parent.mkdir(exist_ok=True)
        file.touch()
        found[file] = 5.0
    found = dict(sorted(found.items()))
    (tmp_path / "long.wav").touch()
    return found | {tmp_path / "long.wav": 100.0}


def recorded(recordings: dict[Path, float]) -> list[TrainingWindow]:
    """The windows that nothing changes."""
    return [window for window in windows.cut(recordings) if not window.is_changed]


def test_each_window_is_there_as_recorded_and_to_be_changed(recordings: dict[Path, float]) -> None:
    cut = windows.cut(recordings)
    plain, changed = cut[: len(cut) // 2], cut[len(cut) // 2 :]
    assert not any(window.is_changed for window in plain) and all(window.is_changed for window in changed)
    assert [window.pieces for window in changed] == [window.pieces for window in plain]


def test_every_second_is_in_one_window_and_none_is_too_long(recordings: dict[Path, float]) -> None:
    cut = recorded(recordings)
    assert max(window.seconds for window in cut) <= FULL_SECONDS
    for recording, seconds in recordings.items():
        pieces = [piece for window in cut for piece in window.pieces if piece.recording == recording]
        ends = [piece.start + piece.seconds for piece in pieces]
        assert [piece.start for piece in pieces] == pytest.approx([0.0, *ends[:-1]])
        assert ends[-1] == pytest.approx(seconds)


def test_short_files_share_windows_but_folders_do_not(recordings: dict[Path, float]) -> None:
    cut = recorded(recordings)
    assert any(len(window.pieces) > 2 for window in cut)
    assert all(len({piece.recording.parent for piece in window.pieces}) == 1 for window in cut)
    assert min(window.seconds for window in cut[:-1]) < FULL_SECONDS / 2, "some are short, as live windows are"


def test_a_key_names_the_files_and_the_same_files_give_the_same(recordings: dict[Path, float]) -> None:
    first = windows.cut(recordings)
    assert [window.key for window in windows.cut(recordings)] == [window.key for window in first]
    assert len({window.key for window in first}) == len(first)
    changed = first[0].pieces[0].recording
    changed.write_bytes(b"something else")
    again = windows.cut(recordings)
    assert again[0].key != first[0].key and again[-1].key == first[-1].key


def test_the_samples_are_those_of_the_pieces_behind_their_pauses(tmp_path: Path) -> None:
    sound = np.sin(np.arange(3 * SAMPLE_RATE) / 20).astype(np.float32) / 2
    soundfile.write(tmp_path / "a.wav", sound, SAMPLE_RATE, subtype="FLOAT")
    pieces = (Piece(tmp_path / "a.wav", 1.0, 1.5, 0.5), Piece(tmp_path / "gone.wav", 0.0, 2.0, 0.5))
    found = TrainingWindow("", pieces).samples()
    assert not found[: SAMPLE_RATE // 2].any()
    assert len(found) == 2 * SAMPLE_RATE, "a file that can no longer be read is left out"
    assert found[SAMPLE_RATE // 2 :] == pytest.approx(sound[SAMPLE_RATE : SAMPLE_RATE * 5 // 2], abs=1e-4)
