"""What README, CONTRIBUTING and docs/ say can be followed: links, files, commands and targets of make exist."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.cli import arguments

TOP = Path(__file__).resolve().parents[2]
LONGEST_PAGE = 6144  # bytes of a page for users
FLAT = (f"{folder}/*.md" for folder in ("installer", "benchmarks", "tests", "tools"))
PAGES = sorted(page for place in ("*.md", "docs/**/*.md", "models/**/*.md", *FLAT) for page in TOP.glob(place))
OWN_PAGES = [page for page in PAGES if page.name != "CHANGELOG.md" and page.parent.name != "benchmarks"]
"""Those whose commands are today's: a log of changes or of measurements may name what is gone."""

LINK = re.compile(r"\]\(([^)#:\s]*)#?([^)]*)\)")
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
PLACEHOLDERS = {"NAME": "base", "N": "2"}  # others may stand as they are: a file, a folder
WITH_ACTIONS = ("models", "devices", "bench")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_links_lead_somewhere(page: Path) -> None:
    missing = []
    for link, heading in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / link if link else page
        if ":" not in heading and (not target.exists() or (heading and heading not in headings(target))):
            missing.append(f"{link}#{heading}")
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_files_that_are_named_exist(page: Path) -> None:
    named = re.findall(r"(?<![\w/])(?:tests|tools)/[\w/.]*\w", page.read_text(encoding="utf-8"))
    assert not [path for path in named if not (TOP / path).exists()]


@pytest.mark.parametrize("page", OWN_PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_modules_that_are_run_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"python -m ((?:benchmarks|tests|tools|desktop_app)[\w.]*\w)", text)
    paths = [TOP / module.replace(".", "/") for module in named]
    assert not [path for path in paths if not path.is_dir() and not path.with_suffix(".py").exists()]


@pytest.mark.parametrize("page", sorted((TOP / "docs").glob("*.md")), ids=lambda page: page.name)
def test_a_page_for_users_is_short(page: Path) -> None:
    assert page.stat().st_size <= LONGEST_PAGE


@pytest.mark.parametrize("page", OWN_PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_commands_are_understood(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of a block parses as it stands; a command within a sentence may leave out what it works on."""
    monkeypatch.chdir(tmp_path)
    Path("names.txt").write_text("Zugspitze\n", encoding="utf-8")  # read by --vocabulary
    wrong = []
    for line, whole in commands(page):
        given = galley_arguments(line)
        if given is not None and not is_understood(given, whole=whole):
            wrong.append(line)
    assert not wrong


def test_a_wrong_command_is_noticed() -> None:
    assert is_understood(["transcribe", "talk.mp3", "--draft", "off"], whole=True)
    assert is_understood(["models", "convert"], whole=False)
    assert not is_understood(["models", "convert"], whole=True)
    assert not is_understood(["transcribe", "talk.mp3", "--drafts", "off"], whole=False)
    assert not is_understood(["models", "fetch", "tiny"], whole=False)


@pytest.mark.parametrize("page", OWN_PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_targets_of_make_exist(page: Path) -> None:
    rules = re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = {target for line, _ in commands(page) for target in re.findall(r"^make ([a-z][a-z-]*)", line)}
    assert not named - set(rules)


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-") for heading in found}


def commands(page: Path) -> Iterator[tuple[str, bool]]:
    """What a page tells to type, and whether that is a whole line of a block instead of a few words in a sentence."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            yield line.strip(), True
    for span in SPAN.findall(BLOCK.sub("", text)):
        yield span, False


def galley_arguments(line: str) -> list[str] | None:
    """What stands behind `galley` in a command; None where another program is called."""
    try:
        words = shlex.split(line.replace("[", "").replace("]", ""), comments=True)
    except ValueError:  # an apostrophe: no command
        return None
    for at, word in enumerate(words):
        if word in ("galley", ".venv/bin/galley"):
            given = words[at + 1 :]
            end = next((number for number, each in enumerate(given) if each in (">", "|", "&&")), len(given))
            return [PLACEHOLDERS.get(each, each) for each in given[:end]]
        if at == 0 and word not in ("sudo", "unshare", "strace"):
            return None
    return None


def is_understood(given: list[str], *, whole: bool) -> bool:
    """Whether the command line takes these arguments, or, where they are not `whole`, knows each of them."""
    if whole and not parses(given):
        return False
    if not given or given[0] not in arguments.COMMANDS:
        return parses(given)
    actions = [each for each in given[: 2 if given[0] in WITH_ACTIONS else 1] if not each.startswith("-")]
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        known = parses([*actions, "--help"])
    flags = {each.partition("=")[0] for each in given if each.startswith("--")}
    return known and all(re.search(rf"{flag}\b", shown.getvalue()) for flag in flags)


def parses(given: list[str]) -> bool:
    """Whether the parser accepts it, or shows the help that was asked for."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            if given and given[0] in arguments.COMMANDS:
                arguments.command(given[0], given[1:])
            else:
                arguments.window(given)
    except SystemExit as end:
        return end.code == 0
    return True
