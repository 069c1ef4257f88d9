"""Reading a database without SQLite gives what SQLite gives, and of a damaged one the part that is there."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desktop_app.library.salvage import RECORDING, SEGMENT, SalvagedRows, _Broken, _values, read

TABLES = (
    f"CREATE TABLE recording (number INTEGER PRIMARY KEY, {', '.join(RECORDING[1:])});"
    f"CREATE TABLE segment ({', '.join(SEGMENT)}, PRIMARY KEY (recording, id)) WITHOUT ROWID;"
    "CREATE INDEX recording_id ON recording (id)"
)
VALUES = (
    *(None, 0, 1, -1, 127, -128, 128, 32_767, -32_768, 8_388_607, -8_388_608, 2**31 - 1, -(2**31), 2**47 - 1),
    *(-(2**47), 2**62, -(2**62), 0.5, -1e300, "", "word", "é" * 60, "a" * 5000, b"", b"\x00\xff", b"b" * 70_000),
)
"""Of every type and size that a record can hold."""


def key(number: int) -> str:
    return f"{number:032x}"


def made(path: Path, size: int = 4096, rows: int = 60) -> sqlite3.Connection:
    """A database of such pages: rows with each of VALUES, some of them deleted."""
    chance = random.Random(3)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {size}")
    connection.executescript(TABLES)
    connection.execute("BEGIN")
    for number in range(1, rows + 1):
        values = chance.choices(VALUES, k=len(RECORDING) - 2)
        places = ", ".join("?" * len(RECORDING))
        row = ((-1) ** number * number * 1000, key(number), *values)  # damage makes numbers negative
        connection.execute(f"INSERT INTO recording VALUES ({places})", row)
        for line in range(3):
            values = chance.choices(VALUES, k=len(SEGMENT) - 2)
            places = ", ".join("?" * len(SEGMENT))
            connection.execute(f"INSERT INTO segment VALUES ({places})", (key(number), line, *values))
    connection.execute("COMMIT")
    connection.execute("DELETE FROM recording WHERE number % 7000 = 0")
    connection.execute("DELETE FROM segment WHERE recording NOT IN (SELECT id FROM recording)")
    return connection


def expected(connection: sqlite3.Connection) -> tuple[dict[Any, Any], dict[Any, Any]]:
    recordings = {row[1]: row for row in connection.execute("SELECT * FROM recording")}
    return recordings, {row[:2]: row for row in connection.execute("SELECT * FROM segment")}


def same(found: SalvagedRows, connection: sqlite3.Connection) -> None:
    recordings, segments = expected(connection)
    assert found.recordings == recordings
    assert found.segments == segments
    assert (found.torn, found.unreadable, found.incomplete) == (set(), 0, set())


@pytest.mark.parametrize("size", [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536])
def test_all_rows_are_those_that_sqlite_finds(tmp_path: Path, size: int) -> None:
    with closing(made(tmp_path / "it", size)) as connection:
        same(read(tmp_path / "it"), connection)


def test_a_row_of_any_length_is_read(tmp_path: Path) -> None:
    """By its last byte it is decided how much of it lies on other pages."""
    path = tmp_path / "it"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.executescript(TABLES)
        connection.execute("BEGIN")
        for length in range(1100):
            connection.execute("INSERT INTO recording (id, name) VALUES (?, ?)", (key(length), "n" * length))
            line = (key(length), 0, "t" * length)
            connection.execute("INSERT INTO segment (recording, id, text) VALUES (?, ?, ?)", line)
        connection.execute("COMMIT")
        same(read(path), connection)


@pytest.mark.parametrize("size", [512, 4096, 65_536])
def test_of_the_log_only_what_was_committed_counts(tmp_path: Path, size: int) -> None:
    path, copied = tmp_path / "it", tmp_path / "copied"
    with closing(made(path, size, rows=20)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE recording SET name = 'before the checkpoint'")
        connection.execute("PRAGMA wal_checkpoint(RESTART)")
        connection.execute("UPDATE recording SET path = 'of the log'")  # over the older frames, which go on behind it
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("UPDATE recording SET name = 'not committed'")
        connection.execute("UPDATE segment SET text = 'not committed'")
        for ending in ("", "-wal"):
            copied.with_name(f"copied{ending}").write_bytes(path.with_name(f"it{ending}").read_bytes())
        connection.execute("ROLLBACK")
        same(read(copied), connection)


def test_the_part_of_a_row_that_is_there_is_kept_with_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "it"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(TABLES)
        values = {"recording": key(1), "id": 4, "begins": 1.5, "text": "a" * 9001, "tokens": b"b" * 9001, "speaker": 7}
        connection.execute(f"INSERT INTO segment ({', '.join(values)}) VALUES (?, ?, ?, ?, ?, ?)", (*values.values(),))
    whole = read(path).segments[key(1), 4]
    assert (whole[4], whole[5], whole[9]) == ("a" * 9001, b"b" * 9001, 7)
    path.write_bytes(path.read_bytes()[: 5 * 4096])  # the first page of what follows, and no more
    found = read(path)
    (row,) = found.segments.values()
    assert row[:3] == (key(1), 4, 1.5)
    assert row[4].startswith("a" * 1000) and row[4].strip("a") == "\ufffd"
    assert (row[5], row[9]) == (None, None), "of bytes a part is nothing"
    assert found.torn == found.incomplete == {key(1)}


@pytest.mark.parametrize("size", [512, 65_536])
def test_without_the_header_the_log_says_how_large_pages_are(tmp_path: Path, size: int) -> None:
    path, copied = tmp_path / "it", tmp_path / "copied"
    with closing(made(path, size, rows=20)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE recording SET path = 'of the log'")
        copied.write_bytes(bytes(100) + path.read_bytes()[100:])
        copied.with_name("copied-wal").write_bytes(path.with_name("it-wal").read_bytes())
        recordings, segments = expected(connection)
    found = read(copied)
    assert recordings.items() <= found.recordings.items(), "besides those that were deleted"
    assert segments.items() <= found.segments.items()


def test_ids_that_only_their_index_still_has_are_known(tmp_path: Path) -> None:
    """So that the number of lost recordings can be told."""
    path = tmp_path / "it"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.executescript(TABLES)
        for number in range(40):
            connection.execute("INSERT INTO recording (id) VALUES (?)", (key(number),))
    pages = path.read_bytes()
    tables = [at for at in range(512, len(pages), 512) if pages[at] == 13]
    for at in tables:
        pages = pages[:at] + bytes(512) + pages[at + 512 :]
    path.write_bytes(pages)
    found = read(path)
    assert (found.recordings, found.unreadable) == ({}, len(tables))
    assert found.known == {key(number) for number in range(40)}


@pytest.mark.parametrize("count", [0, 1, 127, 2**32 - 1])
def test_a_damaged_list_of_free_pages_hides_no_row(tmp_path: Path, count: int) -> None:
    """It names more pages than there are, or than it can hold; a page that it does not name may have old rows."""
    path = tmp_path / "it"
    with closing(made(path, 512)) as connection:
        recordings, segments = expected(connection)
    pages = bytearray(path.read_bytes())
    trunk = (int.from_bytes(pages[32:36], "big") - 1) * 512
    pages[trunk + 4 : trunk + 8] = count.to_bytes(4, "big")
    path.write_bytes(pages)
    found = read(path)
    assert recordings.items() <= found.recordings.items()
    assert segments.items() <= found.segments.items()


def test_wherever_a_file_is_cut_off_a_line_is_whole_or_said_to_be_torn(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole", tmp_path / "cut"
    with closing(sqlite3.connect(whole, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.executescript(TABLES)
        for number in range(20):
            line = (key(number), 0, "word " * (10 * number))
            connection.execute("INSERT INTO segment (recording, id, text) VALUES (?, ?, ?)", line)
        connection.execute("DELETE FROM segment WHERE recording = ?", (key(18),))
        _, segments = expected(connection)
    data = whole.read_bytes()
    counts = []
    for end in (*range(0, 120, 9), *range(512, len(data), 211), len(data)):
        path.write_bytes(data[:end])
        found = read(path)
        counts.append(len(found.segments.keys() & segments.keys()))
        for place, row in segments.items():
            assert place[0] in found.torn or found.segments.get(place, row) == row
    assert (counts[0], counts[-1]) == (0, len(segments))
    assert len({*counts}) > 10, "what is before the cut is there"


@pytest.mark.parametrize(
    ("record", "length"),
    [
        (b"\x00", 1),  # a header without itself
        (b"\x03\x01\x07", 2),  # longer than the record
        (b"\x02\x01\x07\x00", 4),  # a byte more than its values have
        (b"\x02\x02\x07", 3),  # one less
        (b"\x02\x81\x00\x07", 4),  # ends within a length
    ],
)
def test_what_has_the_lengths_of_no_record_is_none(record: bytes, length: int) -> None:
    assert _values(b"\x02\x01\x07", 3) == ([7], True)
    with pytest.raises((_Broken, IndexError)):
        _values(record, length)


@pytest.mark.parametrize("seed", range(8))
def test_no_damage_ends_the_reading(tmp_path: Path, seed: int) -> None:
    path, chance = tmp_path / "it", random.Random(seed)
    with closing(made(path, 512, rows=20)) as connection:
        recordings, segments = expected(connection)
    whole = bytearray(path.read_bytes())
    places = [at + inside for at in range(512, len(whole), 512) for inside in range(60)]  # headers, lists, lengths
    for place in chance.sample(places, len(places) // 40):
        whole[place] = chance.choice((0, 5, 10, 13, 127, 128, 255, chance.randrange(256)))
    path.write_bytes(whole)
    found = read(path)
    assert found.unreadable > 0
    assert len(found.recordings.keys() & recordings.keys()) > len(recordings) / 4
    assert len(found.segments.keys() & segments.keys()) > len(segments) / 4
