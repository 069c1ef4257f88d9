"""`galley export`: transcripts of the library as files, or on standard output. The library is only read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import atomic, printing
from desktop_app.app.library.stored import SHORT, StoredRecordings, title
from desktop_app.app.presentation import problems
from desktop_app.app.presentation.wording import clock
from desktop_app.app.recordings.entry import DONE as WHOLE
from desktop_app.cli import export_arguments, results
from desktop_app.cli.interrupts import INTERRUPTED
from desktop_app.cli.results import Export
from desktop_app.cli.screen import Screen
from desktop_app.cli.transcribe import DONE, FAILED, USAGE, make_folder
from desktop_app.problems import Problem
from desktop_app.texts import _, ngettext

if TYPE_CHECKING:
    from desktop_app.app.library.stored import Recording
    from desktop_app.export.document import Document


def run(arguments: argparse.Namespace) -> int:
    """Export what was asked for; gives the exit status: 1 if not all of it could be, 2 if nothing can be meant."""
    with Screen() as screen:
        try:
            with StoredRecordings() as stored:
                if arguments.list:
                    for each in stored.all:
                        screen.text(f"{_line(each, SHORT)}\n")
                    return DONE
                chosen = _chosen(arguments, stored, screen)
                return _Export(arguments, stored, screen).all(chosen) if chosen else USAGE
        except Problem as problem:
            screen.say(f"galley: {problems.sentence(problem)}")
            return FAILED
        except KeyboardInterrupt:
            screen.say(_("Interrupted. What is exported so far stays."))
            return INTERRUPTED


def _chosen(arguments: argparse.Namespace, stored: StoredRecordings, screen: Screen) -> list[Recording]:
    """The recordings that are meant; none, which is told, where that is not clear."""
    if bool(arguments.recordings) == arguments.all:
        screen.say(
            _("Name recordings by title, id or file, or export all with --all. galley export --list shows them.")
        )
        return []
    if arguments.all:
        if not stored.all:
            screen.say(_("There are no recordings in the library."))
        return stored.all
    chosen: dict[str, Recording] = {}
    for name in arguments.recordings:
        found = stored.find(name)
        if len(found) != 1:
            shown = printing.one_line(name)
            if not found:
                screen.say(_("{name}: No recording has this title, id or file. Run galley export --list.", name=shown))
            else:
                screen.say(_("{name}: This may be several recordings. Name one by its id:", name=shown))
            for each in found:
                screen.say(_line(each, len(each.id)))
            return []
        chosen[found[0].id] = found[0]
    return list(chosen.values())


class _Export:
    """One command."""

    def __init__(self, arguments: argparse.Namespace, stored: StoredRecordings, screen: Screen) -> None:
        self._stored, self._screen = stored, screen
        self._exports = export_arguments.exports(arguments)
        self._takes_all: bool = arguments.all
        self._output: str = arguments.output or ""
        self._template: str = arguments.file_name
        self._written = 0  # files

    def all(self, chosen: Sequence[Recording]) -> int:
        """Export the recordings; gives the exit status."""
        place = Path(self._output)
        is_file = place.suffix[1:].lower() in {each.form.extension for each in self._exports} and not place.is_dir()
        self._file = place if is_file else None
        if is_file and (len(chosen), len(self._exports)) != (1, 1):
            self._say(self._output, _("Several files need a folder. Choose one with --output."))
            return USAGE
        if refusal := self._refusal():
            self._screen.say(refusal)
            return USAGE
        if self._output and self._file is None:
            inputs = [each.path for each in self._stored.all]
            self._places = results.Places(place, self._template, inputs, len(chosen))
        status = DONE
        for number, recording in enumerate(chosen):
            self._screen.show(printing.one_line(title(recording)), number, len(chosen))
            try:
                status = max(status, self._export(recording))
            except OSError as error:
                if not self._output:  # of standard output
                    raise
                why = error.strerror or error
                self._say(self._output, _("The transcript cannot be written ({error}).", error=why))
                return FAILED
        self._screen.clear()
        if self._output:
            n = self._written
            self._screen.say(ngettext("{n} file was written.", "{n} files were written.", n))
        return status

    def _refusal(self) -> str:
        """Why it cannot be written where it was asked for, before anything is; "" where it can."""
        if self._file is not None:
            return results.place_refused(self._file)
        if self._output:
            folder = Path(self._output)
            return make_folder(folder) or results.place_refused(folder / f"{folder.name}.txt")
        binary = next((each.form.name for each in self._exports if each.form.is_binary), "")
        if binary:
            return _("The format {format} cannot be shown in a terminal. Choose a folder with --output.", format=binary)
        return _("Several formats need a folder. Choose one with --output.") if len(self._exports) > 1 else ""

    def _export(self, recording: Recording) -> int:
        """Write or print one. Raises OSError."""
        name = title(recording)
        try:
            document = self._stored.document(recording)
            if not document.transcript.segments:
                if self._takes_all:
                    return DONE
                self._say(name, _("There is no text yet."))
                return FAILED
            for export in self._exports:
                self._write(export, document)
        except Problem as problem:
            self._say(name, problems.sentence(problem))
            return FAILED
        if recording.state != WHOLE:
            end = clock(document.transcript.segments[-1].end)
            self._say(name, _("The transcript is not finished: it ends at {time}.", time=end))
        return DONE

    def _write(self, export: Export, document: Document) -> None:
        """Write or print one in one format. Raises OSError, Problem."""
        if not self._output:
            self._screen.text("\n" if self._written else "")
            self._screen.text(str(export.render_document(document)))
        else:
            place = self._file or self._places.choose(document, export.form.extension)
            atomic.write(place, export.render_document(document, place.parent))
        self._written += 1

    def _say(self, name: str, sentence: str) -> None:
        self._screen.say(f"{printing.one_line(name)}: {sentence}")


def _line(recording: Recording, characters: int) -> str:
    """A recording in a list: so much of its id, when it was made, its length and its title."""
    length = clock(recording.seconds) if recording.seconds else ""
    made = f"{recording.created.astimezone():%Y-%m-%d %H:%M}"
    return f"{recording.id[:characters]}  {made}  {length:>8}  {printing.one_line(title(recording))}"
