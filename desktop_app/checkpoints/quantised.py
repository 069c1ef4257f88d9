"""Quantised matrices of a checkpoint: integers with scales, made from safetensors with numpy, a few rows at a time, and
kept in a file that is memory-mapped.

Weights only. 8 bits: symmetric, one scale a row. 4 bits: groups along the row with a scale and a zero point each; the
vocabulary stays at 8 bits, as is usual (https://arxiv.org/abs/2210.17323 and the tools after it).
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.checkpoints.parts import BytesDone
from desktop_app.checkpoints.tensors import TensorFile, Tensors
from desktop_app.problems import Problem

GROUP = 128
"""Numbers that share a scale at 4 bits; where they do not divide a row, the largest half of it that does."""

_BLOCK = 1 << 19  # numbers that are quantised at a time
_VERSION = 1  # of the arithmetic and of the file: another one makes other files
_KINDS = {"numbers": "U8", "scales": "F32", "zeros": "U8"}
_SUMS = "checksums"
UNFINISHED = ".new"  # the suffix of a file that is being written
_DAY = 86_400.0  # seconds

Array = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Matrix:
    """Row r, group g, column c of a matrix is scales[r, g] * (numbers[r, g, c] - zeros[r, g]).

    `numbers` are bytes: int8 without zeros, or two uint4 a byte, the first in the low half, which is how OpenVINO has
    them. `zeros`, packed alike, are None at 8 bits.
    """

    shape: tuple[int, int]
    bits: int
    groups: int  # in a row
    numbers: Bytes
    scales: Array  # [rows, groups]
    zeros: Bytes | None


def bits_of(name: str, bits: int) -> int:
    """The bits of a matrix in a model of `bits`: the embedding and the output head keep 8."""
    return 8 if "embed_tokens" in name or "proj_out" in name else bits


def groups_of(columns: int, bits: int) -> int:
    """How many groups a row has. At 4 bits all of them must be of even length."""
    if bits == 8:
        return 1
    length = math.gcd(columns, GROUP)
    return columns // length if length >= 16 else 1


def quantise(block: Array, bits: int) -> tuple[Bytes, Array, Bytes]:
    """Numbers, scales and zero points of some rows; the same rows give the same whatever stands around them."""
    rows, columns = block.shape
    groups = groups_of(columns, bits)
    parts = block.reshape(rows, groups, columns // groups)
    if bits == 8:
        scales = np.maximum(np.abs(parts).max(2), 1e-12) / np.float32(127)
        return _bytes(np.rint(parts / scales[..., None]).astype(np.int8)), scales, np.zeros(0, np.uint8)
    low, high = np.minimum(parts.min(2), 0), np.maximum(parts.max(2), 0)
    scales = np.maximum(high - low, 1e-12) / np.float32(15)
    zeros = np.rint(-low / scales)
    numbers = np.clip(np.rint(parts / scales[..., None]) + zeros[..., None], 0, 15)
    return _packed(numbers), scales, _packed(zeros)


def _bytes(array: npt.NDArray[Any]) -> Bytes:
    return array.view(np.uint8).ravel()


def _packed(numbers: Array) -> Bytes:
    """Two numbers a byte; an odd one at the end has its own."""
    flat = numbers.astype(np.uint8).ravel()
    if flat.size % 2:
        flat = np.append(flat, np.uint8(0))
    return np.bitwise_or(flat[0::2], flat[1::2] << 4, dtype=np.uint8)


class Quantised:
    """The matrices of a checkpoint at so many bits, made when asked for; or read from `file`, where there is one."""

    def __init__(self, tensors: Tensors, bits: int, file: TensorFile | None = None) -> None:
        self._tensors, self._bits, self._file = tensors, bits, file
        self._made: dict[str, Matrix] = {}

    def __getitem__(self, name: str) -> Matrix:
        if name not in self._made:  # kept, because graphs share their memory
            self._made[name] = self._matrix(name)
        return self._made[name]

    def release(self) -> None:
        """Give back the memory of what was read from the files; matrices stay good."""
        if self._file is not None:
            self._file.release()

    def _matrix(self, name: str) -> Matrix:
        rows, columns = self._tensors[name].shape
        bits = bits_of(name, self._bits)
        groups = groups_of(columns, bits)
        if self._file is not None:
            numbers, scales, zeros = (_stored(self._file, f"{name}.{part}") for part in _KINDS)
        else:
            blocks = list(_quantised(self._tensors, name, bits))
            numbers, scales, zeros = (_bytes(np.concatenate(each)) for each in zip(*blocks, strict=True))
        found = np.require(scales.view(np.float32), requirements="A").reshape(rows, groups)
        return Matrix((rows, columns), bits, groups, numbers, found, zeros if bits == 4 else None)


def matrices(sides: dict[str, tuple[int, ...]]) -> list[str]:
    """The names of the matrices to quantise: all but the embeddings of positions, which are looked up."""
    return [name for name, each in sides.items() if len(each) == 2 and "embed_positions" not in name]


def size(tensors: Tensors, names: Sequence[str], bits: int) -> int:
    """How many bytes the matrices `names` take at so many bits."""
    return sum(size for _, size in _sizes(tensors, names, bits).values())


def stored(
    tensors: Tensors, names: Sequence[str], bits: int, cache: Path, progress: BytesDone = lambda done: None
) -> Quantised:
    """The matrices `names` at so many bits, from a file in the folder `cache`, which is written if it is not there or
    damaged. Only a few rows are in memory at a time, and the file is written whole or not at all. `progress` is
    called with the bytes written.

    Raises Problem where the disk refuses.
    """
    path = cache / f"{_key(tensors, names, bits)}.weights"
    try:
        if not _is_sound(path):
            tidy_unfinished(cache)
            _write(path, tensors, names, bits, progress)
        with suppress(OSError):  # a disk that can only be read
            os.utime(path)  # the oldest ones are removed first
        return Quantised(tensors, bits, TensorFile(path))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Problem("disk.full_at", folder=str(cache)) from error
        raise Problem("disk.cache", folder=str(cache), error=error.strerror or str(error)) from error


def named(parts: Sequence[str]) -> str:
    """A name for a file of the cache that stands for all of these."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()[:32]


def _quantised(tensors: Tensors, name: str, bits: int) -> Iterator[tuple[Bytes, Array, Bytes]]:
    rows, columns = tensors[name].shape
    # An even number of rows, so that packed numbers of a block end with a byte.
    step = max(_BLOCK // columns // 2 * 2, 2)
    for row in range(0, rows, step):
        block = tensors[name].rows(row, min(row + step, rows))
        if not np.isfinite(block).all():  # else any number would stand for it
            raise Problem("model.not_finite", name=name)
        yield quantise(block, bits)


def _key(tensors: Tensors, names: Sequence[str], bits: int) -> str:
    """Changes with the checkpoint's files, what is taken from them, and how."""
    parts = [str(_VERSION), str(bits), str(GROUP), *names]
    for file in sorted({tensors[name].file.path for name in names}):
        about = file.stat()
        parts += [str(file.resolve()), str(about.st_size), str(about.st_mtime_ns)]
    return named(parts)


def _sizes(tensors: Tensors, names: Sequence[str], bits: int) -> dict[str, tuple[str, int]]:
    """Kind and bytes of each entry of the file."""
    found: dict[str, tuple[str, int]] = {}
    for name in names:
        (rows, columns), kept = tensors[name].shape, bits_of(name, bits)
        groups = groups_of(columns, kept)
        lengths = ((rows * columns * kept + 7) // 8, rows * groups * 4, (rows * groups + 1) // 2 if kept == 4 else 0)
        found |= {f"{name}.{part}": (_KINDS[part], size) for part, size in zip(_KINDS, lengths, strict=True)}
    return found


def _write(path: Path, tensors: Tensors, names: Sequence[str], bits: int, progress: BytesDone) -> None:
    """Write the file under another name, then move it to its place."""
    sizes = _sizes(tensors, names, bits)
    sizes[_SUMS] = ("U32", 4 * len(sizes))
    header: dict[str, Any] = {}
    end = 0
    for entry, (kind, size) in sizes.items():
        header[entry] = {
            "dtype": kind,
            "shape": [size // (1 if kind == "U8" else 4)],
            "data_offsets": [end, end + size],
        }
        end += size
    head = json.dumps(header).encode()
    head += b" " * (-(len(head) + 8) % 64)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=UNFINISHED)
    try:
        with open(handle, "wb") as file:
            file.write(len(head).to_bytes(8, "little") + head)
            sums, done = dict.fromkeys(sizes, 0), 0
            for name in names:
                entries = [f"{name}.{part}" for part in _KINDS]
                places = [8 + len(head) + header[entry]["data_offsets"][0] for entry in entries]
                for block in _quantised(tensors, name, bits_of(name, bits)):
                    for at, data in enumerate(part.tobytes() for part in block):
                        file.seek(places[at])
                        file.write(data)
                        places[at] += len(data)
                        sums[entries[at]] = zlib.crc32(data, sums[entries[at]])
                        done += len(data)
                    progress(done)
                tensors[name].file.release()
            del sums[_SUMS]
            file.seek(0, os.SEEK_END)
            file.write(np.array(list(sums.values()), "<u4").tobytes())
            file.flush()
            os.fsync(file.fileno())
        Path(fresh).replace(path)
    finally:
        with suppress(OSError):
            Path(fresh).unlink()


def _is_sound(path: Path) -> bool:
    """Whether the file is there and its checksums are right."""
    if not path.is_file():
        return False
    try:
        file = TensorFile(path)
        sums = _stored(file, _SUMS).view("<u4").tolist()
        found = [zlib.crc32(_stored(file, entry).data) for entry in file.header if entry != _SUMS]
    except (Problem, KeyError, ValueError):
        return False
    return bool(sums == found)


def _stored(file: TensorFile, entry: str) -> Bytes:
    _, _, begin, end = file.header[entry]
    return file.bytes[begin:end]


def tidy_unfinished(folder: Path) -> None:
    """Remove what processes that ended left half-written: unfinished files that are a day old."""
    tidy(folder, f".*{UNFINISHED}", -1, time.time() - _DAY)  # -1: empty ones too


def tidy(folder: Path, pattern: str, most: int, since: float) -> None:
    """Remove the least recently used of some files until they take at most `most` bytes together, but none used after
    the time `since`."""
    used = []
    for file in folder.glob(pattern):
        with suppress(OSError):
            state = file.stat()
            used.append((max(state.st_atime, state.st_mtime), state.st_size, file))
    left = sum(size for _, size, _ in used)
    for last, size, file in sorted(used):
        if left <= most or last >= since:
            break
        with suppress(OSError):
            file.unlink()
            left -= size
