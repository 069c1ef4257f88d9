"""What takes long is done in order, beside the front end, and leaves nobody waiting."""

from __future__ import annotations

import threading

import pytest

from desktop_app.app.background import BackgroundThread
from desktop_app.app.signals import Signal
from desktop_app.problems import Problem
from tests.staging import Stage
from tests.waiting import LONGEST


def test_calls_are_made_in_order_in_one_thread_and_results_come_in_the_front_ends(stage: Stage) -> None:
    worker = BackgroundThread("test", stage.post)
    made: list[tuple[int, int]] = []
    got: list[tuple[int, int]] = []
    for number in range(20):

        def call(number: int = number) -> int:
            made.append((number, threading.get_ident()))
            return number

        worker.do(call, lambda result: got.append((result, threading.get_ident())))
    stage.until(lambda: len(got) == 20)
    worker.close()
    assert [number for number, _ in made] == [number for number, _ in got] == list(range(20))
    (beside,) = {thread for _, thread in made}
    assert {thread for _, thread in got} == {threading.get_ident()} != {beside}


@pytest.mark.parametrize("error", [Problem("disk.full"), OSError("full"), ZeroDivisionError("0")])
def test_whatever_a_call_raises_somebody_is_told_and_the_next_one_is_made(stage: Stage, error: Exception) -> None:
    def fail() -> None:
        raise error

    worker = BackgroundThread("test", stage.post)
    refused: list[Problem] = []
    failed: list[Problem] = []
    got: list[None] = []
    worker.failed.connect(failed.append)
    worker.do(fail, got.append, refused.append)
    worker.do(fail, got.append)
    ended: list[None] = []
    worker.do(lambda: None, ended.append)
    stage.until(lambda: ended)
    worker.close()
    assert (len(refused), failed, got) == (1, refused, [None]), "who waits for a result goes on without"


def test_close_waits_no_longer_than_it_may(stage: Stage) -> None:
    worker, disk = BackgroundThread("test", stage.post), threading.Event()
    worker.do(lambda: disk.wait(LONGEST))
    worker.close(0.05)
    disk.set()


def test_who_is_not_connected_any_more_is_not_told() -> None:
    signal: Signal[int] = Signal()
    told: list[int] = []
    signal.connect(told.append)
    signal.emit(1)
    signal.disconnect(told.append)
    signal.disconnect(told.append)
    signal.emit(2)
    assert told == [1]
