"""What other programs take of the processors is seen, and what this one takes is not counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.worker import other_load
from desktop_app.worker.other_load import OtherLoad


def stat(path: Path, user: int, idle: int, steal: int = 0) -> None:
    path.write_text(f"cpu  {user} 0 0 {idle} 7 0 0 {steal} 5 0\ncpu0 1 1 1 1\n", "ascii")


def test_what_others_took_is_a_share_of_all_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, now, own = tmp_path / "stat", [0.0], [0.0]
    monkeypatch.setattr(other_load, "_STAT", place)
    monkeypatch.setattr(other_load, "perf_counter", lambda: now[0])
    monkeypatch.setattr(other_load, "_own_seconds", lambda: own[0])
    monkeypatch.setattr(other_load.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(other_load.os, "sysconf", lambda name: 100)
    stat(place, 1000, 5000)
    load = OtherLoad()
    now[0], own[0] = 10.0, 8.0
    stat(place, 1000 + 800, 6200)
    assert load.share() == 0.0, "all of it was ours"
    stat(place, 1000 + 800 + 500, 5700, steal=500)
    assert load.share() == pytest.approx(0.5)
    own[0] = 30.0
    assert load.share() == 0.0, "two clocks do not agree to the last tick"


@pytest.mark.parametrize("content", ["", "cpu", "cpu a b c d e f g h", "\n"])
def test_a_system_that_does_not_tell_is_taken_for_quiet(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_load, "_STAT", tmp_path / "stat")
    assert OtherLoad().share() == 0.0
    (tmp_path / "stat").write_text(content, "ascii")
    assert OtherLoad().share() == 0.0
