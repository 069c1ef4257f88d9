"""What the errors of SQLite and of the disk mean for the library."""

from __future__ import annotations

import errno
import sqlite3

from desktop_app.problems import Problem


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the database file itself is broken."""
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def explained(error: sqlite3.Error | OSError) -> Problem:
    """The problem behind an error."""
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return Problem("disk.full")
        if error.errno == errno.EROFS:
            return Problem("library.read_only")
        return Problem("library.failed", error=error.strerror or str(error))
    match _code(error):
        case sqlite3.SQLITE_FULL:
            return Problem("disk.full")
        case sqlite3.SQLITE_READONLY:
            return Problem("library.read_only")
        case sqlite3.SQLITE_CANTOPEN:
            return Problem("library.not_opened")
        case sqlite3.SQLITE_BUSY:
            return Problem("library.locked")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return Problem("library.damaged")
        case sqlite3.SQLITE_IOERR:
            return Problem("library.disk")
    return Problem("library.failed", error=str(error))


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
