"""The engine's side of a live session: audio comes in, text goes out as it is decoded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter, process_time
from typing import Protocol

import numpy as np

from desktop_app.audio.logmel import features
from desktop_app.audio.voice import VoiceGate
from desktop_app.decoding import live
from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.live_pace import Pace
from desktop_app.decoding.speculation import CancelledError
from desktop_app.decoding.window import Language
from desktop_app.messages.jobs import (
    Cancelled,
    Failed,
    Finished,
    LiveAudio,
    LiveUpdate,
    Preparing,
    Started,
    StartLive,
    StopLive,
)
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Segment, Transcript
from desktop_app.transcript.so_far import TextSoFar
from desktop_app.transcript.statistics import Counter, Statistics
from desktop_app.worker.file_job import settings_of
from desktop_app.worker.file_speakers import OFF
from desktop_app.worker.live_speakers import SessionSpeakers
from desktop_app.worker.live_target import pair_for_live
from desktop_app.worker.loaded_models import ModelCache, Pair
from desktop_app.worker.outbox import Outbox

REPORT_EVERY = 0.25
"""Seconds after which the state is sent again though there is no new text."""

_BLOCK = 10 * SAMPLE_RATE  # of silence at a time, where the recording has a gap


class AudioSource(Protocol):
    """Where the audio comes from."""

    def take(self, seconds: float) -> list[LiveAudio | StopLive]:
        """What has arrived, after waiting up to `seconds` for the first."""


def run(
    request: StartLive, source: AudioSource, model_cache: ModelCache, outbox: Outbox, cancelled: Callable[[], bool]
) -> None:
    """Run a session and send its events, up to Finished, Failed or Cancelled."""
    try:
        outbox.send(Finished(request.job, _Session(request, source, model_cache, outbox, cancelled).transcript()))
    except CancelledError:
        outbox.send(Cancelled(request.job))
    except Problem as problem:
        outbox.send(Failed(request.job, problem))


class _Session:
    """One live session, from loading the models to the transcript."""

    def __init__(
        self,
        request: StartLive,
        source: AudioSource,
        model_cache: ModelCache,
        outbox: Outbox,
        cancelled: Callable[[], bool],
    ) -> None:
        self._request, self._source, self._outbox, self._cancelled = request, source, outbox, cancelled
        self._counter, self._pace = Counter(), Pace()
        self._text = TextSoFar(request.live.path)
        self._busy = 0.0
        self._arrived = perf_counter()  # when the newest audio came
        self._latency = 0.0  # of the last text; between two texts it grows no older
        pair, self._text.models = pair_for_live(request, model_cache, self._announce)
        self._live = self._begun(pair)
        wanted = request.options.speakers
        self._attribution = SessionSpeakers(wanted, request.resume.speakers) if wanted != OFF else None
        self._has_words = False
        self._reports_sent = 0

    def transcript(self) -> Transcript:
        """Take audio until the session is stopped and transcribe all of it; the result."""
        live = self._live
        self._outbox.send(Started(self._request.job, 0.0, self._text.models))
        reported = next_update = perf_counter()
        stopped = False
        while not stopped:
            self._check()
            if self._attribution and self._has_words:
                self._attribution.work(next_update - perf_counter() if live.due else REPORT_EVERY)
            now = perf_counter()
            wait = max(0.0, next_update - now) if live.due else REPORT_EVERY
            for message in self._source.take(min(wait, REPORT_EVERY)):
                if isinstance(message, StopLive):
                    stopped = True
                else:
                    self._take(message)
            now = perf_counter()
            if live.due and now >= next_update and not stopped:
                self._update()
                next_update, reported = now + self._pace.interval, perf_counter()
            elif now - reported >= REPORT_EVERY:
                self._report(live.text)
                reported = now
        live.finish()
        while live.due:
            self._check()
            self._update()
        self._report(live.text)
        language = live.language or Language("", 0.0)
        self._text.language, self._text.language_probability = language.code, language.probability
        self._text.stats, self._text.guarded = self._stats(), self._live.reports
        whole = self._text.transcript(live.received / SAMPLE_RATE)
        return self._attribution.finish(whole) if self._attribution else whole

    def _begun(self, pair: Pair) -> live.Live:
        request, resume, checkpoint = self._request, self._request.resume, pair.target.checkpoint
        settings = settings_of(request.options, checkpoint)
        if resume.language and settings.language is None:
            settings = replace(settings, language=resume.language)
        tokens = tuple(checkpoint.tokens(f" {resume.text}")) if resume.text else ()
        if pair.draft:
            pair.draft.load_model()
        return live.Live(
            features,
            pair.setup(request.options.guard),
            VoiceGate(),
            previous=request.live.previous and request.options.draft != "off",
            settings=settings,
            counter=self._counter,
            ahead=self._ahead,
            resume=live.Resume(resume.at, tokens),
        )

    def _take(self, message: LiveAudio) -> None:
        """Add a block. A gap in the recording becomes silence; samples that have come before are left out."""
        samples: Samples = np.frombuffer(message.samples, "<f4")
        missing = message.start - self._live.received
        while missing > 0:
            self._feed(np.zeros(min(missing, _BLOCK), np.float32))
            missing = message.start - self._live.received
        self._feed(samples[-missing:])
        self._arrived = perf_counter()

    def _feed(self, samples: Samples) -> None:
        if self._attribution:
            self._attribution.feed(samples, self._live.received)
        self._live.feed(samples)

    def _update(self) -> None:
        began, processor = perf_counter(), process_time()
        text = self._live.update()
        took = perf_counter() - began
        self._pace.took(took, process_time() - processor)
        self._busy += took
        self._measure_latency()
        if text is not None:
            self._report(text)

    def _ahead(self, text: live.LiveText) -> None:
        """The draft is faster than the target."""
        self._check()
        self._measure_latency()
        self._outbox.tentative(lambda: self._event(text, ()))

    def _measure_latency(self) -> None:
        self._latency = perf_counter() - self._arrived + (self._live.received - self._live.decoded) / SAMPLE_RATE

    def _report(self, text: live.LiveText) -> None:
        new = tuple(replace(each, id=self._request.resume.segments + each.id) for each in text.segments)
        self._text.add(new)
        self._has_words = self._has_words or bool(self._text.segments or text.final or text.provisional)
        changes = self._attribution.changes(self._text.segments) if self._attribution else ()
        reports = tuple(self._live.reports[self._reports_sent :])
        self._reports_sent += len(reports)
        self._outbox.send(replace(self._event(text, new), speakers=changes, guarded=reports))

    def _event(self, text: live.LiveText, segments: tuple[Segment, ...]) -> LiveUpdate:
        received, decoded = self._live.received / SAMPLE_RATE, self._live.decoded / SAMPLE_RATE
        return LiveUpdate(
            job=self._request.job,
            segments=segments,
            final=text.final,
            provisional=text.provisional,
            draft=text.draft,
            start=text.start,
            received=received,
            decoded=decoded,
            latency=self._latency,
            speaking=self._live.speaking,
            stats=self._stats(),
            language=self._live.language.code if self._live.language else "",
        )

    def _stats(self) -> Statistics:
        """The figures so far; the wall-clock time is that of the updates alone."""
        seconds = (self._live.received - self._request.resume.at) / SAMPLE_RATE
        return replace(self._counter.total, audio_seconds=seconds, wall_seconds=self._busy)

    def _announce(self, stage: str, **values: str) -> None:
        self._check()
        self._outbox.send(Preparing(self._request.job, stage, values))

    def _check(self) -> None:
        if self._cancelled():
            raise CancelledError
