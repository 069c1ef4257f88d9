"""Hearing an input only to show how loud it is; nothing of it is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event

import numpy as np
from PySide6.QtCore import QObject, Signal

from desktop_app.app.background import BackgroundThread, Post
from desktop_app.audio.microphone import InputStream
from desktop_app.problems import Problem

OpenStream = Callable[[str | None], InputStream]
_TURN = 0.05
_LONGEST = 120.0  # seconds; a menu that stays open does not keep the microphone for ever


class Listening(QObject):
    """Opens an input in a thread of its own until `close`, and is deleted when that is over.

    Signals: levelled(peak) about 20 times a second; refused(problem) when it cannot be opened.
    """

    levelled = Signal(float)
    refused = Signal(object)

    def __init__(
        self, open_stream: OpenStream, input_id: str | None, post: Post, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._over = Event()
        self._worker = BackgroundThread("level", post)
        self._worker.do(lambda: self._listen(open_stream, input_id), lambda _: self.deleteLater(), self._refuse)

    def close(self) -> None:
        """Let go of the input; returns at once."""
        self._over.set()

    def _listen(self, open_stream: OpenStream, input_id: str | None) -> None:
        stream = open_stream(input_id)
        try:
            until = time.monotonic() + _LONGEST
            while not self._over.wait(_TURN) and time.monotonic() < until and not stream.is_lost():
                peaks = [float(np.abs(block).max()) for block, _ in stream.ring.read() if len(block)]
                if peaks:
                    self.levelled.emit(max(peaks))
        finally:
            stream.close()

    def _refuse(self, problem: Problem) -> None:
        self.refused.emit(problem)
        self.deleteLater()
