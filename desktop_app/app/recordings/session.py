"""The recordings, the queue and the engine together: what a user asks for, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from desktop_app.app.background import BackgroundThread
from desktop_app.app.library import media
from desktop_app.app.library.known import Transcribed, find_known
from desktop_app.app.recordings.engine_events import FINISHING, EngineEvents
from desktop_app.app.recordings.engine_port import EnginePort
from desktop_app.app.recordings.entry import DONE, FAILED, IN_WORK, INTERRUPTED, RECORDING, WORKING, Entry, LiveState
from desktop_app.app.recordings.queue import Queue
from desktop_app.app.recordings.recording_list import RecordingList
from desktop_app.app.recordings.transcription import Transcription
from desktop_app.library.rows import Recording
from desktop_app.library.store import Library
from desktop_app.messages.jobs import Event
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Transcript

_NAMED = 3  # files in one sentence


class Session(RecordingList):
    """Attributes: engine, options (what works, and what is asked of the models), queue (what the engine gets next)."""

    def __init__(
        self, engine: EnginePort, library: Library | None, worker: BackgroundThread, options: Callable[[], Options]
    ) -> None:
        super().__init__(library, worker)
        self.engine, self.options = engine, options
        self.queue = Queue(self)
        self._transcription = Transcription(self, self.queue, engine, options)
        self._engine_events = EngineEvents(self, self.queue, self._transcription)

    def add(
        self,
        paths: Iterable[str],
        options: Options | None = None,
        listed: Callable[[str], None] | None = None,
        known: Callable[[dict[str, str]], None] | None = None,
    ) -> None:
        """Queue files and the recordings in folders; the first one starts at once. None of `options`: as the
        preferences say. `listed` is told the id of each, for whoever has to tell its own files from those that others
        add. With `known` those that are transcribed already are not queued: it is told the ids of their recordings, by
        their paths."""
        wanted, transcribed = list(paths), list[Transcribed]()
        if known is not None:
            done = (each for each in self.entries.values() if each.state == DONE)
            transcribed = [Transcribed(each.id, each.path, each.created.timestamp()) for each in done]
        self.worker.do(partial(_expanded, wanted, transcribed), partial(self._store, options, listed, known))

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

    @property
    def in_work(self) -> list[Entry]:
        """The queue: what is recorded, what is transcribed and what waits, in the order it was dropped or given."""
        found = [each for each in reversed(self.entries.values()) if each.state in IN_WORK and not each.elsewhere]
        running = self.queue.running
        return sorted(found, key=lambda it: (it.live is None, it.id != running, it.place == 0.0, it.place))

    def transcribe_again(self, key: str) -> None:
        """Transcribe a recording once more, as `Transcription.transcribe_again` says."""
        self._transcription.transcribe_again(key)

    def renew(self, key: str) -> bool:
        """Transcribe a recording anew whose file has changed, as `Transcription.renew` says."""
        return self._transcription.renew(key)

    def transcribe_on_cpu(self, key: str) -> None:
        """Transcribe a recording once more, and on the CPU instead of the device that it failed for."""
        self._transcription.transcribe_on_cpu(key)

    def cancel(self, key: str) -> None:
        """Stop a recording that waits or is in work; the text so far stands. What is being recorded goes on."""
        self._transcription.cancel(key)

    def forget(self, *keys: str) -> None:
        """Take recordings out of the list, and stop the work on them; the library still has them."""
        for key in keys:
            entry = self.entries.get(key)
            if entry is not None and entry.state in IN_WORK and not entry.elsewhere:
                self._transcription.stop(entry)
        super().forget(*keys)

    def handle(self, event: Event) -> None:
        """Take an engine event, in the front end's thread. Events about forgotten recordings are passed over."""
        entry = self.entries.get(event.job)
        if entry is None:
            self.foreign.emit(event)
        elif entry.state in IN_WORK and self._engine_events.take(entry, event):
            self._hold_files()
            self.changed.emit(entry.id)
        self.queue.handle(event)

    def record(self, path: str, stored: Recording | None) -> Entry:
        """A live recording begins: it stands in the list. Its sound is brought to the engine by app.live."""
        (entry,) = self._put_first([(path, stored)], live=True)
        entry.state, entry.live = RECORDING, LiveState()
        self._hold_files()
        self.arrived.emit()
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
        entry.take_over(transcript)
        self.replaced.emit(entry.id)
        self.changed.emit(entry.id)

    def revise(self, entry: Entry, transcript: Transcript) -> None:
        """A reader's edit: other lines, speakers and reports of the guard; who brings them tells the library."""
        entry.segments, entry.speakers = list(transcript.segments), transcript.speakers
        entry.guarded = transcript.guarded
        self.revised.emit(entry.id)

    def _store(
        self,
        options: Options | None,
        listed: Callable[[str], None] | None,
        known: Callable[[dict[str, str]], None] | None,
        found: tuple[list[str], list[str], dict[str, str]] | None,
    ) -> None:
        paths, others, transcribed = found or ([], [], {})
        if others:
            named = others[:_NAMED] + (["…"] if len(others) > _NAMED else [])
            self.tell(Problem("file.no_media", names=", ".join(named)))
        elif not (paths or transcribed):
            self.tell(Problem("file.none_found"))
        if known is not None and transcribed:
            known(transcribed)
        count = 1
        while paths:  # the first one is listed at once, and many are not listed anew for each
            self._add(paths[:count], options, listed)
            paths, count = paths[count:], 2 * count

    def _add(self, paths: list[str], options: Options | None, listed: Callable[[str], None] | None) -> None:
        stored: list[Recording | None] = []

        def take(recording: Recording | None) -> None:
            stored.append(recording)
            if len(stored) == len(paths):
                self._enqueue(list(zip(paths, stored, strict=True)), options, listed)

        for path in paths:
            self.keep(partial(_added, path), take)

    def _enqueue(
        self,
        new: list[tuple[str, Recording | None]],
        options: Options | None,
        listed: Callable[[str], None] | None,
    ) -> None:
        """Put files into the queue; what the library could not store is transcribed all the same."""
        entries = self._put_first(new)
        for entry in entries:
            entry.options = options
        self._hold_files()
        self.arrived.emit()
        for entry in entries:
            self.added.emit(entry.id)
            if listed is not None:
                listed(entry.id)
            self._transcription.start(entry)


def _added(path: str, library: Library) -> Recording:
    return library.add(path)


def _expanded(wanted: list[str], transcribed: list[Transcribed]) -> tuple[list[str], list[str], dict[str, str]]:
    """The files to transcribe, the names of those that are surely no recordings, and those that are transcribed."""
    paths = media.expand(wanted)
    done = find_known(paths, transcribed) if transcribed else {}
    others = {path: Path(path).name for path in paths if path not in done and media.is_no_media(path)}
    return [path for path in paths if path not in done and path not in others], list(others.values()), done
