"""What a power cut leaves: the order in which a program writes and syncs is written down, and replayed up to a cut.
And what a disk that is full from some write on leaves: `FullDisk`.

A kill takes nothing that was handed to the system; a power cut takes what no sync had brought to the disk. As on ext4
and XFS, a sync of a file brings to the disk what was written to that file, and all names that were made, changed and
removed before; of the rest any part may be there: names up to some moment, and any of the writes.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

SHIM = Path(__file__).with_name("disk_log.c")
HAS_COMPILER = sys.platform == "linux" and shutil.which("gcc") is not None
_ENTRY = struct.Struct("dqqIIII")
_CONTROL = struct.Struct("qqq488s")  # calls, the one that fails, how, and what it was


@dataclass(frozen=True)
class Step:
    """One thing that was done: kind "w" (write), "t" (truncate), "s" (sync), "r" (rename) or "u" (remove).

    Attributes: time; path, relative to the folder; file (its inode); offset, or the new size; data; other (the new
    name).
    """

    time: float
    kind: str
    path: str
    file: int
    offset: int
    data: bytes
    other: str


@dataclass
class _File:
    durable: bytearray = field(default_factory=bytearray)
    waiting: list[Step] = field(default_factory=list)

    def sync(self) -> None:
        for step in self.waiting:
            _apply(self.durable, step)
        self.waiting = []


def record(code: str, arguments: Sequence[str], folder: Path, log: Path) -> list[Step]:
    """Run Python code, and give what it did to the files under `folder`, which exists, in order."""
    told = {"LD_PRELOAD": str(_built(log.with_suffix(".so"))), "DISK_LOG": str(log), "DISK_LOG_OF": str(folder)}
    subprocess.run([sys.executable, "-c", code, *arguments], env=os.environ | told, check=True)
    return _steps(log.read_bytes(), str(folder))


def _built(shim: Path) -> Path:
    """Compile the library that is preloaded."""
    command = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(SHIM), "-ldl", "-pthread"]
    subprocess.run(command, check=True)
    return shim


FAILURES = ("stays", "once", "short")
"""The disk is full from some call on; that one alone fails; or it writes half, and then the disk is full."""


class FullDisk:
    """Counts the calls that need room (writes, syncs, renames, files and folders that are made) in programs that run
    with the environment `of` a folder, and lets one of them fail with ENOSPC."""

    def __init__(self, room: Path, *, built: bool = False) -> None:
        """With `built`, the one that was made in the same folder, seen from a program that runs on it."""
        self._shim, self._file = room / "disk_full.so", room / "disk_full"
        if not built:
            _built(self._shim)
            self._file.write_bytes(bytes(_CONTROL.size))

    def of(self, folder: Path) -> dict[str, str]:
        """What tells a program that the disk under `folder` is this one."""
        return {"LD_PRELOAD": str(self._shim), "DISK_FULL": str(self._file), "DISK_LOG_OF": str(folder)}

    def fail(self, call: int = 0, failure: str = "stays") -> None:
        """Count anew, and let this call fail; none, where it is 0."""
        with self._file.open("r+b") as file:  # in place: programs that run have it in their memory
            file.write(_CONTROL.pack(0, call, FAILURES.index(failure), b""))

    @property
    def calls(self) -> int:
        """How many there were."""
        return int(_CONTROL.unpack(self._file.read_bytes())[0])

    @property
    def failed(self) -> str:
        """The call that failed and its file; "" while none did."""
        return str(_CONTROL.unpack(self._file.read_bytes())[3].rstrip(b"\0").decode(errors="replace"))


def _steps(log: bytes, folder: str) -> list[Step]:
    found, at = [], 0
    while at < len(log):
        time, file, offset, kind, path, other, data = _ENTRY.unpack_from(log, at)
        at += _ENTRY.size
        parts = []
        for size in (path, other, data):
            parts.append(log[at : at + size])
            at += size
        one, two = (os.path.relpath(os.fsdecode(part), folder) if part else "" for part in parts[:2])
        found.append(Step(time, chr(kind), one, file, offset, parts[2], two))
    return found


def after_cut(steps: Sequence[Step], place: Path, chance: random.Random | None, *, names: bool = True) -> None:
    """Put into `place` what is on the disk when the power fails behind `steps`.

    Without `chance` all writes that no sync followed are lost, and the names that no sync followed unless `names`;
    with it, any of them.
    """
    files: dict[int, _File] = {}
    where: dict[str, _File] = {}
    durable: dict[str, _File] = {}
    history: list[dict[str, _File]] = []  # the names since the last sync
    for step in steps:
        is_named = False
        if step.kind in "wts":
            if step.path not in where or where[step.path] is not files.get(step.file):
                files[step.file] = where[step.path] = _File()  # numbers of files come again
                is_named = True
            if step.kind == "s":
                files[step.file].sync()
                durable, history = dict(where), []
                continue
            files[step.file].waiting.append(step)
        elif step.kind == "r" and step.path in where:
            where[step.other] = where.pop(step.path)
            is_named = True
        elif step.kind == "u":
            is_named = where.pop(step.path, None) is not None
        if is_named:
            history.append(dict(where))
    known = [durable, *history]
    listed = chance.choice(known) if chance else known[-1] if names else durable
    for path, file in listed.items():
        content = bytearray(file.durable)
        for step in file.waiting:
            if chance and chance.random() < 0.5:
                _apply(content, step)
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)


def _apply(content: bytearray, step: Step) -> None:
    if step.kind == "t":
        del content[step.offset :]
        content.extend(bytes(step.offset - len(content)))
    else:
        content.extend(bytes(max(step.offset - len(content), 0)))
        content[step.offset : step.offset + len(step.data)] = step.data
