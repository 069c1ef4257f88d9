"""A disk that does not take the figures of a benchmark costs nothing else: they are printed, and it is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop_app import cli
from desktop_app.measure import live, memory, speakers

LIVE: dict[str, Any] = {"models": {"target": "small", "draft": ""}, "clock": "wall"}
SPEAKERS = dict.fromkeys(("made", "recognised", "long", "live"), None) | {"networks": "tones", "real": []}


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is measured."""
    monkeypatch.setattr(live, "ModelCache", lambda: type("ModelCache", (), {"pair": lambda *asked: None}))
    monkeypatch.setattr(live, "_measure", lambda *asked: LIVE)
    monkeypatch.setattr(memory, "_measured", lambda *asked: {"kept": True})
    monkeypatch.setattr(speakers, "networks", lambda: None)
    monkeypatch.setattr(speakers, "_figures", lambda *asked: SPEAKERS)


@pytest.mark.parametrize(("name", "printed"), [("live", "small"), ("memory", ""), ("speakers", "tones")])
def test_figures_that_cannot_be_written_are_said_and_printed(
    name: str, printed: str, tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--real", str(tmp_path)] if name == "speakers" else []
    assert cli.main(["bench", name, *more, "--json", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert printed in out
    assert err == f"{tmp_path}: The figures cannot be written (Is a directory). Choose another file.\n"
    assert cli.main(["bench", name, *more, "--json", str(tmp_path / "figures.json")]) == 0
