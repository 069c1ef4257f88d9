"""`galley export`: the transcripts of the library, as the window shows them, and nothing of the library changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import cli, folders
from desktop_app.app.library.exports import _document
from desktop_app.app.presentation import wording
from desktop_app.app.recordings.recording_list import _entry
from desktop_app.export.formats import FORMATS
from desktop_app.library import database
from desktop_app.library.rows import Recording
from desktop_app.library.store import Library
from desktop_app.transcript.model import NO_MODELS, Segment, Speaker, Transcript


def add(library: Library, path: Path, title: str, *lines: str) -> Recording:
    """A finished recording with these lines."""
    recording = library.add(str(path))
    library.begin(recording.id, NO_MODELS, 60.0)
    segments = tuple(Segment(number, number * 5.0, number * 5.0 + 4, text) for number, text in enumerate(lines))
    library.finish(recording.id, Transcript(str(path), 60.0, "en", 0.9, NO_MODELS, segments, (Speaker("S1", "Ann"),)))
    library.describe(recording.id, title)
    return recording


@pytest.fixture
def library() -> Iterator[Library]:
    """A library that is open in another program."""
    opened = Library(folders.data() / "library")
    yield opened
    opened.close()


@pytest.fixture
def talks(library: Library, tmp_path: Path) -> list[Recording]:
    return [
        add(library, tmp_path / "a.wav", "Weekly, first", "Good morning.", "你好。"),
        add(library, tmp_path / "b.wav", "", "Good night."),
        add(library, tmp_path / "c.wav", "", "Twice."),
        add(library, tmp_path / "older" / "c.wav", "", "Twice as well."),
    ]


def run(*arguments: str) -> int:
    return cli.main(["export", *arguments])


def stored() -> tuple[bytes, list[str]]:
    """The database as it is, and all other files of the library but those of who has it open."""
    folder = folders.data() / "library"
    names = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    return (folder / database.NAME).read_bytes(), [name for name in names if not name.endswith(("-shm", "-wal"))]


@pytest.mark.parametrize("how", ["title", "other case", "id", "its beginning", "file", "file name"])
def test_a_recording_is_found(how: str, talks: list[Recording], capsys: pytest.CaptureFixture[str]) -> None:
    first = talks[0]
    ways = {
        "title": "Weekly, first",
        "other case": "WEEKLY, FIRST",
        "id": first.id,
        "its beginning": first.id[:8],
        "file": first.path,
        "file name": "a.wav",
    }
    before = stored()
    assert run(ways[how]) == 0
    assert capsys.readouterr().out == "Good morning.\n你好。\n"
    assert stored() == before


def test_what_is_exported_is_what_the_window_exports(library: Library, talks: list[Recording], tmp_path: Path) -> None:
    library.mark(talks[0].id, (3.0,))
    for form in FORMATS:
        file = tmp_path / f"made.{form}"
        assert run("Weekly, first", "--format", form, "--output", str(file)) == 0
        entry = next(_entry(each) for each in library.recordings() if each.id == talks[0].id)
        shown = _document(entry, library.transcript(entry.id))
        if form not in ("docx", "html"):  # which hold the time of the export, and where the sound is
            expected = wording.rendered(shown, FORMATS[form])
            assert file.read_bytes() == (expected if isinstance(expected, bytes) else expected.encode())
        assert file.stat().st_size or form == "rttm"


def test_all_in_several_formats(talks: list[Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = stored()
    place = tmp_path / "texts"
    assert run("--all", "--format", "txt", "--format", "srt", "--output", str(place)) == 0
    names = ["Weekly, first", "b", "c", "c (2)"]
    assert sorted(file.name for file in place.iterdir()) == sorted(f"{n}.{e}" for n in names for e in ("txt", "srt"))
    assert {(place / f"{name}.txt").read_text() for name in names} == {
        "Good morning.\n你好。\n",
        "Good night.\n",
        "Twice.\n",
        "Twice as well.\n",
    }
    assert capsys.readouterr() == ("", "8 files were written.\n")
    assert stored() == before


def test_a_file_that_was_recorded_is_never_written_over(library: Library, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"sound")
    add(library, tmp_path / "notes.txt", "", "Good morning.")
    assert run("--all", "--output", str(tmp_path)) == 0
    assert (tmp_path / "notes.txt").read_bytes() == b"sound"
    assert (tmp_path / "notes (2).txt").exists()


def test_what_several_may_be_meant_by_is_asked_for_by_id(
    talks: list[Recording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("c") == 2
    question, *listed = capsys.readouterr().err.splitlines()
    assert question == "c: This may be several recordings. Name one by its id:"
    assert {line.split()[0] for line in listed} == {talks[2].id, talks[3].id}
    assert run("nothing of the kind") == 2
    assert run() == 2
    assert run("b", "--all") == 2
    assert run("b", "a.wav", "--format", "docx") == 2
    assert run("b", "--format", "txt", "--format", "srt") == 2
    assert run("b", "--output", str(tmp_path / "missing" / "b.txt")) == 2
    assert run("b", "a.wav", "--output", str(tmp_path / "b.txt")) == 2
    assert [line.partition(": ")[2] or line for line in capsys.readouterr().err.splitlines()] == [
        "No recording has this title, id or file. Run galley export --list.",
        *["Name recordings by title, id or file, or export all with --all. galley export --list shows them."] * 2,
        "The format docx cannot be shown in a terminal. Choose a folder with --output.",
        "Several formats need a folder. Choose one with --output.",
        "The transcript cannot be written (No such file or directory). Choose another folder.",
        "Several files need a folder. Choose one with --output.",
    ]
    assert not list(tmp_path.iterdir())


def test_the_list_names_each_by_what_finds_it(talks: list[Recording], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [each.id[:8] for each in reversed(talks)]
    assert re.fullmatch(r"[0-9a-f]{8}  \d{4}-\d\d-\d\d \d\d:\d\d      1:00  Weekly, first", lines[-1])


def test_deleted_and_empty_recordings_are_not_exported(
    library: Library, talks: list[Recording], capsys: pytest.CaptureFixture[str]
) -> None:
    library.put_away([each.id for each in talks[1:]])
    waiting = library.add("/talks/later.wav")
    assert run("--all") == 0
    assert capsys.readouterr().out == "Good morning.\n你好。\n"
    assert run(waiting.id) == 1
    assert capsys.readouterr().err == "later: There is no text yet.\n"


def test_a_text_that_is_not_finished_is_exported_and_told(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    recording = library.add("/talks/long.wav")
    library.begin(recording.id, NO_MODELS, 600.0)
    library.append(recording.id, Segment(0, 0.0, 65.0, "So far."))
    assert run("long", "--format", "json") == 0
    out, err = capsys.readouterr()
    assert [each["text"] for each in json.loads(out)["segments"]] == ["So far."]
    assert err == "long: The transcript is not finished: it ends at 1:05.\n"


def test_without_a_library_nothing_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--all") == 2
    assert capsys.readouterr().err == "There are no recordings in the library.\n"
    assert not (folders.data() / "library").exists()


def test_a_library_of_another_version_or_with_a_damaged_log_is_left_alone(
    library: Library, talks: list[Recording], capsys: pytest.CaptureFixture[str]
) -> None:
    library._writer.execute("PRAGMA user_version = 9000")
    assert run("--all") == 1
    assert "newer version" in capsys.readouterr().err
    library._writer.execute(f"PRAGMA user_version = {database.schema_version()}")
    log = folders.data() / "library" / f"{database.NAME}-wal"
    content = bytearray(log.read_bytes())
    content[40] ^= 1
    log.write_bytes(content)
    assert run("--all") == 1
    assert "The library is damaged." in capsys.readouterr().err
    assert log.read_bytes() == content
