"""The event loop, as a test drives it."""

from __future__ import annotations

from PySide6.QtCore import QEventLoop

_MOST = 10_000


def drain() -> None:
    """Let the window do all that is due: layouts, what other threads have posted, timers that have run out."""
    loop = QEventLoop()
    for _ in range(_MOST):
        if not loop.processEvents():
            return
    raise AssertionError("the event loop never rests")
