"""The other texts of a recording, beside the one that stands: each is whole in a row of its own, so that the text that
stands is read and written as if there were none.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop_app.library import rows
from desktop_app.transcript.model import Models, Segment, Transcript

STANDING = 0
"""In the place of a version's number: the text that stands."""

_MADE = "CASE made WHEN '' THEN created ELSE made END"  # of the text that stands
_ABOUT = "made, asked, language, models, corrected"
_TEXT = "seconds, language, language_probability, models, stats, speakers, damage, guarded"


@dataclass(frozen=True)
class Version:
    """One text of a recording.

    Attributes:
        number: STANDING, or its own in the library.
        made: when it was written, in UTC; asked: the options that it was asked for with, as JSON, "" where unknown.
        language, models: of the text; corrected: whether a reader has edited it.
    """

    number: int
    made: datetime
    asked: str
    language: str
    models: Models
    corrected: bool = False


def of(connection: sqlite3.Connection, key: str) -> list[Version]:
    """The text that stands, and the others, the newest of them first."""
    standing = connection.execute(
        f"SELECT {STANDING}, {_MADE}, asked, language, models, corrected FROM recording WHERE id = ?",
        (key,),
    ).fetchall()
    others = connection.execute(
        f"SELECT number, {_ABOUT} FROM version WHERE recording = ? ORDER BY made DESC, number DESC", (key,)
    ).fetchall()
    return [
        Version(
            number, rows.read_date(made), str(asked), rows.read_text(language), rows.read_models_of(models),
            bool(corrected),
        )
        for number, made, asked, language, models, corrected in (*standing, *others)
    ]  # fmt: skip


def read(connection: sqlite3.Connection, key: str, number: int) -> tuple[Transcript, str] | None:
    """A version that does not stand, with the reader's corrections of it as JSON; None where there is no such one. Its
    `damage` is DAMAGED where not all of it can be read."""
    row = connection.execute(
        f"SELECT (SELECT path FROM recording WHERE id = ?), {_TEXT}, corrected, lines FROM version"
        " WHERE recording = ? AND number = ?",
        (key, key, number),
    ).fetchone()
    if row is None:
        return None
    *about, corrected, lines = row
    found = list(_lines(lines))
    whole = [values for values in found if values is not None]
    return rows.transcript(about, whole, damaged=len(whole) < len(found)), str(corrected)


def add(
    connection: sqlite3.Connection, key: str, transcript: Transcript, made: str, asked: str, corrected: str = ""
) -> int:
    """Put a text beside the one that stands; gives its number."""
    lines = "\n".join(json.dumps(rows.segment_values(segment)) for segment in transcript.segments)
    done = connection.execute(
        f"INSERT INTO version (recording, made, asked, {_TEXT}, corrected, lines) VALUES ({', '.join('?' * 13)})",
        (key, made, asked, *rows.transcript_values(transcript), corrected, lines),
    )
    return int(done.lastrowid or 0)


def set_aside(connection: sqlite3.Connection, key: str) -> None:
    """The text that stands becomes a version, if there is any; another one is about to take its place."""
    about = connection.execute(
        f"SELECT {_MADE}, asked, corrected, {rows.TRANSCRIPT} FROM recording WHERE id = ?", (key,)
    ).fetchone()
    lines = connection.execute(f"SELECT {rows.SEGMENT} FROM segment WHERE recording = ? ORDER BY id", (key,)).fetchall()
    if lines:
        made, asked, corrected, *row = about
        add(connection, key, rows.transcript(row, lines), made, asked, corrected)


def note_asked(connection: sqlite3.Connection, key: str, made: str, asked: str) -> None:
    """When the text that stands was written, and with which options; none is on its way any more."""
    connection.execute("UPDATE recording SET made = ?, asked = ?, wanted = '' WHERE id = ?", (made, asked, key))


def note_begun(connection: sqlite3.Connection, key: str, made: str, goes_on: bool) -> None:
    """A text begins, or `goes_on`, with the options that it was `wanted` with."""
    connection.execute(
        "UPDATE recording SET made = ?, asked = CASE WHEN wanted = '' AND ? THEN asked ELSE wanted END, wanted = ''"
        " WHERE id = ?",
        (made, goes_on, key),
    )


def _lines(text: Any) -> Iterator[Sequence[Any] | None]:
    """The values of each line, None for one that cannot be read: of a row that is cut off the lines before the cut are
    whole."""
    columns = len(rows.segment_values(Segment(0, 0.0, 0.0, "")))
    if not isinstance(text, str):
        yield None
        return
    for line in text.split("\n") if text else ():
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            values = None
        yield values if isinstance(values, list) and len(values) == columns else None
