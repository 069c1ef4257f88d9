"""Tables and turns, for other programs."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from desktop_app.export.document import Document, ExportOptions, written
from desktop_app.transcript import speakers

# Where a cell begins to be computed. Some spreadsheets take the wide signs for the others, and where numbers have a
# decimal comma the semicolon parts cells: then no quote keeps the rest of the text, or of its lines, in one.
_FORMULA = re.compile(r"((?:^|[;\t\n])\s*)(?=[=+\-@＝＋－＠])")


def csv_text(document: Document, options: ExportOptions) -> str:
    """A table with commas: a line a segment, times in seconds; without the columns that are not wanted."""
    cell = _line_feeds if options.raw_cells else _no_formula
    transcript = document.transcript
    names = {each.id: each.name for each in transcript.speakers}
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")

    def write(start: str, end: str, speaker: str, text: str) -> None:
        columns = ([start, end] if options.times else []) + ([speaker] if options.names else []) + [text]
        table.writerow(map(cell, columns))

    write("start", "end", "speaker", "text")
    for segment in written(transcript):
        write(f"{segment.speech_start:.3f}", f"{segment.end:.3f}", names.get(segment.speaker or "", ""), segment.text)
    return lines.getvalue()


def _line_feeds(text: str) -> str:
    """Text whose lines end alike: `csv` quotes no carriage return, which would end the row."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _no_formula(text: str) -> str:
    """A cell that no spreadsheet computes: what begins like a formula gets an apostrophe before it."""
    return _FORMULA.sub(r"\1'", _line_feeds(text))


def rttm(document: Document) -> str:
    """Who spoke when, as NIST's Rich Transcription Time Marked file; two at once are two lines. Without text."""
    transcript = document.transcript
    recording = _word(Path(transcript.path).stem) or "recording"
    names = [_word(speaker.name) for speaker in transcript.speakers]
    turns = sorted(
        (begin, end, name if names.count(name) == 1 else f"{name}_{speaker.id}")
        for name, speaker in zip(names, transcript.speakers, strict=True)
        for begin, end in speakers.turns_of(transcript, speaker)
    )
    return "".join(
        f"SPEAKER {recording} 1 {begin:.3f} {end - begin:.3f} <NA> <NA> {name} <NA> <NA>\n"
        for begin, end, name in turns
    )


def _word(text: str) -> str:
    """Text as a field of RTTM, which ends at white space."""
    return "_".join(text.split())
