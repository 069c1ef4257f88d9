"""Whether this checkout can be released: `release_check.py [TAG]`, after `make setup`.

Each check prints a line; exit status 1 where one of them found something.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import licences
import polib
import release_notes

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP))

from tools import collect_texts  # noqa: E402

# Where a version stands beside desktop_app/__init__.py. Packages get theirs in the place of @VERSION@.
COPIES = {
    "installer/flatpak/app.galley.Galley.yml": r"galley-(.+)-linux-x86_64\.tar\.gz",
    "installer/linux/app.galley.Galley.metainfo.xml": r'<release version="(.+?)"',
    "installer/linux/galley.1": r'"Galley (.+?)"',
    "docs/design/installer-size.md": r"^Galley (\S+) on ",
}


def version(top: Path) -> str:
    """The version of the checkout."""
    return _only(r'^__version__ = "(.+)"$', top / "desktop_app" / "__init__.py")


def _only(pattern: str, file: Path) -> str:
    found = re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "none"


def check_version(top: Path) -> Iterator[str]:
    for name, pattern in COPIES.items():
        if (said := _only(pattern, top / name)) not in (version(top), "@VERSION@"):
            yield f"{name} has version {said}, desktop_app/__init__.py {version(top)}"


def check_changelog(top: Path, tag: str) -> Iterator[str]:
    """A release has its own part of the changelog, with the date where a tag is given."""
    changelog = (top / "CHANGELOG.md").read_text(encoding="utf-8")
    try:
        release_notes.notes(changelog, version(top))
    except ValueError as error:
        yield str(error)
    else:
        if tag and not re.search(rf"^## \[{re.escape(version(top))}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
            yield f"CHANGELOG.md gives no date beside [{version(top)}]"


def check_translations(top: Path) -> Iterator[str]:
    """Every language has every message of the program."""
    found = collect_texts.catalogue(collect_texts.messages(sorted((top / "desktop_app").rglob("*.py")), top))
    wanted = {(entry.msgid, entry.msgctxt) for entry in found}
    for file in sorted((top / "resources" / "translations").glob("*.po")):
        done = {(entry.msgid, entry.msgctxt) for entry in polib.pofile(str(file)) if entry.translated()}
        if missing := len(wanted - done):
            yield f"{file.name} lacks {missing} of {len(wanted)} messages: make texts"


def check_figures(top: Path) -> Iterator[str]:
    """benchmarks/RESULTS.md is what its figures say."""
    command = [sys.executable, "-m", "benchmarks.figures", "--check"]
    done = subprocess.run(command, cwd=top, capture_output=True, text=True)
    if done.returncode:
        yield (done.stderr.strip() or done.stdout.strip() or "they differ").splitlines()[-1]


def check_licences() -> Iterator[str]:
    """Every package that users get brings the text of its licence; for libraries `make installer` looks."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            licences.write(Path(folder, "licences"))
        except (SystemExit, LookupError) as error:
            yield str(error)


def check_tag(top: Path, tag: str) -> Iterator[str]:
    if tag and tag != f"v{version(top)}":
        yield f"the tag is {tag}, the version wants v{version(top)}"


def main(top: Path, tag: str) -> int:
    """Check it all, and say what was found; gives the exit status."""
    checks = {
        "version": check_version(top),
        "changelog": check_changelog(top, tag),
        "translations": check_translations(top),
        "figures": check_figures(top),
        "licences": check_licences(),
        "tag": check_tag(top, tag),
    }
    found = {name: list(check) for name, check in checks.items()}
    for name, mistakes in found.items():
        print(f"{name}: {'; '.join(mistakes) or 'ok'}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(TOP, "".join(sys.argv[1:2])))
