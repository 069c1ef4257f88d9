"""git's hooks: what they refuse in a commit's subject, and that pre-commit runs what is there, without downloading."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools.commit_subject import mistakes

TOP = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "message",
    [
        "Add a check of the subject",
        "Add a check\n\nIt says why.\n",
        "Bring the hooks\n# Please enter the commit message\n",
        "Pass the rate on",
        "Use 72 characters".ljust(72, "s"),
        "fixup! Added a check",
        'Revert "Added something"',
        "Merge branch 'a' of a place whose name is far longer than seventy-two characters are",
        "Add a diff\n# ------------------------ >8 ------------------------\n# below\ndiff --git a b\n",
    ],
)
def test_a_good_subject_passes(message: str) -> None:
    assert [*mistakes(message)] == []


@pytest.mark.parametrize(
    ("message", "mistake"),
    [
        ("Use 73 characters".ljust(73, "s"), "73 characters"),
        ("Added a check", "no imperative"),
        ("Adding a check", "no imperative"),
        ("Adds a check", "no imperative"),
        ("add a check", "capital"),
        ("Add a check.", "full stop"),
        ("Add a check\nand another", "empty line"),
        ("", "is empty"),
        ("# only a comment\n", "is empty"),
    ],
)
def test_a_bad_subject_is_refused_with_the_reason(message: str, mistake: str) -> None:
    [found] = mistakes(message)
    assert mistake in found


def test_the_hook_ends_with_a_status_that_git_heeds(tmp_path: Path) -> None:
    message = tmp_path / "COMMIT_EDITMSG"
    for subject, status in (("Add a check", 0), ("Added a check.", 1)):
        message.write_text(subject, encoding="utf-8")
        command = [sys.executable, str(TOP / "tools" / "commit_subject.py"), str(message)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, bool(done.stderr)) == (status, bool(status))


def test_the_hooks_download_nothing_and_run_what_is_there() -> None:
    settings = yaml.safe_load((TOP / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [each["repo"] for each in settings["repos"]] == ["local"]
    [hooks] = [each["hooks"] for each in settings["repos"]]
    assert {hook["id"] for hook in hooks} == {"ruff", "ruff-format", "mypy", "commit-subject"}
    for hook in hooks:
        program, *words = shlex.split(hook["entry"])
        assert (program, hook["language"]) == (".venv/bin/python", "system")
        assert all((TOP / word).is_file() for word in words if word.endswith(".py"))
