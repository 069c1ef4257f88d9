"""One recording as the window knows it, and the words for its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

from desktop_app.app.presentation import dates, wording
from desktop_app.app.recordings.speed_history import SpeedHistory
from desktop_app.library.rows import DAMAGED
from desktop_app.messages.jobs import LiveUpdate, TentativeLine
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript.model import NO_MODELS, GuardReport, Models, Segment, Speaker, Transcript
from desktop_app.transcript.speakers import called
from desktop_app.transcript.statistics import Statistics

WAITING, WORKING, DONE = "waiting", "working", "done"
RECORDING = "recording"
FAILED, CANCELLED, INTERRUPTED = "failed", "cancelled", "interrupted"
IN_WORK = (WAITING, WORKING, RECORDING)
BROKEN_OFF = (FAILED, CANCELLED, INTERRUPTED)
_OF_DEVICES = frozenset(
    f"model.{code}"
    for code in (
        "no_device", "device_failed", "device_refused", "device_memory",
        "no_accelerator", "no_cuda", "no_cuda_device", "no_torch", "torch_broken",
    )
)  # fmt: skip
"""Codes of what goes wrong for the device that was asked for."""

_NOT_REPORTED = 2.0  # seconds between two words from the engine that are nothing unusual


@dataclass(frozen=True)
class LiveLine(TentativeLine):
    """The line that is being spoken; the first `final` characters of `verified` will not change any more."""

    final: int = 0


@dataclass(frozen=True)
class LiveState:
    """The state of a live recording.

    Attributes:
        paused: whether the user has halted it.
        behind: seconds of sound that had no text yet, when the engine had received `received` seconds.
        latency: seconds from a sound to its text, at the last update; None before the first one.
        speaking: whether somebody speaks now.
        deaf: whether no sound arrives because of the input.
    """

    paused: bool = False
    behind: float = 0.0
    received: float = 0.0
    latency: float | None = None
    speaking: bool = False
    deaf: bool = False


@dataclass
class Entry:
    """A recording, its state, and its text as far as it is written.

    Attributes:
        seconds: length of the audio, 0.0 while unknown; `done_seconds` of it are transcribed.
        problem: why it failed, if it did.
        damage: what of the file could not be read, or None.
        guarded: what the guard did.
        preparing: what the engine does before the first word, or "".
        held: whether a live recording goes before it in the engine; `paused`: whether the queue is paused.
        place: where the user has put it in the queue, 0.0 for nowhere.
        title, tags, notes: what the user calls it, how it is sorted, and what is written about it.
        spoken: whether Galley recorded the file itself, and may delete it; not one that the user has located.
        live: how such a recording goes on, until its text is settled; else None.
        kept: how many lines of an interrupted one stay while the transcription continues behind them.
        lines: the window in work, not final yet.
        loaded: whether `segments` is what the library has.
        elsewhere: whether another Galley works on it.
        corrected: whether a reader has corrected this text or the one before it.
        reworded: whether its words are a reader's in part: only the reader puts another text in its place.
        marks: moments that the user has marked, in seconds and in order.
        names: those that the user has given to speakers while it is recorded, by their ids.
        options: what is asked of the models for it; None for what the preferences say.
        attempt: what was asked of the models for a version that a program was writing which is gone; None for none.
        switching: whether another of its versions is about to stand: nothing is edited meanwhile.
        resumable: whether the transcription of a file can be resumed behind its last window.
        history: how fast it went, as far as that was seen since this start of Galley.
    """

    id: str
    path: str
    file_name: str
    created: datetime
    state: str = WAITING
    seconds: float = 0.0
    done_seconds: float = 0.0
    problem: Problem | None = None
    damage: Problem | None = None
    guarded: tuple[GuardReport, ...] = ()
    preparing: str = ""
    held: bool = False
    paused: bool = False
    place: float = 0.0
    title: str = ""
    tags: tuple[str, ...] = ()
    notes: str = ""
    spoken: bool = False
    live: LiveState | None = None
    kept: int = 0
    language: str = ""
    language_probability: float = 0.0
    models: Models | None = None
    stats: Statistics = field(default_factory=Statistics)
    segments: list[Segment] = field(default_factory=list)
    speakers: tuple[Speaker, ...] = ()
    lines: Sequence[TentativeLine] = ()
    loaded: bool = False
    elsewhere: bool = False
    corrected: bool = False
    reworded: bool = False
    marks: tuple[float, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    options: Options | None = None
    attempt: Options | None = None
    switching: bool = False
    resumable: bool = False
    history: SpeedHistory = field(default_factory=SpeedHistory)

    @property
    def progress(self) -> float:
        """The share that is done, 0 to 1; the line being written counts."""
        if self.state == DONE:
            return 1.0
        reached = max([self.done_seconds, *(line.start for line in self.lines[-1:])])
        return min(reached / self.seconds, 1.0) if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest will take if it goes on as before; None while that cannot be told."""
        if self.state != WORKING or not self.seconds or not self.stats.audio_seconds or not self.stats.wall_seconds:
            return None
        return max(self.seconds - self.done_seconds, 0.0) * self.stats.wall_seconds / self.stats.audio_seconds

    @property
    def is_damaged(self) -> bool:
        """Whether the library cannot read all of it: then it stays as it is."""
        return self.damage == DAMAGED

    @property
    def is_half_written(self) -> bool:
        """Whether this is a live recording whose text was broken off: its lines stand, and the rest can be written."""
        return self.spoken and self.state in BROKEN_OFF

    @property
    def has_begun(self) -> bool:
        """Whether anything of it was read: a file that only waited in the queue has not begun."""
        known = self.seconds or self.segments or (self.models is not None and self.models.target)
        return self.spoken or self.resumable or bool(known)

    @property
    def failed_for_device(self) -> bool:
        """Whether it failed for the device that was asked for, so that the CPU may transcribe it."""
        problem = self.problem
        if self.state != FAILED or problem is None or problem.code not in _OF_DEVICES:
            return False
        return not str(problem.values.get("device", "")).lower().startswith("cpu")

    @property
    def has_text(self) -> bool:
        """Whether there is anything to read, save or copy."""
        return bool(self.segments)

    @property
    def name(self) -> str:
        """What it is called in lists and headings, in the language in use."""
        return self.title or self.own_name

    @cached_property
    def local(self) -> datetime:
        """When it was made, in the time of this place."""
        return self.created.astimezone()

    def _listed(self, now: datetime) -> str:
        """When it was made, under the heading of its day or month."""
        day, today = self.local.date(), now.date()
        if today - timedelta(days=today.weekday()) <= day < today - timedelta(days=1):
            return dates.weekday(day)
        return wording.day(self.created, now)

    @property
    def own_name(self) -> str:
        """What it is called without a title of the user's."""
        return wording.live_title(self.created) if self.spoken else self.file_name

    def shown(self) -> Transcript:
        """The transcript with the names of its speakers as they are shown and exported."""
        return replace(self.transcript(), speakers=wording.named(self.speakers))

    def transcript(self) -> Transcript:
        """The text so far, as it is stored."""
        return Transcript(
            self.path,
            self.seconds,
            self.language,
            self.language_probability,
            self.models or NO_MODELS,
            tuple(self.segments),
            self.speakers,
            self.stats,
            self.damage,
            self.guarded,
        )

    @property
    def behind(self) -> float:
        """Seconds of sound that have no text yet; also when the engine is too busy to say so."""
        if self.live is None:
            return 0.0
        waiting = self.seconds - self.live.received
        return self.live.behind + (waiting if waiting > _NOT_REPORTED else 0.0)

    def take_in(self, update: LiveUpdate) -> None:
        """What a live recording has come to: new segments, and the line that is being spoken."""
        self.segments += update.segments
        self._give(dict(update.speakers))
        written = update.final + update.provisional
        line = LiveLine(update.start, written, update.draft, len(update.final))
        self.lines = (line,) if (written + update.draft).strip() else ()
        self.done_seconds, self.stats = update.decoded, update.stats
        self.history.note(update.decoded, update.stats)
        behind = max(update.received - update.decoded, 0.0)
        self.live = replace(  # what was said before a pause still comes
            self.live or LiveState(),
            behind=behind,
            received=update.received,
            latency=update.latency,
            speaking=update.speaking,
        )

    def _give(self, speakers: dict[int, str]) -> None:
        """Lines, by their ids, are said by these speakers."""
        if speakers:
            self.segments = [replace(it, speaker=speakers.get(it.id, it.speaker)) for it in self.segments]
            known = sorted({it.speaker for it in self.segments if it.speaker}, key=lambda who: int(who[1:]))
            self.speakers = tuple(Speaker(who, self.names.get(who, called(who))) for who in known)

    def take_over(self, transcript: Transcript) -> None:
        """Have the text, the models and the figures of a transcript."""
        self.segments, self.speakers = list(transcript.segments), transcript.speakers
        self.seconds = transcript.seconds or self.seconds
        self.models, self.stats, self.damage = transcript.models, transcript.stats, transcript.damage
        self.guarded = transcript.guarded
        self.language, self.language_probability = transcript.language, transcript.language_probability

    def begin_again(self) -> None:
        """Forget the earlier run."""
        self.state, self.problem, self.preparing = WAITING, None, ""
        self.damage, self.guarded = None, ()
        self.done_seconds, self.stats, self.lines, self.segments, self.live = 0.0, Statistics(), (), [], None
        self.kept, self.speakers, self.resumable, self.reworded = 0, (), False, False
        self.history = SpeedHistory()

    def progress_words(self) -> str:
        """Where the work stands, for the page and the list."""
        if self.elsewhere:
            return _("Recording in another Galley") if self.state == RECORDING else _("In progress in another Galley")
        if self.state == RECORDING:
            if not self.seconds:
                return _("Opening the microphone…")
            live = self.live or LiveState()
            return wording.recording(wording.clock(self.seconds), live.paused, live.deaf)
        if self.held:
            return _("Paused while recording")
        if self.paused:
            reached = wording.percent(self.progress) if self.seconds else ""
            return _("Paused · {time}", time=reached) if reached and self.has_text else _("Paused")
        if self.state == WAITING:
            return _("Queued")
        if self.preparing:
            return self.preparing
        share = wording.percent(self.progress) if self.seconds else wording.clock(self.done_seconds)
        remaining = self.seconds_left
        return f"{share} · {wording.left(remaining)}" if remaining is not None and self.progress < 1 else share

    def summary(self, now: datetime | None = None) -> str:
        """The second line of its row in the list."""
        if self.state in IN_WORK:
            return self.progress_words()
        if self.state == FAILED:
            return _("Incomplete") if self.seconds else _("Failed")
        when = self._listed((now or datetime.now(UTC)).astimezone())
        if self.state == DONE:
            parts = [when, wording.length(self.seconds)] if self.seconds else [when]
        else:
            stopped = _("Stopped") if self.state == CANCELLED else _("Interrupted")
            parts = [when, stopped if self.has_begun else _("Not transcribed")]
        return " · ".join((*parts, *(f"#{tag}" for tag in self.tags)))
