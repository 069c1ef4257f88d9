"""Recordings of any length, window by window; the timestamps say where one ends and the next begins
(openai/whisper's `transcribe.py`).

The audio comes as a stream and at most one window of it is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from desktop_app.decoding.audio_window import BEFORE, MARGIN, AudioWindow, PartFeatureExtractor, Samples
from desktop_app.decoding.guard import Guard
from desktop_app.decoding.lines import Line, cut
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.steps import Steps, alone
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.decoding.window import Language, WindowDecoder, WindowText
from desktop_app.decoding.words import Timing, fit, spans, tidy
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS
from desktop_app.transcript.model import GuardReport, ResumePoint, Segment, Word
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter, Statistics

MOST_PROMPT_TEMPERATURE = 0.5  # text drawn at a higher one does not prompt the next window (openai/whisper)


class DecodingListener:
    """Receives progress. To stop the work, it raises `speculation.CancelledError` from any method."""

    def language(self, language: Language) -> None:
        """The language is known; called once, before the first text."""

    def tentative(self, lines: Sequence[Line], draft: Sequence[int]) -> None:
        """The window's verified lines so far, the last one open, and the draft that follows them.

        Many times a window.
        """

    def guarded(self, reports: Sequence[GuardReport]) -> None:
        """What the guard did in a window; called before its segments, and only if it did anything."""

    def reached(self, place: ResumePoint) -> None:
        """A window is done, and `transcribe` could go on there; comes before the window's segments, `place` counts
        them."""

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        """A window is done: its segments, perhaps none, with ids from 0, and how many seconds of the audio are done."""


def transcribe(
    blocks: Iterator[Samples],
    extract: PartFeatureExtractor,
    setup: Setup,
    listener: DecodingListener,
    settings: Settings | None = None,
    counter: Counter | None = None,
    place: ResumePoint | None = None,
) -> Statistics:
    """Transcribe a stream of mono audio at 16 kHz.

    `extract` computes the features of its parts. `counter` collects statistics meanwhile; its total is returned. From a
    `place` of an earlier run with the same models and settings on, the text is what it would have become there; the
    stream still begins with the recording's first sample. Raises ValueError for a language or a task that the
    checkpoint does not have.
    """
    counter, audio = counter or Counter(), SampleBuffer(blocks)

    def window(start: int) -> AudioWindow:
        part = audio.part(start)
        its = partial(extract, before=part.before[-MARGIN:], behind=part.behind, place=start)
        return AudioWindow(part.samples, its, start, part.before)

    alone(steps(window, setup, listener, settings or Settings(), counter, place))
    return counter.total


def steps(
    window_at: Callable[[int], AudioWindow],
    setup: Setup,
    listener: DecodingListener,
    settings: Settings,
    counter: Counter,
    place: ResumePoint | None,
) -> Steps[None]:
    """`transcribe` in steps, window by window: `window_at` gives the one that begins at a sample of the recording,
    which is empty at the end. It is asked for them in order of their start.
    """
    vocabulary, language = setup.vocabulary, given_language(settings, setup.vocabulary)
    setup = replace(setup, look_ahead=setup.look_ahead or LookAhead(may_disable_draft=True))
    decoder, guard = WindowDecoder(setup, counter), Guard(setup)
    prompt, seek, count, spoken = list(settings.prompt), 0, 0, 0.0
    if place is not None:
        language = Language(place.language, place.probability)
        prompt, seek, count, spoken = list(place.prompt), place.samples, place.segments, place.spoken
        listener.language(language)
    while len((window := window_at(seek)).samples) >= vocabulary.seconds_per_timestamp * SAMPLE_RATE:
        if language is None:
            language = decoder.detect_language(window)
        if seek == 0:
            listener.language(language)
        begin, seconds = seek / SAMPLE_RATE, len(window.samples) / SAMPLE_RATE

        def watch(tokens: Sequence[int], draft: Sequence[int], begin: float = begin, seconds: float = seconds) -> None:
            lines, _ = cut(tokens, vocabulary, begin, seconds, finished=False)
            listener.tentative(lines, draft)

        its = replace(settings, language=language.code, prompt=tuple(prompt))

        times = _Times(partial(decoder.words, window, its), seconds, vocabulary)
        text = yield from decoder.fallback_steps(window, its, watch)
        if setup.drafter is not None:
            setup.drafter.learn(text.tokens)
        lines, covered = cut(text.tokens, vocabulary, begin, seconds, finished=True)
        if text.is_silence:
            lines, covered = [], seconds
        lines = [line for line in lines if setup.text(line.tokens).strip()]
        lines, reports = guard.check(window, text, lines, covered, times.of_lines, times.of_words)
        if reports:
            listener.guarded(reports)
        seek += max(1, round(covered * SAMPLE_RATE))
        timed: list[list[Timing]] = [[] for _ in lines]
        if settings.words and lines:
            timings, median = tidy(times.timings(lines))
            timed = share_out(timings, lines, begin, median, spoken, vocabulary)
            spoken = next((words[-1].end for words in reversed(timed) if words), spoken)
        made = [
            segment_of(count + number, line, text, setup.text, words)
            for number, (line, words) in enumerate(zip(lines, timed, strict=True))
        ]
        count += len(made)
        if not text.is_silence:
            prompt = _next_prompt(prompt, lines, text)[-setup.target.positions :] if settings.condition else []
        listener.reached(ResumePoint(seek, count, language.code, language.probability, tuple(prompt), spoken))
        listener.segments(made, seek / SAMPLE_RATE)


class _Times:
    """When the lines of a window and their words were said, in seconds of the window, by the target's
    cross-attention: `time` asks for the words of a text in so many seconds of audio, which costs a pass. The same text
    is asked for once."""

    def __init__(
        self, time: Callable[[Sequence[int], float], list[Timing]], seconds: float, vocabulary: Vocabulary
    ) -> None:
        self._time, self._seconds, self._end = time, seconds, vocabulary.end
        self._known: dict[tuple[int, ...], list[Timing]] = {}

    def timings(self, lines: Sequence[Line]) -> list[Timing]:
        """The words of lines."""
        written = tuple(token for line in lines for token in line.tokens if token < self._end)
        if written not in self._known:
            self._known[written] = self._time(written, self._seconds)
        return self._known[written]

    def of_lines(self, lines: Sequence[Line]) -> list[tuple[float, float]]:
        """From the first to the last word of each line."""
        return spans(self.timings(lines), [sum(token < self._end for token in line.tokens) for line in lines])

    def of_words(self, lines: Sequence[Line]) -> list[tuple[float, float]]:
        """Of all words of the lines."""
        return [(timing.start, timing.end) for timing in self.timings(lines)]


def given_language(settings: Settings, vocabulary: Vocabulary) -> Language | None:
    """The language that is asked for, None where it is to be detected; ValueError if the checkpoint does not know
    it."""
    if not settings.language:
        return None
    if vocabulary.languages and settings.language not in vocabulary.languages:
        raise ValueError(f"this model does not know the language {settings.language!r}")
    return Language(settings.language, 1.0)


def segment_of(
    number: int, line: Line, text: WindowText, spell: Callable[[Sequence[int]], str], words: Sequence[Timing] = ()
) -> Segment:
    """A finished line as a segment, with its window's probabilities; word times are rounded to hundredths of a
    second."""
    return Segment(
        id=number,
        start=line.start,
        end=line.end,
        text=spell(line.tokens).strip(),
        tokens=line.tokens,
        temperature=text.temperature,
        mean_log_probability=text.mean_log_probability,
        no_speech_probability=text.no_speech_probability,
        words=tuple(Word(word.text, round(word.start, 2), round(word.end, 2), word.probability) for word in words),
    )


def share_out(
    timings: Sequence[Timing],
    lines: Sequence[Line],
    begin: float,
    median: float,
    spoken: float,
    vocabulary: Vocabulary,
) -> list[list[Timing]]:
    """The words of each line of a window that starts at `begin` seconds, on the recording's clock; the last word before
    ended at `spoken`. `median` is the length of a word, in seconds, as `tidy` found it."""
    found, at = [], 0
    for line in lines:
        left = sum(token < vocabulary.end for token in line.tokens)
        words = []
        while left > 0 and at < len(timings):
            timing = timings[at]
            # To the hundredth, as openai-whisper rounds: the rules of `fit` compare times that are often equal.
            start, end = round(begin + timing.start, 2), round(begin + timing.end, 2)
            words.append(replace(timing, start=start, end=end))
            left -= len(timing.tokens)
            at += 1
        words, spoken = fit(words, line.start, line.end, median, spoken)
        found.append(words)
    return found


def _next_prompt(prompt: list[int], lines: Sequence[Line], text: WindowText) -> list[int]:
    """The prompt and the new text; empty after a text drawn at too high a temperature."""
    return (
        []
        if text.temperature > MOST_PROMPT_TEMPERATURE
        else [*prompt, *(token for line in lines for token in line.tokens)]
    )


@dataclass(frozen=True)
class WindowSamples:
    """Samples of a recording for one window, and those around them, as PartFeatureExtractor takes them."""

    samples: Samples
    before: Samples
    behind: Samples


class SampleBuffer:
    """Keeps the part of a stream of blocks that the next window needs."""

    def __init__(self, blocks: Iterator[Samples]) -> None:
        self._blocks, self._first = blocks, 0
        self._kept: Samples = np.zeros(0, np.float32)

    def part(self, start: int) -> WindowSamples:
        """The part that begins at `start`, at most a window long and empty at the end.

        Parts are asked for in order of their start.
        """
        first = max(0, start - BEFORE)
        pieces, have = [self._kept[first - self._first :]], self._first + len(self._kept)
        while have < start + WINDOW_SECONDS * SAMPLE_RATE + MARGIN and (block := next(self._blocks, None)) is not None:
            pieces.append(block[max(0, first - have) :])
            have += len(block)
        self._kept, self._first = np.concatenate(pieces), first
        behind = start - first + WINDOW_SECONDS * SAMPLE_RATE
        return WindowSamples(
            self._kept[start - first : behind], self._kept[: start - first], self._kept[behind : behind + MARGIN]
        )
