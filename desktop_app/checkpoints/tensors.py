"""Tensors of a safetensors file or of several shards, memory-mapped: nothing is in memory before it is read, and then
only that tensor.

The format: 8 bytes little-endian length, a JSON header {name: {dtype, shape, data_offsets}}, the bytes
(https://huggingface.co/docs/safetensors). The header is checked against the file before anything is believed.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from desktop_app.bounded import parse_json
from desktop_app.checkpoints.parts import (
    INDEX,
    WEIGHTS,
    files_below,
    named_shards,
    pickle_problem,
    read_text,
    refuse_pickles,
    there,
)
from desktop_app.problems import Problem

WIDTHS = {"F32": 4, "F16": 2, "BF16": 2}
"""Bytes of one number, for the kinds that Galley reads."""

LONGEST_HEADER = 4_000_000
"""Bytes; that of the largest Whisper model has 150 thousand."""

_OTHER_WIDTHS = {"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "F64": 8, "U64": 8, "I64": 8}
_MOST_SIDES, _LONGEST_SIDE = 8, 1 << 40
_EXPONENT = {"F32": ("<u4", 0x7F800000), "F16": ("<u2", 0x7C00), "BF16": ("<u2", 0x7F80)}
"""How numbers of a kind are read as bits, and those that are all set in infinity and in what is no number."""

_BLOCK = 1 << 24
_PICKLED = (b"PK\x03\x04", *(bytes((0x80, protocol)) for protocol in range(2, 6)))
"""How PyTorch's archives begin, and plain pickles."""


class TensorFile:
    """One safetensors file. Its header is read at once, its bytes are mapped when first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header, self.start = _header(path)

    @cached_property
    def _mapped(self) -> mmap.mmap:
        with self.path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)

    @cached_property
    def bytes(self) -> npt.NDArray[np.uint8]:
        """The data part of the file, not copied. OpenVINO wants arrays that can be written to; the file never is."""
        return np.frombuffer(self._mapped, np.uint8)[self.start :]

    def release(self) -> None:
        """Give back the memory of what was read, where the system can. Arrays stay good: what they need is read again.

        Nobody may have written to them.
        """
        if hasattr(self._mapped, "madvise"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


@dataclass(frozen=True)
class Tensor:
    """One tensor on disk: `kind` is "F32", "F16" or "BF16"."""

    file: TensorFile
    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int

    def raw(self) -> npt.NDArray[np.uint8]:
        """Its bytes, not copied."""
        return self.file.bytes[self.begin : self.end]

    def read(self) -> npt.NDArray[np.float32]:
        """Its numbers as float32: a copy, or a view of the file where it is float32 and aligned there."""
        return self._numbers(self.raw(), self.shape)

    def halves(self) -> npt.NDArray[np.float16] | None:
        """Its numbers as float16, where the file has them so not copied; None where one of them would be rounded."""
        if self.kind == "F16":
            return np.require(self.raw().view("<f2"), np.float16, "A").reshape(self.shape)
        numbers = self.read()
        with np.errstate(over="ignore"):
            halves = numbers.astype(np.float16)
        return halves if np.array_equal(halves, numbers) else None

    def rows(self, begin: int, end: int) -> npt.NDArray[np.float32]:
        """Some rows of a matrix, as `read` gives all of them."""
        width = self.shape[1] * WIDTHS[self.kind]
        return self._numbers(self.raw()[begin * width : end * width], (end - begin, self.shape[1]))

    def is_finite(self) -> bool:
        """Whether all are numbers, and none infinite; in blocks, so that a large tensor costs no memory."""
        kind, ones = _EXPONENT[self.kind]
        raw = self.raw()
        blocks = (raw[at : at + _BLOCK].view(kind) for at in range(0, len(raw), _BLOCK))
        return not any(((block & ones) == ones).any() for block in blocks)

    def _numbers(self, raw: npt.NDArray[np.uint8], shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
        if self.kind == "BF16":
            return (raw.view("<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
        if self.kind == "F16":
            return raw.view("<f2").astype(np.float32).reshape(shape)
        return np.require(raw.view("<f4"), np.float32, "A").reshape(shape)


class Tensors:
    """The tensors of a model folder by name; none without a folder. A leading "model." is left out, as checkpoints
    differ in it.
    """

    def __init__(self, folder: Path | None) -> None:
        self._tensors: dict[str, Tensor] = {}
        headers = 0
        for file in (TensorFile(path) for path in (_files(folder) if folder else ())):
            headers += file.start
            for name, (kind, shape, begin, end) in file.header.items():
                name = name.removeprefix("model.")
                if name in self._tensors or headers > LONGEST_HEADER:
                    raise Problem("model.damaged", file=file.path.name)
                self._tensors[name] = Tensor(file, kind, shape, begin, end)

    def with_own(self, own: Tensors) -> Tensors:
        """These tensors and those of `own`, which come first where both have a name."""
        found = Tensors(None)
        found._tensors = self._tensors | own._tensors
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def __getitem__(self, name: str) -> Tensor:
        return self._tensors[name]

    def release(self) -> None:
        """Give back the memory of what was read: `TensorFile.release`."""
        for file in {id(tensor.file): tensor.file for tensor in self._tensors.values()}.values():
            file.release()

    def check(self, name: str, shape: tuple[int, ...]) -> None:
        """Raise Problem unless the tensor is there, of this shape and of a kind that can be read."""
        tensor = self._tensors.get(name)
        if tensor is None:
            raise Problem("model.tensor_missing", name=name)
        if tensor.shape != shape:
            found, wanted = (" x ".join(map(str, each)) or "a number" for each in (tensor.shape, shape))
            raise Problem("model.tensor_shape", name=name, found=found, wanted=wanted)
        if tensor.kind not in WIDTHS:
            raise Problem("model.tensor_type", name=name, kind=tensor.kind)


def _files(folder: Path) -> list[Path]:
    """The safetensors files of a folder, from the index where there is one. Pickles can run code when they are loaded,
    so a folder that holds nothing else is refused by name.
    """
    single, index = folder / WEIGHTS, folder / INDEX
    if there(single):
        return [single]
    if not there(index):
        refuse_pickles(files_below(folder))
        raise Problem("model.incomplete", file=WEIGHTS)
    try:
        files = [folder / name for name in named_shards(parse_json(read_text(index)))]
    except ValueError as error:
        raise Problem("model.damaged", file=index.name) from error
    for file in files:
        if not there(file):
            raise Problem("model.incomplete", file=file.name)
    return files


def _header(path: Path) -> tuple[dict[str, tuple[str, tuple[int, ...], int, int]], int]:
    """Name -> (kind, shape, begin, end) of a safetensors file, and where its data begin; Problem where they do not
    fit the file.
    """
    damaged = Problem("model.damaged", file=path.name)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head, begins = file.read(8), file.read(1)
            if head == b"version ":  # git-lfs left this where it did not fetch the file
                raise Problem("model.lfs_pointer", file=path.name)
            if head.startswith(_PICKLED) and begins != b"{":  # where a header follows, those bytes are its length
                raise pickle_problem(path.name)
            length = int.from_bytes(head, "little")
            if size < 8 or length > min(size - 8, LONGEST_HEADER):
                raise damaged
            file.seek(8)
            header: dict[str, Any] = parse_json(file.read(length))
    except OSError as error:
        raise Problem("model.not_read", file=path.name, error=error.strerror or str(error)) from error
    except ValueError as error:
        raise damaged from error
    if not isinstance(header, dict):
        raise damaged
    entries, spans = {}, []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        try:
            kind, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        except (KeyError, TypeError, ValueError) as error:
            raise damaged from error
        whole = isinstance(kind, str) and all(type(each) is int for each in (*shape, begin, end))
        if not whole or len(shape) > _MOST_SIDES or not all(0 <= side <= _LONGEST_SIDE for side in shape):
            raise damaged
        width = (WIDTHS | _OTHER_WIDTHS).get(kind)
        if width is not None and end - begin != width * math.prod(shape):
            raise damaged
        entries[name] = (kind, shape, begin, end)
        spans.append((begin, end))
    # As the format demands, the tensors lie side by side and fill the file: none reads the numbers of another.
    at = 0
    for begin, end in sorted(spans):
        if begin != at or end < begin:
            raise damaged
        at = end
    if at != size - 8 - length:
        raise damaged
    return entries, 8 + length
