"""How busy other programs keep this computer while something is measured."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter

_STAT = Path("/proc/stat")
_IDLE = (3, 4)  # columns of its first line: doing nothing, and waiting for a disk


class OtherLoad:
    """Counts from when it is made."""

    def __init__(self) -> None:
        self._busy, self._own, self._began = _busy_seconds(), _own_seconds(), perf_counter()

    def share(self) -> float:
        """The share of all processors that other programs have used since then, 0 to 1; 0 where the system does not
        tell. What a virtual machine's host gives to others counts."""
        busy, passed = _busy_seconds(), perf_counter() - self._began
        if self._busy is None or busy is None or passed <= 0:
            return 0.0
        others = busy - self._busy - (_own_seconds() - self._own)
        return min(max(others / (passed * (os.cpu_count() or 1)), 0.0), 1.0)


def _own_seconds() -> float:
    own = os.times()
    return own.user + own.system


def _busy_seconds() -> float | None:
    """Seconds of processor time since the system's start that were used for something, of all processors together."""
    with suppress(OSError, ValueError, IndexError):
        if sys.platform == "win32":
            idle, kernel, user = (ctypes.c_ulonglong() for _ in range(3))
            if ctypes.windll.kernel32.GetSystemTimes(ctypes.byref(idle), ctypes.byref(kernel), ctypes.byref(user)):
                return (kernel.value + user.value - idle.value) / 1e7  # the kernel's time has the idle one in it
            return None
        ticks = list(map(int, _STAT.read_text("ascii").split("\n", 1)[0].split()[1:9]))
        busy = sum(ticks) - sum(ticks[column] for column in _IDLE)
        return busy / float(os.sysconf("SC_CLK_TCK"))
    return None
