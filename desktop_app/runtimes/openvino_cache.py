"""The cache of what OpenVINO compiled. OpenVINO maps its files into memory as they are, and computes with a damaged
one: so each is compared with its size and checksum before it is loaded.

OpenVINO alone knows which file it will load for a graph. Every part of a model has a folder of its own, so that no
other file has to be read for it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from desktop_app import bounded
from desktop_app.checkpoints import quantised
from desktop_app.checkpoints.parts import BLOCK

PATIENCE = 30.0
"""Seconds to wait while another process compiles a model into the same cache; after that the cache is not used."""

_BLOBS, _RECORD = "*.blob", ".checksum"


@contextmanager
def exclusive(cache: Path | None, patience: float) -> Iterator[bool]:
    """Keep other processes from compiling into the cache meanwhile; gives whether it can be used.

    OpenVINO writes a compiled model in place: another process that meets it half-written removes it, at which the
    writer fails, and two that write at once leave holes that a third might read.
    """
    if cache is None:
        yield False
        return
    lock = FileLock(cache / "compiling.lock")
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        yield False
        return
    except (OSError, NotImplementedError):  # a folder that can only be read, or a disk without locks
        pass
    try:
        yield True
    finally:
        lock.release()


def prepare(folder: Path) -> bool:
    """Make the folder of a part, and remove every compiled model in it that is not as it was written; gives whether it
    can be used: OpenVINO takes no name that is no UTF-8."""
    try:
        str(folder).encode()
        folder.mkdir(exist_ok=True)
        for blob in folder.glob(_BLOBS):
            if not _is_sound(blob):
                blob.unlink()
    except (OSError, ValueError):
        return False
    return True


def has_compiled(folder: Path) -> bool:
    """Whether there is a compiled model in the folder of a part."""
    return any(folder.glob(_BLOBS))


def record(folder: Path) -> None:
    """Write down what was compiled into the folder of a part; what cannot be written down is removed."""
    for blob in folder.glob(_BLOBS):
        try:
            _record_of(blob).write_text(_measured(blob), "utf-8")
        except OSError:  # a full disk, on which the compiled model may have been cut off
            with suppress(OSError):
                blob.unlink()


def tidy(cache: Path, most: int, since: float) -> None:
    """Remove the compiled models used longest ago until they take at most `most` bytes, but none used after the time
    `since`, and what is left of removed ones."""
    quantised.tidy(cache, f"*/{_BLOBS}", most, since)
    with exclusive(cache, 0.0) as is_ours, suppress(OSError):
        if not is_ours:
            return
        for each in cache.glob(f"*/*{_RECORD}"):
            if not each.with_suffix("").exists():
                each.unlink()
        for folder in cache.iterdir():
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


def _record_of(blob: Path) -> Path:
    return blob.with_name(blob.name + _RECORD)


def _is_sound(blob: Path) -> bool:
    try:
        return bounded.read(_record_of(blob)) == _measured(blob).encode()
    except (OSError, ValueError):
        return False


def _measured(blob: Path) -> str:
    """Size and CRC-32 of a compiled model, as the weights beside it have one. A damaged file is to be found, not a
    forged one: a cryptographic hash takes up to five times as long where the CPU has no instructions for it.
    """
    size = checksum = 0
    with blob.open("rb") as file:
        while block := file.read(BLOCK):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return f"{size} {checksum:08x}\n"
