"""How the transcription of one recording begins, is resumed and is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.engine_port import EnginePort
from desktop_app.app.recordings.entry import CANCELLED, DONE, IN_WORK, WAITING, WORKING, Entry
from desktop_app.app.recordings.queue import Queue
from desktop_app.app.recordings.recording_list import RecordingList
from desktop_app.library.rows import DAMAGED
from desktop_app.library.store import Library
from desktop_app.messages.jobs import Transcribe
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE
from desktop_app.transcript.model import ResumePoint, Transcript


class Transcription:
    """Attributes: asked (what was asked of the models, for each file that was queued)."""

    def __init__(
        self, recordings: RecordingList, queue: Queue, engine: EnginePort, options: Callable[[], Options]
    ) -> None:
        self._recordings, self._queue, self._engine, self._options = recordings, queue, engine, options
        self.asked: dict[str, Options] = {}
        queue.resumed.connect(self._go_on)

    def transcribe_again(self, key: str) -> None:
        """Transcribe a recording once more. A live one that was broken off keeps its lines: the rest is written. A file
        is resumed behind its last window, with the options that it was begun with. A complete or edited text is not
        overwritten: `compared` is emitted instead, so that the front end offers a comparison."""
        entry = self._recordings.entries.get(key)
        if entry is None or entry.state in IN_WORK:
            return
        if entry.attempt is not None:
            self._recordings.compared.emit(key)
            return
        if entry.is_damaged:
            self._recordings.tell(DAMAGED)
            return
        if entry.reworded and not entry.is_half_written:
            self._recordings.compared.emit(key)
            return
        if entry.is_half_written or entry.resumable:
            self._take_up(entry)
            return
        if entry.state == DONE:
            self._recordings.compared.emit(key)
            return
        self._begin_again(entry)

    def renew(self, key: str) -> bool:
        """Transcribe a recording from its beginning because its file has changed; the text that it has becomes a
        version. One that the engine is at is stopped first: then, and where another Galley works on it, False is
        returned, and `renew` must be called again."""
        entry = self._recordings.entries.get(key)
        if entry is None or entry.is_damaged:
            return True
        if entry.state == WAITING and key != self._queue.running and not entry.elsewhere and not entry.resumable:
            return True  # the file is read when its turn comes
        if entry.state in IN_WORK:
            self.cancel(key)
            return False
        if key == self._queue.running:
            return False  # it is being stopped
        self._begin_again(entry)
        return True

    def _begin_again(self, entry: Entry) -> None:
        key, before = entry.id, (entry.state, entry.problem)
        self._recordings.leaving.emit(key)
        entry.begin_again()
        entry.loaded = True
        self._recordings.keep(lambda library: library.requeue(key), partial(self._begun_again, entry, *before))
        self._recordings.changed.emit(key)
        self._recordings.text_changed.emit(key)
        self.start(entry)

    def transcribe_on_cpu(self, key: str) -> None:
        """Transcribe a recording once more, and on the CPU. A file begins anew, since its lines come from the other
        device; a live recording keeps its own."""
        entry = self._recordings.entries.get(key)
        if entry is not None and entry.failed_for_device:
            asked = entry.options or self.asked.get(key) or self._options()
            entry.options = replace(asked, device="cpu")
            entry.resumable = False
            self.transcribe_again(key)

    def start(self, entry: Entry, written: Transcript | None = None, place: ResumePoint | None = None) -> None:
        """Queue a recording, behind what is `written` of it."""
        entry.paused = self._queue.paused
        self.asked[entry.id] = options = entry.options or self._options()
        asked = resuming.asked(options, chosen=entry.options is not None)
        self._recordings.keep(lambda library: library.ask(entry.id, asked))
        self._queue.put(Transcribe(entry.id, entry.path, options, written, place))

    def _begun_again(self, entry: Entry, state: str, problem: Problem | None, begun: bool | None) -> None:
        """A damaged recording stays as it is, which may be known only when its text was read."""
        if begun is False and entry.id in self._recordings.entries:
            self._recordings.tell(DAMAGED)
            self.stop(entry)
            entry.state, entry.problem, entry.loaded = state, problem, False
            self._recordings.load(entry.id)

    def _take_up(self, entry: Entry) -> None:
        """Go on behind the lines that a recording has, as the library knows them."""
        before = entry.state
        self._recordings.leaving.emit(entry.id)
        entry.state, entry.problem, entry.live = WAITING, None, None
        self._recordings.changed.emit(entry.id)
        self._recordings.keep(partial(_taken_up, key=entry.id), partial(self._write_rest, entry, before))

    def _go_on(self, job: str) -> None:
        """The queue is resumed that has stopped this job."""
        entry = self._recordings.entries.get(job)
        if entry is not None and entry.state in IN_WORK:
            self._take_up(entry)

    def _write_rest(self, entry: Entry, before: str, found: tuple[Transcript, str] | None) -> None:
        if entry.id not in self._recordings.entries:
            self._queue.send_next()
            return
        if self._recordings.library is None:
            found = entry.transcript(), ""
        if found is None:  # the library is in trouble, and has said so
            entry.state = before
        elif not entry.spoken:
            entry.options = resuming.options(found[1]) or entry.options
            self._resume(entry, *found)
        else:
            written = found[0]
            entry.take_over(written)
            entry.loaded, entry.kept = True, len(written.segments)
            entry.done_seconds = written.segments[-1].end if written.segments else 0.0
            self.start(entry, written if written.segments else None)
        self._queue.send_next()
        self._recordings.changed.emit(entry.id)
        self._recordings.text_changed.emit(entry.id)

    def _resume(self, entry: Entry, written: Transcript, resume: str) -> None:
        """Let the engine go on with a file where another one stopped, or begin anew with other options."""
        place = resuming.place(resume, entry.options or self._options())
        if place is None:
            entry.begin_again()
            self.start(entry)
        else:
            written = replace(written, segments=written.segments[: place.segments])
            entry.take_over(written)
            entry.done_seconds = place.samples / SAMPLE_RATE
            self.start(entry, written, place)
        entry.loaded = True

    def cancel(self, key: str) -> None:
        """Stop a recording that waits or is in work; the text so far stands. What is being recorded goes on."""
        entry = self._recordings.entries.get(key)
        if entry is None or entry.state not in (WAITING, WORKING) or entry.elsewhere:
            return
        if self.stop(entry):
            self.cancelled(entry)
            self._recordings.changed.emit(key)

    def stop(self, entry: Entry) -> bool:
        """Take a file out of the queue, or let the engine stop it; whether it has not begun, so that no event comes."""
        if self._queue.take_out(entry.id) or (entry.paused and entry.id != self._queue.running):
            return True
        self._engine.cancel(entry.id)
        return False

    def cancelled(self, entry: Entry) -> None:
        """It was stopped for good; the text so far stands."""
        entry.state, entry.preparing, entry.lines, entry.paused = CANCELLED, "", (), False
        self._recordings.keep(lambda library: library.cancel(entry.id))
        self._recordings.text_changed.emit(entry.id)


def _taken_up(library: Library, key: str) -> tuple[Transcript, str]:
    if not library.requeue(key):
        raise Problem("library.row")
    return library.transcript(key), library.resume(key)
