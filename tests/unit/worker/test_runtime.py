"""A model runs where it was asked to run, or one sentence says why it cannot and where it could."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

import desktop_app.runtimes
from desktop_app.checkpoints.folder import read
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino
from desktop_app.runtimes import torch as torch_runtime
from desktop_app.worker import questions, runtime
from desktop_app.worker.loaded_models import ModelCache
from tests.random_models import toy


@pytest.fixture(autouse=True)
def no_devices_but(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer with a processor and an Intel GPU, and no CUDA device."""
    monkeypatch.setattr(openvino, "devices", lambda: [("CPU", "A processor"), ("GPU", "A card")])
    monkeypatch.setattr(torch_runtime, "devices", list)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = toy(tmp_path_factory.mktemp("models") / "target")
    toy(made / "draft")
    return made


def refusal(folder: Path) -> Problem:
    with pytest.raises(Problem) as caught:
        ModelCache().pair(Options(str(folder), device="cuda"), lambda stage, **values: None)
    return caught.value


def test_without_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "desktop_app.runtimes.torch")
    monkeypatch.delattr(desktop_app.runtimes, "torch")
    message = refusal(folder)
    assert message == Problem("model.no_torch")


def test_without_a_device(folder: Path) -> None:
    message = refusal(folder)
    assert message == torch_runtime.absence()
    assert message.values["version"].startswith("2")


@pytest.mark.parametrize("wanted", ["cuda", "hpu", "xpu:1"])
def test_cuda_and_its_like_are_pytorchs(wanted: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Target and draft with it; the CPU stands in for the card."""

    def load(checkpoint: object, device: str, precision: str, *, encoder: object) -> torch_runtime.TorchModel:
        assert (device, precision) == (wanted, "auto")
        return original(checkpoint, "cpu", "bf16", encoder=encoder)

    original, threads = torch_runtime.load, torch.get_num_threads()
    torch.set_num_threads(1)  # a toy has no work for a second one, and would wait for it
    monkeypatch.setattr(torch_runtime, "devices", lambda: [("CUDA", "A card")])
    monkeypatch.setattr(torch_runtime, "load", load)
    pair = ModelCache().pair(Options(str(folder), device=wanted), lambda stage, **values: None)
    assert pair.draft is not None and pair.draft.shares_encoder
    loaded = (*pair.target.ready.rows, *pair.draft.ready.rows)
    assert all(isinstance(each, torch_runtime.TorchModel) for each in loaded)
    assert pair.described().precision == "bf16"
    torch.set_num_threads(threads)


def test_everything_else_is_openvinos(folder: Path) -> None:
    assert isinstance(runtime.load(read(folder), "auto", "auto", None, None), openvino.OpenVinoModel)


def test_what_pytorch_finds_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert questions.cuda_devices() == ([], torch_runtime.absence())
    monkeypatch.setattr(torch_runtime, "devices", lambda: [("CUDA", "A card")])
    assert questions.cuda_devices() == ([("CUDA", "A card")], None)
    monkeypatch.setattr(questions.importlib.util, "find_spec", lambda name: None)
    assert questions.cuda_devices() == ([], None)


def test_a_draft_runs_in_int8_on_the_cpu_whatever_its_target_does(folder: Path) -> None:
    """No word depends on it, and it is most of what makes a draft cheap; a target keeps the precision asked for."""
    checkpoint = read(folder)
    assert runtime.load(checkpoint, "cpu", "f32", None, None, drafts=True).precision.startswith("int8")
    assert runtime.load(checkpoint, "cpu", "f32", None, None).precision == "f32"
