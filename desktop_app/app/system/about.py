"""What this Galley was built from, and the licences that come with it: for "About" and `galley --version`."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from dataclasses import dataclass
from pathlib import Path

from desktop_app import NAME, __version__, resources
from desktop_app.texts import _

BUILD_FILE = "build.json"
"""What installer/build.py writes into a frozen program: a `Build` as JSON."""

_PACKAGES = {"OpenVINO": "openvino", "Qt": "PySide6-Essentials", "PyAV": "av"}
"""What is named where Galley runs from source: PyAV brings FFmpeg, which says its version only when it is loaded."""

_LONGEST = 2_000_000  # characters of a text that are shown


@dataclass(frozen=True)
class LicenceText:
    """The text of a licence: what it is shown as, and its file."""

    name: str
    file: Path


@dataclass(frozen=True)
class Build:
    """What a frozen program was built from: a commit, its date (ISO), versions by name. `updates` is the address that
    "Check for updates" asks, `index` that of the package index that add-ons come from, "" for none."""

    commit: str
    date: str
    versions: dict[str, str]
    updates: str = ""
    index: str = ""


def lines() -> list[str]:
    """What this is: the version first, then commit and date, then the versions of what it is built from."""
    built = build()
    if built is None:
        versions, origin = _installed(), _("Run from source, not from an installer")
    else:
        versions = built.versions
        origin = _("Built on {date} from commit {commit}", date=built.date, commit=built.commit)
    parts = ", ".join(f"{name} {version}" for name, version in versions.items())
    return [f"galley {__version__}", origin, parts, f"{platform.system()} {platform.machine()}"]


def build() -> Build | None:
    """What the build has written; None without a build, or where that cannot be read."""
    try:
        return Build(**json.loads(resources.path(BUILD_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _installed() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name, package in _PACKAGES.items():
        try:
            found[name] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:  # `galley doctor` says so
            continue
    return found


def licences() -> list[LicenceText]:
    """The texts that come with this Galley, its own first. Reads folders."""
    folder = resources.path("licences")
    found = [LicenceText(NAME, resources.path("LICENSE"))]
    if folder.is_dir():
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        found += [LicenceText(file.relative_to(folder).as_posix(), file) for file in files]
    return [each for each in found if each.file.is_file()]


def read(file: Path) -> str:
    """A text to show. Raises OSError."""
    with file.open(encoding="utf-8", errors="replace") as opened:
        return opened.read(_LONGEST)
