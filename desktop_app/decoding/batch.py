"""Recordings of any length in batches: cut at pauses into chunks, of which several are decoded side by side.

Each chunk is transcribed as if it were a recording of its own, by the loop of `longform`, in a row of a batch; a row
that is done takes the next chunk at once. As many chunks as there are rows are encoded in one pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter
from typing import Any

from desktop_app.decoding.audio_window import AudioWindow, FeatureExtractor, Samples
from desktop_app.decoding.lines import Line
from desktop_app.decoding.longform import DecodingListener, SampleBuffer, given_language, steps
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.protocol import Batch
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.steps import Steps, together
from desktop_app.decoding.window import Language, WindowDecoder
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import GuardReport, ResumePoint, Segment
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter, Statistics

Cut = Callable[[Samples], int]
"""Finds the best place to cut a whole window of samples: how many of them, at least one, come before it.
`audio.voice.cut_at_pause` does."""


@dataclass(frozen=True)
class BatchRows:
    """A pair with room for several texts.

    Attributes:
        setups: what each row decodes with: the target of that row, and a drafter of its own.
        batches: the target's, and behind it the draft's if that is a model.
        encoders: those of them that have an encoder of their own.
    """

    setups: Sequence[Setup]
    batches: Sequence[Batch]
    encoders: Sequence[Batch]


def transcribe(
    blocks: Iterator[Samples],
    extract: FeatureExtractor,
    rows: BatchRows,
    cut: Cut,
    listener: DecodingListener,
    settings: Settings,
    counter: Counter,
    place: ResumePoint | None = None,
) -> Statistics:
    """Transcribe a stream of mono audio at 16 kHz; arguments, result and errors are those of `longform.transcribe`.

    The listener is told of whole chunks, in the order of the recording, and of tentative lines in the first that is not
    finished; a `place` is the end of a chunk, and `counter` has what the chunks took that were told. A prompt is
    followed by the first chunk alone. ValueError with `condition`, since a chunk does not know the text before it.
    """
    if settings.condition:
        raise ValueError("the chunks of a batch cannot follow the text before them")
    setups = [replace(one, look_ahead=one.look_ahead or LookAhead(may_disable_draft=True)) for one in rows.setups]
    language = Language(place.language, place.probability) if place else given_language(settings, setups[0].vocabulary)
    begin, count = (place.samples, place.segments) if place else (0, 0)
    chunks = _Chunks(_windows(blocks, extract, cut, begin, setups[0]), rows)
    if language is None:
        if chunks.first is None:
            return counter.total
        language = WindowDecoder(setups[0], counter).detect_language(chunks.first.window_in(0))
    listener.language(language)
    empty = ResumePoint(0, 0, language.code, language.probability)
    output = _Output(listener, counter, replace(empty, segments=count))

    def decode(row: int) -> Steps[None]:
        while (chunk := chunks.take()) is not None:
            window, text = chunk.window_in(row), output.begin(chunk)
            start = replace(empty, samples=window.place, prompt=() if window.place else settings.prompt)
            yield from steps(window.rest, setups[row], text, settings, text.counter, start)
            output.finish(text)

    together([decode(row) for row in range(len(setups))], rows.batches)
    return counter.total


def _windows(
    blocks: Iterator[Samples], extract: FeatureExtractor, cut: Cut, start: int, setup: Setup
) -> Iterator[AudioWindow]:
    """The recording from `start` on, in one window for each chunk."""
    audio, least = SampleBuffer(blocks), setup.vocabulary.seconds_per_timestamp * SAMPLE_RATE
    while len((part := audio.part(start)).samples) >= least:
        samples = part.samples[: cut(part.samples)] if len(part.behind) else part.samples
        yield AudioWindow(samples, extract, start, part.before)
        start += len(samples)


@dataclass(frozen=True)
class _Chunk:
    """A part of the recording as a window, encoded by each of the `encoders`, and what that took."""

    window: AudioWindow
    encoders: Sequence[Batch]
    encoded: Sequence[Any]
    cost: Statistics

    @property
    def end(self) -> int:
        """The sample of the recording behind it."""
        return self.window.place + len(self.window.samples)

    def window_in(self, row: int) -> AudioWindow:
        """The window, encoded for the models of a row."""
        for batch, encoded in zip(self.encoders, self.encoded, strict=True):
            self.window.keep(batch.rows[row], encoded)
        return self.window


class _Chunks:
    """Encodes windows, as many at a time as there are rows, and hands them out as chunks."""

    def __init__(self, windows: Iterator[AudioWindow], rows: BatchRows) -> None:
        self._windows, self._rows = windows, rows
        self._ready: deque[_Chunk] = deque()

    @property
    def first(self) -> _Chunk | None:
        """The next chunk; None at the end of the recording."""
        if not self._ready:
            self._encode(list(islice(self._windows, len(self._rows.setups))))
        return self._ready[0] if self._ready else None

    def take(self) -> _Chunk | None:
        """The next chunk, for good."""
        return self._ready.popleft() if self.first is not None else None

    def _encode(self, windows: Sequence[AudioWindow]) -> None:
        encoded, cost = [], Statistics()
        for batch in self._rows.encoders if windows else ():
            began = perf_counter()
            encoded.append(batch.encode([window.features(batch.rows[0].mel_bins) for window in windows]))
            share = (perf_counter() - began) / len(windows)
            is_target = batch is self._rows.batches[0]
            cost += Statistics(encode_seconds=share) if is_target else Statistics(draft_seconds=share)
        for number, window in enumerate(windows):
            self._ready.append(_Chunk(window, self._rows.encoders, [each[number] for each in encoded], cost))


class _Output:
    """Tells a listener what the chunks became, in the order in which they were begun, and counts what each took.
    `place` is the end of the last one that it was told of."""

    def __init__(self, listener: DecodingListener, counter: Counter, place: ResumePoint) -> None:
        self.listener, self._counter, self._place = listener, counter, place
        self._begun: deque[_Text] = deque()

    def begin(self, chunk: _Chunk) -> _Text:
        """A chunk is begun; gives what listens to it."""
        text = _Text(self, chunk.end)
        text.counter.add(chunk.cost)
        self._begun.append(text)
        return text

    def is_next(self, text: _Text) -> bool:
        """Whether all chunks before it are finished."""
        return text is self._begun[0]

    def finish(self, text: _Text) -> None:
        """A chunk is finished: it is told now, or when those before it are finished."""
        text.is_finished = True
        while self._begun and self._begun[0].is_finished:
            self._tell(self._begun.popleft())

    def _tell(self, text: _Text) -> None:
        made = [replace(segment, id=self._place.segments + segment.id) for segment in text.made]
        self._place = replace(self._place, samples=text.end, segments=self._place.segments + len(made))
        self._counter.add(text.counter.total)
        if text.reports:
            self.listener.guarded(text.reports)
        self.listener.reached(self._place)
        self.listener.segments(made, text.end / SAMPLE_RATE)


class _Text(DecodingListener):
    """Collects what is written for a chunk that ends with the sample `end`, and what that takes."""

    def __init__(self, output: _Output, end: int) -> None:
        self._output, self.end, self.counter = output, end, Counter()
        self.reports: list[GuardReport] = []
        self.made: list[Segment] = []
        self.is_finished = False

    def tentative(self, lines: Sequence[Line], draft: Sequence[int]) -> None:
        if self._output.is_next(self):
            self._output.listener.tentative(lines, draft)

    def guarded(self, reports: Sequence[GuardReport]) -> None:
        self.reports += reports

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self.made += segments
