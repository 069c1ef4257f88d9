"""Other texts of a recording beside the one that stands: it is transcribed again as a whole or in part, and what
differs is accepted or refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from desktop_app.app.editing.versions import Versions, moved
from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.entry import DONE, IN_WORK, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.signals import Signal
from desktop_app.engine.file_keeper import FileKeeper
from desktop_app.library.rows import DAMAGED
from desktop_app.library.versions import STANDING
from desktop_app.messages.jobs import Cancelled, Event, Failed, Finished, Progress, Transcribe
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript.accepting import accepted
from desktop_app.transcript.difference import Change, changes, word_count
from desktop_app.transcript.guarded import without_missed
from desktop_app.transcript.model import Segment, Span, Transcript
from desktop_app.transcript.speakers import numbered

_JOB = "check:"
_MARGIN = 0.2  # seconds around lines that are transcribed again, where the pause is as long

RECHECK, AGAIN, PART, MISSED, VERSION = "recheck", "again", "part", "missed", "version"
"""Why there is another text: the second pass over a live recording; one that was asked for; that of some lines, or of
speech that has no line; a version of before that is only compared."""


@dataclass
class Check:
    """Another text of a recording.

    Attributes:
        kind: why there is one; options: what it was asked for with; span: of the lines, for a PART, or of the
            speech, where it was MISSED.
        progress: the share that is transcribed, 0 to 1.
        transcript: the other text, None until it is known; number: its version in the library, STANDING for none.
        changes: how it differs from the text, without what the reader has refused; before: the lines that were
            compared, of which `first` is the number of the first one.
        taken: how many changes the reader has accepted one by one.
        reworded: whether that text has words of the reader's own.
        problem: why it could not be read, if so.
        keeper: what is written of that text so far, for an engine that goes on; paused: whether the queue is paused.
    """

    kind: str = RECHECK
    options: Options = field(default_factory=Options)
    span: Span | None = None
    progress: float = 0.0
    transcript: Transcript | None = None
    number: int = STANDING
    changes: tuple[Change, ...] = ()
    before: tuple[Segment, ...] = ()
    first: int = 0
    refused: set[tuple[object, ...]] = field(default_factory=set)
    taken: int = 0
    problem: Problem | None = None
    reworded: bool = False
    keeper: FileKeeper | None = None
    paused: bool = False

    @property
    def words(self) -> int:
        """How many words would change."""
        return word_count(self.changes)

    @property
    def in_work(self) -> bool:
        """Whether the engine is at it."""
        return self.transcript is None and self.problem is None

    @property
    def is_whole(self) -> bool:
        """Whether the other text can take the place of the whole one: nothing was decided one by one."""
        return self.kind not in (PART, MISSED) and not self.refused and not self.taken


class Checks:
    """Attributes: running (checks by the id of their recording, those with a result too); versions.

    Signals: changed(id); told(sentence) when something was done; finished(id) when another text is there.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.changed: Signal[str] = Signal()
        self.told: Signal[str] = Signal()
        self.finished: Signal[str] = Signal()
        self.running: dict[str, Check] = {}
        self.versions = Versions(session)
        session.foreign.connect(self._handle)
        session.compared.connect(self.transcribe_version)
        session.changed.connect(self._stop_damaged)
        session.revised.connect(self._compare_again)
        session.replaced.connect(self._compare_again)
        session.removed.connect(self.forget)
        session.queue.changed.connect(self._show_pause)
        session.queue.resumed.connect(self._resume)
        session.queue.dropped.connect(lambda job: self.forget(job.removeprefix(_JOB)))

    @property
    def attempts(self) -> int:
        """How many versions are being written."""
        return sum(check.in_work and check.kind == AGAIN for check in self.running.values())

    def is_offered(self, key: str) -> bool:
        """Whether a text was just transcribed live, and a re-check was neither begun nor declined."""
        entry = self._session.entries.get(key)
        return entry is not None and entry.state == DONE and entry.live is not None and key not in self.running

    def begin(self, key: str) -> None:
        """Read the file of a recording from its beginning; its text stays as it is."""
        self._begin(key, Check(RECHECK, self._session.options()))

    def transcribe_version(self, key: str, options: Options | None = None) -> bool:
        """Transcribe a recording again; None of `options`: as it was asked for in a program that ended over it, else as
        the preferences say. The text that it gets becomes a version, which takes the place of the one that stands
        unless a reader has changed words in that. Whether it has begun: not where another check is in work."""
        entry = self._session.entries.get(key)
        left = entry.attempt if entry is not None else None
        return self._begin(key, Check(AGAIN, options or left or self._session.options()))

    def redo(self, key: str, first: int, last: int, options: Options) -> None:
        """Transcribe the lines from `first` to `last` again; their text stays until the reader accepts another one."""
        entry = self._session.entries.get(key)
        if entry is None or not 0 <= first <= last < len(entry.segments):
            return
        lines = entry.segments
        begin, end = lines[first].start, lines[last].end
        since = lines[first - 1].end if first else 0.0
        until = lines[last + 1].start if last + 1 < len(lines) else max(entry.seconds, end)
        span = min(max(since, begin - _MARGIN), begin), max(min(until, end + _MARGIN), end)
        self._begin(key, Check(PART, replace(options, speakers="off"), span))

    def redo_missed(self, key: str, span: Span, options: Options) -> None:
        """Transcribe a stretch again in which somebody may speak and nothing is written; what is found is proposed."""
        self._begin(key, Check(MISSED, replace(options, speakers="off"), span))

    def compare(self, key: str, number: int) -> None:
        """Show how a version differs from the text that stands."""
        entry, check = self._usable(key), self.running.get(key)
        if entry is None or (check is not None and check.in_work):
            return
        self.running[key] = made = Check(VERSION, number=number, reworded=entry.reworded)
        found = partial(self._compare_version, key, made)
        self._session.keep(lambda library: library.version(key, number), found)
        self.changed.emit(key)

    def accept(self, key: str) -> None:
        """Take all that differs over. As long as nothing was decided one by one, the other text is the text then, and
        the one that stood is a version."""
        check, entry = self.running.get(key), self._session.entries.get(key)
        if check is None or check.transcript is None or entry is None:
            return
        if not check.is_whole:
            self.accept_changes(key, check.changes)
            return
        self.forget(key)
        self._put(entry, check.transcript, check)

    def accept_changes(self, key: str, found: Sequence[Change]) -> None:
        """Take some of the changes over, as one edit that can be undone."""
        check, entry = self._decided(key, found)
        if check is None or entry is None or check.transcript is None:
            return
        text = replace(entry.transcript(), segments=numbered(entry.segments))
        made = accepted(text, check.transcript, found, apart=check.kind == MISSED)
        if check.span is not None:
            made = replace(made, guarded=without_missed(made.guarded, check.span))
        check.taken += len(found)
        check.changes = tuple(each for each in check.changes if each not in found)
        self._session.accepted.emit(key, made, len(found))
        self.changed.emit(key)

    def refuse(self, key: str, found: Sequence[Change]) -> None:
        """Leave the text as it is in these places, and name them no more."""
        check, _entry = self._decided(key, found)
        if check is not None:
            check.refused |= {_place(each) for each in found}
            check.changes = tuple(each for each in check.changes if each not in found)
            self.changed.emit(key)

    def forget(self, key: str) -> None:
        """Keep the text as it is, and offer no check of it again."""
        check, entry = self.running.pop(key, None), self._session.entries.get(key)
        if check is not None and check.in_work and check.kind != VERSION:
            self._session.queue.cancel(f"{_JOB}{key}")
            self._end_attempt(key, check)
        if entry is not None:
            entry.live = None
        self.changed.emit(key)

    # Inside.

    def _usable(self, key: str) -> Entry | None:
        entry = self._session.entries.get(key)
        return None if entry is None or entry.state in IN_WORK or entry.is_damaged else entry

    def _begin(self, key: str, check: Check) -> bool:
        entry, before = self._usable(key), self.running.get(key)
        if entry is None or (before is not None and before.in_work):
            return False
        self._session.load(key)
        check.reworded, self.running[key] = entry.reworded, check
        check.paused = self._session.queue.paused
        if check.kind == AGAIN:
            entry.attempt, asked = None, resuming.asked(check.options)
            self._session.keep(lambda library: library.attempt(key, asked))
        request = Transcribe(f"{_JOB}{key}", entry.path, check.options, span=check.span)
        check.keeper = FileKeeper(request)
        self._session.queue.put(request)
        self._session.changed.emit(key)
        self.changed.emit(key)
        return True

    def _resume(self, job: str) -> None:
        """The queue goes on, and with it what it has stopped."""
        check = self.running.get(job.removeprefix(_JOB))
        if job.startswith(_JOB) and check is not None and check.in_work and check.keeper is not None:
            # Lines are few, and their places are counted from the first of them.
            self._session.queue.put(check.keeper.resumed() if check.span is None else check.keeper.request)

    def _show_pause(self) -> None:
        for key, check in self.running.items():
            if check.in_work and check.paused != self._session.queue.paused:
                check.paused = self._session.queue.paused
                self.changed.emit(key)

    def _end_attempt(self, key: str, check: Check) -> None:
        if check.kind == AGAIN:
            self._session.keep(lambda library: library.end_attempt(key))

    def _stop_damaged(self, key: str) -> None:
        """A damaged recording stays as it is, which may be known only when its text was read."""
        check, entry = self.running.get(key), self._session.entries.get(key)
        if check is not None and check.in_work and entry is not None and entry.is_damaged:
            self._session.tell(DAMAGED)
            self.forget(key)

    def _decided(self, key: str, found: Sequence[Change]) -> tuple[Check | None, Entry | None]:
        """The check and its recording, where these changes are still those of the text."""
        check, entry = self.running.get(key), self._usable(key)
        if check is None or entry is None or not found or not set(found) <= set(check.changes):
            return None, None
        stands = entry.segments[check.first : check.first + len(check.before)]
        return (check, entry) if stands == list(check.before) else (None, None)

    def _handle(self, event: Event) -> None:
        key = event.job.removeprefix(_JOB)
        check, entry = self.running.get(key), self._session.entries.get(key)
        if check is None or entry is None or key == event.job:
            return
        if check.keeper is not None:
            check.keeper.note(event)
        match event:
            case Progress():
                check.progress = event.done_seconds / event.audio_seconds if event.audio_seconds else 0.0
            case Finished():
                self._take(entry, check, event.transcript)
                if event.transcript.segments:
                    self.finished.emit(key)
                return
            case Failed():
                check.problem = moved(event.problem, entry)
                self._end_attempt(key, check)
            case Cancelled() if self._session.queue.is_stopped(event.job):
                return
            case Cancelled():
                self.forget(key)
                return
            case _:
                return
        self.changed.emit(key)

    def _take(self, entry: Entry, check: Check, after: Transcript) -> None:
        if check.kind != AGAIN:
            self._compare(entry, check, after)
            return
        if not after.segments:
            check.problem = Problem("file.no_words")
            self._end_attempt(entry.id, check)
            self.changed.emit(entry.id)
        elif entry.reworded:
            kept = partial(self._numbered, check)
            asked = resuming.asked(check.options)
            self._session.keep(lambda library: library.add_version(entry.id, after, asked), kept)
            self.versions.refresh(entry.id)
            self._compare(entry, check, after)
        else:
            self.forget(entry.id)
            had_text = entry.has_text
            self._put(entry, after, check)
            if had_text:
                self.told.emit(_("Transcribed again. The text of before is among the versions."))

    @staticmethod
    def _numbered(check: Check, number: int | None) -> None:
        check.number = number or STANDING

    def _put(self, entry: Entry, after: Transcript, check: Check) -> None:
        """Another text stands from now on, and the one that stood is a version."""
        key, number, asked = entry.id, check.number, resuming.asked(check.options)
        if check.kind == VERSION:
            self.versions.take(key, number)
            return
        self._session.put_text(
            entry,
            after,
            lambda library: (
                library.renew(key, after, asked)
                if number == STANDING
                else library.exchange(key, number, corrected=False)
            ),
        )
        self.versions.refresh(key)

    def _compare_version(self, key: str, check: Check, found: Transcript | None) -> None:
        entry = self._usable(key)
        if self.running.get(key) is not check:
            return
        if found is None or entry is None:
            self.forget(key)
        else:
            self._compare(entry, check, found)

    def _compare_again(self, key: str) -> None:
        """The text was edited, perhaps in a place that differs."""
        check, entry = self.running.get(key), self._session.entries.get(key)
        if check is not None and check.transcript is not None and entry is not None:
            check.reworded = entry.reworded
            self._compare(entry, check, check.transcript)

    def _compare(self, entry: Entry, check: Check, after: Transcript) -> None:
        first, before = _within(entry.segments, check.span)
        if check.kind == MISSED and check.span is not None:
            first, before = _behind(entry.segments, check.span), ()
        call = partial(changes, before, after.segments, first)
        self._session.worker.do(call, partial(self._show, entry.id, check, after, first, before))

    def _show(
        self,
        key: str,
        check: Check,
        transcript: Transcript,
        first: int,
        before: tuple[Segment, ...],
        found: tuple[Change, ...] | None,
    ) -> None:
        if self.running.get(key) is check and found is not None:
            check.transcript, check.first, check.before = transcript, first, before
            check.changes = tuple(each for each in found if _place(each) not in check.refused)
            if check.number == STANDING and check.kind == RECHECK and check.changes and not check.taken:
                self._keep_beside(key, check, transcript)
            self.changed.emit(key)

    def _keep_beside(self, key: str, check: Check, transcript: Transcript) -> None:
        """What a re-check has found is a version too, whatever becomes of the question."""
        asked = resuming.asked(check.options)
        kept = partial(self._numbered, check)
        self._session.keep(lambda library: library.add_version(key, transcript, asked), kept)
        self.versions.refresh(key)


def _within(lines: Sequence[Segment], span: Span | None) -> tuple[int, tuple[Segment, ...]]:
    """The lines that lie in a stretch by their middles, and the number of the first one; all for None."""
    if span is None:
        return 0, tuple(lines)
    inside = [at for at, line in enumerate(lines) if span[0] <= (line.start + line.end) / 2 <= span[1]]
    return (inside[0], tuple(lines[inside[0] : inside[-1] + 1])) if inside else (0, ())


def _behind(lines: Sequence[Segment], span: Span) -> int:
    """The number of the first line that is said behind a stretch."""
    return sum(line.speech_start < (span[0] + span[1]) / 2 for line in lines)


def _place(change: Change) -> tuple[object, ...]:
    """By what a change is known again when other places of the text are others now."""
    return change.new, change.before, change.after
