"""The library's database file: opened durably, brought to this version's shape, and made anew of what can still be read
when it is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from desktop_app.library import rows, salvage
from desktop_app.library.problem import explained, is_damage
from desktop_app.problems import Problem

NAME = "library.sqlite3"
VERSION = 10

_SCHEMA = """
CREATE TABLE recording (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    path BLOB NOT NULL,
    name TEXT NOT NULL,
    created TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL,
    seconds REAL NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT '',
    damage TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    language_probability REAL NOT NULL DEFAULT 0,
    models TEXT NOT NULL DEFAULT '',
    stats TEXT NOT NULL DEFAULT '',
    speakers TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE segment (
    recording TEXT NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
    id INTEGER NOT NULL,
    begins REAL NOT NULL,
    ends REAL NOT NULL,
    text TEXT NOT NULL,
    tokens TEXT NOT NULL,
    temperature REAL NOT NULL,
    mean_log_probability REAL NOT NULL,
    no_speech_probability REAL NOT NULL,
    speaker TEXT,
    words TEXT NOT NULL,
    PRIMARY KEY (recording, id)
) WITHOUT ROWID;
"""
_LIVE = "ALTER TABLE recording ADD COLUMN live INTEGER NOT NULL DEFAULT 0"
_GUARDED = "ALTER TABLE recording ADD COLUMN guarded TEXT NOT NULL DEFAULT '[]'"
_CORRECTED = "ALTER TABLE recording ADD COLUMN corrected TEXT NOT NULL DEFAULT ''"
_PROBLEMS: tuple[str, ...] = ()  # problems and notices are codes now, which older versions cannot read
_RESUME = "ALTER TABLE recording ADD COLUMN resume TEXT NOT NULL DEFAULT ''"
_READERS = (  # what a reader keeps about a recording, where it stands in the queue, and which of its texts this is
    "ALTER TABLE recording ADD COLUMN title TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE recording ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE recording ADD COLUMN notes TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE recording ADD COLUMN deleted TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE recording ADD COLUMN place REAL NOT NULL DEFAULT 0",
    "ALTER TABLE recording ADD COLUMN revision INTEGER NOT NULL DEFAULT 0",
)
_VERSIONS = (  # when and how the text was asked for, and the other texts of a recording, each whole in one row
    "ALTER TABLE recording ADD COLUMN made TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE recording ADD COLUMN asked TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE version (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        recording TEXT NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
        made TEXT NOT NULL,
        asked TEXT NOT NULL,
        seconds REAL NOT NULL,
        language TEXT NOT NULL,
        language_probability REAL NOT NULL,
        models TEXT NOT NULL,
        stats TEXT NOT NULL,
        speakers TEXT NOT NULL,
        damage TEXT NOT NULL,
        guarded TEXT NOT NULL,
        corrected TEXT NOT NULL,
        lines TEXT NOT NULL
    )""",
)
_ATTEMPTS = (  # with which options the next text is to come, the versions that programs are writing, and marks
    "ALTER TABLE recording ADD COLUMN wanted TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE recording ADD COLUMN marks TEXT NOT NULL DEFAULT '[]'",
    """CREATE TABLE attempt (
        recording TEXT NOT NULL PRIMARY KEY REFERENCES recording (id) ON DELETE CASCADE,
        owner TEXT NOT NULL,
        asked TEXT NOT NULL
    )""",
)
_PARAGRAPHS = "ALTER TABLE segment ADD COLUMN begins_paragraph INTEGER NOT NULL DEFAULT 0"
_STEPS = (
    *(_SCHEMA.split(";"), [_LIVE], [_GUARDED], [_CORRECTED], _PROBLEMS, [_RESUME], _READERS, _VERSIONS, _ATTEMPTS),
    [_PARAGRAPHS],
)
"""What makes each version out of the one before."""

_ASIDE, _MOMENT = "library-damaged-", "%Y%m%d-%H%M%S"  # how damaged files are called
_LAST_VERSION = 10_000  # no Galley will ever have a higher one: it is damage
_CLEAN = 0x47414C59  # the application id of a file in which nothing is left of what was deleted
_ID = "length(CAST(id AS BLOB)) = 32 AND typeof(id) = 'text'"


def connect(folder: Path, *, is_shared: bool = False) -> tuple[sqlite3.Connection, sqlite3.Connection, Problem | None]:
    """A connection to write and one to read, and a notice of what became of a damaged file.

    A damaged file is kept under another name, and what can be read of it goes into a new one; not while another
    program has it open (`is_shared`). Raises Problem.
    """
    notice: Problem | None = None
    try:
        path = folder / NAME
        try:
            writer = _open(path)
        except sqlite3.DatabaseError as error:
            if is_shared or not is_damage(error):
                raise
            notice = _renew(path)
            writer = _open(path)
        if not is_shared:
            forget_deleted(writer)
        return writer, _connection(path), notice
    except (sqlite3.Error, OSError) as error:
        raise explained(error) from error


def _connection(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)
    connection.text_factory = rows.decoded
    connection.execute("PRAGMA foreign_keys = ON")
    connection.create_function("folded", 1, _folded, deterministic=True)
    return connection


def _folded(text: bytes | None) -> str:
    """As bytes, because SQLite may hold some that are no text."""
    return (text or b"").decode(errors="replace").casefold()


def _open(path: Path) -> sqlite3.Connection:
    with suppress(FileNotFoundError), path.open("rb") as file:
        start = file.read(100)
        if start and (not start.startswith(b"SQLite format 3\0") or not {*start[18:20]} <= {1, 2}):
            raise _damage("header")  # SQLite takes some of them for files that may only be read
    connection = _connection(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        with closing(connection.execute("PRAGMA integrity_check(1)")) as check:
            found = check.fetchone()[0]
        if found != "ok":
            raise _damage(found)
        _shape(connection)
        _check_rows(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:  # other tables than these
            raise _damage(str(error)) from error
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _damage(what: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _check_rows(connection: sqlite3.Connection) -> None:
    """Whether each row can be named: has its columns, an id, and lines a recording."""
    tables = {"recording": salvage.RECORDING, "segment": salvage.SEGMENT, "version": salvage.VERSION}
    for table, columns in tables.items():
        found = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if found != set(columns):
            raise _damage(table)
    if connection.execute(f"SELECT 1 FROM recording WHERE NOT ({_ID}) LIMIT 1").fetchone():
        raise _damage("id")
    for table in ("segment", "version"):
        if connection.execute(f"PRAGMA foreign_key_check({table})").fetchone():
            raise _damage(table)


def _shape(connection: sqlite3.Connection) -> None:
    """Make the tables where there are none, and bring older ones to this version; two programs may come here at
    once."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if not 0 <= version <= _LAST_VERSION:
            raise _damage("version")
        if version > VERSION:
            raise Problem("library.newer")
        for step in _STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.OperationalError):  # a full disk has ended the transaction, which is no damage
            connection.execute("ROLLBACK")
        raise


def delete(connection: sqlite3.Connection, key: str) -> None:
    """Delete a recording within a transaction. Its bytes are still in the file until `forget_deleted`."""
    connection.execute("DELETE FROM recording WHERE id = ?", (key,))
    connection.execute("PRAGMA application_id = 0")


def delete_version(connection: sqlite3.Connection, number: int) -> None:
    """Delete a version within a transaction, as `delete` does a recording."""
    connection.execute("DELETE FROM version WHERE number = ?", (number,))
    connection.execute("PRAGMA application_id = 0")


def forget_deleted(connection: sqlite3.Connection) -> None:
    """Write the file anew where it may hold bytes of what was deleted: after a deletion, and once after an older
    Galley.

    SQLite's `secure_delete` is not enough: it overwrites rows where they lie, and leaves those that it has moved before
    in the gaps of pages.
    """
    if connection.execute("PRAGMA application_id").fetchone()[0] != _CLEAN:
        with suppress(sqlite3.OperationalError):  # no room, or another program writes: then the next time
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA application_id = {_CLEAN}")


def forget_copies(folder: Path, before: datetime) -> None:
    """Delete the copies of damaged libraries that may hold a recording which was made `before`. Raises OSError."""
    for copy in folder.glob(f"{_ASIDE}*"):
        with suppress(ValueError):
            made = datetime.strptime(copy.name[len(_ASIDE) :][: len("20260504-100000")], _MOMENT).astimezone()
            if before < made + timedelta(days=1):  # clocks are set, and time zones change
                copy.unlink()


def _renew(path: Path) -> Problem:
    """Keep the damaged file under another name, and put a new one with all that can be read of it in its place."""
    found = salvage.read(path)
    made = path.with_name(f"{path.name}.part")
    for ending in ("", "-wal", "-shm"):
        made.with_name(made.name + ending).unlink(missing_ok=True)
    with closing(_open(made)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        incomplete = found.incomplete
        for row in sorted(found.recordings.values(), key=lambda row: row[0]):
            if not _insert(connection, "recording", salvage.RECORDING, row):
                _insert(connection, "recording", salvage.RECORDING, (None, *row[1:]))  # under the next number
        lost_ones = {key for key, _ in found.segments} | {row[1] for row in found.versions.values()}
        for key in sorted(lost_ones - found.recordings.keys()):
            _insert(connection, "recording", salvage.RECORDING, _entry_of(key, found))
        mark = rows.problem_value(Problem("library.incomplete"))
        connection.executemany("UPDATE recording SET damage = ? WHERE id = ?", [(mark, key) for key in incomplete])
        for row in found.segments.values():
            _insert(connection, "segment", salvage.SEGMENT, row)
        for row in found.versions.values():
            _insert(connection, "version", salvage.VERSION, row)
        connection.execute("COMMIT")
        saved = connection.execute("SELECT count(*) FROM recording").fetchone()[0]
    name = _set_aside(path)
    made.rename(path)
    if not saved:
        return Problem("library.set_aside", file=name)
    lost = len(found.known) - saved
    return Problem("library.salvaged", file=name, saved=saved, incomplete=len(incomplete), lost=lost)


def _entry_of(key: str, found: salvage.Rows) -> tuple[Any, ...]:
    """A recording of which only lines, or other versions, are left; its first words are its name. What else is unknown
    reads as damaged."""
    first = min((number for recording, number in found.segments if recording == key), default=None)
    text = "" if first is None else str(found.segments[key, first][4] or "")
    about = {"number": None, "id": key, "name": text[:40], "created": datetime.now(UTC).isoformat(), "state": "done"}
    return tuple(about.get(column, "") for column in salvage.RECORDING)


def _insert(connection: sqlite3.Connection, table: str, columns: Sequence[str], row: Sequence[Any]) -> bool:
    """Put a row in as it is, with nothing that can be read for what is missing; False where another has its place."""
    values = [value.data if isinstance(value, rows.Garbled) else value for value in row]
    for place, column in enumerate(columns):
        if values[place] is None and column not in ("number", "speaker"):
            values[place] = b""
    marks = ("CAST(? AS TEXT)" if isinstance(value, rows.Garbled) else "?" for value in row)
    done = connection.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join(marks)})", values
    )
    return done.rowcount > 0


def _set_aside(path: Path) -> str:
    """Rename the database and what belongs to it; gives the new name."""
    stem = f"{_ASIDE}{datetime.now():{_MOMENT}}"
    name = f"{stem}.sqlite3"
    count = 1
    while path.with_name(name).exists():
        count += 1
        name = f"{stem}-{count}.sqlite3"
    for ending in ("-wal", "-shm", ""):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(path.with_name(name + ending))
    return name


def fetched(connection: sqlite3.Connection, query: str) -> list[tuple[Any, ...]]:
    """All rows that a query finds: where every text is UTF-8, as nearly always, in half the time."""
    connection.text_factory = str
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:  # a text that is none, or a trouble that comes again
        pass
    finally:
        connection.text_factory = rows.decoded
    return connection.execute(query).fetchall()
