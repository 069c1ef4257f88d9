"""One recording through the file path or the live path, in this process, for benchmarks that look inside.

A live session is played faster than real time, by a clock that counts what the computing took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter, process_time

from desktop_app.audio.logmel import features
from desktop_app.audio.spectrogram import Spectrogram
from desktop_app.audio.voice import VoiceGate
from desktop_app.decoding import longform
from desktop_app.decoding.audio_window import Samples
from desktop_app.decoding.live import Live, LiveText
from desktop_app.decoding.live_pace import Pace
from desktop_app.measure.error_rates import normalised
from desktop_app.messages.options import Options
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport, Segment
from desktop_app.transcript.statistics import Counter
from desktop_app.worker.file_job import settings_of
from desktop_app.worker.loaded_models import Pair

CLOCKS = {"processor": process_time, "wall": perf_counter}
"""`processor` sums up all threads, as if there were one core: other programs do not disturb it."""

_BLOCK = 0.1  # seconds of audio that come at once


@dataclass(frozen=True)
class FileText:
    """The segments of a recording, their text, and what the guard did."""

    segments: Sequence[Segment] = ()
    text: str = ""
    reports: Sequence[GuardReport] = ()


def file_text(pair: Pair, audio: Samples, options: Options) -> FileText:
    """Transcribe mono audio at 16 kHz in whole windows."""
    notes = _Listener()
    longform.transcribe(
        iter([audio]),
        Spectrogram([audio], pair.mel_bins).features,
        pair.setup(options.guard),
        notes,
        settings_of(options, pair.target.checkpoint),
    )
    text = " ".join(segment.text for segment in notes.made)
    return FileText(notes.made, text, notes.reports)


class _Listener(longform.DecodingListener):
    """Keeps what comes."""

    def __init__(self) -> None:
        self.made: list[Segment] = []
        self.reports: list[GuardReport] = []

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self.made += segments

    def guarded(self, reports: Sequence[GuardReport]) -> None:
        self.reports += reports


@dataclass(frozen=True)
class Shown:
    """The words on the screen at a moment, in seconds of the session: the final ones, and what follows them by the
    target and by the draft. `received` is how much audio had come in when the update began.
    """

    time: float
    received: float
    final: tuple[str, ...]
    provisional: tuple[str, ...]
    draft: tuple[str, ...]


@dataclass
class Run:
    """A played session: all that was shown, seconds of computing while listening and while writing, the counts."""

    shown: list[Shown] = field(default_factory=list)
    listening: float = 0.0
    writing: float = 0.0
    updates: int = 0
    backlog: float = 0.0
    counter: Counter = field(default_factory=Counter)

    @property
    def words(self) -> Sequence[str]:
        """The final words."""
        return self.shown[-1].final if self.shown else ()


class LivePlayer:
    """Plays audio to a live session of a pair.

    With `every` the updates come at fixed distances in seconds and computing takes no time; else they come as they
    would, by a `clock` of CLOCKS.
    """

    def __init__(
        self,
        pair: Pair,
        options: Options,
        clock: str = "processor",
        every: float | None = None,
        previous: bool = True,
        draft: bool = True,
    ) -> None:
        self._clock: Callable[[], float] = CLOCKS[clock]
        self._every, self._pace, self.run = every, Pace(), Run()
        self._now = self._began = self._received = 0.0
        self._final: list[str] = []
        self.live = Live(
            features,
            pair.setup(options.guard, draft),
            VoiceGate(),
            previous=previous,
            settings=settings_of(options, pair.target.checkpoint),
            counter=self.run.counter,
            ahead=self._note_ahead,
        )

    def play(self, audio: Samples) -> Run:
        """The whole audio, to the end of its text."""
        seconds, fed, due_at = len(audio) / SAMPLE_RATE, 0, 0.0
        while fed < len(audio):
            ready = min(len(audio), int(self._now / _BLOCK + 1e-6) * round(_BLOCK * SAMPLE_RATE))
            if ready > fed:
                began = self._clock()
                self.live.feed(audio[fed:ready])
                self._spend("listening", self._clock() - began)
                self.run.backlog = max(self.run.backlog, (self.live.received - self.live.decoded) / SAMPLE_RATE)
                fed = ready
            if self.live.due and self._now >= due_at:
                due_at = self._now + self._update()
            else:
                self._now += _BLOCK / 5
        self._now = max(self._now, seconds)
        self.live.finish()
        while self.live.due:
            self._update()
        return self.run

    def _update(self) -> float:
        """One update; how long after its beginning the next one may come."""
        started, self._received = self._now, self.live.received / SAMPLE_RATE
        self._began, processor = self._clock(), process_time()
        text = self.live.update()
        took = self._clock() - self._began
        self._spend("writing", took)
        self._pace.took(took, process_time() - processor)
        self.run.updates += 1
        if text is not None:
            for segment in text.segments:
                self._final += normalised(segment.text)
            self._note(text, self._now)
        return self._every if self._every is not None else max(self._pace.interval, self._now - started)

    def _spend(self, what: str, seconds: float) -> None:
        setattr(self.run, what, getattr(self.run, what) + seconds)
        if self._every is None:
            self._now += seconds

    def _note_ahead(self, text: LiveText) -> None:
        self._note(text, self._now + (0.0 if self._every is not None else self._clock() - self._began))

    def _note(self, text: LiveText, time: float) -> None:
        final = (*self._final, *normalised(text.final))
        target = (*self._final, *normalised(text.final + text.provisional))
        whole = (*self._final, *normalised(text.final + text.provisional + text.draft))
        self.run.shown.append(Shown(time, self._received, final, target[len(final) :], whole[len(target) :]))
