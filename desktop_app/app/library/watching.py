"""A folder whose new recordings are transcribed as soon as they are complete. Its files are only read.

What was there when the folder was chosen stays untranscribed. A file is complete when its size and its time have not
changed for a while. A file that has gone to the queue, or was there before, is known by a hash of its name, its size
and its time, which are kept. So nothing is transcribed twice after a restart, and what came meanwhile is found.

A file that has grown since it was known, such as one that is written with longer pauses, is transcribed anew in the
same recording, after a restart too. The text of before becomes a version, unless words in it are a reader's: that text
stands, and the new one is the version.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from desktop_app import atomic, bounded, folders
from desktop_app.app.background import BackgroundThread
from desktop_app.app.editing.recheck import Checks
from desktop_app.app.library.media import EXTENSIONS
from desktop_app.app.recordings.entry import IN_WORK, Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.problems import Problem

UNCHANGED = 10.0
"""Seconds for which a file has to stay as it is."""

_HASH = 32  # digits: no two names have one


class _File(NamedTuple):
    """A file as it is: the hash of its name, its bytes, when it was changed (in nanoseconds since 1970), and the bytes
    that it had when it was known, 0 where it never was."""

    name: str
    size: int
    changed: int
    before: int = 0


@dataclass
class _State:
    """Of the worker's thread: the folder, sizes and times of known files by the hashes of their names, and since when
    others are as they are."""

    folder: str = ""
    known: dict[str, tuple[int, int]] = field(default_factory=dict)
    seen: dict[str, tuple[_File, float]] = field(default_factory=dict)


class Watch:
    """Looks into the folder that `preferences.watched` names, whenever the front end says so."""

    def __init__(
        self, session: Session, checks: Checks, preferences: Preferences, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._session, self._checks, self._preferences, self._clock = session, checks, preferences, clock
        self._worker = BackgroundThread("watch", session.worker.post)
        self._state = _State()
        self._is_looking = False
        self._refused = ""  # the folder that could not be read, and of which that was said
        self._queued: dict[str, _File] = {}  # files on their way into the queue, by their paths
        self._arrived: list[_File] = []  # those of them that are in it, and not written down yet
        session.added.connect(self._added)

    def check(self) -> None:
        """Look for new recordings, unless the last look is not over yet."""
        folder = self._preferences.watched
        if folder and not self._is_looking:
            self._is_looking = True
            now = self._clock()
            self._worker.do(lambda: _complete(self._state, folder, now), self._take, self._refuse)

    def close(self) -> None:
        """End the thread."""
        self._worker.close(1.0)

    def _refuse(self, problem: Problem) -> None:
        self._is_looking = False
        folder = self._preferences.watched
        if folder != self._refused:
            self._refused = folder
            self._session.tell(Problem("file.watched", folder=folder, cause=problem))

    def _take(self, found: dict[str, _File] | None) -> None:
        """Queue complete files, by their paths, but for those that a Galley which was killed has queued before."""
        self._is_looking, self._refused = False, ""
        new = {path: about for path, about in (found or {}).items() if path not in self._queued}
        if not new:
            return
        latest: dict[str, float] = {}
        entries: dict[str, Entry] = {}
        for entry in self._session.entries.values():
            at = float("inf") if entry.spoken else entry.created.timestamp()
            latest[entry.path] = max(at, latest.get(entry.path, 0.0))
            entries.setdefault(entry.path, entry)  # the newest
        had = {path for path, file in new.items() if latest.get(path, 0.0) > file.changed / 1e9}
        grown = {path for path in new.keys() & entries.keys() - had if 0 < new[path].before < new[path].size}
        renewed = {path for path in grown if self._renew(entries[path])}  # others at the next look
        self._learn([new[path] for path in had | renewed])
        wanted = sorted(new.keys() - had - grown)
        self._queued.update({path: new[path] for path in wanted})
        if wanted:
            self._session.add(wanted)

    def _renew(self, entry: Entry) -> bool:
        """Transcribe a recording anew whose file has grown; False where that must be asked again. Words of a reader's
        stay: the new text becomes a version beside theirs."""
        if entry.reworded and entry.state not in IN_WORK and not entry.is_damaged:
            return self._checks.transcribe_version(entry.id)
        return self._session.renew(entry.id)

    def _added(self, key: str) -> None:
        file = self._queued.pop(self._session.entries[key].path, None)
        if file is not None:
            self._arrived.append(file)
            if not self._queued:  # once for all that came together: what is known is written anew each time
                arrived, self._arrived = self._arrived, []
                self._learn(arrived)

    def _learn(self, files: list[_File]) -> None:
        if files:
            self._worker.do(lambda: _learn(self._state, files))


def _path() -> Path:
    return folders.data() / "watched.json"


def _complete(state: _State, folder: str, now: float) -> dict[str, _File]:
    """The complete files that are not known, by their paths. Raises OSError where the folder cannot be read."""
    found = {}
    for entry in os.scandir(folder):
        if Path(entry.name).suffix.lower() in EXTENSIONS and not entry.name.startswith((".", "~")):
            with contextlib.suppress(OSError):  # one that cannot be looked at, such as a link to itself, stops no other
                if entry.is_file() and (file := _file(entry)).size:
                    found[os.path.abspath(entry.path)] = file
    if folder != state.folder:
        state.folder, state.seen, known = folder, {}, _read(folder)
        state.known = known or {}
        if known is None:
            _learn(state, found.values())
    before, state.seen = state.seen, {}
    complete = {}
    for path, file in found.items():
        known_as = state.known.get(file.name, (0, 0))
        if known_as != (file.size, file.changed):
            same = before.get(path)
            state.seen[path] = same if same is not None and same[0] == file else (file, now)
            if now - state.seen[path][1] >= UNCHANGED:
                complete[path] = file._replace(before=known_as[0])
    return complete


def _file(entry: os.DirEntry[str]) -> _File:
    about = entry.stat()
    name = hashlib.sha256(entry.name.encode(errors="surrogatepass")).hexdigest()  # any name, each with its own
    return _File(name[:_HASH], about.st_size, about.st_mtime_ns)


def _learn(state: _State, files: Iterable[_File]) -> None:
    state.known.update({file.name: (file.size, file.changed) for file in files})
    _write(state)


def _read(folder: str) -> dict[str, tuple[int, int]] | None:
    """What is kept of the files in a folder; None where nothing that can be read is kept for it."""
    try:
        kept = bounded.read_json(_path(), bounded.LARGE)
        known = {name: (int(size), int(changed)) for name, (size, changed) in kept["known"].items()}
        return known if kept["folder"] == folder else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _write(state: _State) -> None:
    text = json.dumps({"folder": state.folder, "known": state.known})
    atomic.write(_path(), text.encode())
