"""Print what CHANGELOG.md says of a version, for the page of a release: `release_notes.py VERSION`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"


def notes(changelog: str, version: str) -> str:
    """The lines below the heading of a version. Raises ValueError where it has none, or nothing stands below it."""
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|^\[[^\]]+\]: |\Z)", changelog, re.M | re.S)
    if found is None:
        raise ValueError(f"CHANGELOG.md has no heading [{version}].")
    if not found[1].strip():
        raise ValueError(f"CHANGELOG.md says nothing below [{version}].")
    return found[1].strip() + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: release_notes.py VERSION")
    try:
        print(notes(CHANGELOG.read_text(encoding="utf-8"), sys.argv[1]), end="")
    except ValueError as error:
        sys.exit(str(error))
