"""Converting a model to OpenVINO's own graphs: what lies in the folder afterwards, and what is said where it cannot be.

The exporter itself needs the extra `convert`; here its place is taken by graphs of the same signature.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.engine import convert
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_convert
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

    def quantise(path: Path, windows: Sequence[np.ndarray]) -> None:
        calls.append((path, [window.shape for window in windows]))

    monkeypatch.setattr(openvino_convert, "check", lambda: None)
    monkeypatch.setattr(openvino_convert, "export", export)
    monkeypatch.setattr(openvino_convert, "quantise_encoder", quantise)
    return calls


def test_the_folder_holds_the_graphs_and_the_models_own_settings(
    source: Path, tmp_path: Path, calibrated: list[object]
) -> None:
    said: list[tuple[str, dict[str, str]]] = []
    convert.convert(
        str(source), tmp_path / "out" / "graphs", None, lambda stage, **values: said.append((stage, values))
    )
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
    convert.convert(str(source), tmp_path / "graphs", sounds, lambda stage, **values: None)
    ((path, shapes),) = calibrated
    assert path.name == parts.ENCODER
    assert shapes == [(80, 3000), (80, 3000)]


def test_a_conversion_that_fails_leaves_nothing(
    source: Path, tmp_path: Path, calibrated: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(checkpoint: Checkpoint, folder: Path) -> None:
        tiny_ir.write(checkpoint.folder, folder)
        (folder / parts.DECODER).unlink()

    monkeypatch.setattr(openvino_convert, "export", fail)
    with pytest.raises(Problem, match="graphs_incomplete file='openvino_decoder_model"):
        convert.convert(str(source), tmp_path / "out" / "graphs", None, lambda stage, **values: None)
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
            convert.convert(model, folder, sounds, lambda stage, **values: None)
    assert not graphs.exists()


def test_without_the_extra_the_command_to_type_is_told(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openvino_convert, "find_spec", lambda name: None if name != "torch" else sys)
    with pytest.raises(Problem, match="optimum-intel, nncf") as caught:
        convert.convert(str(source), tmp_path / "graphs", None, lambda stage, **values: None)
    assert caught.value.code == "model.no_converter"
    assert not (tmp_path / "graphs").exists()
