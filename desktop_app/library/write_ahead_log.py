"""SQLite's write-ahead log, frame by frame, read without SQLite: the pages that it has committed, and whether any of it
is damaged. The format is that of https://www.sqlite.org/fileformat2.html#the_write_ahead_log.

SQLite takes the log to end at the first frame that is not as it was written, as a power cut may leave it, and forgets
all that was committed behind.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

_HEADER, _FRAME = 32, 24  # bytes

Sums = tuple[int, int]


@dataclass(frozen=True)
class Frame:
    """A page as a transaction wrote it; `count` is how many pages the database then had, in the transaction's last
    frame, else 0. `is_whole` tells that all of this is as it was written, and `is_read` that SQLite sees it, too."""

    number: int
    count: int
    page: bytes
    is_whole: bool
    is_read: bool


@dataclass
class Log:
    """What a log holds.

    Attributes:
        pages: by number, what whole frames have committed; count: how many pages the database then had, 0 without any.
        doubtful: by number, pages of which a newer frame is damaged, as it reads; the number may be wrong as well.
        is_damaged: whether SQLite would forget what may have been committed.
    """

    pages: dict[int, bytes] = field(default_factory=dict)
    count: int = 0
    doubtful: dict[int, bytes] = field(default_factory=dict)
    is_damaged: bool = False


def read(wal: bytes, page_size: int) -> Log:
    """All that the bytes of a log hold. A transaction that was not committed counts for nothing."""
    found, is_read = Log(), _has_sound_header(wal, page_size)
    whole, doubtful = dict[int, bytes](), dict[int, bytes]()  # of this transaction
    for frame in _frames(wal, page_size):
        is_read = is_read and frame.is_read
        (whole if frame.is_whole else doubtful)[frame.number] = frame.page
        if frame.count:
            found.is_damaged = found.is_damaged or not is_read
            found.pages |= whole
            for number in whole:  # the newer one
                found.doubtful.pop(number, None)
            found.doubtful |= doubtful
            found.count = frame.count if frame.is_whole else found.count
            whole, doubtful = {}, {}
    return found


def _has_sound_header(wal: bytes, page_size: int) -> bool:
    magic, version, size = struct.unpack_from(">III", wal) if len(wal) >= _HEADER else (0, 0, 0)
    told = struct.unpack_from(">II", wal, 24) if len(wal) >= _HEADER else ()
    known = (magic, version, size) == (0x377F0682, 3007000, page_size)
    return known and _checksum(wal[:24], (0, 0)) == told


def _frames(wal: bytes, page_size: int) -> Iterator[Frame]:
    """The frames of the log's last round, as far as any of them can be told from older ones behind.

    A checksum covers all before it, and goes on from the one before as it should be, or as it was written: so one flip
    makes one frame unsound, or two. It does not cover the salts, which tell the rounds apart.
    """
    if len(wal) < _HEADER + _FRAME + page_size:
        return
    ours = wal[16:24] if _has_sound_header(wal, page_size) else wal[_HEADER + 8 : _HEADER + 16]
    before: set[Sums] = {_checksum(wal[:24], (0, 0)), struct.unpack_from(">II", wal, 24)}
    was_ours = was_whole = True
    for at in range(_HEADER, len(wal) - _FRAME - page_size + 1, _FRAME + page_size):
        head, page = wal[at : at + 8], wal[at + _FRAME : at + _FRAME + page_size]
        salts, *told = struct.unpack_from(">8sII", wal, at + 8)
        written, follows = (told[0], told[1]), salts == ours
        if not follows and not was_ours:  # of an older round
            before, was_whole = {written}, False
            continue
        sums = {_checksum(page, _checksum(head, each)) for each in before}
        is_read = follows and written in sums
        if follows and was_whole and not is_read:
            head = _mended(head, page, before, written)
            sums = {_checksum(page, _checksum(head, each)) for each in before}
        is_whole = (follows or was_ours) and written in sums
        before = sums | {written} if was_whole and not is_whole else {written}
        was_ours, was_whole = follows or is_whole, is_whole
        if was_ours:
            number, count = struct.unpack(">II", head)
            yield Frame(number, count, page, is_whole, is_read)


def _mended(head: bytes, page: bytes, before: set[Sums], written: Sums) -> bytes:
    """The number of a page and the count behind it, with the one flipped bit put right that is all that is wrong with
    a frame; else as they are. With a wrong number a page would silently stand in the place of another."""
    for bit in range(64):
        mended = (int.from_bytes(head, "big") ^ 1 << bit).to_bytes(8, "big")
        if any(_checksum(page, _checksum(mended, each)) == written for each in before):
            return mended
    return head


def _checksum(data: bytes, sums: Sums) -> Sums:
    """As little-endian processors compute it; Galley runs on no others."""
    first, second = sums
    numbers = struct.unpack(f"<{len(data) // 4}I", data)
    for one, other in zip(numbers[::2], numbers[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
