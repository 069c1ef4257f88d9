"""Unpacks wheels (PEP 427) into one folder, from which Python can import them. Nothing of a wheel is run."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from packaging.utils import canonicalize_name

from desktop_app import bounded
from desktop_app.checkpoints.parts import BLOCK
from desktop_app.problems import Problem

_KEPT = ("purelib", "platlib")
_LARGEST = 20_000_000_000  # bytes that a wheel unpacks to
_MOST = 100_000  # files of a wheel
_LONGEST_LIST = 20_000_000  # bytes of the archive's list of files, and of the wheel's own

_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeError, ValueError, KeyError),
    *(FileExistsError, NotADirectoryError, IsADirectoryError),
)
"""What the standard library raises on a damaged archive, one of an unknown kind, or one in which a file is a folder."""


class _BoundedReader(io.BufferedReader):
    """A file that is never read in pieces as large as a list of millions of files, which zipfile takes in one."""

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(_LONGEST_LIST + 1 if size is None or size < 0 else min(size, _LONGEST_LIST + 1))
        if len(found) > _LONGEST_LIST:
            raise ValueError("too large")
        return found


def unpack(wheel: Path, folder: Path, check_room: Callable[[int], object], progress: Callable[[], object]) -> None:
    """Unpack a wheel into `folder`; its list of files comes last, so that `is_unpacked` holds for whole ones only.
    `check_room` is called with the bytes that it takes. Problem where it is no sound wheel. Raises OSError.
    """
    try:
        with _BoundedReader(io.FileIO(wheel)) as opened, zipfile.ZipFile(opened) as archive:
            files = [each for each in archive.infolist() if not each.is_dir()]
            if len(files) > _MOST or sum(each.file_size for each in files) > _LARGEST:
                raise ValueError(wheel.name)
            if any(_is_list(each.filename) and each.file_size > _LONGEST_LIST for each in files):
                raise ValueError(wheel.name)
            check_room(sum(each.file_size for each in files))
            placed = [(each, _place(each)) for each in files]
            for each, place in sorted(placed, key=lambda one: _is_list(one[0].filename)):
                if place is not None:
                    _write(archive, each, folder / place, progress)
    except _BROKEN as error:
        raise Problem("addon.damaged", file=wheel.name) from error


def is_unpacked(file: str, folder: Path) -> bool:
    """Whether the wheel of this file name lies in a folder, with every file as large as its list says."""
    try:
        described = next(each for each in folder.glob("*.dist-info") if release(each.name) == release(file))
        lines = bounded.read(described / "RECORD", _LONGEST_LIST).decode().splitlines()
        return 0 < len(lines) <= _MOST and all(_is_here(folder, path, size) for path, _hash, size in csv.reader(lines))
    except (OSError, StopIteration, ValueError, csv.Error):
        return False


def _is_list(path: str) -> bool:
    return path.endswith(".dist-info/RECORD")


def release(file: str) -> str:
    """Name and version that the file name of a wheel, or that of the folder of its description, begins with."""
    name, version = [*file.removesuffix(".dist-info").split("-"), ""][:2]  # any folder may lie in a wheel
    return f"{canonicalize_name(name)} {version}"


def _is_here(folder: Path, path: str, size: str) -> bool:
    place = _inside(path)
    if place is None:
        return True
    there = (folder / place).stat().st_size
    return not size or there == int(size)


def _place(each: zipfile.ZipInfo) -> PurePosixPath | None:
    """Where a file of a wheel goes, None for those that importing does not need. ValueError for one that would go
    elsewhere, or is a link."""
    if stat.S_ISLNK(each.external_attr >> 16):
        raise ValueError(each.filename)
    return _inside(each.filename)


def _inside(path: str) -> PurePosixPath | None:
    parts = path.split("/")
    if "\\" in path or any(part in ("", ".", "..") or ":" in part or "\0" in part for part in parts):
        raise ValueError(path)
    if re.fullmatch(r".*\.data", parts[0]):
        if len(parts) < 3 or parts[1] not in _KEPT:
            return None
        parts = parts[2:]
    return PurePosixPath(*parts)


def _write(archive: zipfile.ZipFile, each: zipfile.ZipInfo, place: Path, progress: Callable[[], object]) -> None:
    """One file; the archive's checksum of it is compared as it is read."""
    place.parent.mkdir(parents=True, exist_ok=True)
    left = each.file_size
    with archive.open(each) as source, place.open("wb") as out:
        while block := source.read(BLOCK):
            left -= len(block)
            if left < 0:  # more than was told
                raise ValueError(each.filename)
            out.write(block)
            progress()
    if left:
        raise ValueError(each.filename)


def sync() -> None:
    """Let what was written survive a power cut, on systems that can."""
    if hasattr(os, "sync"):
        os.sync()


def discard(folder: Path) -> None:
    """Delete a folder, if it is there."""
    if folder.exists():
        shutil.rmtree(folder)
