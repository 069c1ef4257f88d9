"""What keeps the turns of the window's event loop short where the process has much other work in Python to do."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

_SWITCH = 0.0005
"""Seconds for which another thread may keep Python's lock from the window, which gives it away at nearly every call of
Qt. With Python's usual 5 ms, reading a text of ten hours beside the window cost it turns of 100 ms."""

_EVERY = 2000  # milliseconds between two looks at the new objects
_FEW, _MANY = 2000, 20_000  # new objects: fewer are not worth a look, with more it would be noticed
_MIDDLE = 1  # of the three generations: new objects, and those that were new at the last look
_SELDOM = 600.0  # seconds between two looks at all objects


@contextmanager
def quick_turns(app: QGuiApplication) -> Iterator[None]:
    """Let threads take turns often, and look for garbage in cycles when nobody waits for the window.

    Python would look through all objects whenever many new ones are there, in whichever thread makes them, and hold the
    others meanwhile: a tenth of a second with ten thousand recordings. What is in no cycle goes at once as ever.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    gc.disable()
    collector = _Collector(app)
    try:
        yield
    finally:
        collector.deleteLater()
        gc.unfreeze()
        gc.enable()
        sys.setswitchinterval(before)


class _Collector(QObject):
    """Looks at new objects now and then, in the window's thread, and at all when the user turns to another program.

    A long text or list that has just come is passed over until then: hardly anything of it is in a cycle.
    """

    def __init__(self, app: QGuiApplication) -> None:
        super().__init__(app)
        self._all_at = 0.0
        timer = QTimer(self, interval=_EVERY)
        timer.timeout.connect(self._look_at_new)
        timer.start()
        app.applicationStateChanged.connect(self._turned)

    def _look_at_new(self) -> None:
        new = gc.get_count()[0]
        if new > _MANY:
            gc.freeze()
        elif new > _FEW:
            gc.collect(_MIDDLE)

    def _turned(self, state: Qt.ApplicationState) -> None:
        if state != Qt.ApplicationState.ApplicationActive and time.monotonic() - self._all_at > _SELDOM:
            gc.unfreeze()
            gc.collect()
            self._all_at = time.monotonic()
