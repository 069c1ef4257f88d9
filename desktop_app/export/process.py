"""The process that makes exported files: a long text takes seconds of computing, which would halt the window.

Its parent sends an Order, and then each recording: a Document without lines, its lines in parts, and an empty part. For
each it answers with the bytes of the file, or with the Problem. It ends when the parent closes the pipe.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from desktop_app import texts
from desktop_app.export.document import Document, ExportOptions
from desktop_app.export.formats import FORMATS, SOUND
from desktop_app.problems import Problem
from desktop_app.transcript.model import Segment

_PART = 50  # lines: what is sent at once keeps the sender's other threads waiting


@dataclass(frozen=True)
class Order:
    """What to make: the name of a format, how it looks, and the language of the few words that it adds."""

    form: str
    options: ExportOptions
    language: str


def messages(order: Order, documents: list[Document]) -> Iterator[Order | Document | tuple[Segment, ...]]:
    """What the parent sends."""
    yield order
    for document in documents:
        lines = document.transcript.segments
        yield replace(document, transcript=replace(document.transcript, segments=()))
        for first in range(0, len(lines), _PART):
            yield lines[first : first + _PART]
        yield ()


def main(connection: Connection) -> None:
    """The whole life of the process."""
    try:
        order: Order = connection.recv()
        texts.use(order.language)
        while True:
            document: Document = connection.recv()
            lines = list[Segment]()
            while part := connection.recv():
                lines += part
            transcript = replace(document.transcript, segments=tuple(lines))
            connection.send(_made(replace(document, transcript=transcript), order))
    except EOFError:
        pass


def _made(document: Document, order: Order) -> bytes | Problem:
    form = FORMATS[order.form]
    try:
        if SOUND in form.choices and order.options.sound:
            document = with_sound(document)
        return as_bytes(form.render(document, order.options))
    except Problem as problem:
        return problem
    except Exception as error:  # its message may quote the text, which goes into no log
        return Problem("engine.failed", error=type(error).__name__)


def with_sound(document: Document) -> Document:
    """The document with its sound in it. Raises Problem where that cannot be read."""
    from desktop_app.audio import mp3  # loads what encodes

    path = document.transcript.path
    if not Path(path).exists():
        raise Problem("file.moved", name=Path(path).name)
    sound = base64.b64encode(mp3.encoded(path)).decode()
    return replace(document, sound=f"data:audio/mpeg;base64,{sound}")


def as_bytes(content: str | bytes) -> bytes:
    """A file's content; names of files that are no text are escaped."""
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
