"""Libraries to be damaged, and what must be said of what becomes of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from desktop_app.library import database
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript, Word
from desktop_app.transcript.statistics import Statistics

MODELS = Models("Target", "Draft", "model", "CPU", "f32")


def segment(number: int, text: str = "Words") -> Segment:
    """A line with one word."""
    word = Word(text, number, number + 0.5, 0.9, "S1")
    return Segment(number, float(number), number + 1.0, text, (1, 2, 3), 0.2, -0.3, 0.01, "S1", (word,))


def made(library: Library, name: str, *lines: Segment) -> str:
    """A finished recording."""
    key = library.add(f"/talks/{name}.wav").id
    library.begin(key, MODELS, 60.0)
    speakers = (Speaker("S1", "Ann", ((0.0, 1.0),)),)
    guarded = (GuardReport(3.0, 9.0, "silence", "Thank you."),)
    stats = Statistics(60.0, 6.0, tokens=9)
    library.finish(
        key, Transcript(f"/talks/{name}.wav", 60.0, "en", 0.9, MODELS, lines, speakers, stats, None, guarded)
    )
    return key


def killed(folder: Path) -> dict[str, Transcript]:
    """A library whose program was killed: of 20 recordings all but the first four are in the log alone, and behind them
    are frames of an older round; what is in it."""
    library = Library(folder / "open")
    library._writer.execute("PRAGMA wal_autocheckpoint = 0")
    before = [made(library, f"early {talk}", *(segment(line, "a" * 3000) for line in range(20))) for talk in range(4)]
    library._writer.execute("PRAGMA wal_checkpoint(RESTART)")
    later = [made(library, f"later {talk}", segment(0, f"Talk {talk}"), segment(1, "b" * 40)) for talk in range(15)]
    long = made(library, "long", segment(0, "é" * 3000))
    found = {key: library.transcript(key) for key in (*before, *later, long)}
    for ending in ("", "-wal"):
        (folder / f"{database.NAME}{ending}").write_bytes((folder / f"open/{database.NAME}{ending}").read_bytes())
    library.close()
    return found


def told(folder: Path, before: dict[str, Transcript]) -> Problem | None:
    """The notice of a library; AssertionError where something of it is missing or wrong without a word."""
    with closing(Library(folder)) as library:
        found = {entry.id: library.transcript(entry.id) for entry in library.recordings()}
        if library.notice is None:
            assert found == before
            return None
        assert library.notice.code == "library.salvaged"
        assert len(before.keys() - found.keys()) <= library.notice.values["lost"]
        differ = [transcript for key, transcript in found.items() if transcript != before.get(key)]
        assert all(transcript.damage is not None for transcript in differ)
        return library.notice


def frames_of(wal: bytes) -> int:
    """How many frames of a log are of its last round."""
    return sum(wal[at + 8 : at + 16] == wal[16:24] for at in range(32, len(wal) - 4119, 4120))
