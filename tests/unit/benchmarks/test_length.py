"""What the benchmark of long recordings calls linear and flat."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from benchmarks.length import Run, told, write


@pytest.mark.parametrize(
    ("seconds", "megabytes", "status"),
    [
        ((20, 120, 1200), (500, 510, 550), 0),
        ((20, 120, 1270), (500, 510, 550), 1),
        ((20, 120, 1200), (500, 510, 561), 1),
    ],
)
def test_an_hour_may_cost_five_percent_more_and_fifty_megabytes(
    seconds: tuple[float, ...], megabytes: tuple[float, ...], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    short, middle, long = (Run(*each) for each in zip((10.0, 60.0, 600.0), seconds, megabytes, strict=True))
    assert told([short, middle, short, long, short]) == status
    assert "600 min: 1.0" in capsys.readouterr().out


def test_a_machine_that_becomes_slower_counts_on_both_sides() -> None:
    """Only what a long recording costs beside short ones of the same time counts."""
    assert told([Run(10, 20, 500), Run(60, 144, 500), Run(10, 28, 500)]) == 0


def test_the_part_is_repeated_to_the_length(tmp_path: Path) -> None:
    file = tmp_path / "it.wav"
    write(file, np.linspace(-1, 1, 16_000, dtype=np.float32), 2.5)
    with wave.open(str(file)) as audio:
        assert (audio.getnframes(), audio.getframerate(), audio.getnchannels()) == (40_000, 16_000, 1)
        first, second = (np.frombuffer(audio.readframes(16_000), "<i2") for _ in range(2))
    assert np.array_equal(first, second) and first.max() == 32_767
