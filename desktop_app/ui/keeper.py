"""The library's own thread: a slow disk holds up neither the window nor the order in which things are written."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from desktop_app.library.store import LibraryProblem


class Keeper(QObject):
    """Runs calls one after the other in a thread of its own and hands their results to the main thread.

    Signals: failed(reason, remedy) when the library could not keep something.
    """

    failed = Signal(str, str)
    _done = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: SimpleQueue[tuple[Callable[[], Any], Callable[[Any], None] | None] | None] = SimpleQueue()
        self._done.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)
        self._thread = Thread(target=self._work, name="library", daemon=True)
        self._thread.start()

    def do(self, call: Callable[[], Any], then: Callable[[Any], None] | None = None) -> None:
        """Run `call` after everything that was asked before; `then` gets its result in the main thread.

        When the call raises LibraryProblem or OSError, `failed` tells and `then` gets None.
        """
        self._calls.put((call, then))

    def close(self, seconds: float = 10.0) -> None:
        """Do what is still to be done, at most for `seconds`, and end the thread."""
        self._calls.put(None)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (task := self._calls.get()) is not None:
            call, then = task
            result = None
            try:
                result = call()
            except LibraryProblem as problem:
                self.failed.emit(problem.reason, problem.remedy)
            except OSError as error:
                self.failed.emit(error.strerror or str(error), "check the disk, then try again")
            if then is not None:
                self._done.emit(then, result)

    @staticmethod
    def _hand_over(then: Callable[[Any], None], result: Any) -> None:
        then(result)
