"""Whatever became of a file that Galley keeps for itself, it is read within bounds or refused, and ends nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import __version__, bounded, folders, private, settings
from desktop_app.app.background import BackgroundThread
from desktop_app.app.library import media, watching
from desktop_app.app.models.speeds import Speeds
from desktop_app.app.recordings import resuming
from desktop_app.app.settings import export_choice
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.system import instance
from desktop_app.checkpoints import parts
from desktop_app.cli import unfinished
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.messages.options import Options
from desktop_app.worker import measured

PACKAGE = Path(bounded.__file__).parent
BAD = {
    "nested lists": "[" * 200_000,
    "nested objects": '{"a":' * 500 + "1" + "}" * 500,
    "a huge number": "1" + "0" * 400,
    "a longer number": "1" * 5000,
    "infinite": "1e999",
    "cut off": "[1",
    "no text": "\udcff",
}
READERS = {
    "bounded.py": "the one reader",
    "library/rows.py": "values of up to a hundred thousand words, where each look counts; what any raises is caught",
    "library/versions.py": "lines of such rows",
    "audio/decoder.py": "what its parent asks",
    "app/system/about.py": "a file of the program",
    "checkpoints/pieces.py": "what the library for tokens has written itself",
}
"""Files that parse JSON themselves, and why they may."""


@pytest.fixture
def keeper() -> Iterator[BackgroundThread]:
    made = BackgroundThread("keeper", lambda call: None)
    yield made
    made.close()


@pytest.mark.parametrize("name", BAD)
def test_bad_json_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        bounded.parse_json(os.fsencode(BAD[name]))


def test_json_within_bounds_is_read() -> None:
    deepest = "[" * bounded.DEEPEST + "]" * bounded.DEEPEST
    assert bounded.parse_json(deepest)
    assert bounded.parse_json(f'{{"a": [1, -2.5, true, null, "ü", {sys.float_info.max}]}}')["a"][4] == "ü"
    assert bounded.parse_json("[NaN, -Infinity]") == [None, None]
    with pytest.raises(ValueError, match="nested"):
        bounded.parse_json(f"[{deepest}]")


def test_no_more_than_the_largest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_bytes(b"1" * 10)
    assert bounded.read(path, 10) == b"1" * 10
    with pytest.raises(ValueError, match="large"):
        bounded.read(path, 9)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes and devices in folders")
def test_a_pipe_or_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("pipe", "device", "loop", "."):
        with pytest.raises(OSError, match=r"."):
            bounded.read(tmp_path / name)


@pytest.mark.parametrize("name", [*BAD, "NaN", "-Infinity", "pipe", "too large"])
def test_bad_files_count_as_none(home: Path, keeper: BackgroundThread, name: str) -> None:
    """Of speeds, look-aheads, watched files, settings and the text of an unfinished file: each is begun anew."""
    place = unfinished._place("talk.wav", Options())
    kept = {
        folders.cache() / "speeds.json": f'{{"version": "{__version__}", "speeds": [["m", "", "", %s, 1]]}}',
        folders.cache()
        / "look-ahead.json": f'{{"version": "{__version__}", "pairs": {{"{measured._name("m")}": %s}}}}',
        folders.data() / "watched.json": '{"folder": "folder", "known": {"0a": [%s, 1]}}',
        place: '{"resume": "{}", "text": "{}", "more": %s}',
        settings.path(): '"%s',
    }
    for path, text in kept.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if name == "pipe":
            os.mkfifo(path)
        else:
            path.write_bytes(os.fsencode(text % BAD.get(name, name)))
        if name == "too large":
            os.truncate(path, bounded.LARGE + 1)
    assert Speeds().latest("m") is None
    policy, fresh = (LookAhead(may_disable_draft=True, has_head=True) for _ in range(2))
    measured.resume("m", policy)
    assert policy.as_json() == fresh.as_json()
    measured.keep("m", policy)  # returns
    assert watching._read("folder") is None
    assert unfinished.find("talk.wav", Options()) is None
    assert Preferences(keeper).options() == Preferences(keeper).options()


@pytest.mark.parametrize("text", [*BAD.values(), "NaN", '{"form": []}', '{"looks": {"longest": 1e300}}', "null", "[]"])
def test_bad_values_of_settings_and_rows_count_as_none(home: Path, keeper: BackgroundThread, text: str) -> None:
    preferences = Preferences(keeper)
    preferences._values["export"] = text
    assert export_choice.read(preferences) == export_choice.ExportChoice()
    assert resuming.options(text) is resuming.chosen(text) is resuming.place(text, Options()) is None
    assert instance._paths(os.fsencode(text)) in (None, [])


def test_settings_too_large_to_be_some_are_set_aside(home: Path) -> None:
    settings.path().parent.mkdir(parents=True, exist_ok=True)
    settings.path().write_bytes(b"a=1\n" * bounded.LARGEST)
    settings.write({"draft": "off"})
    assert settings.read() == {"draft": "off"}
    assert settings.path().with_suffix(".damaged").stat().st_size == 4 * bounded.LARGEST


def test_json_is_parsed_by_one_reader() -> None:
    """So that a new file cannot be read without bounds."""
    sources = {file.relative_to(PACKAGE).as_posix(): file.read_text("utf-8") for file in PACKAGE.rglob("*.py")}
    assert {name for name, text in sources.items() if re.search(r"\bjson\.loads?\(", text)} == set(READERS)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Two thousand folders in each other, with a recording in the first and the last."""
    before, top = Path.cwd(), tmp_path / "deep"
    top.mkdir(mode=0o755)
    os.chdir(top)
    for place in range(2000):
        if place in (0, 1999):
            Path("talk.wav").touch(0o644)
        os.mkdir("a", 0o755)
        os.chdir("a")
    os.chdir(before)
    yield top
    subprocess.run(["rm", "-r", top], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no folders so deep")
def test_folders_without_end_are_gone_through_to_some_depth(deep: Path) -> None:
    """For recordings, the files of a model, and permissions: until Python 3.12 the standard library calls itself for
    each folder."""
    assert len(list(bounded.walk(deep))) == bounded.DEEPEST + 1
    assert media.expand([str(deep)]) == [str(deep / "talk.wav")]
    assert list(parts.files_below(deep)) == ["talk.wav"]
    private._change(deep, lambda mode: mode & 0o700)
    assert {path.stat().st_mode & 0o777 for path in (deep, deep / "a")} == {0o700}
    assert (deep / "talk.wav").stat().st_mode & 0o777 == 0o600
