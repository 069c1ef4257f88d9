"""Nobody but the user reads what Galley keeps, and what the user asks for elsewhere is as other programs make it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from desktop_app import atomic, folders, log, private, settings
from desktop_app.audio.flac import FlacWriter
from desktop_app.audio.recording import new_place
from desktop_app.library.store import Library

CLIPS = Path(__file__).parents[1] / "data" / "clips"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")


@pytest.fixture
def begun() -> Iterator[None]:
    """As in the program; the user's umask is the usual one."""
    before = os.umask(0o022)
    private.begin()
    yield
    os.umask(before)
    private._users_umask = None


def modes(folder: Path) -> dict[str, str]:
    """The permissions of everything in a folder, and its own."""
    found = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)): f"{path.lstat().st_mode & 0o777:o}" for path in found}


def test_all_that_is_kept_is_for_its_owner_alone(begun: None) -> None:
    with closing(Library(folders.data() / "library")) as library:
        library.add("/talks/one.wav")
        settings.write({"language": "de"})
        log.append(ValueError("no"))
        place = new_place(folders.recordings())
        sound = FlacWriter(place, 16000)
        sound.write(np.zeros(16000, np.int16))
        sound.close()
        atomic.write(place.with_suffix(".txt"), "Good morning.")
        found = modes(folders.data())
    assert len(found) >= 12
    assert {f"{mode} {name}" for name, mode in found.items() if mode not in ("600", "700")} == set()


def test_a_folder_that_others_may_read_is_closed_once(begun: None, tmp_path: Path) -> None:
    data = tmp_path / "home" / "data"
    private.close_to_others(data)
    assert modes(data)["."] == "700", "what Galley makes is private, and its own from then on"
    (data / "Recordings").mkdir(0o755)
    talk, elsewhere = data / "Recordings" / "talk.flac", tmp_path / "elsewhere"
    for file in (talk, elsewhere):
        file.touch()
        file.chmod(0o644)
    (data / "link").symlink_to(elsewhere)
    data.chmod(0o755)
    private.close_to_others(data)
    assert {mode for name, mode in modes(data).items() if name != "link"} == {"600", "700"}
    assert elsewhere.stat().st_mode & 0o777 == 0o644
    talk.chmod(0o644)
    private.close_to_others(data)
    assert talk.stat().st_mode & 0o777 == 0o644, "a folder that is closed is not walked through at every start"


def test_a_folder_of_the_user_keeps_its_permissions(
    begun: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GALLEY_HOME may be the user's own home, with a folder "data" in it. Elsewhere the folder has Galley's name."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "table.csv").touch()
    for path, mode in ((data, 0o755), (data / "table.csv", 0o644)):
        path.chmod(mode)
    before = modes(tmp_path)
    private.close_to_others(data)
    assert modes(tmp_path) == before
    monkeypatch.delenv("GALLEY_HOME")
    private.close_to_others(data)
    assert modes(data) == {".": "700", "table.csv": "600"}


def test_a_link_that_appears_while_a_folder_is_shared_is_not_followed(
    begun: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    model, victim = tmp_path / "model", tmp_path / "letter"
    model.mkdir()
    (model / "weights").touch()
    victim.touch()
    look = os.stat

    def swap(path: object, **more: object) -> os.stat_result:
        found = look(path, **more)  # type: ignore[call-overload]
        if path == "weights":
            (model / "weights").unlink()
            (model / "weights").symlink_to(victim)
        return found  # type: ignore[no-any-return]

    monkeypatch.setattr(os, "stat", swap)
    private.share(model)
    monkeypatch.undo()
    assert (model / "weights").is_symlink()
    assert modes(tmp_path)["letter"] == "600"


def test_what_the_user_asks_for_elsewhere_has_the_users_permissions(begun: None, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    atomic.write(tmp_path / "talk.txt", "Good morning.")
    with private.as_user():
        (tmp_path / "texts").mkdir()
    model = tmp_path / "model"
    (model / "parts").mkdir(parents=True)
    (model / "parts" / "weights").touch()
    private.share(model)
    found = modes(tmp_path)
    assert {found["talk.txt"], found["model/parts/weights"]} == {"644"}
    assert {found["texts"], found["model"], found["model/parts"]} == {"755"}
    tmp_path.chmod(0o700)
    atomic.write(tmp_path / "private.txt", "Good morning.")
    assert modes(tmp_path)["private.txt"] == "600"


def test_the_program_begins_so_with_all_its_processes(home: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private.close_to_others(home / "data")
    (home / "data").chmod(0o755)
    (home / "data" / "old").touch(0o644)
    made = tmp_path / "texts"
    command = [sys.executable, "-m", "desktop_app", "transcribe", str(CLIPS / "00.flac"), "--output", str(made)]
    subprocess.run(command, check=True, capture_output=True, umask=0o022)
    assert {made.stat().st_mode & 0o777, (made / "00.txt").stat().st_mode & 0o777} == {0o755, 0o644}
    found = modes(home / "data")
    assert "logs/engine.log" in found, "the engine's process was there"
    assert {f"{mode} {name}" for name, mode in found.items() if mode not in ("600", "700")} == set()


CORE_LIMITS = """
import resource
from functools import partial
from desktop_app import private
from desktop_app.engine import probe

if __name__ == "__main__":
    private.begin()
    print(resource.getrlimit(resource.RLIMIT_CORE), probe.ask(partial(resource.getrlimit, resource.RLIMIT_CORE)))
"""


def _may_dump() -> None:
    """Runs in the child."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def test_no_process_leaves_a_core_dump(tmp_path: Path) -> None:
    """Which would hold text and sound: neither the program's process nor those that it starts."""
    program = tmp_path / "limits.py"
    program.write_text(CORE_LIMITS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)], check=True, capture_output=True, text=True, preexec_fn=_may_dump
    )
    assert done.stdout == "(0, 0) (0, 0)\n"


VISIT = """
import sys
from PySide6.QtWidgets import QFileDialog
from desktop_app.ui.shell.app import make_application

app = make_application()
dialog = QFileDialog(None, "Open", sys.argv[1])
dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
dialog.show()
app.processEvents()
dialog.accept()
dialog.close()
del dialog
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system's own dialog is shown")
def test_visited_folders_are_remembered_in_galleys_data_alone(home: Path, tmp_path: Path) -> None:
    """Qt's file dialog writes them down."""
    visited, settings_home = tmp_path / "Confidential", tmp_path / "config"
    visited.mkdir()
    environment = {
        **os.environ,
        "XDG_CONFIG_HOME": str(settings_home),
        "HOME": str(tmp_path),
        "QT_QPA_PLATFORM": "offscreen",
    }
    subprocess.run([sys.executable, "-c", VISIT, str(visited)], check=True, capture_output=True, env=environment)
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and visited.name.encode() in path.read_bytes()]
    assert holding == []
    assert visited.name in (home / "data" / "qt" / "QtProject.conf").read_text(encoding="utf-8")


def test_a_data_folder_that_cannot_be_used_is_said_in_one_sentence(home: Path) -> None:
    """By window and terminal, before anything else."""
    (home / "data").write_text("in the way", encoding="utf-8")
    for arguments in ([], ["record", "--seconds", "1"]):
        command = [sys.executable, "-m", "desktop_app", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            f"galley: Galley's data folder {home / 'data'} cannot be used (File exists). Check the permissions, or set"
            " GALLEY_HOME to another folder.\n"
        )
