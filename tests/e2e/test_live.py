"""A live session with a small pair: its text, its drafts, a killed engine, and a file that waits for it."""

from __future__ import annotations

import os
import queue
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from desktop_app import resources
from desktop_app.audio.files import AudioFile
from desktop_app.audio.logmel import features
from desktop_app.audio.voice import VoiceGate
from desktop_app.decoding.live import Live, LiveText
from desktop_app.engine.client import Engine
from desktop_app.messages.jobs import (
    Cancelled,
    Event,
    Failed,
    Finished,
    LiveOptions,
    LiveUpdate,
    Preparing,
    SegmentReady,
    Tentative,
)
from desktop_app.messages.options import Options
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.statistics import Counter
from desktop_app.worker.loaded_models import ModelCache
from tests.waiting import LONGEST

SAMPLE = resources.path("resources", "sample", "conversation.flac")
CLIP = Path(__file__).resolve().parents[1] / "data" / "clips" / "00.flac"
LAST = (Finished, Failed, Cancelled)
BLOCK = SAMPLE_RATE // 5


def audio(path: Path, seconds: float = 60.0) -> np.ndarray:
    with AudioFile(str(path)) as file:
        return np.concatenate(list(file))[: round(seconds * SAMPLE_RATE)]


class Talk:
    """An engine and what it said; the screen's promises are checked with every update."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.engine = Engine(self.events.put)
        self._final = ""

    def speak(self, samples: np.ndarray, start: int = 0) -> int:
        for at in range(0, len(samples), BLOCK):
            self.engine.live_audio("live", start + at, samples[at : at + BLOCK])
        return start + len(samples)

    def until(self, job: str, kinds: type | tuple[type, ...] = LAST) -> list[Event]:
        found = [self._next()]
        while not (found[-1].job == job and isinstance(found[-1], kinds)):
            found.append(self._next())
        return found

    def _next(self) -> Event:
        event = self.events.get(timeout=LONGEST)
        if isinstance(event, LiveUpdate):
            lines = [segment.text for segment in event.segments]
            assert [*lines, event.final][0].startswith(self._final), "final text only grows"
            self._final = event.final
        return event


@pytest.fixture(scope="module")
def talk() -> Iterator[Talk]:
    made = Talk()
    yield made
    made.engine.close()


def test_a_session_that_loses_its_engine_goes_on(talk: Talk) -> None:
    talk.engine.start_live("live", Options(), LiveOptions("recording.flac"))
    said = audio(SAMPLE, 4.4)
    end = talk.speak(said[: 2 * SAMPLE_RATE])
    kept = ""
    while True:
        update = talk.until("live", LiveUpdate)[-1]
        assert isinstance(update, LiveUpdate)
        kept += "".join(segment.text for segment in update.segments)
        if update.final or update.provisional or update.segments:
            break
    kept += update.final
    pid = talk.engine.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    talk.speak(said[2 * SAMPLE_RATE :], end)
    talk.engine.stop_live("live")
    events = talk.until("live")
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert "restarting" in [event.stage for event in events if isinstance(event, Preparing)]
    transcript = finished.transcript
    assert (transcript.path, transcript.seconds, transcript.language) == ("recording.flac", pytest.approx(4.4), "en")
    assert [segment.id for segment in transcript.segments] == list(range(len(transcript.segments)))
    assert "".join(segment.text for segment in transcript.segments).strip().startswith(kept.strip())
    assert transcript.segments[0].start < 2.0
    assert transcript.segments[-1].end > 2.0  # what was said after the engine was killed


def test_a_file_in_work_waits_for_the_session_and_is_done_then(talk: Talk) -> None:
    talk.engine.transcribe("file", str(SAMPLE), Options())
    talk.until("file", Tentative)
    talk.engine.start_live("live", Options(), LiveOptions())
    talk.speak(audio(CLIP))
    talk.engine.stop_live("live")
    events = talk.until("live")
    assert isinstance(events[-1], Finished)
    assert not any(isinstance(event, LAST) and event.job == "file" for event in events)
    done = [event.segment for event in events if isinstance(event, SegmentReady)]
    rest = talk.until("file")
    assert isinstance(rest[-1], Finished)
    done += [event.segment for event in rest if isinstance(event, SegmentReady)]
    assert tuple(done) == rest[-1].transcript.segments


def test_a_recorded_schedule_gives_the_same_tokens_with_and_without_drafts() -> None:
    pair = ModelCache().pair(Options(language="en"), lambda stage, **values: None)
    said = audio(SAMPLE, 3.2)
    texts, passes = [], []
    for previous, drafter in ((True, pair.drafter()), (False, None)):
        counter, seen = Counter(), []
        live = Live(
            features,
            replace(pair.setup(draft=False), drafter=drafter),
            VoiceGate(),
            previous=previous,
            counter=counter,
        )
        for at in range(0, len(said), SAMPLE_RATE * 4 // 5):
            live.feed(said[at : at + SAMPLE_RATE * 4 // 5])
            seen.append(tokens_only(live.update()))
        live.finish()
        while live.due:
            seen.append(tokens_only(live.update()))
        texts.append(seen)
        passes.append(counter.total.target_passes)
    assert texts[0] == texts[1]
    assert passes[0] < passes[1]


def tokens_only(text: LiveText | None) -> object:
    if text is None:
        return None
    return replace(text, segments=()), [(segment.start, segment.end, segment.tokens) for segment in text.segments]
