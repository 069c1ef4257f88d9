"""The library's database file: opened durably, migrated to this schema, and made anew of what can still be read
when it is damaged."""

from __future__ import annotations

import re
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

SCHEMA = """
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
    speakers TEXT NOT NULL DEFAULT '[]',
    live INTEGER NOT NULL DEFAULT 0,
    guarded TEXT NOT NULL DEFAULT '[]',
    corrected TEXT NOT NULL DEFAULT '',
    resume TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]',
    notes TEXT NOT NULL DEFAULT '',
    deleted TEXT NOT NULL DEFAULT '',
    place REAL NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 0,
    made TEXT NOT NULL DEFAULT '',
    asked TEXT NOT NULL DEFAULT '',
    wanted TEXT NOT NULL DEFAULT '',
    marks TEXT NOT NULL DEFAULT '[]'
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
    begins_paragraph INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (recording, id)
) WITHOUT ROWID;
CREATE TABLE version (
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
);
CREATE TABLE attempt (
    recording TEXT NOT NULL PRIMARY KEY REFERENCES recording (id) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    asked TEXT NOT NULL
)
"""
"""Schema 1. A released schema never changes: what comes later is a migration."""

MIGRATIONS: tuple[str, ...] = ()
"""The SQL that makes each schema of the one before: the first makes schema 2 of schema 1. A new library is made by the
same steps."""

_DAMAGED, _MIGRATED, _OTHER = "library-damaged-", "library-schema-", "library-other-version-"
_MOMENT = "%Y%m%d-%H%M%S"
_COPY = re.compile(rf"(?:{_DAMAGED}|{_MIGRATED}\d+-)(\d{{8}}-\d{{6}})")
"""The names of files that may hold the same recordings as the library, and when they were made."""

_HIGHEST_VERSION = 10_000  # of a schema: no Galley will ever have a higher one, so it is damage
_CLEAN, _UNCLEAN = 0x476C7900, 0x476C7901
"""The application ids of a library: whether bytes of what was deleted may be left in the file."""

_ID = "length(CAST(id AS BLOB)) = 32 AND typeof(id) = 'text'"


def schema_version() -> int:
    """The version of the schema that this Galley reads and writes."""
    return 1 + len(MIGRATIONS)


class _OtherVersionError(Exception):
    """A whole database, but not one of a released Galley."""


def connect(folder: Path, *, is_shared: bool = False) -> tuple[sqlite3.Connection, sqlite3.Connection, Problem | None]:
    """A connection to write and one to read, and a notice of what became of a file that could not be used.

    A damaged file is kept under another name, and what can be read of it goes into a new one; one of another version is
    kept as it is, beside an empty one. Neither while another program has it open (`is_shared`). Raises Problem.
    """
    notice: Problem | None = None
    try:
        path = folder / NAME
        try:
            writer = _open(path, is_shared)
        except sqlite3.DatabaseError as error:
            if is_shared or not is_damage(error):
                raise
            notice = _renew(path)
            writer = _open(path)
        except _OtherVersionError:
            if is_shared:
                raise Problem("library.locked") from None
            notice = Problem("library.other_version", file=_set_aside(path, _OTHER))
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


def _open(path: Path, is_shared: bool = False) -> sqlite3.Connection:
    with suppress(FileNotFoundError), path.open("rb") as file:
        start = file.read(100)
        if start and (not start.startswith(b"SQLite format 3\0") or not {*start[18:20]} <= {1, 2}):
            raise _damage("header")  # SQLite takes some of them for files that may only be read
        if not is_shared and salvage.is_log_damaged(path):
            raise _damage("log")  # of which SQLite would read the sound beginning, and remove the rest
    connection = _connection(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        with closing(connection.execute("PRAGMA integrity_check(1)")) as check:
            found = check.fetchone()[0]
        if found != "ok":
            raise _damage(found)
        _make_or_migrate(connection, path, is_shared)
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
    """Whether each row can be named: has its columns, an id, and lines a recording. Raises DatabaseError."""
    if not _has_tables(connection):
        raise _damage("tables")
    if connection.execute(f"SELECT 1 FROM recording WHERE NOT ({_ID}) LIMIT 1").fetchone():
        raise _damage("id")
    for table in ("segment", "version"):
        if connection.execute(f"PRAGMA foreign_key_check({table})").fetchone():
            raise _damage(table)


def _has_tables(connection: sqlite3.Connection) -> bool:
    """Whether the tables have the columns of this schema."""
    tables = {"recording": salvage.RECORDING, "segment": salvage.SEGMENT, "version": salvage.VERSION}
    return all(
        {row[1] for row in connection.execute(f"PRAGMA table_info({table})")} == set(columns)
        for table, columns in tables.items()
    )


def _make_or_migrate(connection: sqlite3.Connection, path: Path, is_shared: bool) -> None:
    """Make the tables in a new file, and bring those of an older schema to this one; two programs may come here at
    once. All of it is one transaction. Raises DatabaseError, Problem, _OtherVersionError."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _checked_version(connection)
        if version and version < schema_version():
            if is_shared:  # an older Galley would go on with tables that it does not know
                raise Problem("library.locked")
            _copy_before_migration(path, version)
        for step in (SCHEMA, *MIGRATIONS)[version:]:
            _run(connection, step)
        if not version:
            connection.execute(f"PRAGMA application_id = {_CLEAN}")
        connection.execute(f"PRAGMA user_version = {schema_version()}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.OperationalError):  # a full disk has ended the transaction, which is no damage
            connection.execute("ROLLBACK")
        raise


def _run(connection: sqlite3.Connection, step: str) -> None:
    """Run the statements of a step. Raises Problem where one of them is wrong, which is no damage of the file, and
    DatabaseError."""
    try:
        for statement in step.split(";"):
            connection.execute(statement)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise explained(error) from error
        raise


def _checked_version(connection: sqlite3.Connection) -> int:
    """The version of the schema in a file, 0 for a new file. Raises DatabaseError, Problem, _OtherVersionError."""
    version, application = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
    )
    if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() and (version, application) == (0, 0):
        return 0
    if not 1 <= version <= _HIGHEST_VERSION:
        raise _damage("version")
    if application not in (_CLEAN, _UNCLEAN):
        if version == schema_version() and _has_tables(connection):  # then only the id is damaged
            raise _damage("application id")
        raise _OtherVersionError
    if version > schema_version():
        raise Problem("library.newer")
    return int(version)


def _copy_before_migration(path: Path, version: int) -> None:
    """Keep a copy of the library as it is before it is migrated from this version: whole, or not at all."""
    part = path.with_name(f"{path.name}.copy")
    _remove(part)  # which a killed program has left
    try:
        with closing(_connection(path)) as source, closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
        part.rename(path.with_name(_free_name(path, f"{_MIGRATED}{version}-")))
    except BaseException:
        with suppress(OSError):
            _remove(part)
        raise


def _remove(path: Path) -> None:
    """Delete a database and what belongs to it. Raises OSError."""
    for ending in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def delete(connection: sqlite3.Connection, key: str) -> None:
    """Delete a recording within a transaction. Its bytes are still in the file until `forget_deleted`."""
    connection.execute("DELETE FROM recording WHERE id = ?", (key,))
    connection.execute(f"PRAGMA application_id = {_UNCLEAN}")


def delete_version(connection: sqlite3.Connection, number: int) -> None:
    """Delete a version within a transaction, as `delete` does a recording."""
    connection.execute("DELETE FROM version WHERE number = ?", (number,))
    connection.execute(f"PRAGMA application_id = {_UNCLEAN}")


def forget_deleted(connection: sqlite3.Connection) -> None:
    """Write the file anew where it may hold bytes of what was deleted.

    SQLite's `secure_delete` is not enough: it overwrites rows where they lie, and leaves those that it has moved before
    in the gaps of pages.
    """
    if connection.execute("PRAGMA application_id").fetchone()[0] != _CLEAN:
        with suppress(sqlite3.OperationalError):  # no room, or another program writes: then the next time
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA application_id = {_CLEAN}")


def forget_copies(folder: Path, before: datetime) -> None:
    """Delete the copies of a damaged or migrated library that may hold a recording which was made `before`. Raises
    OSError."""
    for copy in folder.glob("library-*"):
        with suppress(ValueError):
            if found := _COPY.match(copy.name):
                made = datetime.strptime(found[1], _MOMENT).astimezone()
                if before < made + timedelta(days=1):  # clocks are set, and time zones change
                    copy.unlink()


def _renew(path: Path) -> Problem:
    """Keep the damaged file under another name, and put a new one with all that can be read of it in its place."""
    found = salvage.read(path)
    made = path.with_name(f"{path.name}.part")
    _remove(made)
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
    name = _set_aside(path, _DAMAGED)
    made.rename(path)
    if not saved:
        return Problem("library.set_aside", file=name)
    lost = len(found.known) - saved
    return Problem("library.salvaged", file=name, saved=saved, incomplete=len(incomplete), lost=lost)


def _entry_of(key: str, found: salvage.SalvagedRows) -> tuple[Any, ...]:
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


def _set_aside(path: Path, prefix: str) -> str:
    """Rename the database and what belongs to it; gives the new name."""
    name = _free_name(path, prefix)
    for ending in ("-wal", "-shm", ""):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(path.with_name(name + ending))
    return name


def _free_name(path: Path, prefix: str) -> str:
    """A name beside `path`, with the time in it, that no file has."""
    stem = f"{prefix}{datetime.now():{_MOMENT}}"
    name = f"{stem}.sqlite3"
    count = 1
    while path.with_name(name).exists():
        count += 1
        name = f"{stem}-{count}.sqlite3"
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
