"""The formats that a transcript is exported in. Window and command line offer what is here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from desktop_app.export import json_format, names, plain, subtitles, tables, web_page, word_document
from desktop_app.export.document import Document, ExportOptions
from desktop_app.texts import N_

TIMES, NAMES, CUES, SOUND, CELLS = "times", "names", "cues", "sound", "cells"
"""What can be chosen of a format: `ExportOptions` of these names, and those of how subtitles are split."""


@dataclass(frozen=True)
class Format:
    """A kind of file that a transcript is saved as.

    Attributes:
        name: for `--format` of the command line.
        label: for lists, to be translated in use.
        extension: of the file, without a dot.
        write: the whole file as text, or as bytes where it is binary.
        choices: which of the options it heeds: of TIMES, NAMES, CUES, SOUND and CELLS.
        times: whether times are in it unless the options say otherwise.
        is_binary: whether it cannot be shown in a terminal.
        needs_speakers: whether it says nothing of a recording whose speakers are not known.
        for_programs: whether programs read it, for which it is the same in every language.
        needs_words: whether it is better where the words have times.
    """

    name: str
    label: str
    extension: str
    write: Callable[[Document, ExportOptions], str | bytes]
    choices: frozenset[str] = frozenset()
    times: bool = False
    is_binary: bool = False
    needs_speakers: bool = False
    for_programs: bool = False
    needs_words: bool = False

    def render(self, document: Document, options: ExportOptions | None = None) -> str | bytes:
        """The whole file; `options` as by default where none are given."""
        options = options or ExportOptions()
        times = self.times if options.times is None else options.times
        return self.write(document, replace(options, times=times))

    def file_name(self, recording: str) -> str:
        """What the file of a recording, given by its path, is called."""
        return f"{names.possible(Path(recording).stem)}.{self.extension}"


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("txt", N_("Text (.txt)"), "txt", plain.txt, frozenset((TIMES, NAMES))),
        Format(
            "docx", N_("Word document (.docx)"), "docx", word_document.docx, frozenset((TIMES, NAMES)),
            times=True, is_binary=True,
        ),
        Format("srt", N_("Subtitles (.srt)"), "srt", subtitles.srt, frozenset((NAMES, CUES)), needs_words=True),
        Format("vtt", N_("Web subtitles (.vtt)"), "vtt", subtitles.vtt, frozenset((NAMES, CUES)), needs_words=True),
        Format(
            "html", N_("Web page that plays (.html)"), "html", web_page.html, frozenset((TIMES, NAMES, SOUND)),
            times=True, needs_words=True,
        ),
        Format("md", N_("Markdown (.md)"), "md", plain.markdown, frozenset((TIMES, NAMES)), times=True),
        Format(
            "csv", N_("Table (.csv)"), "csv", tables.csv_text, frozenset((TIMES, NAMES, CELLS)),
            times=True, for_programs=True,
        ),
        Format(
            "rttm", N_("RTTM, speaker turns (.rttm)"), "rttm", lambda document, options: tables.rttm(document),
            needs_speakers=True, for_programs=True,
        ),
        Format(
            "json", N_("JSON, full data (.json)"), "json",
            lambda document, options: json_format.json_text(document.transcript, document.marks), for_programs=True,
        ),
    )
}  # fmt: skip
"""All formats by their names, in the order of lists."""
