"""What is piped into a command, as a file: a recording is read more than once, and most containers cannot be read
without going back in them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from desktop_app import folders
from desktop_app.audio.disk import explained
from desktop_app.library.owners import Owner, is_alive
from desktop_app.problems import Problem

NAME = "stdin"
"""What the file is called."""

_PIECE = 1 << 18  # bytes that are copied at once
_AHEAD = 16  # pieces that wait to be written
_TURN = 0.1  # seconds
_MOST = 64_000_000_000  # bytes: of uncompressed stereo with 32 bits at 48 kHz nearly two days
_SPARE = 1_000_000_000  # bytes that stay free on the disk


@contextmanager
def copied(descriptor: int, show: Callable[[int], object]) -> Iterator[Path]:
    """A private copy of all that comes from an open file, in the data folder, for the time of the block; `show` is told
    its bytes. A copy that a killed program has left goes too. Raises Problem.
    """
    copies = folders.data() / "piped"
    _remove_abandoned(copies)
    try:
        owner = Owner(copies)
    except OSError as error:
        raise explained(error, copies) from error
    folder = copies / owner.name
    try:
        _copy(descriptor, folder, show)
        yield folder / NAME
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        owner.release()
        with suppress(OSError):  # where nothing else is in it
            copies.rmdir()


def _copy(descriptor: int, folder: Path, show: Callable[[int], object]) -> None:
    done = 0
    try:
        folder.mkdir()
        with (folder / NAME).open("xb") as copy:
            for piece in _pieces(descriptor):
                done += len(piece)
                if done > _MOST:
                    raise Problem("file.endless", size=round(_MOST / 1e9))
                if shutil.disk_usage(folder).free < _SPARE:
                    raise Problem("disk.full")
                copy.write(piece)
                show(done)
    except OSError as error:
        raise explained(error, folder) from error


def _pieces(descriptor: int) -> Iterator[bytes]:
    """What comes, as it comes. Raises Problem.

    A thread waits for it: a signal that comes just before a read would be heard behind it only.
    """
    arrived: Queue[bytes | OSError] = Queue(_AHEAD)

    def read() -> None:
        try:
            while piece := os.read(descriptor, _PIECE):
                arrived.put(piece)
            arrived.put(b"")
        except OSError as error:
            arrived.put(error)

    Thread(target=read, name="standard-input", daemon=True).start()
    while True:
        with suppress(Empty):
            match arrived.get(timeout=_TURN):
                case OSError() as error:
                    raise Problem("file.input", error=error.strerror or str(error)) from error
                case b"":
                    return
                case piece:
                    yield piece


def _remove_abandoned(copies: Path) -> None:
    for folder in copies.iterdir() if copies.is_dir() else ():
        if folder.is_dir() and not is_alive(copies, folder.name):
            shutil.rmtree(folder, ignore_errors=True)
