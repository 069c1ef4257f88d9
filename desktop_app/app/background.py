"""Slow work in a thread of its own, away from the front end's: the library, the settings file, devices, folders."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

from desktop_app.app.signals import Signal
from desktop_app.audio import disk
from desktop_app.problems import Problem

Post = Callable[[Callable[[], object]], None]
"""Given by the front end: takes a call from any thread, and makes it in the front end's own, in the order of asking."""

Refused = Callable[[Problem], object]


class BackgroundThread:
    """One thread that makes calls one after the other, in the order of asking; results go to the front end's thread.

    Signals: failed(problem) when a call could not be made and nobody else is told.
    """

    def __init__(self, name: str, post: Post) -> None:
        self.post = post
        self.failed: Signal[Problem] = Signal()
        self._tasks: SimpleQueue[tuple[Callable[[], Any], Callable[[Any], object] | None, Refused | None] | None]
        self._tasks = SimpleQueue()
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def do(
        self,
        call: Callable[[], Any],
        then: Callable[[Any], object] | None = None,
        refused: Refused | None = None,
    ) -> None:
        """Make `call` after everything that was asked before; `then` gets its result.

        When the call raises, `refused` gets the problem instead; without it, `failed` tells and `then` gets None. So it
        does for a mistake of Galley's, which must leave nobody waiting.
        """
        self._tasks.put((call, then, refused))

    def close(self, seconds: float = 10.0) -> None:
        """Take no more; wait at most `seconds` for what was asked."""
        self._tasks.put(None)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            call, then, refused = task
            result = None
            try:
                result = call()
            except Exception as error:
                problem = _explained(error)
                if refused is not None:
                    self.post(partial(refused, problem))
                    continue
                self.post(partial(self.failed.emit, problem))
            if then is not None:
                self.post(partial(then, result))


def _explained(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, OSError):
        return disk.explained(error, error.filename or "")
    logging.getLogger(__name__).exception("a call failed")
    return Problem("engine.failed", error=str(error))
