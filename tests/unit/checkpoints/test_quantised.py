"""Small weights are close to the large ones, made in little memory, and a file of them is whole or not there."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from desktop_app.checkpoints import quantised
from desktop_app.checkpoints.quantised import Matrix, Quantised, stored
from desktop_app.checkpoints.tensors import TensorFile, Tensors
from desktop_app.problems import Problem
from tests import random_models


@pytest.fixture(scope="module")
def tensors(tmp_path_factory: pytest.TempPathFactory) -> Tensors:
    recipe = random_models.Recipe.of(256, 4, 1, 2, text=3000, languages=("en",), padding=1)
    return Tensors(random_models.write(tmp_path_factory.mktemp("models") / "model", recipe))


def names(tensors: Tensors) -> list[str]:
    return [name for name in tensors if len(tensors[name].shape) == 2 and "positions" not in name]


def back(matrix: Matrix) -> np.ndarray:
    """The matrix that its numbers stand for."""
    rows, columns = matrix.shape
    if matrix.zeros is None:
        return matrix.numbers.view(np.int8).reshape(rows, columns) * matrix.scales
    numbers, zeros = (np.stack([each & 15, each >> 4], 1).ravel() for each in (matrix.numbers, matrix.zeros))
    parts = numbers[: rows * columns].reshape(rows, matrix.groups, -1).astype(np.float32)
    parts -= zeros[: rows * matrix.groups].reshape(rows, matrix.groups, 1)
    return (parts * matrix.scales[..., None]).reshape(rows, columns)


@pytest.mark.parametrize("bits", [8, 4])
def test_half_a_step_is_the_largest_error(tensors: Tensors, bits: int) -> None:
    for name in names(tensors):
        matrix, right = Quantised(tensors, bits)[name], tensors[name].read()
        step = np.repeat(matrix.scales, right.shape[1] // matrix.groups, 1)
        # A zero point is a whole number too, so at 4 bits the ends of a group may be cut by half a step more.
        assert (np.abs(back(matrix) - right) <= step * (0.5001 if matrix.bits == 8 else 1.0001)).all()
        assert matrix.bits == (8 if "embed_tokens" in name else bits)
        assert matrix.groups == (1 if matrix.bits == 8 else right.shape[1] // 128)


def test_rows_of_nothing_and_of_one_sign() -> None:
    for row in (np.zeros(32), np.full(32, 3.0), np.full(32, -2.0), np.linspace(1, 2, 32)):
        numbers, scales, zeros = quantised.quantise(row[None].astype(np.float32), 4)
        found = back(Matrix((1, 32), 4, scales.shape[1], numbers, scales, zeros))
        np.testing.assert_allclose(found[0], row, atol=max(np.abs(row).max() / 15, 1e-9))


@pytest.mark.parametrize("bits", [8, 4])
def test_the_file_holds_what_is_made_in_memory(tensors: Tensors, tmp_path: Path, bits: int) -> None:
    kept, made = stored(tensors, names(tensors), bits, tmp_path), Quantised(tensors, bits)
    for name in names(tensors):
        one, other = kept[name], made[name]
        assert (one.shape, one.bits, one.groups) == (other.shape, other.bits, other.groups)
        np.testing.assert_array_equal(one.numbers, other.numbers)
        np.testing.assert_array_equal(one.scales, other.scales)
        assert (one.zeros is None and other.zeros is None) or np.array_equal(one.zeros, other.zeros)


def test_it_is_made_once_and_again_when_it_or_the_model_changes(tensors: Tensors, tmp_path: Path) -> None:
    stored(tensors, names(tensors), 8, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    os.utime(file, (1, 1))
    inode = file.stat().st_ino
    stored(tensors, names(tensors), 8, tmp_path)
    assert file.stat().st_ino == inode and file.stat().st_mtime > 1
    for damaged in (whole[:-1], whole[:9] + b"x" + whole[10:], b"", whole[:40]):
        file.write_bytes(damaged)
        stored(tensors, names(tensors), 8, tmp_path)
        assert file.read_bytes() == whole
    source = tensors[names(tensors)[0]].file.path
    os.utime(source, (5, 5))
    stored(tensors, names(tensors), 8, tmp_path)
    stored(tensors, names(tensors)[1:], 8, tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("bits", [8, 4])
def test_a_weight_that_changed_is_noticed_wherever_it_lies(tensors: Tensors, tmp_path: Path, bits: int) -> None:
    """One bit of the numbers, of the scales, of the zero points: the file is made again before anything is read."""
    wanted = names(tensors)[-2:]
    stored(tensors, wanted, bits, tmp_path)
    (path,) = tmp_path.iterdir()
    whole, file = path.read_bytes(), TensorFile(path)
    spans = [(name, begin, end) for name, (_, _, begin, end) in file.header.items() if begin < end]
    assert {name.rpartition(".")[2] for name, _, _ in spans} >= {"numbers", "scales", "checksums"}
    for _, begin, end in spans:
        for place in {begin, (begin + end) // 2, end - 1}:
            data = bytearray(whole)
            data[file.start + place] ^= 1
            path.write_bytes(data)
            kept = stored(tensors, wanted, bits, tmp_path)
            assert path.read_bytes() == whole
    np.testing.assert_array_equal(kept[wanted[0]].numbers, Quantised(tensors, bits)[wanted[0]].numbers)


@pytest.mark.parametrize("bits", [8, 4])
def test_what_is_no_number_is_not_quantised(tmp_path: Path, bits: int) -> None:
    for bad in (np.nan, np.inf):
        values = np.zeros((4, 32), np.float32)
        values[2, 5] = bad
        save_file({"a": values}, tmp_path / "model.safetensors")
        with pytest.raises(Problem, match="not_finite name='a'"):
            stored(Tensors(tmp_path), ["a"], bits, tmp_path / "cache")
        assert not list((tmp_path / "cache").iterdir())


def test_a_full_disk_leaves_nothing(tensors: Tensors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Problem) as caught:
        stored(tensors, names(tensors), 8, tmp_path)
    assert caught.value == Problem("disk.full_at", folder=str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_few_rows_at_a_time(tensors: Tensors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory while a file is written has the size of a block, not that of the model."""
    monkeypatch.setattr(quantised, "_BLOCK", 1 << 14)
    tensors[names(tensors)[0]].raw()
    tracemalloc.start()
    stored(tensors, names(tensors), 8, tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (file,) = tmp_path.iterdir()
    assert peak < 1.3 * file.stat().st_size / 2


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="only Linux tells a process's peak so")
@pytest.mark.parametrize("bits", [8, 4])
def test_making_it_takes_at_most_1_3_times_the_file_of_the_processs_memory(tmp_path: Path, bits: int) -> None:
    """All of it, the mapped pages of the source too, which are twice or four times the file."""
    sides = {f"encoder.layers.{number}.fc1.weight": [4096, 4096] for number in range(4)}
    header, block = {}, np.random.default_rng(0).standard_normal((4096, 4096)).astype("<f2").tobytes()
    for number, name in enumerate(sides):
        offsets = [number * len(block), (number + 1) * len(block)]
        header[name] = {"dtype": "F16", "shape": sides[name], "data_offsets": offsets}
    head = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + block * len(sides))
    peak = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path), str(bits)], check=True, capture_output=True, text=True
    )
    (file,) = (tmp_path / "cache").iterdir()
    assert int(peak.stdout) < 1.3 * file.stat().st_size


MEASURED = """
import sys
from pathlib import Path
from desktop_app.checkpoints.quantised import stored
from desktop_app.checkpoints.tensors import TensorFile, Tensors
from desktop_app.measure.memory import peak
folder = Path(sys.argv[1])
tensors, before = Tensors(folder), peak()
stored(tensors, list(tensors), int(sys.argv[2]), folder / "cache")
print(peak() - before)
"""


@pytest.mark.parametrize("left", [b"half of it", b""])
def test_the_next_file_that_is_written_takes_away_what_a_killed_process_left_the_day_before(
    tensors: Tensors, tmp_path: Path, left: bytes
) -> None:
    """What is younger may be of a process that still writes."""
    old, young = tmp_path / f".old{quantised.UNFINISHED}", tmp_path / f".young{quantised.UNFINISHED}"
    for part in (old, young):
        part.write_bytes(left)
    os.utime(old, (0, 0))
    stored(tensors, names(tensors), 8, tmp_path)
    assert not old.exists() and young.exists()
