"""What the project's files must not hold: paths of one machine and hosts of package registries."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
GENERATED = {".git", ".venv", "__pycache__", "build", "dist", "shared"}
TEXT = {".py", ".sh", ".toml", ".txt", ".md", ".json", ".qss", ".svg", ".yml", ".yaml", ".cfg", ""}
MACHINE_PATH = re.compile(r"(?<![\w./])/(?:work|root|home|opt|mnt|Users)/")
REGISTRY = re.compile(r"https?://[\w.-]*(?:pypi|pythonhosted|npmjs|debian)|\s--(?:extra-)?index-url")


def texts() -> Iterator[Path]:
    """Every text file of the project that a person wrote."""
    folders = [TOP]
    while folders:
        for entry in sorted(folders.pop().iterdir()):
            if entry.name in GENERATED:
                continue
            if entry.is_dir():
                if not entry.name.endswith((".egg-info", "_cache", ".hypothesis")):
                    folders.append(entry)
            elif entry.suffix in TEXT and entry.stat().st_size < 1_000_000:
                yield entry


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["path of one machine", "host of a registry"])
def test_no_text_holds_a(pattern: re.Pattern[str]) -> None:
    found = []
    for file in texts():
        if file == Path(__file__):
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{file.relative_to(TOP)}: {match.group()}" for match in pattern.finditer(text)]
    assert not found


def test_the_pins_name_every_dependency() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    dev = project["optional-dependencies"]["dev"] + project["optional-dependencies"]["bench"]
    wanted = {re.split(r"[^\w-]", one)[0].lower() for one in [*project["dependencies"], *dev]} - {"galley"}
    pins = (TOP / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in pins if "==" in line}
    assert wanted <= pinned
