"""What can still be read of a damaged library.

SQLite refuses a file, or a table, for one broken page. Here each page is read for itself, so that the rows on every
whole page are found, whatever became of the pages that lead to it. The format, and how it is read, are those of
https://www.sqlite.org/fileformat2.html; `sqlite3 .recover` works in the same way.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop_app.library import write_ahead_log
from desktop_app.library.rows import decoded

RECORDING = (
    *("number", "id", "path", "name", "created", "state", "owner", "seconds", "problem", "damage", "language"),
    *("language_probability", "models", "stats", "speakers", "live", "guarded", "corrected", "resume"),
    *("title", "tags", "notes", "deleted", "place", "revision", "made", "asked", "wanted", "marks"),
)
SEGMENT = (
    *("recording", "id", "begins", "ends", "text", "tokens", "temperature", "mean_log_probability"),
    *("no_speech_probability", "speaker", "words", "begins_paragraph"),
)
VERSION = (
    *("number", "recording", "made", "asked", "seconds", "language", "language_probability", "models", "stats"),
    *("speakers", "damage", "guarded", "corrected", "lines"),
)
"""The columns of the tables in the order in which a row holds them."""

_ID = re.compile("[0-9a-f]{32}")
_HEADER = 100  # bytes at the start of the first page
_PAGE = 4096  # where the header does not say it
_TABLE_LEAF, _INDEX_LEAF, _TABLE_INNER, _INDEX_INNER = 13, 10, 5, 2
_FIRST_POINTER = {_TABLE_LEAF: 8, _INDEX_LEAF: 8, _TABLE_INNER: 12, _INDEX_INNER: 12}
_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}  # bytes of a value of this type


@dataclass
class SalvagedRows:
    """What was found.

    Attributes:
        recordings: rows of the columns RECORDING, by the recording's id.
        segments: rows of the columns SEGMENT, by the recording's id and the line's.
        versions: rows of the columns VERSION, by their numbers.
        known: ids of recordings of which anything was found.
        torn: ids of recordings of which a row could be read only in part.
        unreadable: how many pages could not be read.
    """

    recordings: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    segments: dict[tuple[str, int], tuple[Any, ...]] = field(default_factory=dict)
    versions: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    torn: set[str] = field(default_factory=set)
    unreadable: int = 0

    @property
    def incomplete(self) -> set[str]:
        """The recordings that lack a line, a part of one, or all but their lines."""
        lines: dict[str, list[int]] = {}
        for key, number in self.segments:
            lines.setdefault(key, []).append(number)
        gaps = {key for key, numbers in lines.items() if sorted(numbers) != list(range(len(numbers)))}
        return gaps | self.torn | (lines.keys() - self.recordings.keys())


def read(path: Path) -> SalvagedRows:
    """All rows of the library at `path` and of its write-ahead log. Raises OSError."""
    return _File(path).rows()


def is_log_damaged(path: Path) -> bool:
    """Whether SQLite would forget what the write-ahead log of the library at `path` holds. Raises OSError."""
    log = _log_of(path)
    if not log.is_file() or not log.stat().st_size:
        return False
    with path.open("rb") as file:
        start = file.read(_HEADER)
    wal = log.read_bytes()
    return write_ahead_log.read(wal, _page_size(start, wal)).is_damaged


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


class _Broken(Exception):
    """This cannot be read."""


class _File:
    """The pages of a database, those of its log in the place of older ones."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        wal = _log_of(path).read_bytes() if _log_of(path).exists() else b""
        self._size = _page_size(self._data, wal)
        log = write_ahead_log.read(wal, self._size)
        self._newer, self._doubtful = log.pages, log.doubtful
        filled = -(-len(self._data) // self._size)
        self._count = max(log.count, filled, *log.pages) if log.is_damaged else log.count or filled
        reserved = self._page(1)[20] if self._has_header() else 0
        self._usable = self._size - reserved
        self._free = self._free_pages()
        self._overflow: set[int] = set()

    def rows(self) -> SalvagedRows:
        """Look at every page; last at those of which the log has a damaged one, and at what these replaced."""
        found = SalvagedRows()
        certain = [number for number in range(1, self._count + 1) if number not in self._free | self._doubtful.keys()]
        broken = {number for number in certain if not self._look(found, number, self._page(number))}
        for number, page in self._doubtful.items():
            self._look(found, number, page, is_certain=False)
        for number in self._doubtful.keys() & range(1, self._count + 1):
            self._look(found, number, self._page(number), is_certain=False)
        found.unreadable = len(broken - self._overflow)
        return found

    def _look(self, found: SalvagedRows, number: int, page: bytes, *, is_certain: bool = True) -> bool:
        """Keep the rows of a page; gives whether it could be read."""
        try:
            cells = list(self._cells(number, page))
        except (_Broken, struct.error, IndexError):
            return False
        is_whole = True
        for start, is_table in cells:
            try:
                self._take(found, *self._record(page, start, is_table), is_certain=is_certain)
            except (_Broken, struct.error, IndexError, KeyError):
                is_whole = False
        return is_whole

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= self._count:
            raise _Broken
        return self._newer.get(number) or self._data[(number - 1) * self._size : number * self._size]

    def _has_header(self) -> bool:
        page = self._page(1) if self._count else b""
        return len(page) >= _HEADER and page.startswith(b"SQLite format 3\0")

    def _free_pages(self) -> set[int]:
        """The pages that hold nothing any more."""
        free: set[int] = set()
        if not self._has_header():
            return free
        trunk = int.from_bytes(self._page(1)[32:36], "big")
        while 1 < trunk <= self._count and trunk not in free:
            free.add(trunk)
            page = self._page(trunk).ljust(self._size, b"\0")
            trunk, count, *leaves = struct.unpack(f">{self._size // 4}I", page)
            free.update(leaf for leaf in leaves[:count] if 1 < leaf <= self._count)
        return free

    def _cells(self, number: int, page: bytes) -> Iterator[tuple[int, bool]]:
        """The places of the records on a page, each with whether it is a table's."""
        start = _HEADER if number == 1 else 0
        kind = page[start]
        if kind not in _FIRST_POINTER:
            raise _Broken
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        first = start + _FIRST_POINTER[kind]
        if first + 2 * count > self._usable:
            raise _Broken
        for place in struct.unpack_from(f">{count}H", page, first):
            if not first + 2 * count <= place < self._usable:
                raise _Broken
            if kind != _TABLE_INNER:
                yield place + (4 if kind == _INDEX_INNER else 0), kind == _TABLE_LEAF

    def _record(self, page: bytes, at: int, is_table: bool) -> tuple[int, list[Any], bool]:
        """The row number, where there is one, the values, and whether they are whole."""
        length, at = _varint(page, at)
        number = 0
        if is_table:
            number, at = _varint(page, at)
        most = self._usable - 35 if is_table else (self._usable - 12) * 64 // 255 - 23
        if length <= most:
            return number, *_values(page[at : at + length], length)
        least = (self._usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (self._usable - 4)
        here = here if here <= most else least
        payload = bytearray(page[at : at + here])
        (following,) = struct.unpack_from(">I", page, at + here)
        seen: set[int] = set()
        while len(payload) < length and 1 < following <= self._count and following not in seen | self._free:
            seen.add(following)
            page = self._doubtful.get(following) or self._page(following)
            following = int.from_bytes(page[:4], "big")
            payload += page[4 : self._usable]
        self._overflow |= seen
        values, is_whole = _values(bytes(payload), length)
        return number, values, is_whole and not seen & self._doubtful.keys()

    def _take(self, found: SalvagedRows, number: int, values: list[Any], is_whole: bool, *, is_certain: bool) -> None:
        """Keep what is a row of the library's, unless it is there already."""
        kept: dict[Any, tuple[Any, ...]]
        if len(values) == len(RECORDING) and values[0] is None and _is_id(values[1]):
            key, place, kept, row = values[1], values[1], found.recordings, (number, *values[1:])
        elif len(values) == len(VERSION) and values[0] is None and _is_id(values[1]):
            key, place, kept, row = values[1], number, found.versions, (number, *values[1:])
            is_whole = True  # the text that stands is; the version tells by itself what it lacks
        elif len(values) == len(SEGMENT) and _is_id(values[0]) and isinstance(values[1], int):
            key, place, kept, row = values[0], (values[0], values[1]), found.segments, tuple(values)
        elif len(values) == 2 and _is_id(values[0]):  # of the index of ids
            found.known.add(values[0])
            return
        else:
            return
        if not is_whole or (not is_certain and place not in kept):
            found.torn.add(key)
        kept.setdefault(place, row)
        found.known.add(key)


def _page_size(data: bytes, wal: bytes) -> int:
    size = int.from_bytes(data[16:18], "big") if data.startswith(b"SQLite format 3\0") else 0
    if size not in (512, 1024, 2048, 4096, 8192, 16384, 32768, 1):
        size = int.from_bytes(wal[8:12], "big")
    if size == 1:
        size = 65536
    return size if size in (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536) else _PAGE


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (value >> 63 << 64), at + 9  # the first bit is the sign


def _values(payload: bytes, length: int) -> tuple[list[Any], bool]:
    """The values of a record of which `payload` is there, None for those that are not, and whether all are."""
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    sizes = [(kind - 12) // 2 if kind >= 12 else _SIZES.get(kind, 0) for kind in kinds]
    if at != end or at + sum(sizes) != length:
        raise _Broken
    values: list[Any] = []
    for kind, size in zip(kinds, sizes, strict=True):
        data = payload[at : at + size]
        if len(data) == size:
            values.append(_value(kind, data))
        else:  # the part of a text that is there is text, with a mark that it is not whole
            values.append(decoded(data + b"\xff") if data and kind >= 12 and kind % 2 else None)
        at += size
    return values, len(payload) >= length


def _value(kind: int, data: bytes) -> Any:
    if kind >= 12:
        return decoded(data) if kind % 2 else data
    if kind == 7:
        return struct.unpack(">d", data)[0]
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(data, "big", signed=True) if data else None
