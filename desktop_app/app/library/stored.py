"""The recordings of the library for a command, which reads them and changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

from desktop_app import folders
from desktop_app.app.presentation import wording
from desktop_app.export.document import Document
from desktop_app.library.reader import LibraryReader
from desktop_app.library.rows import Recording as Recording  # which commands name

SHORT = 8
"""Characters of an id that are shown: one that begins with them is found."""


class StoredRecordings:
    """Used by `with`. Every method raises Problem.

    Attributes: all (the newest first).
    """

    def __enter__(self) -> StoredRecordings:
        self._reader = LibraryReader(folders.data() / "library")
        self.all = self._reader.recordings()
        return self

    def __exit__(self, *error: object) -> None:
        self._reader.close()

    def find(self, name: str) -> list[Recording]:
        """Those of which this is the id or its beginning, else the file, else the title or the file's name."""
        wanted, file = name.casefold(), os.path.realpath(name) if os.path.exists(name) else os.path.abspath(name)
        ways = (
            lambda each: len(wanted) >= SHORT and each.id.startswith(wanted),
            lambda each: each.path == file or os.path.realpath(each.path) == file,
            lambda each: wanted in (title(each).casefold(), each.name.casefold()),
        )
        return next((found for way in ways if (found := [each for each in self.all if way(each)])), [])

    def document(self, recording: Recording) -> Document:
        """What is exported of a recording; as in the window."""
        transcript = self._reader.transcript(recording.id)
        return wording.document(transcript, title(recording), recording.created, recording.marks)


def title(recording: Recording) -> str:
    """What a recording is called."""
    return recording.title or (wording.live_title(recording.created) if recording.live else Path(recording.name).stem)
