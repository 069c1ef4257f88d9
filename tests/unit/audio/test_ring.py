"""Nothing between the driver and the writer is lost without a word."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from desktop_app.audio import ring
from desktop_app.audio.ring import Ring


def frames(count: int, channels: int = 1, first: int = 0) -> npt.NDArray[np.float32]:
    return np.arange(first * channels, (first + count) * channels, dtype=np.float32)


def write(into: Ring, sound: npt.NDArray[np.float32], driver_lost: bool = False) -> None:
    into.write(memoryview(sound.tobytes()), sound.size // into.channels, driver_lost)


@pytest.mark.parametrize("channels", [1, 2, 5])
def test_blocks_of_any_size_come_out_as_they_went_in(channels: int) -> None:
    tested = Ring(1000, channels, seconds=1.0)
    sizes = np.random.default_rng(channels).integers(1, 400, 200)
    written, came = 0, []
    for size in sizes:
        write(tested, frames(int(size), channels, written))
        written += int(size)
        assert tested.waiting
        for block, lost in tested.read():
            assert block.shape == (size, channels)
            assert lost == 0
            came.append(block)
    assert not tested.waiting
    assert tested.room == 1000
    np.testing.assert_array_equal(np.concatenate(came).ravel(), frames(written, channels))


def test_what_finds_no_room_is_counted_and_told_where_it_is_missing() -> None:
    tested = Ring(1000, 1, seconds=1.0)
    for number in range(12):
        write(tested, frames(100, first=number * 100))
    assert [lost for _, lost in tested.read()] == [0] * 10
    write(tested, frames(100, first=1200))
    ((block, lost),) = tested.read()
    assert lost == 200
    assert block[0, 0] == 1200


def test_a_reading_ends_though_more_comes_meanwhile() -> None:
    """Else a writer that is as quick as the reader keeps the recorder from writing anything to the disk."""
    ring, block = Ring(100, 1, 10.0), np.ones(100, np.float32)
    write(ring, block)
    read = 0
    for sound, _lost in ring.read():
        read += sound.size
        write(ring, block)
        assert read < 1000, "the reading does not end"
    assert read == 100 and ring.waiting


def test_very_many_tiny_blocks_are_lost_rather_than_mixed_up() -> None:
    tested = Ring(1000, 1, seconds=1.0)
    for number in range(600):
        write(tested, frames(1, first=number))
    write_later = [block[0, 0] for block, _ in tested.read()]
    assert write_later == list(range(500))
    write(tested, frames(1, first=600))
    ((_, lost),) = tested.read()
    assert lost == 100


def test_the_clock_says_how_much_the_driver_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(ring.time, "perf_counter", lambda: now)
    tested = Ring(1000, 1)
    for _ in range(20):
        now += 0.1
        write(tested, frames(100))
    now += 0.75 + 0.1
    write(tested, frames(100), driver_lost=True)
    losses = [lost for _, lost in tested.read()]
    assert losses[:-1] == [0] * 20
    assert losses[-1] == pytest.approx(750, abs=2)


def test_a_driver_that_cries_wolf_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(ring.time, "perf_counter", lambda: now)
    tested = Ring(1000, 1)
    for _ in range(20):
        now += 0.1
        write(tested, frames(100), driver_lost=True)
    assert {lost for _, lost in tested.read()} == {0}
