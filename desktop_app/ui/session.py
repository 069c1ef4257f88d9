"""What the window is doing: the recordings, the queue and their states. No widget in here.

Engine events come in, the library is told, and the signals say what to paint again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, Signal

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
from desktop_app.library.store import Library, Recording
from desktop_app.transcript.model import Transcript
from desktop_app.ui.entry import (
    BROKEN_OFF,
    CANCELLED,
    DONE,
    FAILED,
    IN_WORK,
    RECORDING,
    WAITING,
    WORKING,
    Entry,
    LiveState,
)
from desktop_app.ui.keeper import Keeper
from desktop_app.ui.shell import media
from desktop_app.ui.words import live_title, sentence

WRITING = "Writing the last words…"


class EnginePort(Protocol):
    """What the session needs of desktop_app.engine.client.Engine."""

    def transcribe(self, job: str, path: str, options: Options, written: Transcript | None = None) -> None: ...

    def cancel(self, job: str) -> None: ...

    def start_live(self, job: str, options: Options, live: LiveOptions) -> None: ...

    def live_audio(self, job: str, start: int, samples: np.ndarray) -> None: ...

    def stop_live(self, job: str) -> None: ...


class Session(QObject):
    """The recordings, newest first, and the queue.

    Attributes: entries (by id, newest first).
    Signals:
        added(id): a new recording, in the order they were dropped.
        changed(id): state, progress or figures of a recording changed.
        text_changed(id): its text grew or its draft changed.
        leaving(id): its text is about to go, or to be gone on with, and another one is to come.
        replaced(id): its text is another one from its beginning on.
        revised(id): the same words are divided or given to speakers in another way.
        removed(id); reloaded(): the list was read from the library.
        trouble(reason, remedy): something outside a single recording went wrong.
        foreign(event): the engine says something about a job that is no recording.
    """

    added = Signal(str)
    changed = Signal(str)
    text_changed = Signal(str)
    leaving = Signal(str)
    replaced = Signal(str)
    revised = Signal(str)
    removed = Signal(str)
    reloaded = Signal()
    trouble = Signal(str, str)
    foreign = Signal(object)

    def __init__(
        self,
        engine: EnginePort,
        library: Library | None,
        keeper: Keeper,
        options: Callable[[], Options],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine, self._library, self._keeper, self._options = engine, library, keeper, options
        self.entries: dict[str, Entry] = {}
        keeper.failed.connect(self.trouble)
        if library is not None:
            keeper.do(library.recordings, self._show_stored)

    # What the user asks for.

    def add(self, paths: Iterable[str]) -> None:
        """Queue files and the recordings in folders; the first one starts at once."""
        wanted = list(paths)
        self._keeper.do(partial(media.expand, wanted), self._store)

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
        if self._library is not None:
            self._keeper.do(partial(self._library.again, key))
        self.changed.emit(key)
        self.text_changed.emit(key)
        self._engine.transcribe(key, entry.path, self._options())

    def _take_up(self, entry: Entry) -> None:
        """Go on behind the lines that a live recording has, as the library knows them."""
        before, library = entry.state, self._library
        self.leaving.emit(entry.id)
        entry.state, entry.problem, entry.kind, entry.live = WAITING, "", "", None
        self.changed.emit(entry.id)
        if library is None:
            self._write_rest(entry, before, entry.transcript())
        else:
            self._keeper.do(partial(_taken_up, library, entry.id), partial(self._write_rest, entry, before))

    def _write_rest(self, entry: Entry, before: str, written: Transcript | None) -> None:
        if entry.id not in self.entries:
            return
        if written is None:  # the library is in trouble, and has said so
            entry.state = before
        else:
            self._take_over(entry, written)
            entry.loaded, entry.kept = True, len(written.segments)
            entry.done_seconds = written.segments[-1].end if written.segments else 0.0
            self._engine.transcribe(entry.id, entry.path, self._options(), written if written.segments else None)
        self.changed.emit(entry.id)
        self.text_changed.emit(entry.id)

    def cancel(self, key: str) -> None:
        """Stop a recording that waits or is in work; the text so far stands. What is being recorded goes on."""
        if key in self.entries and self.entries[key].state in (WAITING, WORKING):
            self._engine.cancel(key)

    def remove(self, key: str) -> None:
        """Forget a recording and its text; the audio file is never touched."""
        entry = self.entries.pop(key, None)
        if entry is None:
            return
        if entry.state in IN_WORK:
            self._engine.cancel(key)
        if self._library is not None:
            self._keeper.do(partial(self._library.remove, key))
        self.removed.emit(key)

    def load(self, key: str) -> None:
        """Fetch the text of an older recording; text_changed follows."""
        entry = self.entries.get(key)
        if entry is None or entry.loaded or self._library is None:
            return
        entry.loaded = True
        self._keeper.do(partial(self._library.transcript, key), partial(self._show_text, key))

    def search(self, text: str, then: Callable[[set[str] | None], None]) -> None:
        """Tell `then` which recordings have the text in their name or transcript; None means all of them."""
        if not text.strip() or self._library is None:
            then(None)
            return
        library = self._library
        self._keeper.do(lambda: {found.id for found in library.recordings(text)}, then)

    @property
    def in_work(self) -> list[Entry]:
        """The queue: what is recorded, what is transcribed and what waits, in the order it was dropped."""
        found = [entry for entry in reversed(self.entries.values()) if entry.state in IN_WORK]
        return sorted(found, key=lambda entry: entry.live is None)

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
                self._keep(lambda library: library.append(entry.id, event.segment))
                self.text_changed.emit(entry.id)
                return
            case LiveUpdate():
                self._take_in(entry, event)
            case Preparing() | Started() if entry.live is not None:
                self._prepare_live(entry, event)
            case Failed() if entry.state == RECORDING:  # the sound is still kept
                entry.preparing, entry.lines = "", ()
                entry.problem, entry.kind = sentence(event.reason, event.remedy), event.kind
            case Preparing():
                entry.state, entry.preparing = WORKING, event.what
            case Started():
                self._begin(entry, event)
            case Progress():
                entry.done_seconds, entry.stats = event.done_seconds, event.stats
                entry.seconds = event.audio_seconds or entry.seconds
                stats = event.stats
                self._keep(lambda library: library.note(entry.id, stats))
            case Finished():
                self._finish(entry, event.transcript)
            case Cancelled():
                entry.state, entry.preparing, entry.lines = CANCELLED, "", ()
                self._keep(lambda library: library.cancel(entry.id))
                self.text_changed.emit(entry.id)
            case Failed():
                entry.state, entry.preparing, entry.lines = FAILED, "", ()
                entry.problem, entry.kind = sentence(event.reason, event.remedy), event.kind
                problem = entry.problem
                self._keep(lambda library: library.fail(entry.id, problem))
                self.text_changed.emit(entry.id)
        self._hold_files()
        self.changed.emit(entry.id)

    # Live recordings.

    def record(self, path: str, stored: Recording | None) -> Entry:
        """A live recording begins: it stands in the list. Its sound is brought to the engine by ui.live."""
        entry = self._put_first(path, stored, live=True)
        entry.state, entry.live = RECORDING, LiveState()
        self._hold_files()
        self.added.emit(entry.id)
        return entry

    def recorded(self, entry: Entry, seconds: float) -> None:
        """The sound of a live recording is whole; the engine writes the rest, unless it has failed before."""
        entry.seconds = seconds
        self._keep(lambda library: library.recorded(entry.id, seconds))
        if entry.problem:
            entry.state, problem = FAILED, entry.problem
            self._keep(lambda library: library.fail(entry.id, problem))
            self._hold_files()
        else:
            entry.state, entry.preparing = WORKING, WRITING
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
        entry.preparing = WRITING if entry.state == WORKING else ""
        for segment in event.committed:
            self._keep(partial(Library.append, key=entry.id, segment=segment))
        if event.committed or event.guarded:
            self._keep(lambda library: library.note(entry.id, event.stats, event.language, event.guarded))
        if event.speakers:
            self.revised.emit(entry.id)
        self.text_changed.emit(entry.id)

    def _prepare_live(self, entry: Entry, event: Preparing | Started) -> None:
        entry.preparing = event.what if isinstance(event, Preparing) else ""
        if isinstance(event, Started):
            entry.models = event.models
            self._keep(lambda library: library.begin(entry.id, event.models, 0.0))
        self.text_changed.emit(entry.id)

    def _begin(self, entry: Entry, event: Started) -> None:
        entry.state, entry.preparing = WORKING, ""
        entry.models, entry.seconds = event.models, event.audio_seconds
        kept = entry.kept
        entry.segments, entry.lines = entry.segments[:kept], ()
        self._keep(lambda library: library.begin(entry.id, event.models, event.audio_seconds, kept))
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
        self._keep(lambda library: library.finish(entry.id, transcript))
        self.text_changed.emit(entry.id)

    @staticmethod
    def _take_over(entry: Entry, transcript: Transcript) -> None:
        entry.segments, entry.speakers = list(transcript.segments), transcript.speakers
        entry.seconds = transcript.seconds or entry.seconds
        entry.models, entry.stats, entry.damage = transcript.models, transcript.stats, transcript.damage
        entry.guarded = transcript.guarded
        entry.language, entry.language_probability = transcript.language, transcript.language_probability

    # What the library says.

    def _keep(self, call: Callable[[Library], None]) -> None:
        library = self._library
        if library is not None:
            self._keeper.do(lambda: call(library))

    def _store(self, paths: list[str] | None) -> None:
        if not paths:
            self.trouble.emit("no audio or video was found there", "drop a recording or a folder that has some")
            return
        library = self._library
        for path in paths:
            if library is None:
                self._enqueue(path, None)
            else:
                self._keeper.do(partial(library.add, path), partial(self._enqueue, path))

    def _enqueue(self, path: str, stored: Recording | None) -> None:
        """Put a file into the queue; what the library could not store is transcribed all the same."""
        entry = self._put_first(path, stored)
        self._hold_files()
        self.added.emit(entry.id)
        self._engine.transcribe(entry.id, path, self._options())

    def _put_first(self, path: str, stored: Recording | None, live: bool = False) -> Entry:
        if stored is None:
            stored = Recording(uuid.uuid4().hex, path, Path(path).name, datetime.now(UTC), "waiting", 0.0, "", live)
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


def _taken_up(library: Library, key: str) -> Transcript:
    library.again(key)
    return library.transcript(key)


def _entry(stored: Recording) -> Entry:
    name = live_title(stored.created) if stored.live else stored.name
    made = Entry(stored.id, stored.path, name, stored.created, stored.state, stored.seconds, problem=stored.problem)
    made.spoken, made.corrected = stored.live, stored.corrected
    return made
