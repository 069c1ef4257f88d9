"""Converting a model to OpenVINO's own graphs: what lies in the folder afterwards, and what is said where it cannot be.

The exporter itself needs the extra `convert`; here its place is taken by graphs of the same signature.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_convert
from desktop_app.worker import convert
from tests import random_models, tiny_ir

CLIPS = Path(__file__).parents[2] / "data" / "clips"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = random_models.toy(tmp_path / "toy")
    (folder / "galley.json").write_text('{"name": "Toy", "notice": "Only noise.", "repository": "a/b"}')
    return folder


@pytest.fixture
def calibrated(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, list[tuple[int, ...]]]]:
    """An exporter that is there, and what was calibrated on which windows."""
    calls: list[tuple[Path, list[tuple[int, ...]]]] = []

    def export(checkpoint: Checkpoint, folder: Path) -> None:
        tiny_ir.write(checkpoint.folder, folder)
        (folder / "tokenizer.json").write_text("{}")
        (folder / "processor_config.json").write_text("{}")

    def quantise(path: Path, windows: Sequence[np.ndarray], step: Callable[[], None]) -> None:
        calls.append((path, [window.shape for window in windows]))
        for _ in windows:
            step()

    monkeypatch.setattr(openvino_convert, "check", lambda: None)
    monkeypatch.setattr(openvino_convert, "export", export)
    monkeypatch.setattr(openvino_convert, "quantise_encoder", quantise)
    return calls


def written(model: Path | str, folder: Path, sounds: Path | None = None, **told: Any) -> None:
    """Convert a model; `told` are its progress and its stages."""
    quiet = {"progress": lambda *step: None, "announce": lambda stage, **values: None}
    convert.convert(str(model), folder, sounds, folder.with_name(".room"), **quiet | told)


def test_the_folder_holds_the_graphs_and_the_models_own_settings(
    source: Path, tmp_path: Path, calibrated: list[object]
) -> None:
    said: list[tuple[str, dict[str, str]]] = []
    written(source, tmp_path / "out" / "graphs", announce=lambda stage, **values: said.append((stage, values)))
    checkpoint = read(tmp_path / "out" / "graphs")
    assert checkpoint.ir is not None
    assert (checkpoint.name, checkpoint.notice) == ("Toy", "Only noise.")
    names = {file.name for file in checkpoint.folder.iterdir()}
    assert names == {
        *parts.GRAPHS,
        "config.json",
        "galley.json",
        "generation_config.json",
        "preprocessor_config.json",
        "tokenizer.json",
    }
    assert (checkpoint.folder / "tokenizer.json").read_bytes() == (source / "tokenizer.json").read_bytes()
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["graphs"]
    assert said == [("converting", {"name": "Toy"})] and not calibrated


def test_recordings_calibrate_the_encoder(
    source: Path, tmp_path: Path, calibrated: list[tuple[Path, list[tuple[int, ...]]]]
) -> None:
    sounds = tmp_path / "sounds"
    sounds.mkdir()
    for name in ("00.flac", "01.flac"):
        (sounds / name).write_bytes((CLIPS / name).read_bytes())
    (sounds / "notes.txt").write_text("no recording")
    steps: list[str] = []
    written(source, tmp_path / "graphs", sounds, progress=lambda what, done, total: steps.append(what))
    ((path, shapes),) = calibrated
    assert path.name == parts.ENCODER
    assert shapes == [(80, 3000), (80, 3000)]
    assert steps == ["reading"] * 3 + ["quantising"] * 2, "what takes long tells that it goes on"


def test_a_conversion_that_fails_leaves_nothing(
    source: Path, tmp_path: Path, calibrated: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(checkpoint: Checkpoint, folder: Path) -> None:
        tiny_ir.write(checkpoint.folder, folder)
        (folder / parts.DECODER).unlink()

    monkeypatch.setattr(openvino_convert, "export", fail)
    with pytest.raises(Problem, match="graphs_incomplete file='openvino_decoder_model"):
        written(source, tmp_path / "out" / "graphs")
    assert not list((tmp_path / "out").iterdir())


def test_what_cannot_be_converted(source: Path, tmp_path: Path, calibrated: list[object]) -> None:
    graphs, empty = tmp_path / "graphs", tmp_path / "empty"
    empty.mkdir()
    cases = [
        (str(source), source, None, "disk.exists"),
        (str(source), graphs, tmp_path / "none", "file.no_folder"),
        (str(source), graphs, empty, "file.no_recordings"),
        (str(tiny_ir.write(source, tmp_path / "made")), graphs, None, "model.is_openvino"),
    ]
    for model, folder, sounds, reason in cases:
        with pytest.raises(Problem, match=reason):
            written(model, folder, sounds)
    assert not graphs.exists()


def test_without_the_extra_the_command_to_type_is_told(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openvino_convert, "find_spec", lambda name: None if name != "torch" else sys)
    with pytest.raises(Problem, match="optimum-intel, nncf") as caught:
        written(source, tmp_path / "graphs")
    assert caught.value.code == "model.no_converter"
    assert not (tmp_path / "graphs").exists()
