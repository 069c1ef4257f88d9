"""A report on a library says how much of what there is, and never changes the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.library import database
from desktop_app.library.inspection import inspect
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from desktop_app.transcript.model import Models, Segment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library of three recordings: one waits, one has two segments, one failed."""
    folder = tmp_path / "library"
    library = Library(folder)
    library.add("/talks/waits.wav")
    begun, failed = library.add("/talks/begun.wav"), library.add("/talks/failed.wav")
    library.begin(begun.id, Models("Target", "", "model", "CPU", "f32"), 12.0)
    for number in range(2):
        library.append(begun.id, Segment(number, float(number), number + 1.0, "Words", (1,), 0.2, -0.3, 0.01))
    library.fail(failed.id, Problem("disk.full"))
    library.close()
    return folder


def test_every_figure_is_what_is_there(folder: Path) -> None:
    path = folder / database.NAME
    (folder / "library-damaged-20260101-000000.sqlite3").write_bytes(b"")
    before = path.read_bytes()
    found = inspect(folder)
    assert found is not None
    assert (found.bytes, found.version, found.faults) == (len(before), database.schema_version(), ())
    assert (found.set_aside, found.live, found.segments) == (1, 0, 2)
    assert found.states == {"waiting": 1, "working": 1, "failed": 1}
    assert list(found.problems.values()) == [1]
    assert path.read_bytes() == before


def test_where_there_is_none_nothing_is_made(tmp_path: Path) -> None:
    assert inspect(tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_faults_are_named_and_no_text_is(folder: Path) -> None:
    path = folder / database.NAME
    whole = path.read_bytes()
    path.write_bytes(whole[:36] + bytes([0, 0, 0, 7]) + whole[40:])  # so many free pages it says, and has none
    found = inspect(folder)
    assert found is not None
    assert found.faults
    assert "Words" not in " ".join(found.faults)


def test_a_library_that_was_cut_off_is_damaged(folder: Path) -> None:
    path = folder / database.NAME
    path.write_bytes(path.read_bytes()[:-4096])
    with pytest.raises(Problem) as caught:
        inspect(folder)
    assert caught.value == Problem("library.damaged")


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_what_the_disk_refuses_is_a_problem(folder: Path, monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    def refuse(path: Path, pattern: str) -> None:
        raise error

    monkeypatch.setattr(Path, "glob", refuse)
    with pytest.raises(Problem) as caught:
        inspect(folder)
    assert caught.value == Problem("library.failed", error=error.strerror)
