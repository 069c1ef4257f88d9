"""How loud recordings are all along, read in the background and kept until the program ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, Qt, Signal, SignalInstance

from desktop_app.audio.files import Samples
from desktop_app.audio.peaks import PeakReader, PeaksListener
from desktop_app.problems import Problem

Peaks = npt.NDArray[np.uint16]
"""`RATE` of audio/peaks.py a second, full scale at 65,535: 7.2 MB for ten hours."""

_FULL = 65_535.0
_NONE = np.zeros(0, np.uint16)


class PeakPort(Protocol):
    """What is needed of desktop_app.audio.peaks.PeakReader."""

    def read(self, path: str) -> int: ...

    def stop(self) -> None: ...


class Waveforms(QObject):
    """Reads one file at a time. Attributes: videos (the paths of those that have pictures). Signals: opened(path) when
    it is known whether it has pictures; grew(path) when there is more of it; missing(path) when there is no such file.

    What else keeps a file from being read is the player's to say: here its line stays plain.
    """

    opened = Signal(str)
    grew = Signal(str)
    missing = Signal(str)
    _opened = Signal(int, bool)
    _came = Signal(int, object)
    _ended = Signal(int, object)

    def __init__(self, make: Callable[[PeaksListener], PeakPort] = PeakReader, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = make(_Relay(self._opened, self._came, self._ended))
        self._run, self._path = 0, ""
        self._peaks: dict[str, Peaks] = {}
        self.videos: set[str] = set()
        self._opened.connect(self._open, Qt.ConnectionType.QueuedConnection)
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._end, Qt.ConnectionType.QueuedConnection)

    def peaks(self, path: str) -> Peaks:
        """What is known of a file so far."""
        return self._peaks.get(path, _NONE)

    def read(self, path: str) -> None:
        """Read this file now, unless that was done."""
        if path == self._path or path in self._peaks:
            return
        self.rest()
        self._path = path
        self._run = self._reader.read(path)

    def rest(self) -> None:
        """Read no file: what was read in part will be read anew."""
        if self._path:
            self._reader.stop()
            self._peaks.pop(self._path, None)
            self._path = ""

    def _open(self, run: int, has_pictures: bool) -> None:
        if run == self._run and self._path:
            (self.videos.add if has_pictures else self.videos.discard)(self._path)
            self.opened.emit(self._path)

    def _take(self, run: int, peaks: Samples) -> None:
        if run == self._run and self._path:
            more = (np.minimum(peaks, 1.0) * _FULL).astype(np.uint16)
            self._peaks[self._path] = np.concatenate((self.peaks(self._path), more))
            self.grew.emit(self._path)

    def _end(self, run: int, problem: Problem | None) -> None:
        if run == self._run and self._path:
            path, self._path = self._path, ""
            if problem is not None and problem.code == "file.missing":
                self.missing.emit(path)


class _Relay:
    """Brings what the reader says into the main thread."""

    def __init__(self, opened: SignalInstance, came: SignalInstance, ended: SignalInstance) -> None:
        self._opened, self._came, self._ended = opened, came, ended

    def opened(self, run: int, has_pictures: bool) -> None:
        self._opened.emit(run, has_pictures)

    def came(self, run: int, peaks: Samples) -> None:
        self._came.emit(run, peaks)

    def ended(self, run: int, problem: Problem | None) -> None:
        self._ended.emit(run, problem)
