"""The recordings, the queue and their states.

Engine events come in, the library is told, and the signals say what to show again.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from desktop_app.app.background import Worker
from desktop_app.app.library import media
from desktop_app.app.presentation import stages
from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.engine_port import EnginePort
from desktop_app.app.recordings.entry import (
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
from desktop_app.app.recordings.queue import Queue
from desktop_app.app.signals import Signal
from desktop_app.library.rows import DAMAGED, Recording
from desktop_app.library.store import Library
from desktop_app.messages.jobs import (
    Cancelled,
    Event,
    Failed,
    Finished,
    LiveUpdate,
    Preparing,
    Progress,
    SegmentReady,
    Started,
    Tentative,
    Transcribe,
)
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.speakers.turns import Turn
from desktop_app.texts import N_, _
from desktop_app.transcript import speakers
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import Place, Transcript
from desktop_app.transcript.search import Snippet

_NAMED = 3  # files in one sentence
FINISHING = N_("Transcribing the last words…")

Kept = TypeVar("Kept")


class Session:
    """The recordings, newest first, and the queue.

    Every method is called in the front end's thread, and there the signals come.

    Attributes:
        entries: by id, newest first.
        engine, worker, options: what works, what writes the library, and what is asked of the models.
        library: None when it cannot be opened.
        queue: what the engine gets next.
    Signals:
        added(id): a new recording, in the order they were dropped.
        changed(id): state, progress or figures of a recording changed.
        text_changed(id): its text grew or its draft changed.
        leaving(id): its text is about to go, or to be gone on with, and another one is to come.
        replaced(id): its text is another one from its beginning on.
        revised(id): a reader has edited it, or the same words are given to speakers in another way.
        compared(id): it was to be transcribed again, and has a text: that stays, and another one is a version of it.
        switching(id): another version is about to stand in the place of its text.
        marked(id): other moments of it are marked.
        accepted(id, transcript, count): a reader takes so many changes of another text over.
        attributed(id, turns): it was found out who speaks when.
        removed(id); reloaded(): the list was read from the library.
        trouble(problems): something outside a single recording went wrong.
        foreign(event): the engine says something about a job that is no recording.
    """

    def __init__(
        self, engine: EnginePort, library: Library | None, worker: Worker, options: Callable[[], Options]
    ) -> None:
        self.engine, self.library, self.worker, self.options = engine, library, worker, options
        self.added: Signal[str] = Signal()
        self.changed: Signal[str] = Signal()
        self.text_changed: Signal[str] = Signal()
        self.leaving: Signal[str] = Signal()
        self.replaced: Signal[str] = Signal()
        self.revised: Signal[str] = Signal()
        self.compared: Signal[str] = Signal()
        self.switching: Signal[str] = Signal()
        self.accepted: Signal[[str, Transcript, int]] = Signal()
        self.marked: Signal[str] = Signal()
        self.attributed: Signal[[str, tuple[Turn, ...]]] = Signal()
        self.removed: Signal[str] = Signal()
        self.reloaded: Signal[[]] = Signal()
        self.trouble: Signal[tuple[Problem, ...]] = Signal()
        self.foreign: Signal[Event] = Signal()
        self.queue = Queue(self)
        self.queue.resumed.connect(self._go_on)
        self.entries: dict[str, Entry] = {}
        self._listed: set[str] = set()  # that were in the library when it was looked at last
        self._forgotten: set[str] = set()  # which the library may still have for a moment
        self._asked: dict[str, Options] = {}  # of the models, for each file
        self._loading: set[str] = set()  # whose text the library was asked for
        worker.failed.connect(self.tell)
        self.keep(_stored, self._show_stored)
        self._index()

    def tell(self, *problems: Problem) -> None:
        """Say that something outside a single recording went wrong."""
        self.trouble.emit(problems)

    # What the user asks for.

    def add(self, paths: Iterable[str], options: Options | None = None) -> None:
        """Queue files and the recordings in folders; the first one starts at once. None of `options`: as the
        preferences say."""
        wanted = list(paths)
        self.worker.do(partial(_expanded, wanted), partial(self._store, options))

    def again(self, key: str) -> None:
        """Transcribe a recording once more. A live one that was broken off keeps its lines: the rest is written. A file
        is resumed behind its last window, with the options that it was begun with. A text that is whole, or whose words
        a reader has changed, stays: `compared` tells it."""
        entry = self.entries.get(key)
        if entry is None or entry.state in IN_WORK:
            return
        if entry.attempt is not None:
            self.compared.emit(key)
            return
        if entry.is_damaged:
            self.tell(DAMAGED)
            return
        if entry.reworded and not entry.is_half_written:
            self.compared.emit(key)
            return
        if entry.is_half_written or entry.resumable:
            self._take_up(entry)
            return
        if entry.state == DONE:
            self.compared.emit(key)
            return
        self.leaving.emit(key)
        before = entry.state, entry.problem
        entry.begin_again()
        entry.loaded = True
        self.keep(lambda library: library.again(key), partial(self._begun_again, entry, *before))
        self.changed.emit(key)
        self.text_changed.emit(key)
        self._transcribe(entry)

    def _transcribe(self, entry: Entry, written: Transcript | None = None, place: Place | None = None) -> None:
        entry.paused = self.queue.paused
        self._asked[entry.id] = options = entry.options or self.options()
        asked = resuming.asked(options, chosen=entry.options is not None)
        self.keep(lambda library: library.ask(entry.id, asked))
        self.queue.put(Transcribe(entry.id, entry.path, options, written, place))

    def _begun_again(self, entry: Entry, state: str, problem: Problem | None, begun: bool | None) -> None:
        """A damaged recording stays as it is, which may be known only when its text was read."""
        if begun is False and entry.id in self.entries:
            self.tell(DAMAGED)
            self._stop(entry)
            entry.state, entry.problem, entry.loaded = state, problem, False
            self.load(entry.id)

    def _take_up(self, entry: Entry) -> None:
        """Go on behind the lines that a recording has, as the library knows them."""
        before = entry.state
        self.leaving.emit(entry.id)
        entry.state, entry.problem, entry.live = WAITING, None, None
        self.changed.emit(entry.id)
        self.keep(partial(_taken_up, key=entry.id), partial(self._write_rest, entry, before))

    def _go_on(self, job: str) -> None:
        """The queue is resumed that has stopped this job."""
        entry = self.entries.get(job)
        if entry is not None and entry.state in IN_WORK:
            self._take_up(entry)

    def _write_rest(self, entry: Entry, before: str, found: tuple[Transcript, str] | None) -> None:
        if entry.id not in self.entries:
            self.queue.send_next()
            return
        if self.library is None:
            found = entry.transcript(), ""
        if found is None:  # the library is in trouble, and has said so
            entry.state = before
        elif not entry.spoken:
            entry.options = resuming.options(found[1]) or entry.options
            self._resume(entry, *found)
        else:
            written = found[0]
            self._take_over(entry, written)
            entry.loaded, entry.kept = True, len(written.segments)
            entry.done_seconds = written.segments[-1].end if written.segments else 0.0
            self._transcribe(entry, written if written.segments else None)
        self.queue.send_next()
        self.changed.emit(entry.id)
        self.text_changed.emit(entry.id)

    def _resume(self, entry: Entry, written: Transcript, resume: str) -> None:
        """Let the engine go on with a file where another one stopped, or begin anew with other options."""
        place = resuming.place(resume, entry.options or self.options())
        if place is None:
            entry.begin_again()
            self._transcribe(entry)
        else:
            written = replace(written, segments=written.segments[: place.segments])
            self._take_over(entry, written)
            entry.done_seconds = place.samples / SAMPLE_RATE
            self._transcribe(entry, written, place)
        entry.loaded = True

    def cancel(self, key: str) -> None:
        """Stop a recording that waits or is in work; the text so far stands. What is being recorded goes on."""
        entry = self.entries.get(key)
        if entry is None or entry.state not in (WAITING, WORKING) or entry.elsewhere:
            return
        if self._stop(entry):
            self._cancelled(entry)
            self.changed.emit(key)

    def _stop(self, entry: Entry) -> bool:
        """Take a file out of the queue, or let the engine stop it; whether it has not begun, so that no event comes."""
        if self.queue.take_out(entry.id) or (entry.paused and entry.id != self.queue.running):
            return True
        self.engine.cancel(entry.id)
        return False

    def _cancelled(self, entry: Entry) -> None:
        entry.state, entry.preparing, entry.lines, entry.paused = CANCELLED, "", (), False
        self.keep(lambda library: library.cancel(entry.id))
        self.text_changed.emit(entry.id)

    # What the user keeps about recordings.

    def describe(
        self, key: str, title: str | None = None, tags: tuple[str, ...] | None = None, notes: str | None = None
    ) -> None:
        """What the user calls a recording ("" for its own name), how it is sorted, and what is written about it; None
        leaves it as it is."""
        entry = self.entries.get(key)
        if entry is None:
            return
        entry.title = entry.title if title is None else " ".join(title.split())
        entry.tags = entry.tags if tags is None else tags
        entry.notes = entry.notes if notes is None else notes
        kept = entry.title, entry.tags, entry.notes
        self.keep(lambda library: library.describe(key, *kept))
        self.changed.emit(key)

    @property
    def tags(self) -> list[str]:
        """The tags of all recordings, each once, in the order of the alphabet."""
        return sorted({tag for entry in self.entries.values() for tag in entry.tags}, key=str.casefold)

    def mark(self, key: str, marks: Iterable[float]) -> None:
        """The user has marked these moments of a recording, and no others."""
        entry = self.entries.get(key)
        if entry is not None:
            entry.marks = kept = tuple(sorted(set(marks)))
            self.keep(lambda library: library.mark(key, kept))
            self.marked.emit(key)

    def name_live(self, key: str, speaker: str, name: str) -> bool:
        """Name somebody who speaks in a recording that is made, or whose last words are transcribed; the name stays.
        Whether that changes anything."""
        entry = self.entries.get(key)
        name = speakers.clean_name(name)
        if entry is None or entry.live is None or entry.state not in IN_WORK or not name:
            return False
        entry.names[speaker] = name
        entry.speakers = people = speakers.with_names(entry.speakers, entry.names)
        self.keep(lambda library: library.give_speakers(key, (), people))
        self.revised.emit(key)
        return True

    def locate(self, key: str, path: str) -> None:
        """The file of a recording lies there now."""
        entry = self.entries.get(key)
        if entry is not None:
            entry.path, entry.file_name = path, Path(path).name
            self.keep(lambda library: library.locate(key, path))
            self.changed.emit(key)

    def remove(self, key: str) -> None:
        """Delete a recording and its text. The sound goes too where Galley has recorded it; a file of the user's is
        never touched. What is being recorded stays, and what another Galley works on."""
        entry = self.entries.get(key)
        if entry is None or entry.state == RECORDING or entry.elsewhere:
            return
        order = list(self.entries)
        self.forget(key)
        if entry.spoken:  # first, so that it is listed as long as there is something to delete
            refused = partial(self._put_back, entry, order)
            self.worker.do(partial(media.delete, entry.path), lambda done: self._forget_stored(key), refused)
        else:
            self._forget_stored(key)

    def forget(self, key: str) -> None:
        """Take a recording out of the list; the library still has it."""
        entry = self.entries.pop(key, None)
        if entry is None:
            return
        self._forgotten.add(key)
        if entry.state in IN_WORK and not entry.elsewhere:
            self._stop(entry)
        self.removed.emit(key)

    def bring_back(self, entries: Iterable[Entry]) -> None:
        """List recordings again that were forgotten; what was in work is cancelled."""
        back = list(entries)
        for entry in back:
            self._forgotten.discard(entry.id)
            if entry.state in IN_WORK:
                entry.state, entry.preparing, entry.lines, entry.paused = CANCELLED, "", (), False
        listed = sorted((*self.entries.values(), *back), key=lambda it: it.created, reverse=True)
        self.entries = {entry.id: entry for entry in listed}
        self.reloaded.emit()

    def _index(self) -> None:
        """Work on the index of the search, in short turns between which other things are written."""
        self.keep(lambda library: library.index(), lambda more: self._index() if more else None)

    def _forget_stored(self, key: str) -> None:
        self.keep(lambda library: library.remove(key))

    def _put_back(self, entry: Entry, order: list[str], problem: Problem) -> None:
        """The sound could not be deleted."""
        self.tell(problem)
        self._forgotten.discard(entry.id)
        left = {**self.entries, entry.id: entry}
        new = [key for key in left if key not in order]
        self.entries = {key: left[key] for key in (*new, *order) if key in left}
        if entry.state in IN_WORK:
            entry.state = INTERRUPTED
        self.reloaded.emit()

    def load(self, key: str) -> None:
        """Fetch the text of an older recording; text_changed follows."""
        entry = self.entries.get(key)
        if entry is not None and not entry.loaded:
            entry.loaded = True
            self._loading.add(key)
            self.keep(lambda library: library.transcript(key), partial(self._show_text, key))

    def search(self, text: str, then: Callable[[set[str] | None], None]) -> None:
        """Tell `then` which recordings have all words of the text; None means all of them."""
        if text.strip():
            self.keep(lambda library: library.search(text), then)
        else:
            then(None)

    def snippet(self, key: str, text: str, then: Callable[[Snippet | None], None]) -> None:
        """Tell `then` the line of a recording in which a text was found."""
        self.keep(lambda library: library.snippet(key, text), then)

    @property
    def in_work(self) -> list[Entry]:
        """The queue: what is recorded, what is transcribed and what waits, in the order it was dropped or given."""
        mine = (entry for entry in reversed(self.entries.values()) if not entry.elsewhere)
        found = [entry for entry in mine if entry.state in IN_WORK]
        running = self.queue.running
        return sorted(found, key=lambda it: (it.live is None, it.id != running, it.place == 0.0, it.place))

    @property
    def interrupted(self) -> list[Entry]:
        """The recordings that programs made which are gone, and that are not written down; the oldest first."""
        return [it for it in reversed(self.entries.values()) if it.spoken and it.state == INTERRUPTED]

    @property
    def interrupted_files(self) -> list[Entry]:
        """The files that were waiting or in work in programs that are gone; the oldest first."""
        found = [it for it in reversed(self.entries.values()) if not it.spoken and it.state == INTERRUPTED]
        return sorted(found, key=lambda it: (it.place == 0.0, it.place))

    @property
    def attempts(self) -> list[Entry]:
        """The recordings of which programs were writing a version that are gone; the oldest first."""
        return [it for it in reversed(self.entries.values()) if it.attempt is not None]

    def decline_attempt(self, key: str) -> None:
        """Offer no more to write a version that a program was writing."""
        entry = self.entries.get(key)
        if entry is not None and entry.attempt is not None:
            entry.attempt = None
            self.keep(lambda library: library.end_attempt(key))

    # What the engine says.

    def handle(self, event: Event) -> None:
        """Take an engine event, in the main thread. Events about forgotten recordings are passed over."""
        self._handle(event)
        self.queue.handle(event)

    def _handle(self, event: Event) -> None:
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
                entry.history.note(event.done_seconds, event.stats)
                entry.seconds = event.audio_seconds or entry.seconds
                self._note(entry, event)
            case Finished():
                self._finish(entry, event.transcript)
            case Cancelled() if self.queue.is_stopped(entry.id):
                entry.state, entry.preparing, entry.lines = WAITING, "", ()
                self.keep(partial(_paused, key=entry.id))
                self.text_changed.emit(entry.id)
            case Cancelled():
                self._cancelled(entry)
            case Failed():
                entry.state, entry.preparing, entry.lines = FAILED, "", ()
                entry.problem = event.problem
                problem = entry.problem
                self.keep(lambda library: library.fail(entry.id, problem))
                self.text_changed.emit(entry.id)
        self._hold_files()
        self.changed.emit(entry.id)

    def _note(self, entry: Entry, event: Progress) -> None:
        """Keep how far a file is, so that it can be resumed there."""
        place, options, resume = event.place, self._asked.get(entry.id), ""
        if place is not None and options is not None:
            entry.resumable, resume = True, resuming.plain(place, options)
        language = place.language if place else ""
        self.keep(lambda library: library.note(entry.id, event.stats, language, event.guarded, resume))

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

    def put_text(self, entry: Entry, transcript: Transcript, store: Callable[[Library], object]) -> None:
        """Another text for a recording that is not in work, which becomes done; `store` tells the library."""
        self.leaving.emit(entry.id)
        self.keep(store)
        self._show_other(entry, transcript)

    def show_version(self, entry: Entry, transcript: Transcript, stored: Recording) -> None:
        """Another version stands in the library; with a reader's corrections of its own."""
        entry.corrected, entry.reworded = stored.corrected, stored.reworded
        self._show_other(entry, transcript)

    def _show_other(self, entry: Entry, transcript: Transcript) -> None:
        entry.state, entry.problem, entry.resumable, entry.loaded = DONE, None, False, True
        self._loading.discard(entry.id)
        self._take_over(entry, transcript)
        self.replaced.emit(entry.id)
        self.changed.emit(entry.id)

    def revise(self, entry: Entry, transcript: Transcript) -> None:
        """A reader's edit: other lines and speakers; who brings them tells the library."""
        entry.segments, entry.speakers = list(transcript.segments), transcript.speakers
        self.revised.emit(entry.id)

    def _take_in(self, entry: Entry, event: LiveUpdate) -> None:
        entry.take_in(event)
        entry.preparing = _(FINISHING) if entry.state == WORKING else ""
        if event.segments or event.guarded:
            self.keep(lambda library: _noted(library, event))
        if event.speakers:
            given, people = event.speakers, entry.speakers
            self.keep(lambda library: library.give_speakers(entry.id, given, people))
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
        kept = max(entry.kept, event.kept)
        entry.segments, entry.lines = entry.segments[:kept], ()
        self.keep(lambda library: library.begin(entry.id, event.models, event.audio_seconds, kept))
        self.text_changed.emit(entry.id)

    def _finish(self, entry: Entry, transcript: Transcript) -> None:
        entry.state, entry.preparing, entry.lines, entry.resumable = DONE, "", (), False
        were_known = bool(entry.speakers)
        transcript, entry.names = speakers.with_names_given(transcript, entry.names), {}
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
        library = self.library
        if library is not None:
            self.worker.do(lambda: call(library), then)
        elif then is not None:
            then(None)

    def _store(self, options: Options | None, found: tuple[list[str], list[str]] | None) -> None:
        paths, others = found or ([], [])
        if others:
            named = others[:_NAMED] + (["…"] if len(others) > _NAMED else [])
            self.tell(Problem("file.no_media", names=", ".join(named)))
        elif not paths:
            self.tell(Problem("file.none_found"))
        for path in paths:
            self._add(path, options)

    def _add(self, path: str, options: Options | None) -> None:
        self.keep(lambda library: library.add(path), partial(self._enqueue, path, options))

    def _enqueue(self, path: str, options: Options | None, stored: Recording | None) -> None:
        """Put a file into the queue; what the library could not store is transcribed all the same."""
        entry = self._put_first(path, stored)
        entry.options = options
        self._hold_files()
        self.added.emit(entry.id)
        self._transcribe(entry)

    def _put_first(self, path: str, stored: Recording | None, live: bool = False) -> Entry:
        if stored is None:
            stored = Recording(uuid.uuid4().hex, path, Path(path).name, datetime.now(UTC), "waiting", 0.0, None, live)
        entry = _entry(stored)
        entry.loaded, entry.elsewhere = True, False
        self.entries = {entry.id: entry, **self.entries}
        return entry

    def _show_stored(self, stored: list[Entry] | None) -> None:
        for entry in stored or []:
            self.entries.setdefault(entry.id, entry)
        self._listed = set(self.entries)
        self.reloaded.emit()

    def look(self) -> None:
        """Show what another Galley has done meanwhile. Troubles are not told: this is asked every second."""
        library = self.library
        if library is not None:
            self.worker.do(library.changes, self._show_changes, lambda problem: None)

    def _show_changes(self, stored: dict[str, Recording | None] | None) -> None:
        if stored is None:
            return
        before = list(self.entries)
        for key, recording in stored.items():
            entry = self.entries.get(key)
            if recording is None or key in self._forgotten:
                continue
            if entry is None:
                self.entries[key] = _entry(recording)
            elif entry.elsewhere or (entry.state not in IN_WORK and entry.state != recording.state):
                self._follow(entry, recording)
        for key in before:
            if key in self._listed and key not in stored and self.entries[key].state not in IN_WORK:
                self.forget(key)
        self._listed = set(stored)
        own = [key for key in self.entries if key not in stored]
        self.entries = {key: self.entries[key] for key in (*own, *stored) if key in self.entries}
        if list(self.entries) != before:
            self.reloaded.emit()

    def _follow(self, entry: Entry, recording: Recording) -> None:
        """Another Galley works on it, or has done so."""
        entry.state, entry.problem = recording.state, recording.problem
        entry.seconds = recording.seconds or entry.seconds
        entry.elsewhere = recording.state in IN_WORK
        self.changed.emit(entry.id)
        if entry.loaded:
            entry.loaded = False
            self.load(entry.id)
        if recording.state == INTERRUPTED:
            self.reloaded.emit()

    def _show_text(self, key: str, transcript: Transcript | None) -> None:
        entry = self.entries.get(key)
        is_awaited = key in self._loading  # no other text has come meanwhile
        self._loading.discard(key)
        if entry is None or transcript is None or (entry.state in IN_WORK and not entry.elsewhere) or not is_awaited:
            return
        is_other = entry.segments != list(transcript.segments[: len(entry.segments)])
        self._take_over(entry, transcript)
        if entry.state in BROKEN_OFF and entry.segments:
            entry.done_seconds = entry.segments[-1].end
        self.changed.emit(key)
        if is_other:
            self.replaced.emit(key)
        else:
            self.text_changed.emit(key)


def _expanded(wanted: list[str]) -> tuple[list[str], list[str]]:
    """The files to transcribe, and the names of those that are surely no recordings."""
    paths = media.expand(wanted)
    others = [path for path in paths if media.is_no_media(path)]
    return [path for path in paths if path not in others], [Path(path).name for path in others]


def _noted(library: Library, event: LiveUpdate) -> None:
    for segment in event.segments:
        library.append(event.job, segment)
    library.note(event.job, event.stats, event.language, event.guarded)


def _paused(library: Library, key: str) -> None:
    """It waits; its text so far stands."""
    library.cancel(key)
    library.again(key)


def _taken_up(library: Library, key: str) -> tuple[Transcript, str]:
    if not library.again(key):
        raise Problem("library.row")
    return library.transcript(key), library.resume(key)


def _stored(library: Library) -> list[Entry]:
    """All recordings, and which versions of them programs were writing that are gone."""
    entries = [_entry(each) for each in library.recordings()]
    left = library.left_attempts()
    for entry in entries if left else ():
        entry.attempt = resuming.options(left.get(entry.id, ""))
    return entries


def _entry(stored: Recording) -> Entry:
    made = Entry(
        stored.id, stored.path, stored.name, stored.created, stored.state, stored.seconds, problem=stored.problem
    )
    made.spoken, made.corrected, made.reworded = stored.live, stored.corrected, stored.reworded
    made.resumable, made.options = stored.resumable, resuming.chosen(stored.asked)
    made.title, made.tags, made.notes, made.place = stored.title, stored.tags, stored.notes, stored.place
    made.marks = stored.marks
    made.damage = DAMAGED if stored.damaged else None
    made.elsewhere = stored.state in IN_WORK
    made.local  # noqa: B018  computed here, beside the front end: there are thousands
    return made
