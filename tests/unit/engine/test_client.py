"""The engine's client: one last event for every job, whatever the process does, and no process left behind."""

from __future__ import annotations

import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import folders
from desktop_app.engine import client
from desktop_app.engine.client import Engine
from desktop_app.engine.watchdog import Limits
from desktop_app.messages.jobs import Cancelled, Event, Failed, Finished, Preparing, SegmentReady
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from tests.unit.engine import programs
from tests.waiting import LONGEST, Within, wait_until

LAST = (Finished, Failed, Cancelled)
only_posix = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no signal stops a process here")


class Watched:
    """An engine with a program of `programs`, and what it said."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.threads: set[int] = set()
        self.engine = Engine(self._note, programs.obliging, Limits(silent=3.0, stuck=5.0))

    def _note(self, event: Event) -> None:
        self.threads.add(threading.get_ident())
        self.events.put(event)

    def until(self, job: str, kind: type | tuple[type, ...] = LAST) -> list[Event]:
        """The events up to the first of this kind about the job."""
        found = [self.events.get(timeout=LONGEST)]
        while not (found[-1].job == job and isinstance(found[-1], kind)):
            found.append(self.events.get(timeout=LONGEST))
        return found

    def start(self, job: str, path: str) -> int:
        """Queue a job, wait until it has begun; gives the process id."""
        self.engine.transcribe(job, path, Options())
        begun = self.until(job, SegmentReady)[-2]
        assert isinstance(begun, Preparing)
        return int(begun.stage)


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    made.engine.close()


def is_gone(pid: int) -> bool:
    """Whether there is no such process any more, not even a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_jobs_run_in_order_in_one_process_and_are_told_from_one_thread(watched: Watched) -> None:
    for job in "abc":
        watched.engine.transcribe(job, "finish", Options())
    events = watched.until("c")
    assert [event.job for event in events] == list("aaabbbccc")
    assert len({event.stage for event in events if isinstance(event, Preparing)}) == 1
    assert watched.threads.isdisjoint({threading.get_ident()})
    assert len(watched.threads) == 1


def test_no_process_runs_before_it_is_needed(watched: Watched) -> None:
    assert watched.engine.pid is None
    pid = watched.start("a", "finish")
    assert watched.engine.pid == pid


def test_a_waiting_job_is_cancelled_at_once_and_the_others_go_on(watched: Watched) -> None:
    watched.start("a", "wait")
    watched.engine.transcribe("b", "finish", Options())
    watched.engine.transcribe("c", "finish", Options())
    watched.engine.cancel("b")
    assert watched.until("b") == [Cancelled("b")]
    watched.engine.cancel("a")
    assert [event.job for event in watched.until("c") if isinstance(event, LAST)] == ["a", "c"]


def test_a_job_that_stops_when_it_is_asked_costs_no_new_process(watched: Watched) -> None:
    before = watched.start("a", "wait")
    watched.engine.cancel("a")
    assert watched.until("a") == [Cancelled("a")]
    assert watched.start("b", "finish") == before


def test_a_job_that_does_not_stop_is_killed_after_a_second(watched: Watched, within: Within) -> None:
    pid = watched.start("a", "hang")
    watched.engine.transcribe("b", "finish", Options())
    with within(2.0, least=0.9):
        watched.engine.cancel("a")
        watched.engine.cancel("a")
        assert watched.until("a") == [Cancelled("a")]
    assert is_gone(pid)
    assert isinstance(watched.until("b")[-1], Finished)


@pytest.mark.parametrize(("end", "code"), [("die", "engine.killed"), ("leave", "engine.crashed")])
def test_a_file_that_ends_the_engine_twice_is_set_aside_and_the_next_one_works(
    watched: Watched, end: str, code: str
) -> None:
    watched.engine.transcribe("a", end, Options())
    watched.engine.transcribe("b", "finish", Options())
    first = watched.until("a")
    assert first[-1] == Failed("a", Problem("engine.twice", cause=Problem(code)))
    pids = [event.stage for event in first if isinstance(event, Preparing) and event.stage != "restarting"]
    assert len(pids) == 2
    assert SegmentReady("a", programs.SEGMENT) in first, "what it said before its end counts"
    second = watched.until("b")
    assert isinstance(second[-1], Finished)
    assert isinstance(second[0], Preparing)
    assert second[0].stage not in pids
    assert all(is_gone(int(pid)) for pid in pids)
    watched.engine.transcribe("a", "finish", Options())
    assert isinstance(watched.until("a")[-1], Finished), "it can be tried again"


@pytest.mark.parametrize("end", ["die", "leave", pytest.param("stop", marks=only_posix), "stand still"])
def test_a_file_goes_on_behind_its_last_whole_window_when_an_engine_ended_or_fell_silent(
    watched: Watched, end: str
) -> None:
    """Not even a process that was stopped, or that waits for itself, is waited for without end."""
    pid = watched.start("windows", end)
    events = watched.until("windows")
    assert is_gone(pid)
    assert next(event.stage for event in events if isinstance(event, Preparing)) == "restarting"
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert [segment.text for segment in finished.transcript.segments] == ["Words", "went on from 16000 of 1"]


@only_posix
def test_who_was_stopped_too_accuses_nobody() -> None:
    """As when the computer slept, or a whole process group was stopped: all of that time is nobody's silence."""
    script = [sys.executable, "-c", SLEEPER]
    sleeper = subprocess.Popen(script, stdout=subprocess.PIPE, text=True, env=_environment(), start_new_session=True)
    assert sleeper.stdout is not None
    assert sleeper.stdout.readline() == "begun\n"
    os.killpg(sleeper.pid, signal.SIGSTOP)
    time.sleep(6)
    os.killpg(sleeper.pid, signal.SIGCONT)
    said, _ = sleeper.communicate()
    assert said == "Finished\n"


@pytest.mark.parametrize(
    ("job", "end", "stays"),
    [("a", "die", True), ("windows", "leave", True), ("a", "leave", False), ("a", "leave while loading", False)],
)
def test_what_was_compiled_is_forgotten_when_it_may_have_ended_the_engine(
    watched: Watched, job: str, end: str, stays: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A damaged file of OpenVINO's cache ends the process that reads it, and would end the next one; what takes minutes
    to compile is not thrown away for anything else."""
    monkeypatch.setattr(folders, "cache", lambda: tmp_path)
    compiled = tmp_path / "compiled" / "encoder" / "1.blob"
    compiled.parent.mkdir(parents=True)
    compiled.write_bytes(b"damaged")
    watched.engine.transcribe(job, end, Options())
    last = watched.until(job)[-1]
    assert compiled.exists() is stays
    if end == "leave while loading":
        assert last == Failed(job, Problem("engine.twice", cause=Problem("engine.crashed_loading")))


def test_a_cancelled_job_whose_process_dies_is_cancelled(watched: Watched) -> None:
    pid = watched.start("a", "hang")
    watched.engine.cancel("a")
    os.kill(pid, 9)
    assert watched.until("a") == [Cancelled("a")]


def test_closing_waits_for_no_job_and_leaves_nothing(watched: Watched, within: Within) -> None:
    pid = watched.start("a", "hang")
    with within(1.0):
        watched.engine.close()
    assert is_gone(pid)
    watched.engine.close()
    watched.engine.transcribe("b", "finish", Options())
    watched.engine.cancel("b")
    assert watched.events.empty()


def test_where_no_process_can_be_started_each_job_says_so(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(program: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(client, "Child", refuse)
    for job in "ab":
        watched.engine.transcribe(job, "finish", Options())
    assert [(event.job, event.problem.code) for event in watched.until("b") if isinstance(event, Failed)] == [
        ("a", "engine.not_started"),
        ("b", "engine.not_started"),
    ]


def test_a_mistake_of_the_listener_does_not_stop_the_engine(caplog: pytest.LogCaptureFixture) -> None:
    done = threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, Finished):
            done.set()
        raise RuntimeError("a mistake")

    with caplog.at_level(logging.CRITICAL):
        engine = Engine(listen, programs.obliging)
        engine.transcribe("a", "finish", Options())
        assert done.wait(LONGEST)
        engine.close()


SLEEPER = """
from queue import SimpleQueue
from desktop_app.engine.client import Engine
from desktop_app.engine.watchdog import Limits
from desktop_app.messages.jobs import Failed, Finished, Started
from desktop_app.messages.options import Options
from tests.unit.engine import programs
if __name__ == "__main__":
    events = SimpleQueue()
    engine = Engine(events.put, programs.obliging, Limits(silent=4.0, stuck=4.0))
    engine.transcribe("a", "work", Options())
    while not isinstance(event := events.get(), (Failed, Finished)):
        if isinstance(event, Started):
            print("begun", flush=True)
    print(type(event).__name__)
    engine.close()
"""

PARENT = """
import os, sys, time
from desktop_app.engine.client import Engine
from desktop_app.messages.jobs import Preparing
from desktop_app.messages.options import Options
from tests.unit.engine import programs
if __name__ == "__main__":
    def listen(event):
        if isinstance(event, Preparing):
            print(event.stage, flush=True)
    Engine(listen, programs.obliging).transcribe("a", "wait", Options())
    time.sleep(60)
"""


def _environment() -> dict[str, str]:
    top = str(Path(__file__).resolve().parents[3])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([top, os.environ.get("PYTHONPATH", "")])}


def test_the_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=_environment())
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    wait_until(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    """Whether a process that is not ours runs; a zombie, which waits for its new parent, does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return not is_gone(pid)
    return state.rpartition(")")[2].split()[0] != "Z"
