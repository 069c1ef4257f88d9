"""What "About" and `galley --version` say: true of a build, true of a checkout, and whole with damaged files."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

import pytest

from desktop_app import __version__, resources
from desktop_app.app.system import about


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a frozen program."""
    monkeypatch.setattr(resources, "_root", lambda: tmp_path)
    return tmp_path


def test_a_checkout_says_that_it_is_one_and_names_what_it_runs_on() -> None:
    first, origin, versions, _system = about.lines()
    assert first == f"galley {__version__}"
    assert origin == "Run from source, not from an installer"
    assert f"OpenVINO {importlib.metadata.version('openvino')}" in versions and "Python 3." in versions
    assert [each.name for each in about.licences()] == ["Galley"]
    assert "MIT License" in about.read(about.licences()[0].file)


def test_a_build_names_its_commit_its_date_and_its_versions(bundle: Path) -> None:
    said = {"commit": "abc123", "date": "2026-11-24", "versions": {"Qt": "6.11.3", "FFmpeg": "8.0"}}
    (bundle / about.BUILD_FILE).write_text(json.dumps(said))
    assert about.lines()[:3] == [
        f"galley {__version__}",
        "Built on 2026-11-24 from commit abc123",
        "Qt 6.11.3, FFmpeg 8.0",
    ]


@pytest.mark.parametrize("content", ["", "[]", "{}", "nonsense", '{"commit": 1, "other": 2}'])
def test_what_cannot_be_read_counts_as_no_build(content: str, bundle: Path) -> None:
    (bundle / about.BUILD_FILE).write_text(content)
    assert about.lines()[1] == "Run from source, not from an installer"


def test_licences_are_those_of_the_folder_galleys_own_first(bundle: Path) -> None:
    (bundle / "licences" / "numpy").mkdir(parents=True)
    (bundle / "licences" / "numpy" / "LICENSE.txt").write_bytes(b"caf\xe9")
    (bundle / "LICENSE").write_text("Galley's")
    first, other = about.licences()
    assert (first.name, other.name) == ("Galley", "numpy/LICENSE.txt")
    assert about.read(other.file) == "caf�", "no text is refused for its encoding"
