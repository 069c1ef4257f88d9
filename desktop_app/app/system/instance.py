"""One window for a data folder: a second start hands its files over to the first, which comes to the front.

The first one holds a lock, which the system drops however it ends, and listens at a local socket (a pipe on Windows)
that only the same user reaches.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from threading import Event, Thread, Timer

from filelock import FileLock, Timeout

from desktop_app import bounded, folders
from desktop_app.app.background import Post

_PATIENCE = 5.0  # seconds in which a window that is open answers
_REQUEST_TIMEOUT = 1.0  # seconds in which whoever comes has said what it wants, to its end
_RETRY = 0.1  # seconds until the next attempt
_LONGEST_REQUEST = 4_000_000  # bytes of paths
_LONGEST_ADDRESS = 100  # bytes of the place of a socket: systems allow a few more
_TAKEN = b"taken"


class Instance:
    """This start of the program."""

    def __init__(self) -> None:
        self._lock = FileLock(folders.data() / "window.lock")
        self._listener: Listener | None = None
        self._closing = False

    def claim(self) -> bool:
        """Be the window of this data folder; False if there is one already."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except (OSError, NotImplementedError):  # no room for a lock, or a disk without locks: rather two than none
            return True
        address = _address()
        with contextlib.suppress(OSError):  # a disk that knows no sockets: then a second start gets no answer
            if sys.platform != "win32":
                Path(address).unlink(missing_ok=True)  # of one that was killed
            self._listener = Listener(address, backlog=16)
        return True

    def serve(self, post: Post, take: Callable[[list[str]], object]) -> None:
        """Let `take` have the files of every other start, perhaps none, in the thread that `post` brings it to."""
        Thread(target=self._listen, args=(post, take), name="instance", daemon=True).start()

    def hand_over(self, paths: Sequence[str]) -> bool:
        """Let the window that is open take these files and come to the front; False if it does not answer."""
        answers: list[bool] = []
        asking = Thread(target=lambda: answers.append(_ask(paths, time.monotonic() + _PATIENCE)), daemon=True)
        asking.start()
        asking.join(_PATIENCE)  # a connection may wait without end for a window that is stopped
        return answers == [True]

    def close(self) -> None:
        """Let another start be the window."""
        if self._listener is not None:
            self._closing = True
            with contextlib.suppress(OSError):
                Client(_address()).close()  # wakes the thread that listens
            self._listener.close()
        self._lock.release()

    def _listen(self, post: Post, take: Callable[[list[str]], object]) -> None:
        while self._listener is not None and not self._closing:
            try:
                connection = self._listener.accept()
            except OSError:  # no file is left to this process, say: that passes, and must not cost a processor
                time.sleep(_RETRY)
                continue
            with contextlib.suppress(OSError, EOFError), connection:
                paths = None if self._closing else _paths(_received(connection))
                if paths is None:
                    continue
                taken = Event()
                post(partial(_take, take, paths, taken))
                if taken.wait(_PATIENCE):
                    connection.send_bytes(_TAKEN)


def _take(take: Callable[[list[str]], object], paths: list[str], taken: Event) -> None:
    taken.set()
    take(paths)


def _received(connection: Connection) -> bytes:
    """What whoever has connected wants. Raises EOFError or OSError where that does not come in time, or is too long."""
    late = Timer(_REQUEST_TIMEOUT, _hang_up, [connection])
    late.daemon = True
    late.start()
    try:
        return connection.recv_bytes(_LONGEST_REQUEST) if connection.poll(_REQUEST_TIMEOUT) else b""
    finally:
        late.cancel()
        late.join()  # the number of the connection may be that of another file soon


def _hang_up(connection: Connection) -> None:
    """End a connection of which half a message has come, and let who reads it go on. A pipe of Windows has whole
    messages only."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as its_socket:
            its_socket.shutdown(socket.SHUT_RDWR)


def _ask(paths: Sequence[str], deadline: float) -> bool:
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, EOFError):
            connection: Connection = Client(_address())
            with connection:
                connection.send_bytes(json.dumps(list(paths)).encode())
                if connection.poll(max(deadline - time.monotonic(), 0)):
                    return connection.recv_bytes(len(_TAKEN)) == _TAKEN
        time.sleep(_RETRY)  # it is just being opened
    return False


def _paths(request: bytes) -> list[str] | None:
    try:
        found = bounded.parse_json(request)
    except ValueError:
        return None
    is_right = isinstance(found, list) and all(isinstance(path, str) for path in found)
    return found if is_right else None


def _address() -> str:
    """The socket of this data folder: a file in it, or in the user's own folder for sockets where its path is too long.

    Where there is no such folder either it cannot be made, and a second start gets no answer.
    """
    place = os.path.abspath(folders.data())
    name = f"galley-{hashlib.sha256(os.fsencode(place)).hexdigest()[:24]}"
    if sys.platform == "win32":
        return rf"\\.\pipe\{name}"
    inside = os.path.join(place, "window.socket")
    own = os.environ.get("TMPDIR" if sys.platform == "darwin" else "XDG_RUNTIME_DIR")
    return os.path.join(own, name) if own and len(os.fsencode(inside)) > _LONGEST_ADDRESS else inside
