"""What a FLAC file holds can be read back at any moment, wherever its writing was broken off."""

from __future__ import annotations

import errno
import hashlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from desktop_app.audio.files import AudioFile
from desktop_app.audio.flac import FlacWriter
from desktop_app.problems import Problem
from tests.decoded import decoded

FRAME = 1152
HEADER = 42


def noise(samples: int, level: int = 8000) -> npt.NDArray[np.int16]:
    return (np.random.default_rng(1).standard_normal(samples) * level).clip(-32768, 32767).astype(np.int16)


def read(path: Path) -> tuple[npt.NDArray[np.int16], Problem | None]:
    """As Galley reads any file."""
    sound, damage = decoded(path)
    return np.round(sound * 32768).astype(np.int16), damage


def test_a_closed_file_is_whole_for_every_reader(tmp_path: Path) -> None:
    path, sound = tmp_path / "whole.flac", noise(20_000)
    writer = FlacWriter(path, 16_000)
    for part in np.split(sound, [1, 500, 4000, 4001, 15_000]):
        writer.write(part)
    writer.close()
    found, rate = soundfile.read(path, dtype="int16")
    assert rate == 16_000
    np.testing.assert_array_equal(found, sound)
    data = path.read_bytes()
    assert data[26:42] == hashlib.md5(sound.tobytes()).digest()
    with AudioFile(path) as audio:
        assert audio.seconds == pytest.approx(20_000 / 16_000)
    assert read(path)[1] is None
    assert writer.size == len(data)


def test_whole_frames_are_in_the_file_at_once(tmp_path: Path) -> None:
    path, sound = tmp_path / "open.flac", noise(5 * FRAME + 100)
    writer = FlacWriter(path, 16_000)
    writer.write(sound)
    assert writer.samples == 5 * FRAME
    found, damage = read(path)
    np.testing.assert_array_equal(found, sound[: 5 * FRAME])
    assert damage is None
    writer.close()


def test_a_file_cut_at_any_byte_gives_every_whole_frame_before_the_cut(tmp_path: Path) -> None:
    """Inside the mark, the header, a frame's head, its sound, its checksum; at its borders; in the middle of one that
    was given to the disk in pieces."""
    path, sound = tmp_path / "long.flac", noise(6 * FRAME)
    writer = FlacWriter(path, 16_000)
    ends = [writer.size]
    for number in range(6):
        writer.write(sound[number * FRAME : (number + 1) * FRAME])
        ends.append(writer.size)
    data = path.read_bytes()
    writer.close()
    assert ends[0] == HEADER
    cuts = {*range(HEADER + 1)}
    for begin, end in pairwise(ends):
        cuts |= {begin, begin + 1, begin + 2, begin + 5, begin + 9, (begin + end) // 2, end - 3, end - 2, end - 1}
    for cut in sorted(cuts):
        broken = tmp_path / "cut.flac"
        broken.write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends[1:])
        if not whole:
            with pytest.raises(Problem):
                read(broken)
            continue
        found, _ = read(broken)
        assert found.size >= whole * FRAME, cut
        np.testing.assert_array_equal(found[: whole * FRAME], sound[: whole * FRAME])


class FullDisk:
    """A file that takes so many bytes and no more, the last of them in part."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self.room = file, room

    def write(self, data: Any) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(self.room, len(data))
        self.room -= taken
        return int(self._file.write(data[:taken]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("room", [0, 1, 700, 5000])
def test_a_full_disk_leaves_a_whole_file(tmp_path: Path, room: int) -> None:
    path, sound = tmp_path / "full.flac", noise(20 * FRAME)
    writer = FlacWriter(path, 16_000)
    writer.write(sound[: 3 * FRAME])
    disk = FullDisk(writer._file, room)
    writer._file = disk  # type: ignore[assignment]

    def write_the_rest() -> None:
        for number in range(3, 20):
            writer.write(sound[number * FRAME : (number + 1) * FRAME])

    with pytest.raises(OSError, match="No space"):
        write_the_rest()
    disk.room = 100  # a header is written over itself
    writer.abandon()
    found, damage = read(path)
    assert damage is None
    assert found.size == writer.samples >= 3 * FRAME
    np.testing.assert_array_equal(found, sound[: found.size])
    with AudioFile(path) as audio:
        assert audio.seconds == pytest.approx(found.size / 16_000)


def test_a_recording_never_takes_anothers_place(tmp_path: Path) -> None:
    path = tmp_path / "there.flac"
    path.write_bytes(b"somebody's")
    with pytest.raises(FileExistsError):
        FlacWriter(path, 16_000)
    assert path.read_bytes() == b"somebody's"
