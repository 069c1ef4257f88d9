"""What is whole of a damaged library is there, and what is not is said and never written over."""

from __future__ import annotations

import errno
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from desktop_app.app.presentation.problems import sentence
from desktop_app.library import database, rows
from desktop_app.library.problem import explained, is_damage
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, Segment, Transcript, Word
from tests.libraries import frames_of, killed, made, segment, told


def searched(library: Library, text: str) -> list[rows.Recording]:
    """What a search finds, the newest first."""
    found = library.search(text)
    return [one for one in library.recordings() if one.id in found]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library(tmp_path)
    yield opened
    opened.close()


BAD: dict[str, tuple[str, ...]] = {
    "recording": (
        *("path", "name", "created", "state", "seconds", "problem", "damage", "language", "language_probability"),
        *("models", "stats", "speakers", "live", "guarded", "corrected"),
        *("title", "tags", "notes", "deleted", "place", "revision"),
    ),
    "segment": (
        *("begins", "ends", "text", "tokens", "temperature", "mean_log_probability", "no_speech_probability"),
        *("speaker", "words"),
    ),
}
VALUES = (
    "x'00ff'",
    "x''",
    "'no such thing'",
    "CAST(x'41ff42' AS TEXT)",
    "-1e300",
    "9e999",
    "77",
    "'{'",
    '\'{"code": "no.such", "values": {}}\'',
    "'{\"code\": 3}'",
    "'[[1, 2], {\"id\": 3}]'",
    "'[\"a\", null, 1e400]'",
    "replace(hex(zeroblob(50000)), '0', '[')",
    "'0001-01-01T00:00:00'",
    "'2026-05-04T10:00:00'",
)


@pytest.mark.parametrize(("table", "column"), [(table, column) for table in BAD for column in BAD[table]])
def test_a_damaged_value_costs_no_other_recording_and_is_never_written_over(
    library: Library, tmp_path: Path, table: str, column: str
) -> None:
    bad, good = made(library, "bad", segment(0), segment(1, "Second")), made(library, "good", segment(0))
    whole = library.transcript(good)
    for value in VALUES:
        where = "id = ?" if table == "recording" else "id = 0 AND recording = ?"
        with library._write() as connection:
            connection.execute(f"UPDATE {table} SET {column} = {value} WHERE {where}", (bad,))
        library._damaged.clear()
        assert [one.id for one in library.recordings()] == [good, bad]
        assert library.transcript(good) == whole
        found = library.transcript(bad)
        assert [line.text for line in found.segments][-1] == "Second", value
        entry = library.recording(bad)
        assert entry is not None and entry.state in rows.STATES and entry.created.astimezone()
        assert sentence(entry.problem) if entry.problem else True
        assert not searched(library, "no such words anywhere")
        library.corrections(bad)
        if found.damage == rows.DAMAGED:
            before = content(tmp_path, bad)
            assert not library.requeue(bad)
            for write in (partial(library.revise, transcript=found), partial(library.replace, transcript=found)):
                with pytest.raises(Problem, match=r"library\.row"):
                    write(bad)
            assert content(tmp_path, bad) == before
    library.close()
    with closing(Library(tmp_path)) as opened:
        assert opened.notice is None
        assert opened.recording(opened.add("/talks/new.wav").id) is not None
        opened.remove(bad)
        assert opened.transcript(good) == whole


def content(folder: Path, key: str) -> list[tuple[Any, ...]]:
    """All bytes of a recording."""
    with closing(sqlite3.connect(folder / database.NAME)) as connection:
        connection.text_factory = bytes
        return [
            *connection.execute("SELECT * FROM recording WHERE id = ?", (key,)),
            *connection.execute("SELECT * FROM segment WHERE recording = ?", (key,)),
        ]


@pytest.mark.parametrize("value", ["x'00ff'", "CAST(x'41ff42' AS TEXT)", "'{'", "'[1'"])
def test_a_damaged_row_is_told(library: Library, tmp_path: Path, value: str) -> None:
    key = made(library, "bad", segment(0), segment(1))
    with library._write() as connection:
        connection.execute(f"UPDATE segment SET words = {value} WHERE id = 0")
    assert library.transcript(key).damage == Problem("library.row")
    assert library.transcript(key).segments == (replace(segment(0), words=()), segment(1))


def test_a_word_without_a_speaker_is_whole(library: Library) -> None:
    line = replace(segment(0), speaker=None, words=(Word("Words", 0.0, 0.5, 0.9),))
    found = library.transcript(made(library, "whole", line))
    assert (found.segments, found.damage) == ((line,), None)


@pytest.mark.parametrize("field", ["text", "start", "end", "probability", "speaker"])
def test_a_word_of_which_one_value_is_damaged_is_told(library: Library, field: str) -> None:
    key = made(library, "bad", segment(0), segment(1))
    bad = json.dumps([{"text": "a", "start": 0.0, "end": 0.5, "probability": 0.9, "speaker": "S1", field: [7]}])
    with library._write() as connection:
        connection.execute("UPDATE segment SET words = ? WHERE id = 0", (bad,))
    found = library.transcript(key)
    assert found.damage == Problem("library.row")
    assert found.segments == (replace(segment(0), words=()), segment(1))


@pytest.mark.parametrize(
    "bad", [{"id": 7}, {"name": 7}, {"turns": [[-1.0, 1.0]]}, {"turns": [[0.0, "x"]]}, {"turns": [[0.0]]}]
)
def test_a_speaker_of_whom_one_value_is_damaged_is_told(library: Library, bad: dict[str, Any]) -> None:
    key = made(library, "bad", segment(0))
    value = json.dumps([{"id": "S1", "name": "Ann", "turns": [[0.0, 1.0]], **bad}])
    with library._write() as connection:
        connection.execute("UPDATE recording SET speakers = ?", (value,))
    found = library.transcript(key)
    assert (found.speakers, found.damage) == ((), Problem("library.row"))


def test_what_stands_for_values_that_cannot_be_read(library: Library) -> None:
    key = made(library, "bad", segment(0), segment(1))
    with library._write() as connection:
        bad = ", ".join(f"{column} = '{{'" for column in BAD["recording"])
        connection.execute(f"UPDATE recording SET {bad}, path = x''")
        bad = ", ".join(f"{column} = x'00ff'" for column in ("id", *BAD["segment"]) if column != "text")
        connection.execute(f"UPDATE segment SET {bad} WHERE id = 0")
    unknown = datetime(1971, 1, 1, tzinfo=UTC)
    assert library.recording(key) == rows.Recording(
        key, "", "{", unknown, "interrupted", 0.0, None, live=False, corrected=True, title="{", notes="{", damaged=True
    )
    lines = (segment(1), Segment(0, 0.0, 0.0, "Words", (), 0.0, 0.0, 0.0, None, ()))
    nothing = Models("", "", "", "", "")
    assert library.transcript(key) == Transcript("", 0.0, "{", 0.0, nothing, lines, damage=rows.DAMAGED)
    assert library.corrections(key) is None


@pytest.mark.parametrize(
    ("start", "end", "read"),
    [("0", "1e8", (0.0, 1e8)), ("-0.1", "2", (0.0, 2.0)), ("2", "1.1e8", (2.0, 2.0)), ("3", "2", (3.0, 3.0))],
)
def test_a_line_lies_within_a_recording_and_does_not_end_before_it_begins(
    library: Library, start: str, end: str, read: tuple[float, float]
) -> None:
    key = made(library, "bad", segment(0))
    with library._write() as connection:
        connection.execute(f"UPDATE segment SET begins = {start}, ends = {end}")
    (line,) = library.transcript(key).segments
    assert (line.start, line.end) == read


@pytest.mark.parametrize(
    ("kept", "read"),
    [
        ("2026-05-04T10:00:00", datetime(2026, 5, 4, 10, tzinfo=UTC)),  # of a program that named no time zone
        ("2026-05-04T10:00:00+02:00", datetime(2026, 5, 4, 8, tzinfo=UTC)),
        ("1971-01-01T00:00:00", datetime(1971, 1, 1, tzinfo=UTC)),
        ("9998-12-31T00:00:00", datetime(9998, 12, 31, tzinfo=UTC)),
        ("1970-12-31T00:00:00", None),
        ("9999-01-01T00:00:00", None),
    ],
)
def test_a_date_that_not_every_time_zone_can_show_is_damage(library: Library, kept: str, read: datetime | None) -> None:
    key = made(library, "bad", segment(0))
    with library._write() as connection:
        connection.execute("UPDATE recording SET created = ?", (kept,))
    found = library.recording(key)
    assert found is not None and found.created.tzinfo is not None
    assert (found.created, found.damaged) == (read or datetime(1971, 1, 1, tzinfo=UTC), read is None)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (sqlite3.SQLITE_FULL, "disk.full"),
        (sqlite3.SQLITE_READONLY_DBMOVED, "library.read_only"),
        (sqlite3.SQLITE_CANTOPEN_ISDIR, "library.not_opened"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "library.locked"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "library.damaged"),
        (sqlite3.SQLITE_NOTADB, "library.damaged"),
        (sqlite3.SQLITE_IOERR_WRITE, "library.disk"),
        (sqlite3.SQLITE_ERROR, "library.failed"),
        (None, "library.failed"),
    ],
)
def test_every_error_of_sqlite_means_something(code: int | None, problem: str) -> None:
    error = sqlite3.DatabaseError("what SQLite says")
    if code is not None:
        error.sqlite_errorcode = code
    found = explained(error)
    assert found.code == problem
    assert found.values == ({"error": "what SQLite says"} if problem == "library.failed" else {})
    assert is_damage(error) is (problem == "library.damaged")


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (OSError(errno.ENOSPC, "full"), Problem("disk.full")),
        (OSError(errno.EDQUOT, "full"), Problem("disk.full")),
        (OSError(errno.EROFS, "read only"), Problem("library.read_only")),
        (OSError(errno.EACCES, "refused"), Problem("library.failed", error="refused")),
        (OSError("without a number"), Problem("library.failed", error="without a number")),
    ],
)
def test_every_error_of_the_disk_means_something(error: OSError, problem: Problem) -> None:
    assert explained(error) == problem


def test_one_bad_character_hides_nothing(library: Library) -> None:
    key = made(library, "bad", segment(0), segment(1))
    with library._write() as connection:
        connection.execute("UPDATE segment SET text = CAST(x'416e6e20ff616e64' AS TEXT) WHERE id = 0")
        connection.execute("UPDATE recording SET name = CAST(x'416e6eff' AS TEXT)")
    assert [one.name for one in searched(library, "ann")] == ["Ann\ufffd".encode(errors="replace").decode()]
    assert library.transcript(key).segments[0].text == "Ann \ufffdand"
    assert library.recordings()[0].damaged


# A damaged file.

TALKS, LINES = 12, 40


def filled(folder: Path) -> dict[str, Transcript]:
    """A library of some hundred pages, with lines that take several of them; what is in it."""
    library = Library(folder)
    chance = random.Random(1)
    keys = []
    for talk in range(TALKS):
        long = (chance.choice((20, 200, 200, 6000)) for _ in range(LINES))
        lines = [segment(number, f"Talk {talk} line {number}: " + "é" * size) for number, size in enumerate(long)]
        keys.append(made(library, str(talk), *lines))
    found = {key: library.transcript(key) for key in keys}
    library.close()
    return found


def compared(folder: Path, before: dict[str, Transcript]) -> int:
    """How many lines came back; that none is wrong, and that all damage is told."""
    with closing(Library(folder)) as library:
        assert library._writer.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        lines = 0
        for entry in library.recordings():
            found = library.transcript(entry.id)
            known = {line.id: line for line in before[entry.id].segments}
            right = [line for line in found.segments if line == known[line.id]]
            assert len(right) == len(found.segments) or found.damage == rows.DAMAGED
            assert found.damage is not None or found.segments == before[entry.id].segments[: len(right)]
            lines += len(right)
        library.add("/talks/new.wav")
        return lines


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_page_costs_only_what_is_on_it(tmp_path: Path, seed: int) -> None:
    """Wherever the page is: the schema's, one that leads to others, or one of lines."""
    before = filled(tmp_path)
    file = tmp_path / database.NAME
    pages = bytearray(file.read_bytes())
    count = len(pages) // 4096
    chance = random.Random(seed)
    number = seed if seed < 8 else chance.randrange(count)  # the first ones hold all others together
    pages[number * 4096 : number * 4096 + 4096] = bytes(4096) if seed % 2 else chance.randbytes(4096)
    file.write_bytes(pages)
    lines = compared(tmp_path, before)
    assert lines >= TALKS * LINES - 40, "a page holds at most forty of the shortest lines"
    for aside in tmp_path.glob("library-damaged-*.sqlite3"):  # none where the page was not in use
        assert aside.read_bytes() == pages


def test_a_library_that_was_cut_off_gives_what_is_left_of_it(tmp_path: Path) -> None:
    before = filled(tmp_path)
    file = tmp_path / database.NAME
    pages = file.read_bytes()
    file.write_bytes(pages[: len(pages) // 2])
    lines = compared(tmp_path, before)
    assert lines > TALKS * LINES / 4


def test_what_only_the_log_holds_is_saved_too(tmp_path: Path) -> None:
    """After a kill the newest lines are in the write-ahead log alone."""
    library = Library(tmp_path / "one")
    key = made(library, "first", segment(0))
    library._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    later = made(library, "later", *(segment(number, "é" * 3000) for number in range(20)))
    before = {each: library.transcript(each) for each in (key, later)}
    killed = tmp_path / "two"
    killed.mkdir()
    for ending in ("", "-wal"):
        (killed / f"{database.NAME}{ending}").write_bytes((tmp_path / "one" / f"{database.NAME}{ending}").read_bytes())
    library.close()
    with (killed / database.NAME).open("r+b") as file:
        file.write(bytes(100))
    parts = {ending: (killed / f"{database.NAME}{ending}").read_bytes() for ending in ("", "-wal")}
    with closing(Library(killed)) as opened:
        assert {one.id: opened.transcript(one.id) for one in opened.recordings()} == before
        assert opened.notice is not None and opened.notice.values["saved"] == 2
        for ending, data in parts.items():
            assert (killed / f"{opened.notice.values['file']}{ending}").read_bytes() == data, "kept as it was"


def test_what_was_saved_and_what_was_lost_is_said_in_one_sentence(tmp_path: Path) -> None:
    with closing(Library(tmp_path)) as library:
        keys = [made(library, str(talk), segment(0), segment(1)) for talk in range(3)]
        with library._write() as connection:
            connection.execute("DELETE FROM segment WHERE recording = ? AND id = 0", (keys[0],))
            connection.execute("PRAGMA user_version = -1")
    with closing(Library(tmp_path)) as opened:
        assert opened.notice is not None
        (aside,) = tmp_path.glob("library-damaged-*.sqlite3")
        assert sentence(opened.notice) == (
            f"The library was damaged and kept as {aside.name}; its recordings were moved to a new one (recovered: 3,"
            " of them incomplete: 1; lost: 0)."
        )
        assert opened.transcript(keys[0]).damage == Problem("library.incomplete")
    with closing(Library(tmp_path)) as calm:
        assert calm.notice is None


def test_lines_whose_recording_is_lost_are_listed_under_their_first_words(tmp_path: Path) -> None:
    with closing(Library(tmp_path)) as library:
        key = made(library, "one", segment(0, "Good morning"), segment(1))
    with closing(sqlite3.connect(tmp_path / database.NAME)) as connection:
        connection.execute("DELETE FROM recording")
        connection.commit()
    with closing(Library(tmp_path)) as opened:
        (entry,) = opened.recordings()
        assert (entry.id, entry.name, entry.damaged) == (key, "Good morning", True)
        lines = (segment(0, "Good morning"), segment(1))
        unknown = Models("", "", "", "", "")
        assert opened.transcript(key) == Transcript("", 0.0, "", 0.0, unknown, lines, damage=rows.DAMAGED)


@pytest.mark.parametrize(
    "damage",
    [
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 999999",
        "PRAGMA user_version = -5",
        "PRAGMA application_id = 7",
        "ALTER TABLE recording RENAME COLUMN language TO lanfuage",
        "ALTER TABLE segment RENAME TO segmemt",
    ],
)
def test_a_damaged_schema_costs_nothing(tmp_path: Path, damage: str) -> None:
    with closing(Library(tmp_path)) as library:
        key = made(library, "one", segment(0))
        before = library.transcript(key)
    with closing(sqlite3.connect(tmp_path / database.NAME)) as connection:
        connection.execute(damage)
        connection.commit()
    with closing(Library(tmp_path)) as opened:
        assert opened.transcript(key) == before


def test_every_damaged_library_is_kept_and_what_an_earlier_attempt_left_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two within a second; the program ended while the first new file was made."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Clock:
            return cls(2026, 5, 4, 10, 0, 0, tzinfo=tz)

    monkeypatch.setattr(database, "datetime", Clock)
    with closing(Library(tmp_path)) as library:
        key = made(library, "one", segment(0))
    for ending in ("", "-wal", "-shm"):
        (tmp_path / f"{database.NAME}.part{ending}").write_bytes(b"half a file")
    for aside in ("", "-2", "-3"):
        with (tmp_path / database.NAME).open("r+b") as file:
            file.seek(18)
            file.write(b"\x7f")
        with closing(Library(tmp_path)) as opened:
            assert [one.id for one in opened.recordings()] == [key]
            assert opened.notice is not None
            assert opened.notice.values["file"] == f"library-damaged-20260504-100000{aside}.sqlite3"
    assert len(list(tmp_path.glob("library-damaged-*"))) == 3
    assert not list(tmp_path.glob("*.part*"))


@pytest.mark.parametrize("place", [18, 19, 0, 5, 16, 20, 24, 28, 44, 56, 68, 71, 100, 103])
def test_a_damaged_header_costs_nothing(tmp_path: Path, place: int) -> None:
    with closing(Library(tmp_path)) as library:
        key = made(library, "one", segment(0))
        before = library.transcript(key)
    with (tmp_path / database.NAME).open("r+b") as file:
        file.seek(place)
        file.write(b"\x7f")
    with closing(Library(tmp_path)) as opened:
        assert opened.transcript(key) == before


def test_a_library_that_another_galley_has_open_is_not_taken_from_it(tmp_path: Path) -> None:
    """It would go on writing to a file that nobody reads any more."""
    with closing(Library(tmp_path)) as library:
        key = made(library, "one", segment(0))
        with (tmp_path / database.NAME).open("r+b") as file:
            file.seek(18)
            file.write(b"\x7f")
        with pytest.raises(Problem, match=r"library\.damaged"):
            Library(tmp_path)
        assert library.recording(key) is not None
    assert not list(tmp_path.glob("library-damaged-*"))


def test_a_damaged_owner_leads_to_no_other_file(library: Library, tmp_path: Path) -> None:
    """A lock's name comes from the library, and a dead owner's lock is removed."""
    library.add("/talks/one.wav")
    precious = tmp_path / "precious.lock"
    precious.write_text("kept")
    with library._write() as connection:
        connection.execute("UPDATE recording SET owner = '../precious'")
    Library(tmp_path).close()
    assert precious.exists()


@pytest.mark.parametrize("seed", range(6))
def test_a_flipped_bit_in_the_log_of_a_killed_program_loses_nothing_without_a_word(tmp_path: Path, seed: int) -> None:
    """SQLite would read the log up to there, and remove the rest: five recordings instead of twenty."""
    before = killed(tmp_path)
    wal = (tmp_path / f"{database.NAME}-wal").read_bytes()
    data = (tmp_path / database.NAME).read_bytes()
    end, chance = 32 + 4120 * frames_of(wal), random.Random(seed)
    places = [
        *(chance.randrange(32) for _ in range(2)),
        *(32 + 4120 * chance.randrange(frames_of(wal)) + chance.randrange(24) for _ in range(3)),
        end - 4120 + chance.randrange(4120),
        *(chance.randrange(32, end) for _ in range(3)),
    ]
    for number, place in enumerate(places):
        folder = tmp_path / str(number)
        folder.mkdir()
        damaged = bytearray(wal)
        damaged[place] ^= 1 << chance.randrange(8)
        (folder / database.NAME).write_bytes(data)
        (folder / f"{database.NAME}-wal").write_bytes(damaged)
        notice = told(folder, before)
        assert notice is not None and notice.values["lost"] == 0  # a row whose id is damaged is listed too
        assert (folder / f"{notice.values['file']}-wal").read_bytes() == damaged, "kept as it was"
    with closing(Library(folder)) as calm:
        assert calm.notice is None


def test_the_log_of_a_killed_program_is_no_damage(tmp_path: Path) -> None:
    """Behind its end are older frames, or the beginning of a transaction, or of a frame."""
    before = killed(tmp_path)
    wal = (tmp_path / f"{database.NAME}-wal").read_bytes()
    data = (tmp_path / database.NAME).read_bytes()
    end = 32 + 4120 * frames_of(wal)
    assert len(wal) > end, "the older frames"
    for number, log in enumerate((wal, wal[:end], wal[: end + 4000], b"", wal[:20], bytes(len(wal)), wal[:32])):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / database.NAME).write_bytes(data)
        (folder / f"{database.NAME}-wal").write_bytes(log)
        with closing(Library(folder)) as opened:
            assert opened.notice is None
            assert len(opened.recordings()) == (len(before) if number < 3 else 4)
