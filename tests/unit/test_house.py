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


def test_what_the_texts_point_to_is_there() -> None:
    """Links with their headings, pictures, and files of `tests` and `tools` that a page names."""
    missing = []
    for page in (file for file in texts() if file.suffix == ".md"):
        text = page.read_text(encoding="utf-8")
        links = [
            (page.parent / link if link else page, at)
            for link, at in re.findall(r"\]\(([^)#:\s]*)#?([^)]*)\)", text)
            if ":" not in at
        ]
        tests = [(TOP / named, "") for named in re.findall(r"(?<![\w/])(?:tests|tools)/[\w/.]*\w", text)]
        for file, heading in [*links, *tests]:
            if not file.exists() or (heading and heading not in headings(file)):
                missing.append(f"{page.relative_to(TOP)}: {file.name} {heading}")
    assert not missing


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-") for heading in found}
