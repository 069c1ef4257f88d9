"""`galley record`: what a microphone hears, on the disk first, then as text in the terminal while it is spoken."""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from desktop_app import folders
from desktop_app.app.wording import clock, missing
from desktop_app.audio import microphone
from desktop_app.audio.files import Samples
from desktop_app.audio.microphone import MicrophoneProblem
from desktop_app.audio.recording import Recorded, Recorder, new_place
from desktop_app.cli import checking, recover, results
from desktop_app.cli.keeping import Keeping
from desktop_app.cli.live_screen import LiveScreen, Status
from desktop_app.engine import arguments as model_options
from desktop_app.engine.client import Engine
from desktop_app.engine.messages import (
    Event,
    Failed,
    Finished,
    LiveOptions,
    LiveUpdate,
    Options,
    Preparing,
    Started,
)
from desktop_app.transcript import guarded
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.formats import FORMATS
from desktop_app.transcript.model import Models, Segment, Transcript

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def run(arguments: argparse.Namespace) -> int:
    """Record until Ctrl-C, or for so many seconds; gives the exit status."""
    with _quiet_libraries(), LiveScreen() as screen, contextlib.closing(Keeping(screen.say)) as keeping:
        if arguments.recover:
            return recover.run(FORMATS[arguments.format], options(arguments), arguments.check, keeping, screen.say)
        keeping.offer()
        return _Session(arguments, screen, keeping).run()


@dataclass(frozen=True)
class _Began:
    pass


@dataclass(frozen=True)
class _Level:
    peak: float


@dataclass(frozen=True)
class _Trouble:
    problem: MicrophoneProblem | None


@dataclass(frozen=True)
class _Return:
    """The key was pressed."""


_News = Event | _Began | _Level | _Trouble | _Return | Recorded


class _Ear:
    """Hears of the recording in the recorder's thread: sound goes to the engine, the rest to the main thread."""

    def __init__(self, engine: Engine, job: str, news: queue.SimpleQueue[_News]) -> None:
        self._engine, self._job, self._news = engine, job, news
        self.samples = 0

    def began(self) -> None:
        self._news.put(_Began())

    def block(self, samples: Samples, start: int) -> None:
        self.samples = start + samples.size
        self._engine.live_audio(self._job, start, samples)

    def level(self, peak: float, rms: float) -> None:
        self._news.put(_Level(peak))

    def trouble(self, problem: MicrophoneProblem | None) -> None:
        self._news.put(_Trouble(problem))

    def ended(self, recorded: Recorded) -> None:
        self._news.put(recorded)


class _Session:
    """One recording with its text."""

    def __init__(self, arguments: argparse.Namespace, screen: LiveScreen, keeping: Keeping) -> None:
        self._input: str | None = arguments.input
        self._seconds: float | None = arguments.seconds
        self._format = FORMATS[arguments.format]
        self._check: bool = arguments.check
        self._folder = Path(arguments.output) if arguments.output else folders.recordings()
        self._options = options(arguments)
        self._screen, self._keeping = screen, keeping
        self._news: queue.SimpleQueue[_News] = queue.SimpleQueue()
        self._segments: list[Segment] = []
        self._models = Models("", "", "", "", "")
        self._transcript: Transcript | None = None
        self._recorder: Recorder | None = None  # while it records
        self._recorded: Recorded | None = None
        self._paused = False
        self._failed = ""

    def run(self) -> int:
        """From the first sample to the last word; gives the exit status."""
        try:
            source = microphone.find(self._input) if self._input else microphone.inputs()[0]
            path = new_place(self._folder)
        except MicrophoneProblem as problem:
            self._screen.say(f"galley: {problem}")
            return FAILED
        except OSError as error:
            self._screen.say(f"{self._folder}: it cannot be written ({error.strerror or error}); choose another folder")
            return USAGE
        self._screen.status.source = source.name
        job = self._keeping.begin(path)
        engine = Engine(self._news.put)
        ear = _Ear(engine, job, self._news)
        recorder = Recorder(path, source.id if self._input else None, ear)  # None: the system's choice may change
        try:
            engine.start_live(job, self._options, LiveOptions(path=str(path)))
            recorder.start()
        except (MicrophoneProblem, KeyboardInterrupt) as problem:
            recorder.stop()
            engine.close()
            self._keeping.forget()
            if isinstance(problem, MicrophoneProblem):
                self._screen.say(f"galley: {problem}")
            return FAILED if isinstance(problem, MicrophoneProblem) else INTERRUPTED
        self._screen.say(f"{_begin_to_listen(self._news)}. The sound goes to {path}")
        self._recorder = recorder
        try:
            return self._record(engine, job, ear, recorder)
        finally:
            recorder.stop()
            engine.close()

    def _record(self, engine: Engine, job: str, ear: _Ear, recorder: Recorder) -> int:
        status = DONE
        try:
            with contextlib.suppress(KeyboardInterrupt):  # that is how one stops
                while self._recorded is None and (self._seconds is None or ear.samples < self._seconds * SAMPLE_RATE):
                    self._take_next(ear)
            self._recorder = None
            recorded = recorder.stop()
            self._screen.status.state = "Writing the last words"
            engine.stop_live(job)
            while self._transcript is None and not self._failed:
                self._take_next(ear)
        except KeyboardInterrupt:
            recorded = recorder.stop()
            status = INTERRUPTED
        if not recorded.seconds:
            self._keeping.forget()
            self._screen.say(recorded.notice)
            return FAILED
        status = max(status, self._keep(recorded))
        if self._check and self._transcript is not None and status == DONE:
            status = self._compare(engine, self._transcript)
        return status

    def _take_next(self, ear: _Ear) -> None:
        with contextlib.suppress(queue.Empty):
            self._take(self._news.get(timeout=0.1))
        self._screen.status.seconds = ear.samples / SAMPLE_RATE

    def _take(self, news: _News) -> None:
        shown = self._screen.status
        match news:
            case _Began():
                shown.state = "Recording"
            case _Level():
                shown.peak = news.peak
            case _Trouble():
                shown.peak = 0.0
                self._screen.say(f"galley: {news.problem}" if news.problem else "galley: all is well again")
            case _Return():
                self._toggle_pause()
            case Recorded():
                self._recorded = news
            case Preparing():
                self._screen.say(f"{news.what}.")
            case Started():
                if news.models.notice not in ("", self._models.notice):  # another engine says it once more
                    self._screen.say(news.models.notice)
                self._models = news.models
                self._keeping.models(news.models)
            case LiveUpdate():
                self._write(news.committed)
                if news.committed or news.guarded:
                    self._keeping.note(news)
                shown.ink, shown.uncommitted, shown.draft = news.committed_text, news.uncommitted, news.draft
                shown.latency, shown.backlog = news.latency, news.heard - news.decoded
            case Finished():
                if not news.transcript.speakers:  # with speakers lines are split; all of them were told before
                    self._write(news.transcript.segments[len(self._segments) :])
                self._transcript = news.transcript
            case Failed():
                self._failed = f"{news.reason}; {news.remedy}"
                shown.ink = shown.uncommitted = shown.draft = ""
                self._screen.say(f"galley: the text stops here: {self._failed}. The recording goes on.")

    def _toggle_pause(self) -> None:
        """Leave out what is said for a while, or go on."""
        recorder, shown = self._recorder, self._screen.status
        if recorder is None:
            return
        try:
            if self._paused:
                recorder.resume()
            else:
                recorder.pause()
        except MicrophoneProblem as problem:
            self._screen.say(f"galley: {problem}. It is still paused.")
            return
        self._paused, shown.peak = not self._paused, 0.0
        shown.state = "Paused" if self._paused else "Waiting for sound"
        self._screen.say("Paused. Return goes on." if self._paused else "Going on.")

    def _write(self, segments: Sequence[Segment]) -> None:
        for segment in segments:
            self._segments.append(segment)
            self._keeping.append(segment)
            self._screen.line(segment.text)

    def _keep(self, recorded: Recorded) -> int:
        """Store the text, and say where everything is."""
        self._keeping.recorded(recorded.seconds)
        if recorded.notice:
            self._screen.say(recorded.notice)
        if recorded.gaps:
            self._screen.say(missing(recorded.gaps))
        self._screen.say(f"Recording: {recorded.path} ({clock(recorded.seconds)})")
        whole = self._transcript
        if whole is None:
            again = f"galley transcribe {shlex.quote(str(recorded.path))} writes all of it down"
            self._keeping.fail(self._failed or "it was stopped before its text was finished")
            self._screen.say(f"The text is not finished; {again}.")
            whole = Transcript(str(recorded.path), recorded.seconds, "", 0.0, self._models, tuple(self._segments))
        else:
            self._keeping.finish(whole)
        if whole.guarded:
            self._screen.say(guarded.sentence(whole.guarded))
        if self._segments or self._transcript is not None:
            place = recorded.path.with_suffix(f".{self._format.extension}")
            results.keep(whole, place, self._format, "Text", self._screen.say)
        return DONE if self._transcript is not None else FAILED

    def _compare(self, engine: Engine, live: Transcript) -> int:
        """Transcribe the file as any other, and say how many words that would change."""
        self._screen.status = Status(state="Checking against the file")
        try:
            done = checking.compare(engine, self._news, live, self._options, self._format, self._screen.say)
        except KeyboardInterrupt:
            self._screen.say("Interrupted: the recording and its text are kept.")
            return INTERRUPTED
        return DONE if done else FAILED


def options(arguments: argparse.Namespace) -> Options:
    """What was asked of the models."""
    # A word has one speaker, a line may have two.
    return model_options.options(arguments, words=arguments.speakers != "off", speakers=arguments.speakers)


def _begin_to_listen(news: queue.SimpleQueue[_News]) -> str:
    """Tell of every Return from now on, where somebody can press it; gives the keys that do something."""
    if sys.stdin is None or not sys.stdin.isatty():
        return "Ctrl-C ends it"
    if hasattr(signal, "SIGTTIN"):  # it would halt a recording that is sent to the background
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    keys = sys.stdin.fileno()

    def listen() -> None:
        with contextlib.suppress(OSError):
            while os.read(keys, 1024):  # past Python's buffer, whose lock would keep the program from ending
                news.put(_Return())

    Thread(target=listen, name="keys", daemon=True).start()
    return "Return pauses, Ctrl-C ends it"


@contextlib.contextmanager
def _quiet_libraries() -> Iterator[None]:
    """PortAudio and ALSA print what only their authors understand on standard error, in the middle of the text."""
    try:
        is_ours = sys.stderr.fileno() == 2
    except (OSError, ValueError):
        is_ours = False
    if not is_ours:
        yield
        return
    before, said = sys.stderr, os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stderr = os.fdopen(said, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    try:
        yield
    finally:
        sys.stderr.flush()
        sys.stderr = before
        os.dup2(said, 2)
        os.close(said)
