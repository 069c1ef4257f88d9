"""Whether the window answers, by what its thread does and not by how long that takes: the same on every computer.

A slot may not read or write a file or the library, start a process, use a network, sleep, or wait for another thread,
and between two turns of the event loop it may not do much. `make clocks` measures the same journeys.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from PySide6.QtCore import QAbstractEventDispatcher

TOP = Path(__file__).resolve().parents[1]

Guard = Callable[..., AbstractContextManager[object]]
"""What the fixture `responsive` of tests/conftest.py gives: `responsive` below, or a clock."""

MOST = 80_000
"""Calls of functions, Python's and C's, that the window's thread may make between two turns of its event loop. The most
that a turn takes are 57,000, for the preview of subtitles; one call for each word of ten hours is more."""

_MAY_BLOCK = {
    "io": "open",
    "_io": "open",
    "posix": "open stat lstat listdir scandir mkdir rmdir unlink remove rename replace fsync waitpid fork",
    "nt": "open stat lstat listdir scandir mkdir rmdir unlink remove rename replace fsync waitpid",
    "_sqlite3": "connect",
    "sqlite3": "connect Connection.execute Connection.commit Cursor.execute Cursor.fetchall Cursor.fetchone",
    "_socket": "getaddrinfo socket.connect socket.recv socket.recv_into socket.sendall",
    "_posixsubprocess": "fork_exec",
    "_winapi": "CreateProcess WaitForSingleObject",
    "_queue": "SimpleQueue.get",
    "select": "select poll.poll",
    "time": "sleep",
}
_NAMES = {f"{module}.{name}" for module, names in _MAY_BLOCK.items() for name in names.split()}
_LAST = {name.rpartition(".")[2] for name in _NAMES}
_WAITING = {threading.Event.wait.__code__, threading.Thread.join.__code__}
_LOOKS = {"stat", "lstat"}
_PACKAGE = str(TOP / "desktop_app")
_SMALL = (
    "<frozen importlib",
    "desktop_app/resources.py",
    "desktop_app/texts.py",
    "desktop_app/checkpoints/",
    "/icons.py",
    "/about.py",
    "platformdirs",
)
"""Who may read small files of the program and the system, which a page shows: modules, icons, translations, which
models are installed, where documents lie."""


class Responsive:
    """Counts what this thread does while the event loop turns.

    Attributes: most (calls between two turns, at most), turns, looks (at a path of the user's: whether it exists, what
    it is), blocking (the stack of each other call that may block).
    """

    def __init__(self) -> None:
        self.most = self.turns = self.looks = 0
        self.blocking: list[str] = []
        self._calls = 0
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        self._awake = dispatcher.awake
        self._awake.connect(self._turn)
        sys.setprofile(self._note)

    def stop(self) -> None:
        sys.setprofile(None)
        self._turn()
        self._awake.disconnect(self._turn)

    def _turn(self) -> None:
        self.most = max(self.most, self._calls)
        self.turns += 1
        self._calls = 0

    def _note(self, frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call":
            self._calls += 1
            if function.__name__ in _LAST and _full_name(function) in _NAMES:
                self._may_block(frame, function.__name__)
        elif event == "call":
            self._calls += 1
            if frame.f_code in _WAITING and frame.f_locals.get("timeout") != 0 and not _starts_a_thread(frame):
                self._may_block(frame, frame.f_code.co_name)

    def _may_block(self, frame: FrameType, name: str) -> None:
        stack = traceback.extract_stack(frame)
        if not any(each.filename.startswith(_PACKAGE) for each in stack):
            return  # the test itself
        if any(part in each.filename for each in stack for part in _SMALL):
            return
        if name in _LOOKS:
            self.looks += 1
        else:
            self.blocking.append("".join(traceback.format_list(stack[-8:])))


def _starts_a_thread(frame: FrameType) -> bool:
    return frame.f_back is not None and frame.f_back.f_code is threading.Thread.start.__code__


def _full_name(function: Any) -> str:
    return f"{function.__module__ or type(function.__self__).__module__}.{function.__qualname__}"


@contextmanager
def responsive(looks: int = 0, slack: int = 1) -> Iterator[Responsive]:
    """Fail where the window's thread makes a call that may block, looks at more paths, or does too much in a turn."""
    watch = Responsive()
    try:
        yield watch
    finally:
        watch.stop()
    if watch.blocking:
        raise AssertionError(f"{len(watch.blocking)} calls may block the window\n\n" + "\n".join(watch.blocking[:5]))
    assert watch.looks <= looks
    assert watch.most <= slack * MOST, "too many calls between two turns of the event loop"
