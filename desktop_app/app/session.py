"""The recordings, the queue and their states.

Engine events come in, the library is told, and the signals say what to show again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from desktop_app.app import media, stages
from desktop_app.app.entry import (
    BROKEN_OFF,
    CANCELLED,
    DONE,
    FAILED,
    IN_WORK,
    INTERRUPTED,
    RECORDING,
    WAITING,
    WORKING,
    Entry,
    LiveState,
)
from desktop_app.app.signals import Signal
from desktop_app.app.worker import Worker
from desktop_app.engine.messages import (
    Cancelled,
    Event,
    Failed,
    Finished,
    LiveOptions,
    LiveUpdate,
    Options,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
)
from desktop_app.library.rows import Recording
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.texts import N_, _
from desktop_app.transcript.model import Transcript

FINISHING = N_("Transcribing the last words…")

Kept = TypeVar("Kept")


class EnginePort(Protocol):
    """What the session needs of desktop_app.engine.client.Engine."""

    def transcribe(self, job: str, path: str, options: Options, written: Transcript | None = None) -> None: ...

    def cancel(self, job: str) -> None: ...

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None: ...

    def live_audio(self, job: str, start: int, samples: np.ndarray) -> None: ...

    def stop_live(self, job: str) -> None: ...


class Session:
    """The recordings, newest first, and the queue.

    Every method is called in the front end's thread, and there the signals come.

    Attributes:
        entries: by id, newest first.
        engine, worker, options: what works, what writes the library, and what is asked of the models.
    Signals:
        added(id): a new recording, in the order they were dropped.
        changed(id): state, progress or figures of a recording changed.
        text_changed(id): its text grew or its draft changed.
        leaving(id): its text is about to go, or to be gone on with, and another one is to come.
        replaced(id): its text is another one from its beginning on.
        revised(id): the same words are divided or given to speakers in another way.
        removed(id); reloaded(): the list was read from the library.
        trouble(problems): something outside a single recording went wrong.
        foreign(event): the engine says something about a job that is no recording.
    """

    def __init__(
        self, engine: EnginePort, library: Library | None, worker: Worker, options: Callable[[], Options]
    ) -> None:
        self.engine, self._library, self.worker, self.options = engine, library, worker, options
        self.added: Signal[str] = Signal()
        self.changed: Signal[str] = Signal()
        self.text_changed: Signal[str] = Signal()
        self.leaving: Signal[str] = Signal()
        self.replaced: Signal[str] = Signal()
        self.revised: Signal[str] = Signal()
        self.removed: Signal[str] = Signal()
        self.reloaded: Signal[[]] = Signal()
        self.trouble: Signal[tuple[Problem, ...]] = Signal()
        self.foreign: Signal[Event] = Signal()
        self.entries: dict[str, Entry] = {}
        worker.failed.connect(self.tell)
        self.keep(lambda kept: kept.recordings(), self._show_stored)

    def tell(self, *problems: Problem) -> None:
        """Say that something outside a single recording went wrong."""
        self.trouble.emit(problems)

    # What the user asks for.

    def add(self, paths: Iterable[str]) -> None:
        """Queue files and the recordings in folders; the first one starts at once."""
        wanted = list(paths)
        self.worker.do(partial(media.expand, wanted), self._store)

    def again(self, key: str) -> None:
        """Transcribe a recording once more. A live one that was broken off keeps its lines: the rest is written."""
        entry = self.entries.get(key)
        if entry is None or entry.state in IN_WORK:
            return
        if entry.is_half_written:
            self._take_up(entry)
            return
        self.leaving.emit(key)
        entry.begin_again()
        entry.loaded = True
        self.keep(lambda library: library.again(key))
        self.changed.emit(key)
        self.text_changed.emit(key)
        self.engine.transcribe(key, entry.path, self.options())

    def _take_up(self, entry: Entry) -> None:
        """Go on behind the lines that a live recording has, as the library knows them."""
        before = entry.state
        self.leaving.emit(entry.id)
        entry.state, entry.problem, entry.live = WAITING, None, None
        self.changed.emit(entry.id)
        self.keep(partial(_taken_up, key=entry.id), partial(self._write_rest, entry, before))

    def _write_rest(self, entry: Entry, before: str, written: Transcript | None) -> None:
        if entry.id not in self.entries:
            return
        if self._library is None:
            written = entry.transcript()
        if written is None:  # the library is in trouble, and has said so
            entry.state = before
        else:
            self._take_over(entry, written)
            entry.loaded, entry.kept = True, len(written.segments)
            entry.done_seconds = written.segments[-1].end if written.segments else 0.0
            self.engine.transcribe(entry.id, entry.path, self.options(), written if written.segments else None)
        self.changed.emit(entry.id)
        self.text_changed.emit(entry.id)

    def cancel(self, key: str) -> None:
        """Stop a recording that waits or is in work; the text so far stands. What is being recorded goes on."""
        if key in self.entries and self.entries[key].state in (WAITING, WORKING):
            self.engine.cancel(key)

    def remove(self, key: str) -> None:
        """Forget a recording and its text; the audio file is never touched."""
        entry = self.entries.pop(key, None)
        if entry is None:
            return
        if entry.state in IN_WORK:
            self.engine.cancel(key)
        self.keep(lambda library: library.remove(key))
        self.removed.emit(key)

    def load(self, key: str) -> None:
        """Fetch the text of an older recording; text_changed follows."""
        entry = self.entries.get(key)
        if entry is not None and not entry.loaded:
            entry.loaded = True
            self.keep(lambda library: library.transcript(key), partial(self._show_text, key))

    def search(self, text: str, then: Callable[[set[str] | None], None]) -> None:
        """Tell `then` which recordings have the text in their name or transcript; None means all of them."""
        if text.strip():
            self.keep(lambda library: {found.id for found in library.recordings(text)}, then)
        else:
            then(None)

    @property
    def in_work(self) -> list[Entry]:
        """The queue: what is recorded, what is transcribed and what waits, in the order it was dropped."""
        found = [entry for entry in reversed(self.entries.values()) if entry.state in IN_WORK]
        return sorted(found, key=lambda entry: entry.live is None)

    @property
    def interrupted(self) -> list[Entry]:
        """The recordings that programs made which are gone, and that are not written down; the oldest first."""
        return [it for it in reversed(self.entries.values()) if it.spoken and it.state == INTERRUPTED]

    # What the engine says.

    def handle(self, event: Event) -> None:
        """Take an engine event, in the main thread. Events about forgotten recordings are passed over."""
        entry = self.entries.get(event.job)
        if entry is None:
            self.foreign.emit(event)
        if entry is None or entry.state not in IN_WORK:
            return
        match event:
            case Tentative():
                entry.lines = event.lines
                self.text_changed.emit(entry.id)
                return
            case SegmentReady():
                entry.segments.append(event.segment)
                entry.lines = entry.lines[1:]
                self.keep(lambda library: library.append(entry.id, event.segment))
                self.text_changed.emit(entry.id)
                return
            case LiveUpdate():
                self._take_in(entry, event)
            case Preparing() | Started() if entry.live is not None:
                self._prepare_live(entry, event)
            case Failed() if entry.state == RECORDING:  # the sound is still kept
                entry.preparing, entry.lines = "", ()
                entry.problem = event.problem
            case Preparing():
                entry.state, entry.preparing = WORKING, stages.preparing(event)
            case Started():
                self._begin(entry, event)
            case Progress():
                entry.done_seconds, entry.stats = event.done_seconds, event.stats
                entry.seconds = event.audio_seconds or entry.seconds
                stats = event.stats
                self.keep(lambda library: library.note(entry.id, stats))
            case Finished():
                self._finish(entry, event.transcript)
            case Cancelled():
                entry.state, entry.preparing, entry.lines = CANCELLED, "", ()
                self.keep(lambda library: library.cancel(entry.id))
                self.text_changed.emit(entry.id)
            case Failed():
                entry.state, entry.preparing, entry.lines = FAILED, "", ()
                entry.problem = event.problem
                problem = entry.problem
                self.keep(lambda library: library.fail(entry.id, problem))
                self.text_changed.emit(entry.id)
        self._hold_files()
        self.changed.emit(entry.id)

    # Live recordings.

    def record(self, path: str, stored: Recording | None) -> Entry:
        """A live recording begins: it stands in the list. Its sound is brought to the engine by app.live."""
        entry = self._put_first(path, stored, live=True)
        entry.state, entry.live = RECORDING, LiveState()
        self._hold_files()
        self.added.emit(entry.id)
        return entry

    def recorded(self, entry: Entry, seconds: float) -> None:
        """The sound of a live recording is whole; the engine writes the rest, unless it has failed before."""
        entry.seconds = seconds
        self.keep(lambda library: library.recorded(entry.id, seconds))
        if entry.problem:
            entry.state, problem = FAILED, entry.problem
            self.keep(lambda library: library.fail(entry.id, problem))
            self._hold_files()
        else:
            entry.state, entry.preparing = WORKING, _(FINISHING)
        self.changed.emit(entry.id)
        self.text_changed.emit(entry.id)

    def _hold_files(self) -> None:
        """Files wait until nothing is written live any more."""
        queue = self.in_work
        for entry in queue:
            held = entry.live is None and queue[0].live is not None
            if held != entry.held:
                entry.held = held
                self.changed.emit(entry.id)

    def put_text(self, entry: Entry, transcript: Transcript) -> None:
        """Another text for a recording that is done; who brings it has told the library."""
        self.leaving.emit(entry.id)
        self._take_over(entry, transcript)
        self.replaced.emit(entry.id)
        self.changed.emit(entry.id)

    def revise(self, entry: Entry, transcript: Transcript) -> None:
        """Other lines and speakers for the same words; who brings them has told the library."""
        entry.segments, entry.speakers = list(transcript.segments), transcript.speakers
        self.revised.emit(entry.id)

    def _take_in(self, entry: Entry, event: LiveUpdate) -> None:
        entry.take_in(event)
        entry.preparing = _(FINISHING) if entry.state == WORKING else ""
        if event.committed or event.guarded:
            self.keep(lambda library: _noted(library, event))
        if event.speakers:
            self.revised.emit(entry.id)
        self.text_changed.emit(entry.id)

    def _prepare_live(self, entry: Entry, event: Preparing | Started) -> None:
        entry.preparing = stages.preparing(event) if isinstance(event, Preparing) else ""
        if isinstance(event, Started):
            entry.models = event.models
            self.keep(lambda library: library.begin(entry.id, event.models, 0.0))
        self.text_changed.emit(entry.id)

    def _begin(self, entry: Entry, event: Started) -> None:
        entry.state, entry.preparing = WORKING, ""
        entry.models, entry.seconds = event.models, event.audio_seconds
        kept = entry.kept
        entry.segments, entry.lines = entry.segments[:kept], ()
        self.keep(lambda library: library.begin(entry.id, event.models, event.audio_seconds, kept))
        self.text_changed.emit(entry.id)

    def _finish(self, entry: Entry, transcript: Transcript) -> None:
        entry.state, entry.preparing, entry.lines = DONE, "", ()
        were_known = bool(entry.speakers)
        self._take_over(entry, transcript)
        entry.done_seconds = entry.seconds
        if entry.kept:  # its first lines were written while they were spoken: a check is offered as for any such text
            entry.kept, entry.live = 0, LiveState()
        if entry.speakers or were_known:
            self.revised.emit(entry.id)
        self.keep(lambda library: library.finish(entry.id, transcript))
        self.text_changed.emit(entry.id)

    @staticmethod
    def _take_over(entry: Entry, transcript: Transcript) -> None:
        entry.segments, entry.speakers = list(transcript.segments), transcript.speakers
        entry.seconds = transcript.seconds or entry.seconds
        entry.models, entry.stats, entry.damage = transcript.models, transcript.stats, transcript.damage
        entry.guarded = transcript.guarded
        entry.language, entry.language_probability = transcript.language, transcript.language_probability

    # What the library says.

    def keep(self, call: Callable[[Library], Kept], then: Callable[[Kept | None], object] | None = None) -> None:
        """Make a call of the library, after those that were asked before. `then` gets its result, None when it cannot
        be had or there is no library."""
        library = self._library
        if library is not None:
            self.worker.do(lambda: call(library), then)
        elif then is not None:
            then(None)

    def _store(self, paths: list[str] | None) -> None:
        if not paths:
            self.tell(Problem("file.none_found"))
            return
        for path in paths:
            self._add(path)

    def _add(self, path: str) -> None:
        self.keep(lambda library: library.add(path), partial(self._enqueue, path))

    def _enqueue(self, path: str, stored: Recording | None) -> None:
        """Put a file into the queue; what the library could not store is transcribed all the same."""
        entry = self._put_first(path, stored)
        self._hold_files()
        self.added.emit(entry.id)
        self.engine.transcribe(entry.id, path, self.options())

    def _put_first(self, path: str, stored: Recording | None, live: bool = False) -> Entry:
        if stored is None:
            stored = Recording(uuid.uuid4().hex, path, Path(path).name, datetime.now(UTC), "waiting", 0.0, None, live)
        entry = _entry(stored)
        entry.loaded = True
        self.entries = {entry.id: entry, **self.entries}
        return entry

    def _show_stored(self, stored: list[Recording] | None) -> None:
        for recording in stored or []:
            self.entries.setdefault(recording.id, _entry(recording))
        self.reloaded.emit()

    def _show_text(self, key: str, transcript: Transcript | None) -> None:
        entry = self.entries.get(key)
        if entry is None or transcript is None or entry.state in IN_WORK:
            return
        self._take_over(entry, transcript)
        if entry.state in BROKEN_OFF and entry.segments:
            entry.done_seconds = entry.segments[-1].end
        self.changed.emit(key)
        self.text_changed.emit(key)


def _noted(library: Library, event: LiveUpdate) -> None:
    for segment in event.committed:
        library.append(event.job, segment)
    library.note(event.job, event.stats, event.language, event.guarded)


def _taken_up(library: Library, key: str) -> Transcript:
    library.again(key)
    return library.transcript(key)


def _entry(stored: Recording) -> Entry:
    made = Entry(
        stored.id, stored.path, stored.name, stored.created, stored.state, stored.seconds, problem=stored.problem
    )
    made.spoken, made.corrected = stored.live, stored.corrected
    return made
