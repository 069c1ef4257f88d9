"""Bad input: one line each with what to do, status 1, and the good files are done."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import av
import numpy as np
import pytest

from desktop_app.app.presentation.problems import sentence
from desktop_app.problems import Problem
from tests.command import GALLEY
from tests.small_pair import NAME, NOTICE

TOP = Path(__file__).resolve().parents[2]
GOOD = sorted((TOP / "tests" / "data").rglob("*.flac"))[:2]


def _bound_by_permissions() -> None:
    """Runs in the child: root without these two rights is refused what the permission bits refuse."""
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if ctypes.CDLL(None, use_errno=True).prctl(24, right, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
            os._exit(99)


def galley(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    run = [*GALLEY, "transcribe", *map(str, arguments)]
    drop = _bound_by_permissions if os.geteuid() == 0 else None
    return subprocess.run(run, capture_output=True, text=True, cwd=TOP, preexec_fn=drop)


def _silent_video(path: Path) -> None:
    with av.open(str(path), "w") as container:
        pictures = container.add_stream("mpeg4", rate=10)
        pictures.width, pictures.height, pictures.pix_fmt = 32, 32, "yuv420p"
        for _ in range(10):
            container.mux(pictures.encode(av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8))))
        container.mux(pictures.encode(None))


@pytest.fixture
def bad(tmp_path: Path) -> dict[Path, str]:
    """Files that cannot be transcribed, with the line about each."""
    found = {
        "empty.wav": "file.empty",
        "text.mp3": "file.not_media",
        "folder.wav": "file.folder",
        "silent.mp4": "file.no_sound",
        "unreadable.flac": "file.forbidden",
        "missing.ogg": "file.missing",
        "cut.mp4": "file.not_media",
        "two words and ñ.mp3": "file.not_media",
    }
    (tmp_path / "empty.wav").touch()
    for name in ("text.mp3", "two words and ñ.mp3"):
        (tmp_path / name).write_text("This is text, no music.\n" * 100, encoding="utf-8")
    (tmp_path / "folder.wav").mkdir()
    _silent_video(tmp_path / "silent.mp4")
    (tmp_path / "unreadable.flac").write_bytes(GOOD[0].read_bytes())
    (tmp_path / "unreadable.flac").chmod(0)
    (tmp_path / "cut.mp4").write_bytes((tmp_path / "silent.mp4").read_bytes()[:100])
    return {tmp_path / name: sentence(Problem(code)) for name, code in found.items()}


def test_each_is_one_line_and_the_good_files_are_done(bad: dict[Path, str], tmp_path: Path) -> None:
    first, *others = bad
    done = galley("--output", tmp_path / "out", first, GOOD[0], *others, GOOD[1])
    assert done.returncode == 1
    assert done.stdout == ""
    other = (NAME, NOTICE)
    said = [line for line in done.stderr.splitlines() if not line.startswith(other)]
    assert said == [f"{path}: {line}" for path, line in bad.items()]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == sorted(f"{file.stem}.txt" for file in GOOD)
    assert all(file.read_text(encoding="utf-8").strip() for file in (tmp_path / "out").iterdir())


def test_alone_each_has_the_same_status(tmp_path: Path) -> None:
    done = galley(tmp_path / "missing.wav")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{tmp_path / 'missing.wav'}: {sentence(Problem('file.missing'))}\n"
