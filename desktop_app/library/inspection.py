"""What state a library is in, without its contents."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from desktop_app.library import database
from desktop_app.library.problem import explained

_MOST_FAULTS = 20


@dataclass(frozen=True)
class Inspection:
    """A library in figures.

    Attributes:
        bytes: of the database file; version: of its schema.
        faults: what SQLite's integrity check found, which names tables and pages only.
        set_aside: how many damaged libraries lie beside it.
        states, problems: how many recordings are in each state, and failed for each reason (its JSON).
        live, segments: how many recordings Galley made itself, and how many lines of text there are.
    """

    bytes: int
    version: int
    faults: tuple[str, ...] = ()
    set_aside: int = 0
    states: dict[str, int] = field(default_factory=dict)
    problems: dict[str, int] = field(default_factory=dict)
    live: int = 0
    segments: int = 0


def inspect(folder: Path) -> Inspection | None:
    """Look at the library in `folder` and change nothing; None where there is none. Raises Problem."""
    path = folder / database.NAME
    try:
        if not path.exists():
            return None
        aside = len(list(folder.glob("library-damaged-*.sqlite3")))
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10.0)) as connection:
            ask = connection.execute
            found = [str(fault) for (fault,) in ask(f"PRAGMA integrity_check({_MOST_FAULTS})")]
            return Inspection(
                path.stat().st_size,
                ask("PRAGMA user_version").fetchone()[0],
                () if found == ["ok"] else tuple(found),
                aside,
                dict(ask("SELECT state, count(*) FROM recording GROUP BY state")),
                dict(ask("SELECT problem, count(*) FROM recording WHERE problem != '' GROUP BY problem")),
                ask("SELECT count(*) FROM recording WHERE live").fetchone()[0],
                ask("SELECT count(*) FROM segment").fetchone()[0],
            )
    except (sqlite3.Error, OSError) as error:
        raise explained(error) from error
