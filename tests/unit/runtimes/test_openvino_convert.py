"""A conversion of the small pair's target, from its folder to graphs that score as its weights do.

Where optimum-intel is installed (the extra `convert`, in an environment of its own) it is the exporter. Else a stand-in
takes its place, called by the same names, which writes graphs of the same signatures from the folder that it is told;
all else is Galley's own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import openvino as ov
import pytest

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import read
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino, openvino_convert, openvino_folder
from desktop_app.worker import convert
from tests import tiny_ir
from tests.small_pair import SMALL_PAIR
from tests.unit.runtimes.conftest import features

SOUNDS = Path(__file__).parents[2] / "data" / "clips"


def _dataset(items: Sequence[Any], transform: Callable[[Any], Any]) -> list[Any]:
    return [transform(item) for item in items]


class StandIn:
    """In the place of optimum-intel and NNCF. Attributes: asked (what the exporter was told), quantised (what NNCF was
    given), fail (raised instead of exporting)."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: dict[str, Any] = {}
        self.quantised: dict[str, Any] = {}
        self.fail: Exception | None = None
        kinds = SimpleNamespace(TRANSFORMER="transformer")
        members: dict[str, dict[str, Any]] = {
            "optimum": {},
            "optimum.exporters": {},
            "optimum.exporters.openvino": {"main_export": self._export},
            "optimum.intel": {"OVConfig": SimpleNamespace},
            "nncf": {
                "Dataset": _dataset,
                "quantize": self._quantise,
                "ModelType": kinds,
                "IgnoredScope": SimpleNamespace,
            },
        }
        for name, values in members.items():
            module = ModuleType(name)
            module.__spec__ = ModuleSpec(name, None)
            vars(module).update(values)
            monkeypatch.setitem(sys.modules, name, module)

    def _export(self, model_name_or_path: str, output: Path, **about: Any) -> None:
        self.asked = {"offline": os.environ.get("HF_HUB_OFFLINE"), **about}
        if self.fail:
            raise self.fail
        tiny_ir.write(Path(model_name_or_path), output)
        (output / "tokenizer.json").write_text("{}")  # the exporter writes settings of its own

    def _quantise(self, graph: ov.Model, dataset: list[Any], **about: Any) -> ov.Model:
        self.quantised = {"windows": [window["input_features"].shape for window in dataset], **about}
        graph.set_friendly_name("quantised")
        return graph


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    return StandIn(monkeypatch)


@pytest.fixture(params=["stand-in", "optimum-intel"])
def exporter(request: pytest.FixtureRequest) -> None:
    if request.param == "stand-in":
        request.getfixturevalue("stand_in")
    elif find_spec("optimum") is None or find_spec("nncf") is None:
        pytest.skip("optimum-intel is not installed")


def quiet(*step: object, **values: object) -> None:
    """Nobody listens."""


def written(folder: Path, sounds: Path | None = None) -> None:
    """Convert the small pair's target."""
    convert.convert(str(SMALL_PAIR), folder, sounds, folder.with_name(".room"), quiet, quiet)


def scores(load: Callable[..., Any], folder: Path) -> np.ndarray:
    """What a model makes of some features and tokens."""
    model = load(read(folder))
    tokens = np.random.default_rng(3).integers(0, 200, 20).tolist()
    found: np.ndarray = model.open(model.encode(features(read(folder).mel_bins))).run(tokens)
    return found


@pytest.mark.usefixtures("exporter")
def test_the_graphs_of_the_small_pair_score_as_its_weights_do(tmp_path: Path) -> None:
    folder = tmp_path / "graphs"
    written(folder)
    made, right = scores(openvino_folder.load, folder), scores(openvino.load, SMALL_PAIR)
    np.testing.assert_allclose(made, right, atol=2e-2)
    np.testing.assert_array_equal(made.argmax(1), right.argmax(1))
    assert (folder / "tokenizer.json").read_bytes() == (SMALL_PAIR / "tokenizer.json").read_bytes()
    assert read(folder).name == read(SMALL_PAIR).name


def test_the_exporter_is_told_to_stay_offline_and_to_run_no_code(stand_in: StandIn, tmp_path: Path) -> None:
    checkpoint = read(SMALL_PAIR)
    openvino_convert.export(checkpoint, tmp_path / "made")
    asked = stand_in.asked
    assert (asked["offline"], asked["trust_remote_code"], asked["stateful"]) == ("1", False, True)
    kinds = {checkpoint.tensors[name].kind for name in checkpoint.shape.tensors()}
    assert asked["ov_config"].dtype == ("fp16" if kinds == {"F16"} else "fp32")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no such task\nat line 7"), "no such task"),
        (RuntimeError(""), "no reason is given"),
        (ImportError("x" * 300), "x" * 200),
    ],
)
def test_what_the_exporter_cannot_do_is_said(stand_in: StandIn, tmp_path: Path, error: Exception, said: str) -> None:
    stand_in.fail = error
    with pytest.raises(Problem) as caught:
        written(tmp_path / "out" / "graphs")
    assert caught.value == Problem("model.not_converted", error=said)
    assert not list((tmp_path / "out").iterdir())


def test_a_calibrated_encoder_takes_the_place_of_the_exported_one(stand_in: StandIn, tmp_path: Path) -> None:
    sounds, folder = tmp_path / "sounds", tmp_path / "graphs"
    sounds.mkdir()
    (sounds / "00.flac").write_bytes((SOUNDS / "00.flac").read_bytes())
    written(folder, sounds)
    bins = read(SMALL_PAIR).mel_bins
    assert (stand_in.quantised["windows"], stand_in.quantised["subset_size"]) == ([(1, bins, 3000)], 1)
    assert stand_in.quantised["ignored_scope"].types == ["Convolution"]
    assert {file.name for file in folder.iterdir()} >= {*parts.GRAPHS}
    assert not list(folder.glob("new_*"))
    assert ov.Core().read_model(folder / parts.ENCODER).get_friendly_name() == "quantised"
    assert np.isfinite(scores(openvino_folder.load, folder)).all()
