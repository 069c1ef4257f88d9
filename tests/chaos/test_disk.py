"""A short share of `python -m tests.chaos.disk`: the library at every call, settings at a few."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos import disk
from tests.disk_log import HAS_COMPILER, FullDisk

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(not HAS_COMPILER, reason="the disk is filled by a library built with gcc"),
]

LIBRARY = """
import sys
from contextlib import closing, suppress
from pathlib import Path
from desktop_app.library.store import Library
from desktop_app.problems import Problem
from tests.disk_log import FullDisk
from tests.staging import MODELS, segment

disk, failure, calls = FullDisk(Path(sys.argv[2]), built=True), sys.argv[3], 0
while True:
    calls += 1
    folder, said = Path(sys.argv[1], str(calls)), []
    disk.fail(calls, failure)
    try:
        with closing(Library(folder)) as library:
            key = library.add("/talk.wav").id
            library.begin(key, MODELS, 60.0)
            for count in range(3):
                library.append(key, segment(count))
                said.append(count)
    except Problem as problem:
        assert problem.code in ("disk.full", "library.disk", "library.not_opened"), problem
    failed = disk.failed
    disk.fail()
    with closing(Library(folder)) as library:
        assert library.notice is None, (failed, library.notice)
        lines = [line.id for each in library.recordings() for line in library.transcript(each.id).segments]
    assert lines[: len(said)] == said, (failed, said, lines)
    assert not list(folder.glob("library-damaged*")), failed
    if not failed:
        break
print(calls)
"""


@pytest.mark.parametrize("failure", ["once", "short"])
def test_a_library_outlives_a_full_disk_at_every_call(tmp_path: Path, failure: str) -> None:
    """What was acknowledged is there when there is room again, and nothing was taken for damage."""
    full, folder = FullDisk(tmp_path), tmp_path / "libraries"
    folder.mkdir()
    command = [sys.executable, "-c", LIBRARY, str(folder), str(tmp_path), failure]
    done = subprocess.run(command, env=os.environ | full.of(folder), capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 20  # or the calls were not counted


def test_settings_outlive_a_full_disk(tmp_path: Path) -> None:
    """A sentence and an exit status, and the older settings or the newer ones."""
    report = disk.campaign(tmp_path, [disk.Settings], 2)
    assert report.counted.total() > 3 and not report.findings
