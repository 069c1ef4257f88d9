"""The engine process with a small pair: it can be killed, stopped and stuck, and the next file works."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app import resources
from desktop_app.engine.client import Engine
from desktop_app.messages.jobs import (
    Cancelled,
    Event,
    Failed,
    Finished,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
)
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from tests.small_pair import NOTICE
from tests.waiting import LONGEST, Within

SAMPLE = str(resources.path("resources", "sample", "conversation.flac"))
CLIP = str(Path(__file__).resolve().parents[1] / "data" / "clips" / "00.flac")
LAST = (Finished, Failed, Cancelled)


class Talk:
    """An engine and what it said."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.engine = Engine(self.events.put)
        self._jobs = 0

    def start(self, kind: type = Tentative, path: str = SAMPLE) -> str:
        """Begin with a file and wait for the first event of this kind."""
        self._jobs += 1
        job = str(self._jobs)
        self.engine.transcribe(job, path, Options())
        self.until(job, (kind, *LAST))
        return job

    def until(self, job: str, kinds: tuple[type, ...] = LAST) -> list[Event]:
        found = [self.events.get(timeout=LONGEST)]
        while not (found[-1].job == job and isinstance(found[-1], kinds)):
            found.append(self.events.get(timeout=LONGEST))
        return found

    def whole(self, path: str = CLIP) -> list[Event]:
        """The events of one more transcription from its begin to its end."""
        self._jobs += 1
        job = str(self._jobs)
        self.engine.transcribe(job, path, Options())
        return self.until(job)


@pytest.fixture(scope="module")
def talk() -> Iterator[Talk]:
    made = Talk()
    yield made
    made.engine.close()


@pytest.fixture(scope="module")
def told(talk: Talk) -> list[Event]:
    """The events of the sample, from its begin to its end."""
    return talk.whole(SAMPLE)


def test_a_recording_comes_as_events(told: list[Event]) -> None:
    started = next(event for event in told if isinstance(event, Started))
    assert started.models.draft
    assert started.models.notices == (Problem("model.notice", text=NOTICE),)
    finished = told[-1]
    assert isinstance(finished, Finished)
    segments = [event.segment for event in told if isinstance(event, SegmentReady)]
    assert tuple(segments) == finished.transcript.segments
    assert segments
    progress = [event.done_seconds for event in told if isinstance(event, Progress)]
    assert progress == sorted(progress)
    assert progress[-1] == pytest.approx(started.audio_seconds, abs=0.1)


def test_what_was_tentative_becomes_the_segments(told: list[Event]) -> None:
    """A verified line only grows, so that nothing that was read changes or jumps."""
    window: list[Tentative] = []
    compared = 0
    segments: list[str] = []
    for event in told:
        if isinstance(event, Tentative):
            window.append(event)
        elif isinstance(event, SegmentReady):
            segments.append(event.segment.text)
        elif isinstance(event, Progress):
            for state in window:
                for line, final in zip(state.lines, segments, strict=False):
                    assert final.startswith(line.verified.strip())
                    compared += 1
            window, segments = [], []
    assert compared


def test_loaded_models_stay_loaded(talk: Talk) -> None:
    talk.whole()
    pid = talk.engine.pid
    assert not any(isinstance(event, Preparing) for event in talk.whole())
    assert talk.engine.pid == pid
    name = Path(f"/proc/{pid}/comm")
    if name.exists():  # docs/safe.md tells a user to kill it by its name
        assert name.read_text("ascii").strip() == "galley-engine"


@pytest.fixture(scope="module")
def undisturbed(told: list[Event]) -> Finished:
    finished = told[-1]
    assert isinstance(finished, Finished)
    return finished


@pytest.mark.parametrize("kind", [Tentative, Progress])
def test_a_file_whose_engine_is_killed_has_the_same_text(talk: Talk, undisturbed: Finished, kind: type) -> None:
    """It goes on behind its last whole window, and says so once."""
    job = talk.start(kind)
    pid = talk.engine.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    events = talk.until(job)
    assert [event.stage for event in events if isinstance(event, Preparing)].count("restarting") == 1
    finished = events[-1]
    assert isinstance(finished, Finished)
    texts = [[(it.start, it.end, it.tokens) for it in each.transcript.segments] for each in (finished, undisturbed)]
    assert texts[0] == texts[1]
    kept = [event.kept for event in events if isinstance(event, Started)]
    assert len(kept) == 1
    assert (kept[0] > 0) is (kind is Progress)
    assert talk.engine.pid != pid


def test_a_file_that_kills_the_engine_twice_is_one_sentence_and_the_next_file_works(talk: Talk) -> None:
    job = talk.start()
    for _ in range(2):
        pid = talk.engine.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        last = talk.until(job, (Started, *LAST))[-1]
    assert last == Failed(job, Problem("engine.twice", cause=Problem("engine.killed")))
    assert isinstance(talk.whole()[-1], Finished)


def test_a_cancelled_job_stops_by_itself_and_keeps_the_models(talk: Talk, within: Within) -> None:
    talk.whole()
    pid = talk.engine.pid
    asked = talk.start()
    with within(2.0):
        talk.engine.cancel(asked)
        assert talk.until(asked)[-1] == Cancelled(asked)
    events = talk.whole()
    assert isinstance(events[-1], Finished)
    if talk.engine.pid == pid:  # on a computer that needs over a second for a pass it is killed, which is right too
        assert not any(isinstance(event, Preparing) for event in events)


def test_an_engine_that_is_stuck_is_killed_after_a_second(talk: Talk, within: Within) -> None:
    job = talk.start()
    pid = talk.engine.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with within(2.0, least=0.9):
        talk.engine.cancel(job)
        assert talk.until(job)[-1] == Cancelled(job)
    assert isinstance(talk.whole()[-1], Finished)
    assert talk.engine.pid != pid


def test_a_file_that_crashes_ffmpeg_fails_alone(talk: Talk, home: Path, tmp_path: Path) -> None:
    """Neither the engine, nor its models, nor what was compiled of them is blamed. It is of twenty minutes, so
    that it is still decoded while its text is written, and never louder than at first: else it would begin anew."""
    samples, rate = soundfile.read(SAMPLE, dtype="int16")
    soundfile.write(long := tmp_path / "long.flac", np.concatenate([samples, np.tile(samples // 2, 17)]), rate)
    talk.whole()
    pid = talk.engine.pid
    assert pid is not None
    blob = home / "cache" / "compiled" / "encoder" / "kept.blob"
    blob.parent.mkdir(exist_ok=True)
    blob.touch()
    job = talk.start(path=str(long))
    (server,) = children(pid)
    decoders: list[int] = []
    while not (decoders := children(server)):
        time.sleep(0.005)
    for decoder in decoders:
        os.kill(decoder, signal.SIGSEGV)
    assert talk.until(job)[-1] == Failed(job, Problem("file.crashed"))
    events = talk.whole()
    assert isinstance(events[-1], Finished)
    assert not any(isinstance(event, Preparing) for event in events)
    assert talk.engine.pid == pid
    assert blob.exists()
    blob.unlink()


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = file.read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(fields[1]) == pid:
                found.append(int(file.parent.name))
    return found


def test_a_mistake_of_galleys_own_is_in_the_log_and_not_on_the_screen(
    capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    other = Talk()
    other.engine.transcribe("a", SAMPLE, None)
    failed = other.until("a")[-1]
    other.engine.close()
    assert isinstance(failed, Failed)
    assert failed.problem.values["error"].startswith("'NoneType' object has no attribute")
    log = home / "data" / "logs" / "engine.log"
    assert failed.problem.values["log"] == str(log)
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert capfd.readouterr() == ("", "")


ASKER = """
import queue, sys
from desktop_app.engine.client import Engine
from desktop_app.messages.jobs import Finished
from desktop_app.messages.options import Options
if __name__ == "__main__":
    events = queue.SimpleQueue()
    engine = Engine(events.put)
    engine.transcribe("a", sys.argv[1], Options())
    while not isinstance(events.get(), Finished):
        pass
    engine.close()
    print(sorted({"openvino", "torch", "av", "numpy", "PySide6"} & set(sys.modules)))
"""


def test_the_asking_process_never_loads_a_model_runtime() -> None:
    done = subprocess.run([sys.executable, "-c", ASKER, CLIP], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""
