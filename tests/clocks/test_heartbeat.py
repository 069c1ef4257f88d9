"""The measure behind "never blocked": it notices what blocks a window, and no computer that is merely busy."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from tests.clocks import heartbeat
from tests.clocks.heartbeat import BLOCKED, Heartbeat, _Times, never_blocked

pytestmark = pytest.mark.clocks


def _compute() -> None:
    until = time.thread_time() + 0.2
    while time.thread_time() < until:
        pass


def _wait_for_a_lock() -> None:
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(0.5, lock.release).start()
    with lock:
        pass


def _compute_without_python() -> None:
    """Long work in C that lets go of Python's lock, as Qt and SQLite do."""
    hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 1_000_000)


@pytest.mark.parametrize("slot", [lambda: time.sleep(0.5), _compute, _wait_for_a_lock, _compute_without_python])
def test_whatever_keeps_a_slot_is_noticed(slot: Callable[[], None], qtbot: QtBot) -> None:
    beats = Heartbeat()
    QTimer.singleShot(20, slot)
    qtbot.wait(700)
    beats.stop()
    assert beats.longest > 2 * BLOCKED
    assert "test_heartbeat.py" in beats.where


def test_it_says_what_the_window_did(qtbot: QtBot) -> None:
    def sleep() -> None:
        with never_blocked():
            QTimer.singleShot(20, lambda: time.sleep(0.2))
            qtbot.wait(300)

    with pytest.raises(AssertionError, match=r"(?s)blocked for [0-9]+ ms.*time\.sleep"):
        sleep()


@pytest.mark.parametrize("slow", [1.0, 1.5, 2.0])
def test_a_computation_of_60_ms_is_noticed(slow: float, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow computer it takes as much longer as the limit is larger."""
    monkeypatch.setattr(heartbeat, "slowness", lambda: slow)

    def compute() -> None:
        until = time.thread_time() + 0.06 * slow
        while time.thread_time() < until:
            pass

    def slot() -> None:
        with never_blocked():
            QTimer.singleShot(20, compute)
            qtbot.wait(300)

    with pytest.raises(AssertionError, match="blocked for"):
        slot()


def test_a_computer_that_becomes_slow_during_a_step_is_no_blocked_window(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = 1.0
    monkeypatch.setattr(heartbeat, "slowness", lambda: slow)

    def compute() -> None:
        nonlocal slow
        slow, until = 2.0, time.thread_time() + 0.07
        while time.thread_time() < until:
            pass

    with never_blocked() as beats:
        QTimer.singleShot(20, compute)
        qtbot.wait(300)
    assert beats.longest > BLOCKED / 2, "the computation is counted"


def test_half_a_second_of_sleep_is_noticed_on_the_slowest_computer(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "REFERENCE", 1e-9)
    assert heartbeat.slowness() == 2.0

    def slot() -> None:
        with never_blocked():
            QTimer.singleShot(20, lambda: time.sleep(0.5))
            qtbot.wait(600)

    with pytest.raises(AssertionError, match=r"blocked for [12][0-9][0-9] ms of 50\n"):
        slot()


def test_a_fast_computer_counts_as_the_reference(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "REFERENCE", 1e9)
    assert heartbeat.slowness() == 1.0


def test_steal_time_is_no_blocked_window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    steal = [7.0, 7.0]
    monkeypatch.setattr(heartbeat._Kernel, "steal", lambda self: list(steal))

    def sleep(seconds: float, stolen: float) -> None:
        steal[:] = [steal[0] + stolen / 2, steal[1] + stolen]
        time.sleep(seconds)

    with never_blocked():
        QTimer.singleShot(20, lambda: sleep(0.3, stolen=0.3))
        qtbot.wait(400)
    beats = Heartbeat()
    QTimer.singleShot(20, lambda: sleep(1.0, stolen=0.66))
    qtbot.wait(1100)
    beats.stop()
    assert beats.longest > BLOCKED, "the rest is the window's own"


def test_a_thread_that_begins_during_a_step_may_hold_pythons_lock(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, threads = heartbeat._Kernel.times, dict[int, _Times]()
    monkeypatch.setattr(heartbeat._Kernel, "times", lambda self: told(self) | threads)

    def wait_for_the_lock() -> None:
        threads[-1] = _Times(waited=0.3)
        time.sleep(0.3)

    with never_blocked():
        QTimer.singleShot(20, wait_for_the_lock)
        qtbot.wait(400)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells it")
def test_the_steal_time_of_each_processor_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    told = f"cpu 9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 {ticks} 8 9\ncpu1 1 2 3 4 5 6 7 {3 * ticks} 8 9\nintr 5 5 5\n"
    monkeypatch.setattr(heartbeat._Kernel, "_text", lambda self, path: told.encode())
    assert heartbeat._Kernel().steal() == [1.0, 3.0]
    monkeypatch.undo()
    kernel = heartbeat._Kernel()
    assert kernel.steal(), "the kernel's own text has them"
    kernel.close()


def _keep_busy() -> None:
    while True:
        pass


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says how long a thread waited")
def test_a_busy_computer_is_no_blocked_window(qtbot: QtBot) -> None:
    """Four processes to two processors; the window has short work, and another thread wants Python's lock too."""
    busy = [multiprocessing.get_context("spawn").Process(target=_keep_busy, daemon=True) for _ in range(4)]
    for process in busy:
        process.start()
    work = QTimer()
    work.timeout.connect(lambda: sum(range(100_000)))
    work.start(10)
    ended = threading.Event()
    other = threading.Thread(target=lambda: _until(ended))
    other.start()
    try:
        with never_blocked():
            qtbot.wait(3000)
    finally:
        ended.set()
        other.join()
        for process in busy:
            process.kill()
            process.join()


def _until(ended: threading.Event) -> None:
    """Some work, some sleep, as a thread that reads messages has."""
    while not ended.wait(0.001):
        sum(range(20_000))
