"""The words of all recordings in a file of their own, beside the library, so that a search takes milliseconds.

What it holds can be made anew at any time: damaged, it is thrown away. A row counts only while the recording's
`revision` is the one that it was made of, so that a power cut between two files leaves no wrong one.

Trigrams (https://www.sqlite.org/fts5.html#the_trigram_tokenizer) find any part of a word, in every script.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from desktop_app.library import rows
from desktop_app.library.problem import is_damage
from desktop_app.transcript.search import folded

NAME = "words.sqlite3"
LISTED = f"NOT deleted GLOB '{'[0-9a-f]' * 32}'"
"""In SQL, of a recording: that nobody has deleted it, or that what says so is damaged."""

_IN_WORK = "('waiting', 'working', 'recording')"
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS known (number INTEGER PRIMARY KEY, id TEXT NOT NULL, revision INTEGER NOT NULL)",
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(about, text, tokenize = 'trigram case_sensitive 1')",
)
_JOINED = "k.number = r.number AND k.id = r.id AND k.revision = r.revision"
_CLEAN = 0x47414C59  # the application id of a file in which nothing is left of what was deleted
_TRIGRAM = 3


class SearchIndex:
    """The index of the library in `folder`. No method raises: what cannot be indexed is left to who reads the text.

    Every method may be called from any thread.
    """

    def __init__(self, folder: Path, library: Path) -> None:
        self._path, self._library = folder / NAME, library
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._open()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def discard(self) -> None:
        """Throw all away, because it is damaged, or the library is another one."""
        with self._lock:
            self.close()
            self._remove()
            self._open()

    def _remove(self) -> None:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def unknown(self) -> list[tuple[str, bool]] | None:
        """The ids of recordings whose words are not in the index, the newest first, each with whether it is in work;
        None where there is no index."""
        found = self._ask(
            f"SELECT r.id, r.state IN {_IN_WORK} FROM library.recording AS r LEFT JOIN known AS k ON {_JOINED}"
            f" WHERE k.number IS NULL AND {LISTED} ORDER BY r.number DESC"
        )
        return None if found is None else [(key, bool(in_work)) for key, in_work in found]

    def put(self, recordings: Iterable[str], seconds: float) -> bool:
        """Index recordings that are not in work; whether some are left because `seconds` are over."""
        end = time.monotonic() + seconds
        for key in recordings:
            if not self._put(key):
                return False
            if time.monotonic() > end:
                return True
        return False

    def search(self, terms: Sequence[str]) -> set[str] | None:
        """The ids of indexed recordings that have all of these folded terms in their text or in what is said about
        them; None where there is no index."""
        long = ['"' + term.replace('"', '""') + '"' for term in terms if len(term) >= _TRIGRAM]
        short = [term for term in terms if len(term) < _TRIGRAM]
        wanted = (["words MATCH ?"] if long else []) + ["(instr(about, ?) OR instr(text, ?))"] * len(short)
        values = ([" AND ".join(long)] if long else []) + [term for term in short for _column in range(2)]
        found = self._ask(
            f"SELECT r.id FROM library.recording AS r JOIN known AS k ON {_JOINED} WHERE {LISTED}"
            f" AND k.number IN (SELECT rowid FROM words WHERE {' AND '.join(wanted)})",
            values,
        )
        return None if found is None else {key for (key,) in found}

    def forget_gone(self) -> None:
        """Delete the words of recordings that the library has no more, so that none is left in the file."""
        with self._lock:
            gone = self._ask(
                "SELECT number FROM known WHERE (number, id) NOT IN (SELECT number, id FROM library.recording)"
            )
            if gone is None or self._connection is None:
                return
            try:
                if gone:
                    self._delete(gone)
                self._clean()
            except sqlite3.Error:
                self.discard()  # the words of what is deleted go in any case

    def _delete(self, numbers: Sequence[Sequence[int]]) -> None:
        with self._write() as connection:
            connection.executemany("DELETE FROM known WHERE number = ?", numbers)
            connection.executemany("DELETE FROM words WHERE rowid = ?", numbers)
            connection.execute("PRAGMA application_id = 0")

    def _clean(self) -> None:
        """Write the file anew where it may hold words of what was deleted."""
        connection = self._connection
        if connection is not None and connection.execute("PRAGMA application_id").fetchone()[0] != _CLEAN:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")  # else marks of them would stay
            connection.execute("VACUUM main")
            connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA application_id = {_CLEAN}")

    def _put(self, key: str) -> bool:
        """Index one recording as it is now; False where that cannot be."""
        with self._lock:
            try:
                with self._write() as connection:
                    about = connection.execute(
                        "SELECT number, revision, name, title, notes, tags FROM library.recording"
                        f" WHERE id = ? AND state NOT IN {_IN_WORK}",
                        (key,),
                    ).fetchone()
                    if about is None:  # removed meanwhile, or in work
                        return True
                    lines = connection.execute(
                        "SELECT text FROM library.segment WHERE recording = ? ORDER BY id", (key,)
                    ).fetchall()
                    number, revision = about[:2]
                    connection.execute("DELETE FROM words WHERE rowid = ?", (number,))
                    connection.execute("INSERT INTO words (rowid, about, text) VALUES (?, ?, ?)", (
                        number, searched_about(*about[2:]), folded("\n".join(readable(line) for (line,) in lines))
                    ))  # fmt: skip
                    connection.execute("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", (number, key, revision))
                return True
            except sqlite3.Error as error:  # or no room, or another program writes
                if _is_damaged(error):
                    self.discard()
                return False

    def _open(self) -> None:
        """Open the file; one that is damaged is made anew."""
        for _attempt in range(2):
            try:
                self._connection = self._opened()
                return
            except sqlite3.Error as error:
                if not _is_damaged(error):
                    return
                self._remove()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=1.0, isolation_level=None, check_same_thread=False, uri=True)
        try:
            connection.text_factory = rows.decoded
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # after a power cut the newest rows may be missing
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("ATTACH ? AS library", (f"{self._library.absolute().as_uri()}?mode=ro",))
            connection.execute("SELECT number, id, revision FROM known LIMIT 1").fetchone()
            connection.execute("SELECT rowid FROM words LIMIT 1").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """One transaction, and what it reads of the library is of one moment."""
        connection = self._connection
        if connection is None:
            raise sqlite3.OperationalError
        connection.execute("BEGIN")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _ask(self, query: str, values: Sequence[str] = ()) -> list[Any] | None:
        with self._lock:
            if self._connection is None:
                return None
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.Error as error:
                if _is_damaged(error):
                    self.discard()
                return None


def _is_damaged(error: sqlite3.Error) -> bool:
    """Whether the file is broken, or has other tables than these."""
    return is_damage(error) or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR


def readable(value: Any) -> str:
    """The text of a value, "" where it is none."""
    return rows.showable(value) if isinstance(value, str) else ""


def searched_about(name: Any, title: Any, notes: Any, tags: Any) -> str:
    """What is searched besides the text, folded: a tag with the # before it."""
    labels = (f"#{tag}" for tag in rows.read_tags(tags))
    return folded("\n".join((readable(title), readable(name), *labels, readable(notes))))
