"""Everything that was transcribed in the window: recordings, their states and their text, in one SQLite file.

What is written is on the disk when the call returns, so that neither a killed program nor a power cut loses a segment.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any

from desktop_app.library import database, reader, rows, versions
from desktop_app.library.index import LISTED, SearchIndex, readable, searched_about
from desktop_app.library.owners import Owner, any_alive, is_alive, opening
from desktop_app.library.problem import explained
from desktop_app.library.rows import Recording
from desktop_app.library.versions import Version
from desktop_app.problems import Problem
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript
from desktop_app.transcript.search import Snippet, find, folded
from desktop_app.transcript.statistics import Statistics

_AT_REST = ("done", "failed", "cancelled", "interrupted")
_IN_WORK = "('waiting', 'working', 'recording')"


class Library:
    """The recordings in `folder`. Every method may be called from any thread; each raises Problem.

    Two programs may have the same library open; each works on the recordings that it added or took up again.
    A call about a recording that is removed meanwhile, or in a state that does not allow it, changes nothing.
    One whose rows are damaged is given as far as it can be read, and never written over.

    Attributes:
        notice: what was found at opening, if the user should know.
    """

    def __init__(self, folder: Path) -> None:
        self._writing, self._reading = RLock(), RLock()
        self._damaged: set[str] = set()  # recordings that were read and are not whole
        self._folder, self._owners = folder, folder / "owners"
        try:
            self._owners.mkdir(parents=True, exist_ok=True)
            with opening(folder / "opening.lock"):
                self._writer, self._reader, self.notice = database.connect(folder, is_shared=any_alive(self._owners))
                self._owner = Owner(self._owners)
        except OSError as error:
            raise explained(error) from error
        self._index = SearchIndex(folder, folder / database.NAME)
        if self.notice is not None:
            self._index.discard()
        self._is_clean = True  # nothing is left in the file of what was deleted
        self._others: set[str] = set()  # other programs that have recordings in work
        self._version = 0  # of the file, when it was looked at last
        self._written: tuple[str, int, Sequence[Segment]] | None = None  # last: whose lines, in which version, which
        self._listed: dict[tuple[Any, ...], Recording] = {}  # by the rows that they were read from last
        self._interrupt_orphans()
        self.changes()

    def close(self) -> None:
        """Let go of the files."""
        with self._writing, self._reading:
            self._index.close()
            self._writer.close()
            self._reader.close()
            self._owner.release()

    def add(self, path: str) -> Recording:
        """A new recording, waiting."""
        return self._add(path, "waiting", live=False)

    def _add(self, path: str, state: str, live: bool) -> Recording:
        name = rows.showable(Path(path).name)
        added = Recording(uuid.uuid4().hex, path, name, datetime.now(UTC), state, 0.0, None, live)
        created = added.created.isoformat()
        with self._write() as connection:
            connection.execute(
                "INSERT INTO recording (id, path, name, created, state, owner, live) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (added.id, rows.path_value(path), name, created, state, self._owner.name, live),
            )
        return added

    def add_live(self, path: str) -> Recording:
        """A live recording that begins. If the program ends before `recorded`, it is interrupted at the next start, and
        its sound is in the file."""
        return self._add(path, "recording", live=True)

    def recorded(self, key: str, seconds: float) -> None:
        """The sound of a live recording is whole; its text is still in work."""
        with self._write() as connection:
            if self._move(key, ("recording",), "working"):
                connection.execute("UPDATE recording SET seconds = ? WHERE id = ?", (seconds, key))

    def requeue(self, key: str) -> bool:
        """Let a recording that is not in work wait once more; its old text stands until `begin`. False, and nothing is
        changed, for a damaged one."""
        if self.recording(key) is not None:
            self.transcript(key)  # looks whether it is whole
        if key in self._damaged:
            return False
        self._move(key, _AT_REST, "waiting")
        return True

    def begin(self, key: str, models: Models, seconds: float, kept: int = 0) -> None:
        """The work begins: an earlier text becomes a version, or goes but for its first `kept` lines, behind which it
        goes on. A live recording goes on being recorded."""
        with self._write() as connection:
            if self._move(key, ("waiting",), "working"):
                if not kept:
                    versions.set_aside(connection, key)
                connection.execute("DELETE FROM segment WHERE recording = ? AND id >= ?", (key, kept))
                if not kept:
                    connection.execute(
                        "UPDATE recording SET stats = '', language = '', damage = '', guarded = '[]', speakers = '[]',"
                        " resume = '' WHERE id = ?",
                        (key,),
                    )
                versions.note_begun(connection, key, _now(), goes_on=kept > 0)
                self._is_other(connection, key)
            elif self._state(connection, key) != "recording":
                return
            connection.execute(
                "UPDATE recording SET models = ?, seconds = ? WHERE id = ?", (rows.models_value(models), seconds, key)
            )

    def append(self, key: str, segment: Segment) -> None:
        """One more finished segment of a recording in work."""
        with self._write() as connection:
            if self._state(connection, key) in ("working", "recording"):
                _insert(connection, key, [(segment.id, segment)])

    def note(
        self, key: str, stats: Statistics, language: str = "", guarded: Sequence[GuardReport] = (), resume: str = ""
    ) -> None:
        """What is known so far of a recording in work, what the guard did since the last time, and what is needed to
        resume it (`resume`): it stays if the work is broken off."""
        with self._write() as connection:
            if self._state(connection, key) not in ("working", "recording"):
                return
            row = connection.execute("SELECT language, guarded, resume FROM recording WHERE id = ?", (key,)).fetchone()
            acts = rows.guarded_value((*rows.read_guarded(row[1]), *guarded))
            connection.execute(
                "UPDATE recording SET stats = ?, language = ?, guarded = ?, resume = ? WHERE id = ?",
                (rows.stats_value(stats), language or row[0], acts, resume or row[2], key),
            )

    def resume(self, key: str) -> str:
        """What `note` was told last, "" where there is nothing to resume."""
        with self._read() as connection:
            row = connection.execute("SELECT resume FROM recording WHERE id = ?", (key,)).fetchone()
        return row[0] if row else ""

    def finish(self, key: str, transcript: Transcript) -> None:
        """The whole result of a recording in work."""
        with self._write() as connection:
            if self._move(key, ("working",), "done"):
                self._put(connection, key, transcript)

    def replace(self, key: str, transcript: Transcript) -> None:
        """Another result for a recording that is not in work: the text that a check has found."""
        self._refuse_damaged(key)
        with self._write() as connection:
            if self._move(key, _AT_REST, "done"):
                self._put(connection, key, transcript)

    def renew(self, key: str, transcript: Transcript, asked: str) -> None:
        """Another text for a recording that is not in work, asked for with these options; the one that stood is a
        version of it."""
        self._refuse_damaged(key)
        with self._write() as connection:
            if self._move(key, _AT_REST, "done"):
                versions.set_aside(connection, key)
                self._put(connection, key, transcript)
                versions.note_asked(connection, key, _now(), asked)
                self.end_attempt(key)

    def add_version(self, key: str, transcript: Transcript, asked: str) -> int:
        """Another text beside the one that stands; gives its number, 0 where the recording is gone."""
        with self._write() as connection:
            if not self._state(connection, key):
                return versions.STANDING
            self.end_attempt(key)
            return versions.add(connection, key, transcript, _now(), asked)

    def versions(self, key: str) -> list[Version]:
        """The texts of a recording: the one that stands, then the others, the newest first."""
        with self._read() as connection:
            return versions.of(connection, key)

    def version(self, key: str, number: int) -> Transcript:
        """A text that does not stand. Raises Problem where there is none."""
        with self._read() as connection:
            found = versions.read(connection, key, number)
        if found is None:
            raise Problem("library.no_version")
        return found[0]

    def exchange(self, key: str, number: int, corrected: bool = True) -> Recording | None:
        """Let a version be the text that stands, which becomes a version; with the reader's corrections of that text if
        `corrected`, else with the last ones of any text. Gives the recording as it is then; None, and nothing is
        changed, where it is in work. Raises Problem for a version that is damaged or not there."""
        self._refuse_damaged(key)
        with self._write() as connection:
            found = versions.read(connection, key, number)
            if found is None:
                raise Problem("library.no_version")
            transcript, own = found
            if transcript.damage == rows.DAMAGED:
                raise rows.DAMAGED
            if not self._move(key, _AT_REST, "done"):
                return None
            made, asked = connection.execute("SELECT made, asked FROM version WHERE number = ?", (number,)).fetchone()
            versions.set_aside(connection, key)
            self._put(connection, key, transcript)
            if corrected:
                connection.execute("UPDATE recording SET corrected = ? WHERE id = ?", (own, key))
            versions.note_asked(connection, key, made, asked)
            connection.execute("DELETE FROM version WHERE number = ?", (number,))  # its words stand now
        return self.recording(key)

    def remove_version(self, key: str, number: int) -> None:
        """Delete a version that does not stand: none of its words is left in the file."""
        with self._write() as connection:
            database.delete_version(connection, number)
        self._forget_deleted()

    def ask(self, key: str, asked: str) -> None:
        """Keep the options with which a recording that waits is to be transcribed; its text has its own until then."""
        with self._write() as connection:
            connection.execute("UPDATE recording SET wanted = ? WHERE id = ?", (asked, key))

    def attempt(self, key: str, asked: str) -> None:
        """A version is being written, with these options. If the program ends meanwhile, `left_attempts` has it."""
        with self._write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO attempt (recording, owner, asked) SELECT id, ?, ? FROM recording WHERE id = ?",
                (self._owner.name, asked, key),
            )

    def end_attempt(self, key: str) -> None:
        """No version is being written any more."""
        with self._write() as connection:
            connection.execute("DELETE FROM attempt WHERE recording = ?", (key,))

    def left_attempts(self) -> dict[str, str]:
        """The recordings of which programs that are gone were writing a version, and the options that it was asked for
        with."""
        with self._read() as connection:
            found = connection.execute("SELECT recording, owner, asked FROM attempt").fetchall()
        gone = [row for row in found if row[1] != self._owner.name and not is_alive(self._owners, str(row[1]))]
        return {str(key): rows.read_text(asked) for key, _owner, asked in gone}

    def revise(self, key: str, transcript: Transcript, corrected: bool = True, reworded: bool = False) -> None:
        """A reader's edit of a recording that is not in work: its lines, speakers and reports are now these.

        Where that is a correction, who speaks when is kept besides, for the next text: see `corrections`; and whether
        it is `reworded`, so that no other text takes its place unasked.
        """
        self._refuse_damaged(key)
        with self._write() as connection:
            if self._state(connection, key) in _AT_REST:
                speakers = rows.speakers_value(transcript.speakers)
                kept = rows.corrected_value(transcript, reworded) if corrected else ""
                connection.execute(
                    "UPDATE recording SET speakers = ?, corrected = ?, guarded = ?, resume = '' WHERE id = ?",
                    (speakers, kept, rows.guarded_value(transcript.guarded), key),
                )
                self._put_lines(connection, key, transcript.segments)

    def describe(
        self, key: str, title: str | None = None, tags: Sequence[str] | None = None, notes: str | None = None
    ) -> None:
        """What the user calls a recording, how it is sorted, and what is written about it; None leaves it as it is."""
        kept = (title, None if tags is None else rows.tags_value(tags), notes)
        with self._write() as connection:
            for column, value in zip(("title", "tags", "notes"), kept, strict=True):
                if value is not None:
                    value = rows.showable(value)
                    connection.execute(f"UPDATE recording SET {column} = ? WHERE id = ?", (value, key))
            self._is_other(connection, key)

    def mark(self, key: str, marks: Sequence[float]) -> None:
        """The user has marked these moments of a recording, in seconds; it may be in work."""
        with self._write() as connection:
            connection.execute("UPDATE recording SET marks = ? WHERE id = ?", (rows.marks_value(marks), key))

    def give_speakers(self, key: str, given: Sequence[tuple[int, str]], people: Sequence[Speaker]) -> None:
        """Lines of a recording in work, by their numbers, are said by these of the `people` who speak in it."""
        with self._write() as connection:
            if self._state(connection, key) in ("working", "recording"):
                connection.executemany(
                    "UPDATE segment SET speaker = ? WHERE recording = ? AND id = ?",
                    [(who, key, number) for number, who in given],
                )
                connection.execute("UPDATE recording SET speakers = ? WHERE id = ?", (rows.speakers_value(people), key))

    def locate(self, key: str, path: str) -> None:
        """The file of a recording lies elsewhere now; it is the user's, whoever recorded it."""
        with self._write() as connection:
            name = rows.showable(Path(path).name)
            connection.execute(
                "UPDATE recording SET path = ?, name = ?, live = 0 WHERE id = ?", (rows.path_value(path), name, key)
            )
            self._is_other(connection, key)

    def arrange(self, keys: Sequence[str]) -> None:
        """These recordings come in this order in the queue, before all that nobody has moved."""
        with self._write() as connection:
            connection.executemany(
                "UPDATE recording SET place = ? WHERE id = ?", [(place, key) for place, key in enumerate(keys, 1)]
            )

    def fail(self, key: str, problem: Problem) -> None:
        """It cannot be done; what was written stays."""
        self._move(key, ("waiting", "working", "recording"), "failed", problem)

    def cancel(self, key: str) -> None:
        """The user stopped it; what was written stays."""
        self._move(key, ("waiting", "working"), "cancelled")

    def put_away(self, keys: Sequence[str]) -> None:
        """Delete recordings so that `take_back` can undo it, until they are removed or this program ends; nobody lists
        them any more. What was in work is cancelled."""
        with self._write() as connection:
            for key in keys:
                self._move(key, ("waiting", "working"), "cancelled")
                connection.execute("UPDATE recording SET deleted = ? WHERE id = ?", (self._owner.name, key))

    def take_back(self, keys: Sequence[str]) -> None:
        """Undo `put_away`."""
        with self._write() as connection:
            connection.executemany("UPDATE recording SET deleted = '' WHERE id = ?", [(key,) for key in keys])

    def left_deleted(self) -> list[Recording]:
        """The deleted recordings of programs that are gone: nobody can undo it any more."""
        with self._read() as connection:
            found = connection.execute(
                f"SELECT deleted, {rows.RECORDING} FROM recording WHERE NOT ({LISTED})"
            ).fetchall()
        left = [row[1:] for row in found if row[0] != self._owner.name and not is_alive(self._owners, row[0])]
        return [rows.recording(row) for row in left]

    def remove(self, *keys: str) -> None:
        """Delete recordings and their text: none of their words is left in any file of the library. The audio files are
        not touched.

        That takes seconds in a large library; while something is recorded it is left to `changes`, or the next start.
        """
        found = [recording for key in keys if (recording := self.recording(key)) is not None]
        if not found:
            return
        with self._write() as connection:
            for recording in found:
                database.delete(connection, recording.id)
        self._forget_deleted()
        try:
            database.forget_copies(self._folder, min(recording.created for recording in found))
        except OSError as error:
            raise explained(error) from error

    def recordings(self) -> list[Recording]:
        """All of them, the newest first."""
        with self._read() as connection:
            query = f"SELECT {rows.RECORDING} FROM recording WHERE {LISTED} ORDER BY number DESC"
            found = database.fetched(connection, query)
        return self._listing(found)

    def _listing(self, found: Sequence[tuple[Any, ...]]) -> list[Recording]:
        """The recordings in rows. Those whose row is as it was are not read again, which is most of the work."""
        made = [self._listed.get(row) or rows.recording(row) for row in found]
        self._listed = dict(zip(found, made, strict=True))
        return made

    def search(self, text: str) -> set[str]:
        """The ids of those that have all words of `text` in their text, their names, tags or notes, as parts of words
        too, in any case, with or without accents."""
        terms = folded(rows.showable(text)).split()
        unknown, found = self._index.unknown(), self._index.search(terms) if terms else None
        if unknown is None or found is None:
            keys = [recording.id for recording in self.recordings()]
            return {key for key in keys if self._has(key, terms)}
        return found | {key for key, _in_work in unknown if self._has(key, terms)}

    def snippet(self, key: str, text: str) -> Snippet | None:
        """The first line that has most of the words of `text`, and where; None where no line has any."""
        with self._read() as connection:
            lines = connection.execute("SELECT text FROM segment WHERE recording = ? ORDER BY id", (key,)).fetchall()
        return find([readable(line).strip() for (line,) in lines], rows.showable(text))

    def index(self, seconds: float = 0.05) -> bool:
        """Work on the index for the search for some time; whether more is left to do."""
        unknown = self._index.unknown() or []
        return self._index.put([key for key, in_work in unknown if not in_work], seconds)

    def _has(self, key: str, terms: Sequence[str]) -> bool:
        """Whether a recording that is not in the index has all of the folded terms."""
        with self._read() as connection:
            about = connection.execute("SELECT name, title, notes, tags FROM recording WHERE id = ?", (key,)).fetchone()
            lines = connection.execute("SELECT text FROM segment WHERE recording = ?", (key,)).fetchall()
        if about is None:
            return False
        text = "\n".join((searched_about(*about), folded("\n".join(readable(line) for (line,) in lines))))
        return all(term in text for term in terms)

    def changes(self) -> dict[str, Recording | None] | None:
        """If another program has changed the library since the last call: all recordings by id, the newest first, None
        for those that this program works on or did last. None if nothing is new. Costs a glance.

        What a program that has ended meanwhile left waiting or in work is interrupted.
        """
        if not self._is_clean:
            self._forget_deleted()
        with self._writing:
            try:
                version = self._writer.execute("PRAGMA data_version").fetchone()[0]
            except sqlite3.Error as error:
                raise explained(error) from error
            ended = any(not is_alive(self._owners, owner) for owner in self._others)
            if version == self._version and not ended:
                return None
            self._version = version
            self._interrupt_orphans()
        with self._read() as connection:
            query = f"SELECT {rows.RECORDING}, owner FROM recording WHERE {LISTED} ORDER BY number DESC"
            found = database.fetched(connection, query)
        listed = self._listing([row[:-1] for row in found])
        own = self._owner.name
        return {one.id: None if row[-1] == own else one for row, one in zip(found, listed, strict=True)}

    def recording(self, key: str) -> Recording | None:
        """The one recording, or None when it is not there any more."""
        with self._read() as connection:
            row = connection.execute(f"SELECT {rows.RECORDING} FROM recording WHERE id = ?", (key,)).fetchone()
        return rows.recording(row) if row else None

    def transcript(self, key: str) -> Transcript:
        """The text as far as it is written. Raises Problem for a recording that is not there."""
        with self._read() as connection:
            found = reader.transcript(connection, key)
        if found.damage == rows.DAMAGED:
            self._damaged.add(key)
        return found

    def corrections(self, key: str) -> Transcript | None:
        """Who speaks when as a reader has corrected it last, in lines without words, whatever has become of that text;
        None where nobody has.
        """
        with self._read() as connection:
            row = connection.execute("SELECT corrected FROM recording WHERE id = ?", (key,)).fetchone()
        return rows.corrected(row[0]) if row else None

    def _forget_deleted(self) -> None:
        with self._write() as connection:
            self._is_clean = connection.execute("SELECT 1 FROM recording WHERE state = 'recording'").fetchone() is None
        if self._is_clean:
            with self._writing:
                database.forget_deleted(self._writer)
            self._index.forget_gone()

    def _refuse_damaged(self, key: str) -> None:
        """Nothing writes over what is left of a damaged recording."""
        if key in self._damaged:
            raise Problem("library.row")

    def _move(self, key: str, before: Sequence[str], state: str, problem: Problem | None = None) -> bool:
        """Change the state if it is one of `before`; this program owns the recording from then on."""
        places = ", ".join("?" * len(before))
        self._written = None
        with self._write() as connection:
            done = connection.execute(
                f"UPDATE recording SET state = ?, problem = ?, owner = ? WHERE id = ? AND state IN ({places})",
                (state, rows.problem_value(problem), self._owner.name, key, *before),
            )
        return done.rowcount > 0

    @staticmethod
    def _is_other(connection: sqlite3.Connection, key: str) -> None:
        """What is searched of a recording is another text now."""
        connection.execute("UPDATE recording SET revision = revision + 1 WHERE id = ?", (key,))

    def _state(self, connection: sqlite3.Connection, key: str) -> str:
        row = connection.execute("SELECT state FROM recording WHERE id = ?", (key,)).fetchone()
        return row[0] if row else ""

    def _interrupt_orphans(self) -> None:
        """What a program that is gone left waiting or in work is interrupted; a living one's work is left alone."""
        with self._write() as connection:
            owners = connection.execute(f"SELECT DISTINCT owner FROM recording WHERE state IN {_IN_WORK}").fetchall()
            self._others = {owner for (owner,) in owners} - {self._owner.name}
            for owner in [owner for owner in self._others if not is_alive(self._owners, owner)]:
                connection.execute(
                    f"UPDATE recording SET state = 'interrupted' WHERE owner = ? AND state IN {_IN_WORK}", (owner,)
                )
                self._others.remove(owner)

    def _put(self, connection: sqlite3.Connection, key: str, transcript: Transcript) -> None:
        """The whole result in the place of what was there."""
        connection.execute(
            "UPDATE recording SET seconds = ?, language = ?, language_probability = ?, models = ?, stats = ?,"
            " speakers = ?, damage = ?, guarded = ?, resume = '' WHERE id = ?",
            (*rows.transcript_values(transcript), key),
        )
        self._put_lines(connection, key, transcript.segments)

    def _put_lines(self, connection: sqlite3.Connection, key: str, lines: Sequence[Segment]) -> None:
        """The recording has these lines, each with its place as its number. Where it is certain which ones it had, only
        those that differ are written: the rest of a long text would cost the window Python's lock.
        """
        self._is_other(connection, key)
        version = connection.execute("PRAGMA data_version").fetchone()[0]  # another one: another program has written
        before = self._written[2] if self._written and self._written[:2] == (key, version) else ()
        self._written = key, version, lines
        if before:
            _change(connection, key, before, lines)
        else:
            connection.execute("DELETE FROM segment WHERE recording = ?", (key,))
            _insert(connection, key, enumerate(lines))

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """One durable transaction; within another one it is a part of that."""
        with self._writing:
            connection = self._writer
            try:
                if connection.in_transaction:
                    yield connection
                    return
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    self._written = None
                    with suppress(sqlite3.OperationalError):  # a full disk may have ended the transaction already
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise explained(error) from error

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view, which no writer blocks."""
        with self._reading:
            try:
                self._reader.execute("BEGIN")
                try:
                    yield self._reader
                finally:
                    self._reader.execute("COMMIT")
            except sqlite3.Error as error:
                raise explained(error) from error


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _insert(connection: sqlite3.Connection, key: str, lines: Iterable[tuple[int, Segment]]) -> None:
    """Lines with their numbers. Row by row: SQLite gives Python's lock away at each, so that the window need not wait
    for a long text."""
    connection.executemany(
        f"INSERT OR REPLACE INTO segment (recording, {rows.SEGMENT}) VALUES (?{', ?' * 11})",
        ((key, number, *rows.segment_values(line)[1:]) for number, line in lines),
    )


def _change(connection: sqlite3.Connection, key: str, before: Sequence[Segment], after: Sequence[Segment]) -> None:
    """Write what differs between two texts whose lines are numbered by their places."""
    first = _count_alike(before, after)
    last = _count_alike(before[first:][::-1], after[first:][::-1])
    stop, by = len(before) - last, len(after) - len(before)
    connection.execute("DELETE FROM segment WHERE recording = ? AND id >= ? AND id < ?", (key, first, stop))
    if last and by:  # in two steps, because no two lines may have the same number in between
        connection.execute("UPDATE segment SET id = -1 - id WHERE recording = ? AND id >= ?", (key, stop))
        connection.execute("UPDATE segment SET id = ? - id WHERE recording = ? AND id < 0", (by - 1, key))
    _insert(connection, key, enumerate(after[first : len(after) - last], first))


def _count_alike(some: Sequence[Segment], others: Sequence[Segment]) -> int:
    """How many lines at the beginning are the same but for their numbers."""
    pairs = enumerate(zip(some, others, strict=False))
    least = min(len(some), len(others))
    return next((at for at, (one, other) in pairs if one is not other and _is_other(one, other)), least)


def _is_other(one: Segment, other: Segment) -> bool:
    return {**vars(one), "id": 0} != {**vars(other), "id": 0}
