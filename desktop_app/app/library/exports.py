"""Recordings as files of other formats: made by a process of its own, written by a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from desktop_app import atomic, texts
from desktop_app.app.background import BackgroundThread
from desktop_app.app.presentation import wording
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.recordings.session import Session
from desktop_app.engine.child import Child
from desktop_app.export import names, process
from desktop_app.export.document import Document, ExportOptions
from desktop_app.export.formats import FORMATS
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.model import Transcript

Refused = Callable[[Problem], object]

_LEFT = 20.0  # seconds that the end of the program waits for what is being written


class Exports:
    """Makes files of a session's recordings, as they are shown. Nothing here waits: what was made, or why it was not,
    is told in the front end's thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: list[BackgroundThread] = []

    def gather(self, keys: Sequence[str], then: Callable[[list[Document]], object]) -> None:
        """Give `then` those of the recordings that have a text, in their order; stored ones are read before."""
        entries = [self._session.entries[key] for key in keys if key in self._session.entries]
        texts_found: dict[str, Transcript | None] = {}

        def done() -> None:
            found = ((entry, texts_found[entry.id]) for entry in entries)
            then([_document(entry, text) for entry, text in found if text is not None and text.segments])

        def take(key: str, text: Transcript | None) -> None:
            texts_found[key] = text
            if len(texts_found) == len(entries):
                done()

        for entry in entries:
            if entry.segments or entry.loaded:
                take(entry.id, entry.transcript())
            else:
                self._session.keep(partial(_stored, entry.id), partial(take, entry.id))
        if not entries:
            done()

    def save(
        self,
        documents: Sequence[Document],
        form: str,
        options: ExportOptions,
        places: Sequence[Path],
        then: Callable[[list[Path]], object],
        refused: Refused,
    ) -> None:
        """Write each to its place, whole or not at all. `then` gets the files; `refused` the first problem, when those
        before it are written."""
        self._start(partial(_save, documents, form, options, places), then, refused)

    def save_into(
        self,
        documents: Sequence[Document],
        form: str,
        options: ExportOptions,
        template: str,
        folder: Path,
        then: Callable[[list[Path]], object],
        refused: Refused,
    ) -> None:
        """Write new files into a folder, with names by a template; what is there stays."""

        def save() -> list[Path]:
            called = [names.file_name(template, each) for each in documents]
            try:
                places = names.apart(called, folder, FORMATS[form].extension)
            except OSError as error:
                raise Problem("disk.not_saved", name=folder.name, error=error.strerror or str(error)) from error
            return _save(documents, form, options, places)

        self._start(save, then, refused)

    def render(
        self, document: Document, form: str, options: ExportOptions, then: Callable[[bytes], object], refused: Refused
    ) -> None:
        """Give `then` the content of a file, which is not written."""
        self._start(lambda: next(_rendered([document], form, options)), then, refused)

    def write(self, content: str, place: Path, then: Callable[[Path], object], refused: Refused) -> None:
        """Write a text that is made already."""
        self._start(lambda: _write(place, content), then, refused)

    def close(self) -> None:
        """Wait for what is being written."""
        for worker in self._open:
            worker.close(_LEFT)

    def _start(self, call: Callable[[], object], then: Callable[..., object], refused: Refused) -> None:
        worker = BackgroundThread("export", self._session.worker.post)
        self._open.append(worker)

        def end(after: Callable[..., object], result: object) -> None:
            self._open.remove(worker)
            worker.close(0.0)
            after(result)

        worker.do(call, partial(end, then), partial(end, refused))


def _document(entry: Entry, transcript: Transcript) -> Document:
    title = Path(entry.file_name).stem if entry.name == entry.file_name else entry.name
    return wording.document(transcript, title, entry.created, entry.marks)


def _stored(key: str, library: Library) -> Transcript:
    return library.transcript(key)


# In a thread.


def _save(documents: Sequence[Document], form: str, options: ExportOptions, places: Sequence[Path]) -> list[Path]:
    """Write the files; gives them. Raises Problem."""
    based = [
        replace(each, sound=names.address(each.transcript.path, place.parent))
        for each, place in zip(documents, places, strict=True)
    ]
    return [_write(place, made) for place, made in zip(places, _rendered(based, form, options), strict=True)]


def _write(place: Path, content: bytes | str) -> Path:
    try:
        atomic.write(place, content)
    except OSError as error:
        raise Problem("disk.not_saved", name=place.name, error=error.strerror or str(error)) from error
    return place


def _rendered(documents: Sequence[Document], form: str, options: ExportOptions) -> Iterator[bytes]:
    """The contents of the files. Raises Problem."""
    order = process.Order(form, options, texts.current())
    try:
        child = Child(process.main)
    except OSError as error:
        raise Problem("engine.not_started", error=error.strerror or str(error)) from error
    try:
        for message in process.messages(order, [wording.named_in(each, FORMATS[form]) for each in documents]):
            child.send(message)
        for _document in documents:
            content = child.connection.recv()
            if isinstance(content, Problem):
                raise content
            yield content
    except (EOFError, OSError) as error:
        raise Problem("export.ended") from error
    finally:
        child.kill()
        child.close()
