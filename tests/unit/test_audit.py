"""`make audit` never calls a package good that nobody was asked about."""

from __future__ import annotations

import json
import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "installer" / "audit.py"
GOOD = {"name": "one", "version": "1", "vulns": []}
WEAK = {"name": "two", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["2.1"]}]}
SKIPPED = {"name": "two", "skip_reason": "Dependency not found"}


@pytest.mark.parametrize(
    ("answers", "status", "said"),
    [
        ([GOOD, dict(GOOD, name="two")], 0, "0 of 2 packages have known weaknesses."),
        ([GOOD, WEAK], 1, "two 2: CVE-1, fixed in 2.1\n1 of 2 packages have known weaknesses."),
        ([GOOD, SKIPPED], 2, "1 of 2 packages were not compared"),
        ([SKIPPED, GOOD], 2, "2 of 2 packages were not compared"),
        ([], 2, "2 of 2 packages were not compared"),
        (None, 2, "2 of 2 packages were not compared"),
    ],
    ids=["good", "weak", "one unknown", "the first unknown", "no answer", "no database"],
)
def test_what_is_said(
    answers: list[dict[str, Any]] | None,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """pip-audit itself ends with 0 where the index knows nothing of any package."""
    world = runpy.run_path(str(SCRIPT))["main"].__globals__
    monkeypatch.setitem(world, "pins", lambda: ["one==1", "two==2"])

    def run(command: list[str], **options: object) -> SimpleNamespace:
        asked = Path(command[command.index("--requirement") + 1]).read_text(encoding="utf-8").split()
        found = None if answers is None else answers[: len(asked)]
        return SimpleNamespace(stdout="Traceback" if found is None else json.dumps({"dependencies": found}))

    monkeypatch.setattr(subprocess, "run", run)
    assert world["main"]() == status
    shown = capsys.readouterr()
    assert said in shown.out + shown.err
    assert ("The advisory database cannot be reached" in shown.err) == (status == 2)
