"""What a killed program has left of a live recording."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from desktop_app.library.store import Library
from desktop_app.transcript.model import Segment

MARK = "Said, written down, and never to be written anew."


def marked(home: Path) -> tuple[str, Segment]:
    """Leave the first line only, with a text that no model writes: what comes behind it has to be written again. Gives
    the recording and that line."""
    with closing(Library(home / "data" / "library")) as library:
        (stored,) = library.recordings()
        assert stored.state == "interrupted"
        found = library.transcript(stored.id)
        line = replace(found.segments[0], text=MARK)
        library.revise(stored.id, replace(found, segments=(line,)))
    return stored.id, line
