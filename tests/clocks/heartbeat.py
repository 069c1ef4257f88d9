"""Whether the window answers: how long its event loop is kept from its next turn.

"Never blocked" is promised for a laptop, and tests also run on shared computers, whose speed may halve from one second
to the next. So a limit holds for the computer on which it was set, the reference, and a time over it is divided by how
slow this one is at that moment: fixed work of Python and Qt is timed right after it and compared with its time on the
reference. No computer counts as faster than the reference, nor as less than half as fast: there the window has to do
less.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

BLOCKED = 0.05
"""Seconds after which a window does not answer: "never blocked" is less than this."""

_EVERY = 0.005
_SLOWEST = 2.0
REFERENCE = 0.0013
"""Seconds that `work` takes on the reference, a core of an AMD EPYC: the median of 200 calls in the window's style."""


def work() -> None:
    """Some of what slots do: text, values and widgets."""
    text = " ".join(str(number) for number in range(1500))
    sum(len(word) * place for place, word in enumerate(text.split()))
    whole = QWidget()
    rows = QVBoxLayout(whole)
    for number in range(12):
        rows.addWidget(QLabel(f"{number} {text[:40]}"))
    whole.sizeHint()


def slowness() -> float:
    """How many times as long as the reference this computer takes now, 1 to 2."""
    taken = []
    for _ in range(5):
        begin = time.thread_time()
        work()
        taken.append(time.thread_time() - begin)
    return min(max(statistics.median(taken) / REFERENCE, 1.0), _SLOWEST)


@dataclass(frozen=True)
class _Times:
    """What the kernel says of a thread, in seconds since its start: running, and waiting for a processor."""

    ran: float = 0.0
    waited: float = 0.0


class Heartbeat:
    """The longest time between two turns of the event loop of this thread, by the clock on the wall: whatever a slot
    does counts, whether it computes, sleeps, reads a disk or waits for a lock.

    On Linux a busy computer counts for nothing: left out is the time in which the kernel gave this thread no processor
    though it could have run, and the steal time, in which the host gave a virtual machine no processor. While it
    sleeps, the waiting of another Python thread is left out, for it may hold Python's lock.

    Attributes: longest (seconds; scaled to the reference where over BLOCKED), where (the stack during it, if a sample
    was taken in it).
    """

    def __init__(self) -> None:
        self.longest, self.where = 0.0, ""
        self._thread = threading.current_thread()
        self._kernel = _Kernel()
        self._begin()
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._timer.start(round(_EVERY * 1000))
        self._ended = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._sampler.start()

    def stop(self) -> None:
        """End it; the figures stay."""
        self._timer.stop()
        self._beat()
        self._ended.set()
        self._sampler.join()
        self._kernel.close()

    def _beat(self) -> None:
        gap = self._blocked(time.monotonic() - self._beat_at)
        if gap > BLOCKED:
            gap /= slowness()
        if gap > self.longest:
            self.longest, self.where = gap, self._stack
        self._begin()

    def _begin(self) -> None:
        """A gap begins."""
        self._stack = ""
        self._beat_at, self._times, self._steal = time.monotonic(), self._kernel.times(), self._kernel.steal()

    def _blocked(self, gap: float) -> float:
        """What of a gap is not the fault of a busy computer."""
        own, times = self._thread.native_id, self._kernel.times()
        waited = {thread: each.waited - self._times.get(thread, _Times()).waited for thread, each in times.items()}
        ran = times[own].ran - self._times[own].ran if own in times else 0.0
        slept = gap - ran - waited.pop(own, 0.0)
        steal = [now - before for before, now in zip(self._steal, self._kernel.steal(), strict=True)]
        return ran + max(slept - max(waited.values(), default=0.0) - max(steal, default=0.0), 0.0)

    def _sample(self) -> None:
        """Keep what the window's thread is doing once a gap has become long."""
        while not self._ended.wait(_EVERY):
            if time.monotonic() - self._beat_at > BLOCKED / 2 and not self._stack:
                frame = sys._current_frames().get(self._thread.ident or 0)
                self._stack = "".join(traceback.format_stack(frame)[-8:])


class _Kernel:
    """Linux's figures of this process's Python threads and of the processors; elsewhere there are none."""

    def __init__(self) -> None:
        self._files: dict[str, int] = {}
        # PyDLL keeps Python's lock: os.pread gives it away, and would add the time of getting it back to the figures.
        self._read = ctypes.PyDLL(None).pread if sys.platform.startswith("linux") else None
        self._answer = ctypes.create_string_buffer(4000)

    def times(self) -> dict[int, _Times]:
        """Of every thread that lives."""
        found = {}
        for thread in threading.enumerate():
            if thread.native_id is not None and (times := self._times(thread.native_id)):
                found[thread.native_id] = times
        return found

    def steal(self) -> list[float]:
        """Seconds of steal time of each processor, since the start of the computer."""
        lines = self._text("/proc/stat").splitlines()
        processors = [line.split() for line in lines if line.startswith(b"cpu") and line[3:4].isdigit()]
        return [int(figures[8]) / os.sysconf("SC_CLK_TCK") for figures in processors]

    def close(self) -> None:
        for file in self._files.values():
            os.close(file)

    def _times(self, thread: int) -> _Times | None:
        text = self._text(f"/proc/self/task/{thread}/schedstat")
        if not text:
            return None  # it has just ended
        ran, waited, _ = text.split()
        return _Times(int(ran) / 1e9, int(waited) / 1e9)

    def _text(self, path: str) -> bytes:
        """The beginning of a file, which is kept open; empty where there is none."""
        if self._read is None:
            return b""
        try:
            if path not in self._files:
                self._files[path] = os.open(path, os.O_RDONLY)
        except OSError:
            return b""
        size = self._read(self._files[path], self._answer, len(self._answer), 0)
        return self._answer.raw[: max(size, 0)]


@contextmanager
def never_blocked(limit: float = BLOCKED) -> Iterator[Heartbeat]:
    """Fail where the event loop does not turn within `limit` seconds of the reference."""
    heartbeat = Heartbeat()
    try:
        yield heartbeat
    finally:
        heartbeat.stop()
    told = f"blocked for {heartbeat.longest * 1000:.0f} ms of {limit * 1000:.0f}\n{heartbeat.where}"
    assert heartbeat.longest < limit, told
