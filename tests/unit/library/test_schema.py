"""The schema of the library: a released one never changes, a migration loses nothing, and what another version wrote is
kept as it is."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.library import database, salvage
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from tests.disk_log import HAS_COMPILER, FullDisk
from tests.staging import MODELS, segment

RECORDED = ("6f79b324",)
"""The beginning of the SHA-256 of each step: schema 1, then the migration to schema 2, and so on."""

COLOUR = "ALTER TABLE recording ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'; UPDATE recording SET colour = 'blue'"

MIGRATE = """
import os, signal, sys
from contextlib import closing
from pathlib import Path
from desktop_app.library import database, salvage
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from tests.disk_log import FullDisk

def die(*given):
    os.kill(os.getpid(), signal.SIGKILL)

class Deadly(str):
    def split(self, separator):
        yield str.split(self, separator)[0]
        die()

folder, room, failure, colour = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]
database.MIGRATIONS = (Deadly(colour) if failure == "midway" else colour,)
salvage.RECORDING = (*salvage.RECORDING, "colour")
if failure == "copying":
    Path.rename = die
"""
FULL = """
disk, calls = FullDisk(room, built=True), 0
while True:
    calls += 1
    disk.fail(calls, failure)
    try:
        Library(folder / str(calls)).close()
    except Problem as problem:
        assert problem.code in ("disk.full", "library.disk", "library.not_opened"), problem
    failed = disk.failed
    disk.fail()
    with closing(Library(folder / str(calls))) as library:
        assert library.notice is None, (failed, library.notice)
        (recording,) = library.recordings()
        assert len(library.transcript(recording.id).segments) == 3, failed
    assert not list(folder.glob("*/*.copy*")), failed
    assert list((folder / str(calls)).glob("library-schema-1-*.sqlite3")), failed
    if not failed:
        break
print(calls)
"""


def filled(folder: Path) -> None:
    """A library with one recording of three lines."""
    with closing(Library(folder)) as library:
        key = library.add("/talk.wav").id
        library.begin(key, MODELS, 60.0)
        for number in range(3):
            library.append(key, segment(number))
        library.cancel(key)


def dumped(file: Path) -> list[str]:
    """Everything in a database, as SQL."""
    with closing(sqlite3.connect(file)) as connection:
        return [*connection.iterdump(), *map(str, connection.execute("PRAGMA user_version"))]


def colours(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / database.NAME)) as connection:
        return [colour for (colour,) in connection.execute("SELECT colour FROM recording")]


def migrate(folder: Path, monkeypatch: pytest.MonkeyPatch, migration: str = COLOUR) -> Library:
    """Open a library as the next version of Galley would, whose recordings have a colour."""
    monkeypatch.setattr(database, "MIGRATIONS", (migration,))
    monkeypatch.setattr(salvage, "RECORDING", (*salvage.RECORDING, "colour"))
    return Library(folder)


def child(folder: Path, room: Path, failure: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """Migrate in another program, to which this happens."""
    command = [sys.executable, "-c", MIGRATE + (code or "Library(folder).close()"), str(folder), str(room), failure]
    environment = dict(os.environ)
    if code:
        environment |= FullDisk(room).of(folder)
    return subprocess.run([*command, COLOUR], env=environment, capture_output=True, text=True, timeout=250)


def test_no_schema_changes_without_a_new_version() -> None:
    steps = (database.SCHEMA, *database.MIGRATIONS)
    hashes = tuple(hashlib.sha256(step.encode()).hexdigest()[:8] for step in steps)
    assert hashes == RECORDED, "see 'Change the library's schema' in CONTRIBUTING.md"


@pytest.mark.parametrize("version", range(1, database.schema_version() + 1))
def test_a_library_of_every_schema_becomes_one_of_this(tmp_path: Path, version: int) -> None:
    with closing(sqlite3.connect(tmp_path / database.NAME)) as connection:
        connection.executescript(";".join((database.SCHEMA, *database.MIGRATIONS)[:version]))
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {database._CLEAN}")
    Library(tmp_path / "new").close()
    with closing(Library(tmp_path)) as library:
        assert library.notice is None
    assert dumped(tmp_path / database.NAME) == dumped(tmp_path / "new" / database.NAME)


def test_a_migration_keeps_the_library_and_a_copy_of_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    before = dumped(tmp_path / database.NAME)
    with closing(migrate(tmp_path, monkeypatch)) as library:
        (recording,) = library.recordings()
        assert library.transcript(recording.id).segments == tuple(segment(number) for number in range(3))
        assert library.notice is None
    assert colours(tmp_path) == ["blue"]
    (copy,) = tmp_path.glob("library-schema-1-*.sqlite3")
    assert dumped(copy) == before
    with closing(Library(tmp_path)) as library:
        library.remove(recording.id)
    assert not copy.exists(), "a deleted recording is in no copy either"
    assert len(list(tmp_path.glob("library*"))) == 1


def test_a_migration_that_goes_wrong_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    before = dumped(tmp_path / database.NAME)
    with monkeypatch.context() as patch, pytest.raises(Problem, match=r"library\.failed"):
        migrate(tmp_path, patch, f"{COLOUR}; DELETE FROM segment; SELECT nothing FROM nowhere")
    assert dumped(tmp_path / database.NAME) == before
    assert not list(tmp_path.glob("library-damaged-*"))


def test_a_library_that_an_older_galley_has_open_is_not_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    with closing(Library(tmp_path)), pytest.raises(Problem, match=r"library\.locked"):
        migrate(tmp_path, monkeypatch)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("moment", ["copying", "midway"])
def test_a_migration_that_is_killed_is_done_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    filled(tmp_path)
    before = dumped(tmp_path / database.NAME)
    assert child(tmp_path, tmp_path, moment).returncode == -signal.SIGKILL
    assert dumped(tmp_path / database.NAME) == before
    (tmp_path / f"{database.NAME}.copy").write_bytes(b"half a copy")
    with closing(migrate(tmp_path, monkeypatch)) as library:
        assert library.notice is None
        (recording,) = library.recordings()
        assert len(library.transcript(recording.id).segments) == 3
    assert colours(tmp_path) == ["blue"]
    assert {tuple(dumped(copy)) for copy in tmp_path.glob("library-schema-1-*.sqlite3")} == {tuple(before)}
    assert not list(tmp_path.glob("*.copy*"))


@pytest.mark.skipif(not HAS_COMPILER, reason="the disk is filled by a library built with gcc")
@pytest.mark.timeout(300)
def test_a_migration_outlives_a_full_disk_at_every_call(tmp_path: Path) -> None:
    folder = tmp_path / "libraries"
    filled(folder / "1")
    for number in range(2, 120):
        shutil.copytree(folder / "1", folder / str(number))
    done = child(folder, tmp_path, "short", FULL)
    assert done.returncode == 0, done.stderr[-2000:]
    assert 15 < int(done.stdout) < 119  # or the calls were not counted


@pytest.mark.parametrize(("version", "application"), [(1, 0), (10, 0x47414C59), (database.schema_version() + 1, 0)])
def test_a_library_of_another_version_is_kept_as_it_is(tmp_path: Path, version: int, application: int) -> None:
    """Such as one that was made before the first release: neither changed nor deleted, whatever is deleted later."""
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / database.NAME)) as connection:
        connection.execute("DROP TABLE attempt")
        connection.execute("ALTER TABLE segment DROP COLUMN begins_paragraph")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {application}")
        connection.commit()
    before = dumped(tmp_path / database.NAME)
    with closing(Library(tmp_path)) as library:
        (kept,) = tmp_path.glob("library-other-version-*.sqlite3")
        assert library.notice == Problem("library.other_version", file=kept.name)
        assert library.recordings() == []
        library.remove(library.add("/new.wav").id)
    assert dumped(kept) == before
    with closing(Library(tmp_path)) as calm:
        assert calm.notice is None


def test_a_library_of_another_version_that_is_open_is_not_taken_away(tmp_path: Path) -> None:
    with closing(Library(tmp_path)) as library:
        with library._write() as connection:
            connection.execute("ALTER TABLE segment DROP COLUMN begins_paragraph")
            connection.execute("PRAGMA application_id = 0")
        with pytest.raises(Problem, match=r"library\.locked"):
            Library(tmp_path)
    assert not list(tmp_path.glob("library-other-version-*"))
