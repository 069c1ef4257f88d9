"""A thread of its own for what may take long: opening a microphone, making a folder, asking for the inputs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from desktop_app.audio.microphone import MicrophoneProblem

Then = Callable[[Any], None]
Task = tuple[Callable[[], Any], Then | None, Callable[[MicrophoneProblem], None] | None]


class Errands(QObject):
    """Runs calls one after the other beside the main thread, and hands their results to it."""

    _done = Signal(object, object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._done.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def do(
        self,
        call: Callable[[], Any],
        then: Then | None = None,
        refused: Callable[[MicrophoneProblem], None] | None = None,
    ) -> None:
        """Run `call` after everything that was asked before; `then` gets its result in the main thread.

        When the call raises MicrophoneProblem or OSError, `refused` gets the problem instead; so it does for a mistake
        of Galley's, which must not leave the window waiting.
        """
        self._tasks.put((call, then, refused))

    def close(self, seconds: float = 0.0) -> None:
        """Take no more errands; wait at most `seconds` for those that were asked."""
        self._tasks.put(None)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            call, then, refused = task
            try:
                result = call()
            except MicrophoneProblem as problem:
                self._tell(refused, problem)
            except OSError as error:
                self._tell(refused, MicrophoneProblem(error.strerror or str(error), "check the disk, then try again"))
            except Exception as error:
                logging.getLogger(__name__).exception("an errand failed")
                self._tell(refused, MicrophoneProblem(f"Galley failed ({error})", "try again"))
            else:
                self._tell(then, result)

    def _tell(self, listener: Then | None, result: Any) -> None:
        if listener is not None:
            self._done.emit(listener, result)

    @staticmethod
    def _hand_over(then: Then, result: Any) -> None:
        then(result)
