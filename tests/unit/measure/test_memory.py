"""`galley bench memory` on a toy: every step runs, and its figures are figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from desktop_app import cli
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.measure import memory
from desktop_app.problems import Problem


def test_memory(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "memory.json"
    assert cli.main(["bench", "memory", "--shape", "toy", "--precision", "int4", "--json", str(file)]) == 0
    found = json.loads(file.read_text("utf-8"))
    assert (found["shape"], found["precision"], found["kept"]) == ("toy", "int4", True)
    for step in (found["first_start"], found["next_start"]):
        assert 5e7 < step["load_peak_bytes"] <= step["peak_bytes"] < 2e9
        assert min(step.values()) > 0
    assert 0 < found["conversion"]["peak_bytes"] < 1.3 * found["conversion"]["file_bytes"] + 1e8
    assert "Limit of 8 GB: kept" in capsys.readouterr().out
    assert not list((home / "cache").glob("bench-memory-*"))


def test_a_model_that_does_not_run_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*about: object) -> None:
        raise Problem("engine.libraries")

    monkeypatch.setattr(memory.probe, "ask", fail)
    assert cli.main(["bench", "memory", "--shape", "toy"]) == 3
    assert capsys.readouterr().err == "galley: The system's libraries failed.\n"


def test_the_random_model_is_whole(tmp_path: Path) -> None:
    """Every tensor that the shape asks for, in 16 bits, all of them numbers; and large-v3 is the large one."""
    memory.write(tmp_path / "model.safetensors", memory.SHAPES["toy"])
    tensors = Tensors(tmp_path)
    for name, sides in memory.SHAPES["toy"].tensors().items():
        tensors.check(name, sides)
        assert tensors[name].kind == "F16" and np.isfinite(tensors[name].read()).all()
    count = sum(int(np.prod(sides)) for sides in memory.SHAPES["large-v3"].tensors().values())
    assert 1.53e9 < count < 1.55e9
