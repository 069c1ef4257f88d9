"""A short share of `make chaos ATTACKS=kills`, which kills every part of Galley hundreds of times: a killed program
loses nothing that it promised, and leaves nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.chaos import kills


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_what_was_promised_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    quick = (kills.FileInTerminal, kills.Libraries)
    report = kills.campaign(len(quick), 1, tmp_path, quick)
    assert report.counted.total() == len(quick)
    assert report.findings == []
