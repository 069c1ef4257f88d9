"""The computer does not go to sleep by itself while something is recorded or transcribed, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from desktop_app.app.background import BackgroundThread
from desktop_app.app.editing.recheck import Checks
from desktop_app.app.live.live_recording import OFF, PAUSED, LiveRecording
from desktop_app.app.recordings.entry import WAITING, WORKING
from desktop_app.app.recordings.session import Session
from desktop_app.app.signals import Signal
from desktop_app.app.system import desktop_bus
from desktop_app.texts import _

_CLOSING = 1.0  # seconds that the end of the program waits for the system
_CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001  # of SetThreadExecutionState

Release = Callable[[], object]
Hold = Callable[[str], Release | None]


def hold(why: str) -> Release | None:
    """Let the computer not go to sleep by itself until what this gives is called, in the same thread, or the program
    ends. None where the system cannot be asked. `why` may be shown by the system. May take seconds."""
    if sys.platform == "win32":
        return _hold_windows()
    if sys.platform == "darwin":
        return _hold_macos()
    return desktop_bus.keep_awake(why)


def _hold_windows() -> Release | None:
    import ctypes

    set_state: Callable[[int], int] = ctypes.windll.kernel32.SetThreadExecutionState  # type: ignore[attr-defined]
    return (lambda: set_state(_CONTINUOUS)) if set_state(_CONTINUOUS | _SYSTEM_REQUIRED) else None


def _hold_macos() -> Release | None:
    """By a program of the system's, which ends when this one does."""
    try:
        return subprocess.Popen(["/usr/bin/caffeinate", "-i", "-w", str(os.getpid())]).terminate
    except OSError:
        return None


class Awake:
    """Follows the work. Attributes: wanted (whether there is any); is_busy (whether something is recorded or
    transcribed, before which other long work waits). Signals: busy_changed()."""

    def __init__(self, session: Session, live: LiveRecording, checks: Checks, hold: Hold = hold) -> None:
        self._session, self._live, self._checks, self._hold = session, live, checks, hold
        self._worker = BackgroundThread("awake", session.worker.post)
        self._release: Release | None = None  # in the worker's thread
        self.wanted = self.is_busy = False
        self.busy_changed: Signal[[]] = Signal()
        self._trains: Callable[[], bool] = lambda: False
        for signal in (session.changed, session.removed, checks.changed, checks.versions.changed):
            signal.connect(lambda key: self._look())
        session.arrived.connect(self._look)
        live.changed.connect(self._look)

    def follow_training(self, changed: Signal[[]], trains: Callable[[], bool]) -> None:
        """Keep the computer awake while a draft is trained, too; `changed` tells when that may be another."""
        self._trains = trains
        changed.connect(self._look)

    def close(self) -> None:
        """The program ends: the computer may sleep."""
        self._ask(wanted=False)
        self._worker.close(_CLOSING)

    def _look(self) -> None:
        busy = self._is_recording or self._is_transcribing
        if busy != self.is_busy:
            self.is_busy = busy
            self.busy_changed.emit()
        self._ask(busy or self._trains())

    def _ask(self, wanted: bool) -> None:
        if wanted != self.wanted:
            self.wanted = wanted
            why = _("Galley is transcribing") if self.is_busy else _("Galley is training a draft")
            self._worker.do((lambda: self._take(why)) if wanted else self._let_go)

    @property
    def _is_recording(self) -> bool:
        return self._live.phase not in (OFF, PAUSED)

    @property
    def _is_transcribing(self) -> bool:
        queue = self._session.in_work
        return (
            any(entry.state in (WAITING, WORKING) and not entry.paused for entry in queue)
            or any(check.in_work and not check.paused for check in self._checks.running.values())
            or bool(self._checks.versions.finding)
        )

    # In the worker's thread.

    def _take(self, why: str) -> None:
        self._release = self._hold(why)

    def _let_go(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()
