"""`galley transcribe -`: what is piped in is copied for the time of the work, and nothing of it stays."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from desktop_app import cli, folders
from desktop_app.app.library import standard_input
from desktop_app.cli import transcribe
from desktop_app.library.owners import Owner
from tests.command import GALLEY
from tests.unit.cli.test_transcribe import Scripted
from tests.waiting import wait_until


def copies() -> list[Path]:
    """The files of all copies that there are."""
    return [file for file in (folders.data() / "piped").rglob("*") if file.is_file()]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, bytes]]]:
    """What the scripted engine is given: the path, and what lies there."""
    found: list[tuple[str, bytes]] = []

    class Reading(Scripted):
        def transcribe(self, job: str, path: str, *rest: Any) -> None:
            if Path(path).exists():
                found.append((path, Path(path).read_bytes()))
            super().transcribe(job, path, *rest)

    monkeypatch.setattr(transcribe, "Engine", Reading)
    Scripted.seen, Scripted.closed = [], 0
    yield found
    assert not (folders.data() / "piped").exists()


def pipe(monkeypatch: pytest.MonkeyPatch, content: bytes = b"sound") -> None:
    monkeypatch.setattr(sys, "stdin", opened(content))


def opened(content: bytes) -> IO[bytes]:
    """A file with this content, at its beginning."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  whoever reads it closes it
    file.write(content)
    file.seek(0)
    return file


def test_what_is_piped_in_is_transcribed_from_a_copy_that_goes(
    seen: list[tuple[str, bytes]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytes(range(256)) * 10_000
    pipe(monkeypatch, content)
    assert cli.main(["transcribe", "-", "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["audio"]["path"], len(made["segments"])) == ("stdin", 2)
    [(path, found)] = seen
    assert found == content
    assert Path(path).parents[2] == folders.data()


def test_its_result_has_a_name(seen: list[tuple[str, bytes]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pipe(monkeypatch)
    assert cli.main(["transcribe", "a.wav", "-", "--output", str(tmp_path)]) == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.txt", "stdin.txt"]


def test_nothing_is_kept_for_a_run_that_cannot_resume_it(
    seen: list[tuple[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(transcribe.queue.SimpleQueue[Any]):
        def get(self, *about: Any) -> Any:
            if self.empty():
                raise KeyboardInterrupt
            return super().get()

    monkeypatch.setattr(transcribe.queue, "SimpleQueue", Stopped)
    monkeypatch.setattr(Scripted, "transcribe", lambda *about: None)
    pipe(monkeypatch)
    assert cli.main(["transcribe", "-"]) == 130
    assert not (folders.data() / "unfinished").exists()


@pytest.mark.parametrize("limit", ["full", "low", "endless"])
def test_a_stream_without_end_and_a_full_disk_are_told_and_leave_nothing(
    limit: str,
    seen: list[tuple[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = "galley: The disk is full. Free some space, then try again.\n"
    if limit == "endless":
        monkeypatch.setattr(standard_input, "_MOST", 3_000_000)
        said = "galley: More than 0 GB were piped in, which no recording has. Name a file instead.\n"
    elif limit == "low":
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=10_000_000))
    else:

        def full(folder: Path) -> Any:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(shutil, "disk_usage", full)
    pipe(monkeypatch, bytes(4_000_000))
    assert cli.main(["transcribe", "-"]) == 1
    assert capsys.readouterr().err == said
    assert Scripted.seen == []


def test_a_terminal_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.main(["transcribe", "-"]) == 2
    pipe(monkeypatch)
    assert cli.main(["transcribe", "-", "-"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "Nothing is piped into the command. Pipe a recording into it, or name a file.",
        "There is one standard input. Write - once.",
    ]


def test_the_copy_of_a_killed_program_goes_and_that_of_a_running_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    running = Owner(folders.data() / "piped")
    dead = folders.data() / "piped" / ("0" * 32)
    for folder in (folders.data() / "piped" / running.name, dead):
        folder.mkdir()
        (folder / "stdin").write_bytes(b"sound")
    with opened(b"other") as other, standard_input.copied(other.fileno(), lambda done: None) as copy:
        assert copy.read_bytes() == b"other"
        assert not dead.exists()
    assert [file.read_bytes() for file in copies() if file.name == "stdin"] == [b"sound"]
    running.release()


@pytest.mark.skipif(sys.platform == "win32", reason="signals as a shell sends them")
def test_ctrl_c_while_it_is_copied_leaves_nothing() -> None:
    process = subprocess.Popen(
        [*GALLEY, "transcribe", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    process.stdin.write(bytes(1_000_000))
    process.stdin.flush()
    wait_until(lambda: any(file.stat().st_size for file in copies()))
    assert not any(file.stat().st_mode & 0o077 for file in copies())
    process.send_signal(signal.SIGINT)
    err = process.stderr.read() if process.stderr else b""
    assert process.wait() == 130
    process.stdin.close()
    assert err.decode().splitlines() == ["Interrupted. The file was not transcribed to its end."]
    assert copies() == []
