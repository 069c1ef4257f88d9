"""What is said when the library cannot keep something."""

from __future__ import annotations

import errno
import sqlite3

_FULL = ("the disk is full", "make room, then try again")
_KNOWN = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: ("the library may not be written", "check the permissions of Galley's data folder"),
    sqlite3.SQLITE_CANTOPEN: ("the library cannot be opened", "check the permissions of Galley's data folder"),
    sqlite3.SQLITE_BUSY: ("another program holds the library", "close it, then try again"),
    sqlite3.SQLITE_CORRUPT: ("the library is damaged", "start Galley again: it sets the damaged file aside"),
    sqlite3.SQLITE_NOTADB: ("the library is damaged", "start Galley again: it sets the damaged file aside"),
    sqlite3.SQLITE_IOERR: ("the disk does not take or give data", "check that it has room and is well"),
}


class LibraryProblem(Exception):
    """The library cannot do it: the `reason` and what to do about it (`remedy`), each one short clause."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason = reason
        self.remedy = remedy


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the database file itself is broken."""
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def explained(error: sqlite3.Error | OSError) -> LibraryProblem:
    """The problem in words for people."""
    if isinstance(error, OSError):
        if error.errno == errno.ENOSPC:
            return LibraryProblem(*_FULL)
        return LibraryProblem(
            f"the library cannot be kept ({error.strerror or error})", "check Galley's data folder and its permissions"
        )
    known = _KNOWN.get(_code(error))
    return LibraryProblem(*known) if known else LibraryProblem(f"the library failed ({error})", "start Galley again")


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
