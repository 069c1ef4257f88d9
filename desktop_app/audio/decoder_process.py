"""The process that decodes one media file, as its parent holds it.

FFmpeg reads files of unknown origin, and a damaged one may crash it, hang it or make it ask for all memory. So it never
runs in the window's process or in the engine's: `decoder.py` is the child, and this module starts it, requests one
file and ends it. The child answers with messages: a kind of one byte, the length as 32 bits, the content.
"""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import sys
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import IO, Any

from desktop_app import problems
from desktop_app.problems import Problem

ARGUMENT = "--decode-media"
"""The one argument of the program, also of a frozen one, that makes it the child."""

OPENED, BLOCK, ALIVE, END, PROBLEM = b"O", b"B", b"A", b"E", b"P"
HEADER = struct.Struct("<cI")

DEADLINE = 30
"""Seconds without a message, after which a child is ended."""

_LONGEST = 1 << 27  # bytes of a message
_ERRORS: int | IO[bytes] = subprocess.DEVNULL  # where a child's traceback would go


class Decoder:
    """One child, for one file. Raises Problem where the system cannot start it."""

    def __init__(self) -> None:
        try:
            self._process = subprocess.Popen(
                _command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=_ERRORS,
                # No thread pools: nothing here multiplies matrices, and each thread costs memory.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,  # Ctrl-C in the terminal is for the program that began it
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise Problem("file.no_decoder", error=error.strerror or str(error)) from error
        assert self._process.stdin and self._process.stdout
        self._requests, self._messages = self._process.stdin, self._process.stdout
        self._received, self._waits, self._stuck = 0, False, False
        self._closed = Event()

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def ask(self, path: str | os.PathLike[str], start: float = 0.0, length: bool = False) -> None:
        """Request the blocks of a file from the second `start` on, or only its `length`."""
        request = {"path": os.fspath(path), "start": start, "length": length}
        with suppress(OSError):  # if it has ended, `receive` raises
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        Thread(target=self._watch, name="decoder-watch", daemon=True).start()

    def receive(self) -> tuple[bytes, Any]:
        """The next message: BLOCK with the bytes of f32 samples, or OPENED or END with named values.

        Raises the Problem that the child reports, or that it has crashed: it may also send anything then.
        """
        self._waits = True
        try:
            while True:
                kind, size = HEADER.unpack(self._read(HEADER.size))
                content = self._read(size)
                self._received += 1
                if kind == PROBLEM:
                    raise problems.from_plain(json.loads(content))
                if kind == BLOCK and size % 4 == 0:
                    return kind, content
                if kind in (OPENED, END):
                    return kind, json.loads(content)
                if kind != ALIVE:
                    raise Problem("file.crashed")
        except (ValueError, KeyError, TypeError) as error:
            raise Problem("file.crashed") from error
        finally:
            self._waits = False

    def close(self) -> None:
        """End the child, whatever it does."""
        self._closed.set()
        self._process.kill()
        self._process.wait()
        self._messages.close()
        with suppress(OSError):  # a request that it did not take
            self._requests.close()

    def _read(self, size: int) -> bytes:
        found = self._messages.read(size) if size <= _LONGEST else b""
        if len(found) < size:
            if self._stuck:
                raise Problem("file.stuck", seconds=DEADLINE)
            raise Problem("file.crashed")
        return found

    def _watch(self) -> None:
        """End a child that sends nothing. The thread counts its own seconds, so that time during which the program was
        stopped, or the computer was suspended, does not count."""
        silent, received = 0, -1
        while silent < DEADLINE:
            if self._closed.wait(1.0):
                return
            silent = silent + 1 if self._waits and received == self._received else 0
            received = self._received
        self._stuck = True
        self._process.kill()


_lock = Lock()
_spare: Decoder | None = None


def take() -> Decoder:
    """A child for a file: the one that is ready, if there is one."""
    global _spare
    with _lock:
        decoder, _spare = _spare, None
    if decoder is not None and decoder.runs:
        return decoder
    return Decoder()


def prepare() -> None:
    """Start a child for the next file ahead of time: starting takes a fifth of a second."""
    global _spare
    with _lock, suppress(Problem):  # `take` raises it
        _spare = _spare or Decoder()


@atexit.register
def close() -> None:
    """End the child that was started ahead of time."""
    global _spare
    with _lock:
        if _spare is not None:
            _spare.close()
        _spare = None


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, ARGUMENT]
    # The child finds modules where its parent does, as with multiprocessing.
    begin = f"import sys; sys.path[:] = {sys.path!r}; from desktop_app.__main__ import main; main()"
    return [sys.executable, "-c", begin, ARGUMENT]
