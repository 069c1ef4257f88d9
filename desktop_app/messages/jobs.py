"""Everything that window, command line and engine say to each other: frozen dataclasses over a pipe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.model import GuardReport, Models, ResumePoint, Segment, Span, Transcript
from desktop_app.transcript.statistics import Statistics

BEAT_SECONDS = 1.0
"""Seconds between two Beats, and at most between two looks of the parent's watchdog at the clock."""


class Announce(Protocol):
    """Called with a stage of Preparing."""

    def __call__(self, stage: str, **values: str) -> None: ...


# What the engine is asked. `job` is the asker's own name for a piece of work and comes back in every answer.


@dataclass(frozen=True)
class Transcribe:
    """Transcribe one file. Text of its beginning that was `written` before stays; Finished has both.

    With a `place`, resume there: an earlier engine transcribed the windows before it, and the rest is what that engine
    would have written. If the file or the models have changed since, the whole file is transcribed again. Without one,
    the beginning was transcribed live, and what follows its last line is transcribed by the rules of live text.

    With a `span`, in seconds, only that stretch is transcribed, as if it were a recording of its own; the times of its
    text are those of the whole one.
    """

    job: str
    path: str
    options: Options = field(default_factory=Options)
    written: Transcript | None = None
    place: ResumePoint | None = None
    span: Span | None = None


@dataclass(frozen=True)
class FindSpeakers(Transcribe):
    """Do not transcribe the file, or the `span` of it, but find out who speaks when in it, with the `speakers` of the
    options; Finished has the speakers with their turns, and no text. Turns of a span count from its beginning."""


@dataclass(frozen=True)
class LiveOptions:
    """What is asked of a live session beside the Options. `path` is the file that the recording is written to: the
    transcript is that file's, and it may be empty where nothing is kept.

    `smaller` lets a smaller installed target write while somebody speaks, where the chosen one is too slow for that.
    `previous` is whether the text of the update before is the first draft of the next one; off only for comparison.
    """

    path: str = ""
    smaller: bool = True
    previous: bool = True


@dataclass(frozen=True)
class LiveResume:
    """Where a session resumes after its engine ended: at the recording's sample `at`, after the final `text` of an open
    line. `segments` were finished before, in `language` ("" if unknown), by `speakers` people."""

    at: int = 0
    text: str = ""
    segments: int = 0
    language: str = ""
    speakers: int = 0


@dataclass(frozen=True)
class StartLive:
    """Transcribe live; the sound comes as LiveAudio. File jobs pause at their next window until the session is over."""

    job: str
    options: Options = field(default_factory=Options)
    live: LiveOptions = field(default_factory=LiveOptions)
    resume: LiveResume = field(default_factory=LiveResume)


@dataclass(frozen=True)
class LiveAudio:
    """The next block: `samples` are float32, little endian, mono, 16 kHz; the first is the recording's sample
    `start`."""

    job: str
    start: int
    samples: bytes


@dataclass(frozen=True)
class StopLive:
    """The audio has ended: the rest is transcribed, then comes Finished."""

    job: str


@dataclass(frozen=True)
class Cancel:
    """Stop the job at the next pass; the engine answers with Cancelled."""

    job: str


@dataclass(frozen=True)
class Shutdown:
    """End the process when the current pass is over."""


# What the engine answers.


@dataclass(frozen=True)
class Beat:
    """Sent every second while there is work: the process runs, and its working thread has made `steps` of progress."""

    steps: int


@dataclass(frozen=True)
class Preparing:
    """Work that comes before the first word: a stage of `app/presentation/stages.py`, and what its sentence names."""

    job: str
    stage: str
    values: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Started:
    """The file is open and the models are loaded. `audio_seconds` is 0 where the container does not tell its length
    and for a live session. Sent again when a replacement engine resumes: `kept` is how many finished segments of the
    file are still valid."""

    job: str
    audio_seconds: float
    models: Models
    kept: int = 0


@dataclass(frozen=True)
class TentativeLine:
    """A segment of the current window: it begins at `start` seconds; `verified` is the target's text, `draft` is not
    verified yet."""

    start: float
    verified: str
    draft: str


@dataclass(frozen=True)
class Tentative:
    """The lines after the last finished segment so far; only the last line can have a draft.

    Each one replaces the one before; the SegmentReady events at the end of the window replace them all, with the
    same text. While a long file is still being read they may be of several windows, and another text may come.
    """

    job: str
    lines: tuple[TentativeLine, ...]


@dataclass(frozen=True)
class SegmentReady:
    """A segment that will not change any more."""

    job: str
    segment: Segment


@dataclass(frozen=True)
class Progress:
    """How far the job is, after each window, with the figures so far; `done_seconds` of the audio are transcribed.

    `guarded` is what the guard did since the last time. `place` is where another engine could go on; None where the
    beginning was written live, or is tentative.
    """

    job: str
    done_seconds: float
    audio_seconds: float
    stats: Statistics
    guarded: tuple[GuardReport, ...] = ()
    place: ResumePoint | None = None


@dataclass(frozen=True)
class LiveUpdate:
    """The state of a live session, several times a second while somebody speaks.

    The whole text is all segments so far, then `final`, `provisional` and `draft`.

    Attributes:
        segments: segments finished since the last update; they never change.
        final: the beginning of the open line after the last segment. It only grows, and the next segment's text begins
            with it.
        provisional: the text that follows, by the target, which may still change.
        draft: the text that follows that, by the draft alone.
        start: where the open line begins, in seconds.
        received: seconds of audio that have come in.
        decoded: seconds of audio that the text covers; `received` less this is the backlog.
        latency: seconds from the newest audio of the last text to that text; stays as it is in silence and in a pause.
        speaking: whether somebody speaks now.
        stats: the figures so far.
        language: its code, "" while it is not known.
        speakers: segment id and speaker id ("S1") of finished segments whose speaker has become known or has changed
            since the last update.
        guarded: what the guard did since the last update.
    """

    job: str
    segments: tuple[Segment, ...]
    final: str
    provisional: str
    draft: str
    start: float
    received: float
    decoded: float
    latency: float
    speaking: bool
    stats: Statistics
    language: str = ""
    speakers: tuple[tuple[int, str], ...] = ()
    guarded: tuple[GuardReport, ...] = ()


@dataclass(frozen=True)
class Finished:
    """The job is done."""

    job: str
    transcript: Transcript


@dataclass(frozen=True)
class Cancelled:
    """The job was stopped on request; the segments sent before stand."""

    job: str


@dataclass(frozen=True)
class Failed:
    """The job cannot be done."""

    job: str
    problem: Problem


Request = Transcribe | StartLive | LiveAudio | StopLive | Cancel | Shutdown
Event = Preparing | Started | Tentative | SegmentReady | Progress | LiveUpdate | Finished | Cancelled | Failed
