"""The library's database file: opened durably, brought to this version's shape, set aside when it is damaged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from desktop_app.library.problem import explained, is_damage
from desktop_app.problems import Problem

NAME = "library.sqlite3"
VERSION = 5

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
_STEPS = (_SCHEMA.split(";"), [_LIVE], [_GUARDED], [_CORRECTED], _PROBLEMS)
"""What makes each version out of the one before."""


def connect(folder: Path) -> tuple[sqlite3.Connection, sqlite3.Connection, Problem | None]:
    """A connection to write and one to read, and a notice if a damaged file was set aside.

    Raises Problem.
    """
    notice: Problem | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / NAME
        try:
            writer = _open(path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            notice = Problem("library.set_aside", file=str(_set_aside(path)))
            writer = _open(path)
        return writer, _connection(path), notice
    except (sqlite3.Error, OSError) as error:
        raise explained(error) from error


def _connection(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.create_function("folded", 1, str.casefold, deterministic=True)
    return connection


def _open(path: Path) -> sqlite3.Connection:
    connection = _connection(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        with closing(connection.execute("PRAGMA quick_check(1)")) as check:
            found = check.fetchone()[0]
        if found != "ok":
            broken = sqlite3.DatabaseError(found)
            broken.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise broken
        _shape(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _shape(connection: sqlite3.Connection) -> None:
    """Make the tables where there are none, and bring older ones to this version; two programs may come here at
    once."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise Problem("library.newer")
        for step in _STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _set_aside(path: Path) -> str:
    """Rename the database and what belongs to it; gives the new name."""
    stem = f"library-damaged-{datetime.now():%Y%m%d-%H%M%S}"
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
