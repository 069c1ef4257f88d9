"""What is written behind --device, and what is said of the devices in use."""

from __future__ import annotations

import pytest

from desktop_app.messages.devices import Devices, described, parse
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.worker.loaded_models import ModelCache
from tests.random_models import toy


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("auto", Devices()),
        ("GPU", Devices("gpu", "gpu", "gpu")),
        ("gpu.1", Devices("gpu.1", "gpu.1", "gpu.1")),
        ("gpu:1", Devices("gpu.1", "gpu.1", "gpu.1")),
        ("gpu.0", Devices("gpu", "gpu", "gpu")),
        ("cuda:0", Devices("cuda", "cuda", "cuda")),
        ("cuda.12", Devices("cuda:12", "cuda:12", "cuda:12")),
        ("hpu", Devices("hpu", "hpu", "hpu")),
        ("XPU.1", Devices("xpu:1", "xpu:1", "xpu:1")),
        ("encoder=npu,target=gpu,draft=cpu", Devices("npu", "gpu", "cpu")),
        ("draft = cpu", Devices("auto", "auto", "cpu")),
        ("encoder=cuda,target=cuda,draft=cpu", Devices("cuda", "cuda", "cpu")),
    ],
)
def test_devices(text: str, devices: Devices) -> None:
    assert parse(text) == devices


@pytest.mark.parametrize(
    "text",
    [
        "tpu",
        "",
        "target=tpu",
        "target=cpu,target=gpu",
        "head=cpu",
        "target=cuda",
        "target=hpu",
        "cpu,gpu",
        "cpu.1",
        "gpus",
        "gpu.",
    ],
)
def test_no_devices(text: str) -> None:
    with pytest.raises(ValueError, match=r"; (use|choose) ") as caught:
        parse(text)
    assert len(str(caught.value)) < 120


def test_one_name_for_one_device() -> None:
    assert described("CPU", "CPU", "CPU") == described("CPU", "CPU", None) == "CPU"
    assert described("NPU", "GPU", "CPU") == "encoder NPU, target GPU, draft CPU"
    assert described("NPU", "GPU", None) == "encoder NPU, target GPU"


def test_the_device_in_use_is_named(tmp_path: object) -> None:
    folder = toy(tmp_path / "target")  # type: ignore[operator]
    toy(folder / "draft")
    model_cache, message = ModelCache(), list[str]()

    def announce(stage: str, **values: str) -> None:
        message.append(stage)

    pair = model_cache.pair(Options(str(folder), device="encoder=cpu,target=cpu,draft=cpu"), announce)
    assert pair.described().device == "CPU"
    assert message == ["loading", "loading_draft"]
    pair.target.model.encoder_device = "NPU"
    assert pair.described().device == "encoder NPU, target CPU, draft CPU"
    with pytest.raises(Problem, match="no_device device='NPU'"):
        model_cache.pair(Options(str(folder), device="encoder=npu,target=cpu"), announce)
    with pytest.raises(Problem, match="devices='tpu'"):
        model_cache.pair(Options(str(folder), device="tpu"), announce)
