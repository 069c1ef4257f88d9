"""Reading what a library holds: by who has it open, and from outside without changing anything."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from desktop_app.library import database, rows, salvage
from desktop_app.library.index import LISTED
from desktop_app.library.problem import explained
from desktop_app.library.rows import Recording
from desktop_app.problems import Problem
from desktop_app.transcript.model import Transcript


class LibraryReader:
    """The library in `folder`, of which nothing is written, moved or recovered, whoever else has it open; one that is
    not there is empty. Used in one thread. Every method raises Problem.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / database.NAME
        self._connection: sqlite3.Connection | None = None
        try:
            if not path.exists():
                return
            if salvage.is_log_damaged(path):  # SQLite would read its beginning as if that were all
                raise Problem("library.damaged")
            uri = f"{path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(uri, uri=True, timeout=10.0, isolation_level=None)
            self._connection.text_factory = rows.decoded
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        except (sqlite3.Error, OSError) as error:
            raise explained(error) from error
        if version > database.schema_version():
            raise Problem("library.newer")
        if version < database.schema_version():
            raise Problem("library.older")

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()

    def recordings(self) -> list[Recording]:
        """All of them, the newest first, without those that were deleted."""
        if self._connection is None:
            return []
        query = f"SELECT {rows.RECORDING} FROM recording WHERE {LISTED} ORDER BY number DESC"
        try:
            return [rows.recording(row) for row in self._connection.execute(query)]
        except sqlite3.Error as error:
            raise explained(error) from error

    def transcript(self, key: str) -> Transcript:
        """The text as far as it is written."""
        if self._connection is None:
            raise Problem("library.removed")
        try:
            self._connection.execute("BEGIN")
            try:
                return transcript(self._connection, key)
            finally:
                self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise explained(error) from error


def transcript(connection: sqlite3.Connection, key: str) -> Transcript:
    """The text of a recording as far as it is written, read within a transaction. Raises Problem where it is not there,
    and sqlite3.Error."""
    about = connection.execute(f"SELECT {rows.RECORDING} FROM recording WHERE id = ?", (key,)).fetchone()
    row = connection.execute(f"SELECT {rows.TRANSCRIPT} FROM recording WHERE id = ?", (key,)).fetchone()
    query = f"SELECT {rows.SEGMENT} FROM segment WHERE recording = ? ORDER BY id"
    segments = connection.execute(query, (key,)).fetchall()
    if row is None:
        raise Problem("library.removed")
    return rows.transcript(row, segments, rows.recording(about).damaged)
