"""Where results go: file names that never meet; and what is said where they cannot."""

from __future__ import annotations

import errno
import os
import shlex
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from desktop_app import atomic, printing
from desktop_app.app.presentation import wording
from desktop_app.app.presentation.problems import sentence
from desktop_app.export import names
from desktop_app.export.document import Document, ExportOptions
from desktop_app.export.formats import SOUND, Format
from desktop_app.export.names import longest_name, shortened
from desktop_app.export.process import with_sound
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript.model import Transcript
from desktop_app.transcript.so_far import TextSoFar


@dataclass(frozen=True)
class Export:
    """What transcripts are written as."""

    form: Format
    options: ExportOptions = field(default_factory=ExportOptions)

    def render(self, transcript: Transcript, folder: Path | None = None, copy: str = "") -> str | bytes:
        """The file of a transcript, to lie in a folder, which the current one is if none is given. `copy` is where the
        sound is for now, if it has no file: then a page that plays holds it. Raises Problem where the sound is to be in
        it and cannot be read."""
        made = wording.document(transcript, created=_created(copy or transcript.path))
        return self.render_document(made, folder, copy)

    def render_document(self, made: Document, folder: Path | None = None, copy: str = "") -> str | bytes:
        """The same of a document."""
        if SOUND in self.form.choices:
            source = made.transcript if not copy else replace(made.transcript, path=copy)
            if self.options.sound or copy:
                made = replace(made, sound=with_sound(replace(made, transcript=source)).sound)
            else:
                made = replace(made, sound=names.address(source.path, folder or Path()))
        return wording.rendered(made, self.form, self.options)


def _created(path: str) -> datetime | None:
    """When a file was last changed: for a recording, mostly when it was made."""
    try:
        return datetime.fromtimestamp(os.stat(path).st_mtime, UTC)
    except OSError:
        return None


class Places:
    """Files in a folder for one document after another, named by a template; numbers tell equal names apart, and no
    file of `inputs` is chosen. `most` is how many documents there may be."""

    def __init__(self, folder: Path, template: str, inputs: Iterable[str], most: int) -> None:
        self._folder, self._template, self._most = folder, template, most
        self._inputs, self._taken = {Path(file).resolve() for file in inputs}, set[str]()
        self._longest = longest_name(folder)

    def choose(self, document: Document, ending: str) -> Path:
        """The file for a document."""
        room = self._longest - len(os.fsencode(f" ({self._most + 1}).part.{ending}"))
        name = shortened(names.file_name(self._template, document), room)
        for number in range(1, self._most + 2):
            target = self._folder / (f"{name} ({number}).{ending}" if number > 1 else f"{name}.{ending}")
            if target.name.casefold() not in self._taken and target.resolve() not in self._inputs:
                break
        self._taken.add(target.name.casefold())
        return target


def named(files: Sequence[str], folder: Path, ending: str, template: str) -> list[Path]:
    """A file in `folder` for each input, named by a template."""
    places = Places(folder, template, files, len(files))
    return [places.choose(Document(TextSoFar(file).transcript(), created=_created(file)), ending) for file in files]


def destinations(files: Sequence[str], folder: Path, ending: str) -> list[Path]:
    """A file in `folder` for each input: `<stem>.<ending>`, with the input's whole name where two stems are the same.

    Numbers tell equal names apart; no input is ever chosen. Names that differ in case only count as equal. A name that
    the file system does not take, with `.part` before its ending, is shortened.
    """
    room = longest_name(folder) - len(os.fsencode(f".{len(files) + 2}.part.{ending}"))
    stems = Counter(Path(file).stem.casefold() for file in files)
    inputs = {Path(file).resolve() for file in files}
    taken: set[str] = set()
    chosen = []
    for file in files:
        path = Path(file)
        stem, whole = shortened(path.stem, room), shortened(path.name, room)
        names = [stem] if stems[path.stem.casefold()] == 1 else []
        names += [whole, *(f"{whole}.{number}" for number in range(2, len(files) + 3))]
        for name in names:
            target = folder / f"{name}.{ending}"
            if target.name.casefold() not in taken and target.resolve() not in inputs:
                break
        taken.add(target.name.casefold())
        chosen.append(target)
    return chosen


def refusal(place: Path) -> OSError | None:
    """Why a file could not be written there, as a nameless one shows; None where it could."""
    try:
        atomic.refuse_special(place)
        if not stat.S_ISDIR(place.parent.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        tempfile.TemporaryFile(dir=place.parent).close()  # rights alone do not tell: of a network's folder, say
    except OSError as error:
        return error
    return None


def place_refused(place: Path) -> str:
    """The same as a sentence; "" where it could."""
    error = refusal(place)
    if error is None:
        return ""
    file, why = printing.one_line(str(place)), error.strerror or error
    return _("{file}: The transcript cannot be written ({error}). Choose another folder.", file=file, error=why)


def output_refused(error: OSError) -> str:
    """Why standard output cannot be written, and what helps where something does."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _("The output cannot be written ({error}). Free some space for it.", error=error.strerror)
    if error.errno == errno.EBADF:
        return _("The output cannot be written: standard output is closed. Redirect it to a file, or leave it open.")
    return _("The output cannot be written ({error}).", error=error.strerror or error)


def keep(transcript: Transcript, target: Path, export: Export, what: str, say: Callable[[str], None]) -> bool:
    """Write the transcript of a recording, and say where `what` is, or why it cannot be written and how it can be had;
    gives whether it was."""
    try:
        atomic.write(target, export.render(transcript, target.parent))
    except OSError as error:
        say(
            _(
                "{file}: The transcript cannot be written ({error}). Free some space, then transcribe the recording: "
                "galley transcribe {recording}",
                file=target,
                error=error.strerror or error,
                recording=shlex.quote(transcript.path),
            )
        )
        return False
    except Problem as problem:
        say(f"{target}: {sentence(problem)}")
        return False
    say(f"{what}: {target}")
    return True
