"""A folder whose new recordings are transcribed as soon as they are complete. Its files are only read.

What was there when the folder was chosen stays untranscribed. A file is complete when its size and its time have not
changed for a while. One that is written with longer pauses grows behind its text: it is transcribed anew in the same
recording, and the text of before becomes a version. A file that has gone to the queue, or was there before, is known by
its name, size and time, of which only a hash is kept. So nothing is transcribed twice after a restart, and what came
meanwhile is found.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from desktop_app import atomic, bounded, folders
from desktop_app.app.background import BackgroundThread
from desktop_app.app.library.media import EXTENSIONS
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.problems import Problem

UNCHANGED = 10.0
"""Seconds for which a file has to stay as it is."""


class _File(NamedTuple):
    """A file as it is: the hash by which it is known, when it was changed, and its bytes."""

    mark: str
    changed: float
    size: int


@dataclass
class _State:
    """Of the worker's thread: the folder, the hashes of known files, and since when others are as they are."""

    folder: str = ""
    known: set[str] = field(default_factory=set)
    seen: dict[str, tuple[str, float]] = field(default_factory=dict)


class Watch:
    """Looks into the folder that `preferences.watched` names, whenever the front end says so."""

    def __init__(self, session: Session, preferences: Preferences, clock: Callable[[], float] = time.monotonic) -> None:
        self._session, self._preferences, self._clock = session, preferences, clock
        self._worker = BackgroundThread("watch", session.worker.post)
        self._state = _State()
        self._is_looking = False
        self._refused = ""  # the folder that could not be read, and of which that was said
        self._queued: dict[str, str] = {}  # hashes of files on their way into the queue, by their paths
        self._arrived: list[str] = []  # those of them that are in it, and not written down yet
        self._sizes: dict[str, int] = {}  # of files when they were queued
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
        had = {path for path, file in new.items() if latest.get(path, 0.0) > file.changed}
        grown = {path for path in new.keys() & entries.keys() - had if 0 < self._sizes.get(path, 0) < new[path].size}
        renewed = {path for path in grown if self._session.renew(entries[path].id)}  # others at the next look
        self._sizes.update({path: new[path].size for path in new.keys() - grown | renewed})
        self._learn([new[path].mark for path in had | renewed])
        wanted = sorted(new.keys() - had - grown)
        self._queued.update({path: new[path].mark for path in wanted})
        if wanted:
            self._session.add(wanted)

    def _added(self, key: str) -> None:
        mark = self._queued.pop(self._session.entries[key].path, None)
        if mark is not None:
            self._arrived.append(mark)
            if not self._queued:  # once for all that came together: what is known is written anew each time
                arrived, self._arrived = self._arrived, []
                self._learn(arrived)

    def _learn(self, marks: list[str]) -> None:
        if marks:
            self._worker.do(lambda: _learn(self._state, marks))


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
        state.folder, state.known, state.seen = folder, _read(folder), {}
        if not state.known:
            state.known = {"", *(file.mark for file in found.values())}
            _write(state)
    before, state.seen = state.seen, {}
    complete = {}
    for path, file in found.items():
        if file.mark not in state.known:
            same = before.get(path, ("", 0.0))
            state.seen[path] = same if same[0] == file.mark else (file.mark, now)
            if now - state.seen[path][1] >= UNCHANGED:
                complete[path] = file
    return complete


def _file(entry: os.DirEntry[str]) -> _File:
    about = entry.stat()
    known_by = f"{entry.name}\0{about.st_size}\0{about.st_mtime_ns}".encode(errors="replace")
    return _File(hashlib.sha256(known_by).hexdigest(), about.st_mtime, about.st_size)


def _learn(state: _State, marks: list[str]) -> None:
    state.known.update(marks)
    _write(state)


def _read(folder: str) -> set[str]:
    """The hashes that are kept for a folder; none where nothing that can be read is kept for it."""
    try:
        kept = bounded.read_json(_path(), bounded.LARGE)
        return {mark for mark in kept["known"] if isinstance(mark, str)} if kept["folder"] == folder else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write(state: _State) -> None:
    text = json.dumps({"folder": state.folder, "known": sorted(state.known)})
    atomic.write(_path(), text.encode())
