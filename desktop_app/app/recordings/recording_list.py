"""The recordings as a front end lists them, and what it is told of their changes. The library is written beside it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from desktop_app.app.background import BackgroundThread
from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.entry import BROKEN_OFF, CANCELLED, IN_WORK, INTERRUPTED, Entry
from desktop_app.app.signals import Signal
from desktop_app.library.rows import DAMAGED, Recording
from desktop_app.library.store import Library
from desktop_app.messages.jobs import Event
from desktop_app.problems import Problem
from desktop_app.speakers.turns import Turn
from desktop_app.transcript.model import Transcript
from desktop_app.transcript.search import Snippet, folded

Kept = TypeVar("Kept")


class RecordingList:
    """The recordings, newest first.

    Every method is called in the front end's thread, and there the signals come.

    Attributes:
        entries: by id, newest first; is_read: whether those of the library are among them.
        worker: writes the library. library: None when it cannot be opened.
    Signals:
        arrived(): one or many recordings are new in the list; then added(id) comes of each, in the order they were
            dropped.
        changed(id): state, progress or figures of a recording changed.
        text_changed(id): its text grew or its draft changed.
        leaving(id): its text is about to be replaced or extended.
        replaced(id): its text is another one from its beginning on.
        revised(id): a reader has edited it, or the same words are given to speakers in another way.
        compared(id): it was to be transcribed again, and has a text: that stays, and another one is a version of it.
        switching(id): another version is about to stand in the place of its text.
        marked(id): other moments of it are marked.
        accepted(id, transcript, count): a reader takes so many changes of another text over.
        attributed(id, turns): it was found out who speaks when.
        unlisted(): one or many recordings are no longer in the list; then removed(id) comes of each of them.
        reloaded(): the list was read from the library.
        trouble(problems): something outside a single recording went wrong.
        foreign(event): the engine says something about a job that is no recording.
    """

    def __init__(self, library: Library | None, worker: BackgroundThread) -> None:
        self.library, self.worker = library, worker
        self.arrived: Signal[[]] = Signal()
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
        self.unlisted: Signal[[]] = Signal()
        self.removed: Signal[str] = Signal()
        self.reloaded: Signal[[]] = Signal()
        self.trouble: Signal[tuple[Problem, ...]] = Signal()
        self.foreign: Signal[Event] = Signal()
        self.entries: dict[str, Entry] = {}
        self.is_read = False
        self._listed: set[str] = set()  # that were in the library when it was looked at last
        self._forgotten: set[str] = set()  # which the library may still have for a moment
        self._loading: set[str] = set()  # whose text the library was asked for
        worker.failed.connect(self.tell)
        self.keep(_stored, self._show_stored)
        self._index()

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

    def locate(self, key: str, path: str) -> None:
        """The file of a recording lies there now, where Galley has not put it: it is the user's, and never deleted."""
        entry = self.entries.get(key)
        if entry is not None and entry.path != path:
            entry.path, entry.file_name, entry.spoken = path, Path(path).name, False
            self.keep(lambda library: library.locate(key, path))
            self.changed.emit(key)

    def forget(self, *keys: str) -> None:
        """Take recordings out of the list, which is told once; the library still has them."""
        gone = [key for key in keys if self.entries.pop(key, None) is not None]
        if not gone:
            return
        self._forgotten.update(gone)
        self.unlisted.emit()
        for key in gone:
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

    def load(self, key: str) -> None:
        """Fetch the text of an older recording; text_changed follows."""
        entry = self.entries.get(key)
        if entry is not None and not entry.loaded:
            entry.loaded = True
            self._loading.add(key)
            self.keep(lambda library: library.transcript(key), partial(self._show_text, key))

    def search(self, text: str, then: Callable[[set[str] | None], None]) -> None:
        """Tell `then` which recordings have all words of the text, or are called so; None means all of them."""
        if text.strip():
            entries = list(self.entries.values())
            self.keep(lambda library: library.search(text) | _named(entries, text), then)
        else:
            then(None)

    def snippet(self, key: str, text: str, then: Callable[[Snippet | None], None]) -> None:
        """Tell `then` the line of a recording in which a text was found."""
        self.keep(lambda library: library.snippet(key, text), then)

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

    def keep(self, call: Callable[[Library], Kept], then: Callable[[Kept | None], object] | None = None) -> None:
        """Make a call of the library, after those that were asked before. `then` gets its result, None when it cannot
        be had or there is no library."""
        library = self.library
        if library is not None:
            self.worker.do(lambda: call(library), then)
        elif then is not None:
            then(None)

    def _put_first(self, new: Iterable[tuple[str, Recording | None]], live: bool = False) -> list[Entry]:
        """List new recordings, by their paths, where the library could store them and where not."""
        made = [_new(path, stored, live) for path, stored in new]
        self.entries = {**{entry.id: entry for entry in reversed(made)}, **self.entries}
        return made

    def refresh(self) -> None:
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
        gone = [key for key in before if key in self._listed and key not in stored]
        self.forget(*(key for key in gone if self.entries[key].state not in IN_WORK))
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
        entry.take_over(transcript)
        if entry.state in BROKEN_OFF and entry.segments:
            entry.done_seconds = entry.segments[-1].end
        self.changed.emit(key)
        if is_other:
            self.replaced.emit(key)
        else:
            self.text_changed.emit(key)

    def _show_stored(self, stored: list[Entry] | None) -> None:
        for entry in stored or []:
            self.entries.setdefault(entry.id, entry)
        self._listed, self.is_read = set(self.entries), True
        self.reloaded.emit()

    def tell(self, *problems: Problem) -> None:
        """Say that something outside a single recording went wrong."""
        self.trouble.emit(problems)

    def _index(self) -> None:
        """Work on the index of the search, in short turns between which other things are written."""
        self.keep(lambda library: library.index(), lambda more: self._index() if more else None)


def _named(entries: Iterable[Entry], text: str) -> set[str]:
    """Which recordings have all words of a text in the name that Galley gives them; the library knows all others."""
    terms = folded(text).split()
    own = ((entry.id, folded(entry.name)) for entry in entries if entry.spoken and not entry.title)
    return {key for key, name in own if all(term in name for term in terms)}


def _stored(library: Library) -> list[Entry]:
    """All recordings, and which versions of them programs were writing that are gone."""
    entries = [_entry(each) for each in library.recordings()]
    left = library.left_attempts()
    for entry in entries if left else ():
        entry.attempt = resuming.options(left.get(entry.id, ""))
    return entries


def _new(path: str, stored: Recording | None, live: bool) -> Entry:
    if stored is None:
        stored = Recording(uuid.uuid4().hex, path, Path(path).name, datetime.now(UTC), "waiting", 0.0, None, live)
    made = _entry(stored)
    made.loaded, made.elsewhere = True, False
    return made


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
