"""One job of the engine: a file becomes events."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from threading import Event, Thread
from time import perf_counter

import numpy as np
import numpy.typing as npt

from desktop_app.audio.files import AudioFile
from desktop_app.audio.logmel import features
from desktop_app.audio.spectrogram import SHORT, Spectrogram
from desktop_app.audio.voice import VoiceGate, cut_at_pause
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.decoding import batch, live_remainder, longform
from desktop_app.decoding.lines import Line
from desktop_app.decoding.speculation import CancelledError
from desktop_app.decoding.vocabulary import ENGLISH
from desktop_app.decoding.window import Language
from desktop_app.messages.jobs import (
    Cancelled,
    Failed,
    FindSpeakers,
    Finished,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
    TentativeLine,
    Transcribe,
)
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS
from desktop_app.transcript.continued import continued
from desktop_app.transcript.model import GuardReport, Models, ResumePoint, Segment, Span, Transcript, shifted
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.so_far import TextSoFar
from desktop_app.transcript.statistics import Counter, Statistics
from desktop_app.worker.file_speakers import OFF, FileSpeakers
from desktop_app.worker.loaded_models import ModelCache, Pair
from desktop_app.worker.outbox import Outbox

_TURN_SECONDS = 0.1  # between two looks whether a job that waits is cancelled

_TURN = 30 * SAMPLE_RATE
"""Samples after which speakers are worked on, where there is no window to wait for."""


def run(
    request: Transcribe,
    model_cache: ModelCache,
    outbox: Outbox,
    cancelled: Callable[[], bool],
    pause: Callable[[], None] = lambda: None,
) -> None:
    """Run a job and send its events, up to Finished, Failed or Cancelled; the last comes soon after `cancelled` says
    yes. `pause` is called between two windows, and before the first one, and may take its time.
    """
    try:
        if isinstance(request, FindSpeakers):
            found = _find_speakers(request, outbox, cancelled, pause)
        else:
            found = _transcribe(request, model_cache, outbox, cancelled, pause)
        outbox.send(Finished(request.job, found))
    except CancelledError:
        outbox.send(Cancelled(request.job))
    except Problem as problem:
        outbox.send(Failed(request.job, problem))


def _find_speakers(
    request: FindSpeakers, outbox: Outbox, cancelled: Callable[[], bool], pause: Callable[[], None]
) -> Transcript:
    """The speakers of a file, or of a span of it, in a transcript without text."""
    finder, samples = FileSpeakers(request.options.speakers), 0
    with _Sound(request.path, request.span) as sound:
        for block in sound:
            if cancelled():
                raise CancelledError
            finder.feed(block)
            if samples // _TURN != (samples + block.size) // _TURN:
                pause()
                finder.work()
                outbox.send(Progress(request.job, samples / SAMPLE_RATE, sound.seconds, Statistics()))
            samples += block.size
        made = finder.finish(TextSoFar(request.path).transcript(samples / SAMPLE_RATE, sound.damage))
    if made.models.notices:
        raise made.models.notices[0]
    return made


def _transcribe(
    request: Transcribe,
    model_cache: ModelCache,
    outbox: Outbox,
    cancelled: Callable[[], bool],
    pause: Callable[[], None],
) -> Transcript:
    """Wall-clock time counts from the moment the models are loaded."""

    def announce(stage: str, **values: str) -> None:
        if cancelled():
            raise CancelledError
        outbox.send(Preparing(request.job, stage, values))

    if request.options.batch > 1 and request.options.condition:
        raise Problem("model.batch_condition")
    with _Sound(request.path, request.span) as sound:
        pair = model_cache.pair(request.options, announce)
        checkpoint, models = pair.target.checkpoint, pair.described()
        settings = settings_of(request.options, checkpoint)
        file = _identity(request.path)
        if request.place and not _can_resume(request, models, file):
            request = replace(request, written=None, place=None)
        live = request.written if request.place is None else None
        if live and settings.language is None and checkpoint.vocabulary.knows(live.language):
            settings = replace(settings, language=live.language)
        attribution = FileSpeakers(request.options.speakers) if request.options.speakers != OFF else None
        work = _Work(request, outbox, cancelled, pause, checkpoint, sound.seconds, attribution, file)
        rows, spectrogram = None if live else pair.batch(request.options.guard), None
        if not live and rows is None:
            if sound.seconds > WINDOW_SECONDS:
                announce("loudness")
            spectrogram = Spectrogram(work.with_pauses(sound.beginning()), pair.mel_bins, is_whole=False)
        outbox.send(Started(request.job, sound.seconds, models, work.kept))
        setup, blocks = pair.setup(request.options.guard), work.counted(sound)
        if spectrogram is not None:
            with work.measuring(spectrogram, sound.rest()):
                try:
                    _transcribe_from_beginning(sound, spectrogram, pair, work, settings, request)
                finally:
                    pair.keep_measurements()
        elif rows is not None:
            batch.transcribe(blocks, features, rows, cut_at_pause, work, settings, work.counter, request.place)
        else:
            live_remainder.transcribe(blocks, work.since, features, setup, VoiceGate(), work, settings, work.counter)
        whole = work.transcript(models, sound.damage)
        return attribution.finish(whole) if attribution else whole


def _transcribe_from_beginning(
    sound: _Sound, spectrogram: Spectrogram, pair: Pair, work: _Work, settings: Settings, request: Transcribe
) -> None:
    """Transcribe window by window, and once more where the rest of the recording has a sound so loud that the features
    of its beginning are others."""
    while True:
        setup = replace(pair.setup(request.options.guard), look_ahead=pair.look_ahead())
        blocks = work.counted(sound)
        try:
            longform.transcribe(blocks, spectrogram.features, setup, work, settings, work.counter, request.place)
            work.settle(wait=True)
        except _LouderError:
            sound.open_again()
            work.begin_again()
        else:
            return


def _identity(path: str) -> tuple[int, int]:
    """Bytes of a file and nanoseconds of its last change."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _can_resume(request: Transcribe, models: Models, file: tuple[int, int]) -> bool:
    """Whether this engine would have written the same text so far: the file, the model and its device are the same."""
    before = request.written.models if request.written else None
    if before is None or request.place is None or request.place.file != file:
        return False
    names = ("target", "device", "precision", "batch")
    return all(getattr(before, name) == getattr(models, name) for name in names)


def settings_of(options: Options, checkpoint: Checkpoint) -> Settings:
    """The options in the checkpoint's own terms; Problem for what it cannot do."""
    vocabulary = checkpoint.vocabulary
    if options.task == "translate" and not vocabulary.translates:
        raise Problem("model.no_translation", model=checkpoint.name)
    return Settings(
        _language(options.language, checkpoint),
        options.task == "translate",
        options.timestamps,
        tuple(checkpoint.tokens(f" {options.prompt.strip()}")) if options.prompt.strip() else (),
        options.condition,
        options.temperatures,
        options.words,
        tuple(checkpoint.tokens(f" {', '.join(options.hot_words)}")) if options.hot_words else (),
    )


def _language(wanted: str, checkpoint: Checkpoint) -> str | None:
    """The language to transcribe in, None to detect it."""
    if wanted == "auto":
        return None
    if not checkpoint.vocabulary.knows(wanted):
        known = checkpoint.vocabulary.languages or (ENGLISH,)
        if len(known) > 9:
            raise Problem("model.language", model=checkpoint.name, language=wanted)
        languages = ", ".join(sorted(known))
        raise Problem("model.language_of", model=checkpoint.name, language=wanted, languages=languages)
    return wanted


class _Sound:
    """The blocks of a file, or of a stretch of it. Attributes: seconds (0.0 where the container does not tell its
    length)."""

    def __init__(self, path: str, span: Span | None) -> None:
        self._path, self._span = path, span
        self._most = round((span[1] - span[0]) * SAMPLE_RATE) if span else math.inf
        self._files, self._again = ExitStack(), ExitStack()
        self._kept: list[npt.NDArray[np.float32]] | None = None
        self._ahead: Iterator[npt.NDArray[np.float32]] = iter(())

    def __enter__(self) -> _Sound:
        self._audio = self._files.enter_context(self._file())
        self.seconds = self._audio.seconds
        if self._span:
            self.seconds = min(self._span[1], self.seconds or self._span[1]) - self._span[0]
        return self

    def __exit__(self, *about: object) -> None:
        self._again.close()
        self._files.close()

    def __iter__(self) -> Iterator[npt.NDArray[np.float32]]:
        return self._decoded(self._audio) if self._kept is None else iter(self._kept)

    @property
    def damage(self) -> Problem | None:
        """After reading, what could not be read."""
        return self._audio.damage

    def beginning(self) -> Iterator[npt.NDArray[np.float32]]:
        """The first blocks, before they are read for the text: all of a short recording, which is kept for that. A
        longer one is decoded again, and `rest` gives what follows."""
        kept, samples = list[npt.NDArray[np.float32]](), 0
        self._ahead = self._decoded(self._audio)
        for block in self._ahead:
            samples += block.size
            kept.append(block)
            if samples > SHORT:
                kept.clear()
            yield block
            if samples > SHORT:
                self.open_again()
                return
        self._kept = kept

    def rest(self) -> Iterator[npt.NDArray[np.float32]] | None:
        """The blocks behind the beginning, for another thread; None where there are none."""
        return self._ahead if self._kept is None else None

    def open_again(self) -> None:
        """Read it from its first block on once more."""
        self._again.close()
        self._audio = self._again.enter_context(self._file())

    def _file(self) -> AudioFile:
        return AudioFile(self._path, self._span[0] if self._span else 0.0)

    def _decoded(self, audio: AudioFile) -> Iterator[npt.NDArray[np.float32]]:
        left = self._most
        for block in audio:
            if block.size > left:
                block = block[: int(left)]
            left -= block.size
            if block.size:
                yield block
            if not left:
                return


class _LouderError(Exception):
    """The recording has a sound so loud that the features of its beginning are others."""


class _Measuring:
    """Reads the rest of a long recording for its loudest sound, while its beginning is transcribed. Attributes:
    spectrogram; free (cleared while it is to rest); ended."""

    def __init__(self, spectrogram: Spectrogram, rest: Iterator[npt.NDArray[np.float32]]) -> None:
        self.spectrogram, self.free, self.ended = spectrogram, Event(), Event()
        self._rest, self._stopped = rest, False
        self._error: BaseException | None = None
        self.free.set()
        Thread(target=self._run, name="loudness", daemon=True).start()

    def _run(self) -> None:
        try:
            for block in self._rest:
                self.free.wait()
                if self._stopped:
                    return
                self.spectrogram.add(block)
            self.spectrogram.finish()
        except BaseException as error:  # for the thread that waits
            self._error = error
        finally:
            self.ended.set()

    def settle(self) -> bool:
        """Once it has ended: whether what is transcribed stands. Raises Problem where the rest cannot be read."""
        if self._error is not None:
            raise self._error
        return self.spectrogram.settle()

    def stop(self) -> None:
        """Read no more."""
        self._stopped = True
        self.free.set()


class _Work(longform.DecodingListener):
    """Turns progress of the decoding into events, and collects the transcript.

    Attributes: counter; since (the sample with which decoding begins, after what is transcribed already); kept (the
    number of segments that are).
    """

    def __init__(
        self,
        request: Transcribe,
        outbox: Outbox,
        cancelled: Callable[[], bool],
        pause: Callable[[], None],
        checkpoint: Checkpoint,
        seconds: float,
        attribution: FileSpeakers | None,
        file: tuple[int, int],
    ) -> None:
        self.counter = Counter()
        self._request, self._outbox, self._cancelled, self._pause = request, outbox, cancelled, pause
        self._checkpoint, self._seconds, self._attribution = checkpoint, seconds, attribution
        self._began = perf_counter()
        self._text = TextSoFar(request.path)
        self._waiting: list[Segment] = []  # of which it is not known yet whether they stand
        self._measuring: _Measuring | None = None
        self._guarded_told, self._samples, self._fed = 0, 0, 0
        self._file, self._place = file, request.place
        lines = request.written.segments if request.written else ()
        self.kept, self._done = len(lines), lines[-1].end if lines else 0.0
        self.since = round(self._done * SAMPLE_RATE)
        if request.place:
            self.since, self._done = request.place.samples, request.place.samples / SAMPLE_RATE

    def with_pauses(self, blocks: Iterable[npt.NDArray[np.float32]]) -> Iterator[npt.NDArray[np.float32]]:
        """The blocks; before each of them live sessions run, and the job may be cancelled."""
        for block in blocks:
            self._check()
            self._rest()
            yield block

    @contextmanager
    def measuring(self, spectrogram: Spectrogram, rest: Iterator[npt.NDArray[np.float32]] | None) -> Iterator[None]:
        """Within the block the rest of a long recording is read for its loudest sound. Up to its end the text is
        tentative."""
        if rest is None:
            spectrogram.finish()
            spectrogram.settle()
            yield
            return
        measuring = self._measuring = _Measuring(spectrogram, rest)
        try:
            yield
        finally:
            self._measuring = None
            measuring.stop()

    def settle(self, wait: bool = False) -> None:
        """Send what is transcribed as final once it is; raises _LouderError where it has to be transcribed again. With
        `wait` not before that is known."""
        measuring = self._measuring
        while wait and measuring is not None and not measuring.ended.wait(_TURN_SECONDS):
            self._check()
            self._rest()
        if measuring is not None and measuring.ended.is_set():
            self._measuring = None
            self._seconds = measuring.spectrogram.seconds
            if not measuring.settle():
                raise _LouderError
            if wait:
                self._tell()

    def begin_again(self) -> None:
        """Forget what was transcribed; the sound comes once more from its first block on."""
        self.counter, self._text, self._place = Counter(), TextSoFar(self._request.path), self._request.place
        self._waiting.clear()
        self._samples, self._done = 0, self.since / SAMPLE_RATE

    def counted(self, blocks: Iterable[npt.NDArray[np.float32]]) -> Iterator[npt.NDArray[np.float32]]:
        """The blocks to decode; counts the samples of all blocks and passes them to the speaker networks."""
        for block in blocks:
            self._check()
            behind = 0 if self._place else max(0, self.since - self._samples)
            self._samples += block.size
            if self._attribution and self._samples > self._fed:
                self._attribution.feed(block)
                self._fed = self._samples
            if behind < block.size:
                yield block[behind:]

    def language(self, language: Language) -> None:
        self._text.language, self._text.language_probability = language.code, language.probability

    def tentative(self, lines: Sequence[Line], draft: Sequence[int]) -> None:
        self._check()
        if self._waiting:  # they stand before it, and are too many to be sent with every word
            return
        written, ahead, begin = tuple(lines), tuple(draft), self._done
        job, checkpoint = self._request.job, self._checkpoint
        self._outbox.tentative(lambda: Tentative(job, tentative_lines(checkpoint, written, ahead, begin)))

    def guarded(self, reports: Sequence[GuardReport]) -> None:
        self._text.add((), reports)

    def reached(self, place: ResumePoint) -> None:
        self._place = replace(place, file=self._file)

    def segments(self, segments: Sequence[Segment], done_seconds: float) -> None:
        self._check()
        for made in segments:
            segment = made if self._place else replace(made, id=self.kept + made.id)
            if self._request.span:
                segment = shifted(segment, self._request.span[0])
            self._text.add([segment])
            self._waiting.append(segment)
        self._done = done_seconds
        self.settle()
        self._tell()
        if self._attribution:
            self._attribution.work()
        self._rest()
        self._check()

    def _tell(self) -> None:
        """Send what was transcribed since the last time, and how far it is."""
        job, done = self._request.job, self._done
        stats = self._stats(done - self.since / SAMPLE_RATE)
        if self._request.place and self._request.written:
            stats = replace(self._request.written.stats + stats, audio_seconds=done)
        if self._measuring is not None:
            lines = tuple(TentativeLine(each.start, each.text, "") for each in self._waiting)
            self._outbox.send(Progress(job, done, self._seconds, stats))
            self._outbox.tentative(lambda: Tentative(job, lines))
            return
        for segment in self._waiting:
            self._outbox.send(SegmentReady(job, segment))
        self._waiting.clear()
        so_far = self._text.guarded
        guarded, self._guarded_told = tuple(so_far[self._guarded_told :]), len(so_far)
        self._outbox.send(Progress(job, done, self._seconds, stats, guarded, self._place))

    def transcript(self, models: Models, damage: Problem | None) -> Transcript:
        """The result."""
        seconds = self._samples / SAMPLE_RATE
        self._text.models, self._text.stats = models, self._stats(seconds)
        made = self._text.transcript(seconds, damage)
        return continued(self._request.written, made) if self._request.written else made

    def _rest(self) -> None:
        """Let live sessions run; the time they take does not count for the job."""
        paused = perf_counter()
        if self._measuring is not None:
            self._measuring.free.clear()
        self._pause()
        if self._measuring is not None:
            self._measuring.free.set()
        self._began += perf_counter() - paused

    def _check(self) -> None:
        if self._cancelled():
            raise CancelledError

    def _stats(self, seconds: float) -> Statistics:
        return replace(self.counter.total, audio_seconds=seconds, wall_seconds=perf_counter() - self._began)


def tentative_lines(
    checkpoint: Checkpoint, written: Sequence[Line], draft: Sequence[int], begin: float
) -> tuple[TentativeLine, ...]:
    """The lines of a window that starts at `begin`, with their text.

    A draft that begins with times opens a line, and it is shown up to the next time.
    """
    vocabulary, text = checkpoint.vocabulary, checkpoint.text
    lines = [TentativeLine(line.start, _whole(text(line.tokens)), "") for line in written]
    last = written[-1].tokens if written else ()
    at = 0
    while at < len(draft) and vocabulary.is_timestamp(draft[at]):
        at += 1
    if at or not lines:
        lines.append(TentativeLine(begin + vocabulary.seconds(draft[at - 1]) if at else begin, "", ""))
        last = ()
    end = at
    while end < len(draft) and draft[end] < vocabulary.end:
        end += 1
    verified, ahead = lines[-1].verified, _whole(text([*last, *draft[at:end]]))
    if ahead.startswith(verified):
        lines[-1] = replace(lines[-1], draft=ahead[len(verified) :])
    if not lines[-1].verified and not lines[-1].draft:
        lines.pop()
    return tuple(lines)


def _whole(text: str) -> str:
    """Text without the space that Whisper begins with, and without a character of which only some bytes are there."""
    return text.lstrip().rstrip("\ufffd")
