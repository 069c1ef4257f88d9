"""What the engine says of a recording in work, taken over into the list and the library."""

from __future__ import annotations

from functools import partial

from desktop_app.app.presentation import stages
from desktop_app.app.recordings import resuming
from desktop_app.app.recordings.entry import DONE, FAILED, RECORDING, WAITING, WORKING, Entry, LiveState
from desktop_app.app.recordings.queue import Queue
from desktop_app.app.recordings.recording_list import RecordingList
from desktop_app.app.recordings.transcription import Transcription
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
)
from desktop_app.texts import N_, _
from desktop_app.transcript import speakers
from desktop_app.transcript.model import Transcript

FINISHING = N_("Transcribing the last words…")


class EngineEvents:
    """Takes events over, in the front end's thread."""

    def __init__(self, recordings: RecordingList, queue: Queue, transcription: Transcription) -> None:
        self._recordings, self._queue, self._transcription = recordings, queue, transcription

    def take(self, entry: Entry, event: Event) -> bool:
        """Take an event of a recording in work over; whether its state, progress or figures changed by it, and not its
        text alone."""
        match event:
            case Tentative():
                entry.lines = event.lines
                self._recordings.text_changed.emit(entry.id)
                return False
            case SegmentReady():
                entry.segments.append(event.segment)
                entry.lines = entry.lines[1:]
                self._recordings.keep(lambda library: library.append(entry.id, event.segment))
                self._recordings.text_changed.emit(entry.id)
                return False
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
            case Cancelled() if self._queue.is_stopped(entry.id):
                entry.state, entry.preparing, entry.lines = WAITING, "", ()
                self._recordings.keep(partial(_paused, key=entry.id))
                self._recordings.text_changed.emit(entry.id)
            case Cancelled():
                self._transcription.cancelled(entry)
            case Failed():
                entry.state, entry.preparing, entry.lines = FAILED, "", ()
                entry.problem = event.problem
                problem = entry.problem
                self._recordings.keep(lambda library: library.fail(entry.id, problem))
                self._recordings.text_changed.emit(entry.id)
        return True

    def _note(self, entry: Entry, event: Progress) -> None:
        """Keep how far a file is, so that it can be resumed there."""
        place, options, resume = event.place, self._transcription.asked.get(entry.id), ""
        if place is not None and options is not None:
            entry.resumable, resume = True, resuming.plain(place, options)
        language = place.language if place else ""
        self._recordings.keep(lambda library: library.note(entry.id, event.stats, language, event.guarded, resume))

    def _take_in(self, entry: Entry, event: LiveUpdate) -> None:
        entry.take_in(event)
        entry.preparing = _(FINISHING) if entry.state == WORKING else ""
        if event.segments or event.guarded:
            self._recordings.keep(lambda library: _noted(library, event))
        if event.speakers:
            given, people = event.speakers, entry.speakers
            self._recordings.keep(lambda library: library.give_speakers(entry.id, given, people))
            self._recordings.revised.emit(entry.id)
        self._recordings.text_changed.emit(entry.id)

    def _prepare_live(self, entry: Entry, event: Preparing | Started) -> None:
        entry.preparing = stages.preparing(event) if isinstance(event, Preparing) else ""
        if isinstance(event, Started):
            entry.models = event.models
            self._recordings.keep(lambda library: library.begin(entry.id, event.models, 0.0))
        self._recordings.text_changed.emit(entry.id)

    def _begin(self, entry: Entry, event: Started) -> None:
        entry.state, entry.preparing = WORKING, ""
        entry.models, entry.seconds = event.models, event.audio_seconds
        kept = max(entry.kept, event.kept)
        entry.segments, entry.lines = entry.segments[:kept], ()
        self._recordings.keep(lambda library: library.begin(entry.id, event.models, event.audio_seconds, kept))
        self._recordings.text_changed.emit(entry.id)

    def _finish(self, entry: Entry, transcript: Transcript) -> None:
        entry.state, entry.preparing, entry.lines, entry.resumable = DONE, "", (), False
        were_known = bool(entry.speakers)
        transcript, entry.names = speakers.with_names_given(transcript, entry.names), {}
        entry.take_over(transcript)
        entry.done_seconds = entry.seconds
        if entry.kept:  # its first lines were written while they were spoken: a check is offered as for any such text
            entry.kept, entry.live = 0, LiveState()
        if entry.speakers or were_known:
            self._recordings.revised.emit(entry.id)
        self._recordings.keep(lambda library: library.finish(entry.id, transcript))
        self._recordings.text_changed.emit(entry.id)


def _noted(library: Library, event: LiveUpdate) -> None:
    for segment in event.segments:
        library.append(event.job, segment)
    library.note(event.job, event.stats, event.language, event.guarded)


def _paused(library: Library, key: str) -> None:
    """It waits; its text so far stands."""
    library.cancel(key)
    library.requeue(key)
