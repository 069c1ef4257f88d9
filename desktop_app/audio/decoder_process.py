"""The process that decodes one media file, as its parent holds it.

FFmpeg reads files of unknown origin, and a damaged one may crash it, hang it or make it ask for all memory. So it never
runs in the window's process or in the engine's: `decoder.py` is the child, and this module starts it, requests one
file and ends it. The child answers with messages: a kind of one byte, the length as 32 bits, the content.

To load Python and FFmpeg takes a fifth of a second. On Linux that happens once: a fork server loads them, and each
child is a fork of it. Elsewhere a child is a new process, started ahead of time where that is possible: Windows cannot
fork, and on macOS a fork may not use the system's frameworks.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import IO, Any, Protocol

from desktop_app import bounded, problems
from desktop_app.problems import Problem

ARGUMENT = "--decode-media"
"""The one argument of the program, also of a frozen one, that makes it the child."""

FORKS = sys.platform == "linux"
"""Whether there is a fork server. Its standard input is a socket, from which it takes the connection of each child."""

OPENED, BLOCK, PICTURE, ALIVE, END, PROBLEM = b"O", b"B", b"V", b"A", b"E", b"P"
HEADER = struct.Struct("<cI")
PICTURE_HEADER = struct.Struct("<dHH")
"""Before the RGB bytes of a picture: its time in seconds, its width and its height."""

PICTURE_WIDTH, PICTURE_HEIGHT, PICTURES_A_SECOND = 480, 320, 5
"""The most that is sent of a video."""

DEADLINE = 30
"""Seconds without a message, after which a child is ended."""

_LONGEST = 1 << 27  # bytes of a message
_MOST_PIXELS = PICTURE_WIDTH * PICTURE_HEIGHT
_ERRORS: int | IO[bytes] = subprocess.DEVNULL  # where a child's traceback would go


class DecoderProcess:
    """One child, for one file. Raises Problem where the system cannot start it."""

    def __init__(self) -> None:
        try:
            self._child = _child()
        except OSError as error:
            raise Problem("file.no_decoder", error=error.strerror or str(error)) from error
        self._received, self._waits, self._stuck = 0, False, False
        self._closed = Event()

    def ask(
        self,
        path: str | os.PathLike[str],
        start: float = 0.0,
        speed: float = 1.0,
        *,
        length: bool = False,
        peaks: bool = False,
        pictures: bool = False,
    ) -> None:
        """Request the blocks of a file from the second `start` on, `speed` times as fast; or only its `length`, or
        its `peaks` (audio/peaks.py) or its `pictures` (audio/video.py) in the place of samples."""
        request = {"path": os.fspath(path), "start": start, "speed": speed}
        request |= {"length": length, "peaks": peaks, "pictures": pictures}
        with suppress(OSError):  # if it has ended, `receive` raises
            self._child.requests.write(json.dumps(request).encode() + b"\n")
            self._child.requests.flush()
        Thread(target=self._watch, name="decoder-watch", daemon=True).start()

    def receive(self) -> tuple[bytes, Any]:
        """The next message: BLOCK with the bytes of f32 samples, PICTURE with its time, width, height and RGB bytes, or
        OPENED or END with named values.

        Raises the Problem that the child reports, or that it has crashed: it may also send anything then.
        """
        self._waits = True
        try:
            while True:
                kind, size = HEADER.unpack(self._read(HEADER.size))
                content = self._read(size)
                self._received += 1
                if kind == PROBLEM:
                    raise problems.from_plain(bounded.parse_json(content))
                if kind == BLOCK and size % 4 == 0:
                    return kind, content
                if kind == PICTURE:
                    return kind, _picture(content)
                if kind in (OPENED, END):
                    return kind, bounded.parse_json(content)
                if kind != ALIVE:
                    raise Problem("file.crashed")
        except (ValueError, KeyError, TypeError, struct.error) as error:
            raise Problem("file.crashed") from error
        finally:
            self._waits = False

    def close(self) -> None:
        """End the child, whatever it does."""
        self._closed.set()
        self._child.end()
        self._child.messages.close()
        with suppress(OSError):  # a request that it did not take
            self._child.requests.close()

    def _read(self, size: int) -> bytes:
        found = b""
        with suppress(ConnectionError):  # it ended before it had read its request
            found = self._child.messages.read(size) if size <= _LONGEST else b""
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
        self._child.end()


def _picture(content: bytes) -> tuple[float, int, int, bytes]:
    """What a child says is a picture. Raises ValueError where it cannot be one: a child that was taken over may lie."""
    seconds, width, height = PICTURE_HEADER.unpack_from(content)
    rgb = content[PICTURE_HEADER.size :]
    if not (math.isfinite(seconds) and 0 < len(rgb) == width * height * 3) or width * height > _MOST_PIXELS:
        raise ValueError(len(content))
    return seconds, width, height, rgb


class _Child(Protocol):
    """The process behind a Decoder, and its two streams."""

    @property
    def requests(self) -> IO[bytes]: ...
    @property
    def messages(self) -> IO[bytes]: ...
    def end(self) -> None: ...


class _Process:
    """A child that loads all it needs. `runs` is False once it has ended."""

    def __init__(self) -> None:
        self._process = _start(subprocess.PIPE, subprocess.PIPE)
        assert self._process.stdin and self._process.stdout
        self.requests, self.messages = self._process.stdin, self._process.stdout

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


class _Fork:
    """A child that the fork server makes."""

    def __init__(self) -> None:
        self._connection, its_end = socket.socketpair()
        with self._connection, its_end:
            self._name = _server.fork(its_end)
            self.requests, self.messages = self._connection.makefile("wb"), self._connection.makefile("rb")

    def end(self) -> None:
        _server.end(self._name)
        with suppress(OSError):  # closed already
            self._connection.shutdown(socket.SHUT_RDWR)


class _ForkServer:
    """The process that has FFmpeg loaded, started when it is first needed, and anew when it has ended."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, if it does not run. Raises OSError."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            self._close()
            self._control, its_end = socket.socketpair(type=socket.SOCK_SEQPACKET)
            with its_end:
                self._process = _start(its_end.fileno(), subprocess.DEVNULL)

    def fork(self, connection: socket.socket) -> bytes:
        """Have a child made that reads its request from `connection` and answers there; gives its name.

        Raises OSError. A server that ends now closes the connection, as a child that crashes does.
        """
        self.start()
        name = os.urandom(8)
        socket.send_fds(self._control, [name], [connection.fileno()])
        return name

    def end(self, name: bytes) -> None:
        """Have a child ended. One whose server has ended sees its connection closed, and ends itself."""
        with suppress(OSError):
            self._control.send(name)

    def close(self) -> None:
        """End it."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._process is not None:
            self._control.close()
            self._process.kill()
            self._process.wait()
        self._process = None


_server = _ForkServer()
_spare: _Process | None = None
_lock = Lock()  # for _spare


def prepare() -> None:
    """Start ahead of time what the next file needs."""
    global _spare
    with suppress(OSError):  # where it can't be started, the next Decoder says so
        if FORKS:
            _server.start()
            return
        with _lock:
            _spare = _spare or _Process()


@atexit.register
def close() -> None:
    """End what was started ahead of time."""
    global _spare
    _server.close()
    with _lock:
        if _spare is not None:
            _spare.end()
        _spare = None


def _child() -> _Child:
    global _spare
    if FORKS:
        return _Fork()
    with _lock:
        spare, _spare = _spare, None
    return spare if spare is not None and spare.runs else _Process()


def _start(stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        _command(),
        stdin=stdin,
        stdout=stdout,
        stderr=_ERRORS,
        start_new_session=True,  # Ctrl-C in the terminal is for the program that began it
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, ARGUMENT]
    # The child finds modules where its parent does, as with multiprocessing.
    begin = f"import sys; sys.path[:] = {sys.path!r}; from desktop_app.__main__ import main; main()"
    return [sys.executable, "-c", begin, ARGUMENT]
