"""The devices of OpenVINO: what they can compute in, and a graph made ready on one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as op

from desktop_app.checkpoints import quantised
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_cache

AUTO = "CPU"
"""What the device "auto" is: the only one on which everything was tried, see docs/devices.md."""

QUICK = ("CPU",)
"""The devices that compile a model within seconds. Others may take minutes the first time, which is said then."""

BITS = {"int8": 8, "int4": 4}
"""The precisions that are of the weights only."""

ACTIVATION_GROUP = 32
"""Activations that share a scale where the CPU rounds those behind weights of 8 or 4 bits. Groups of 32 make int8 fast,
and its sums the same in every pass."""

_CAPABILITY = {"f32": "FP32", "bf16": "BF16", "f16": "FP16"}
_KINDS = {"bf16": ov.Type.bf16, "f16": ov.Type.f16}

# How far margins of passes of one and of many tokens may differ where passes differ at all. In f32 they do: on the CPU
# by up to 0.0013 for base on random tokens, 0.0036 with weights of 8 bits, 0.0001 on speech (benchmarks/figures).
# The others are the least for a device on which the trial finds a difference: int8 was seen to differ by 0.19, bf16 by
# 0.2 before the passes were made steady; times RESERVE.
EPSILON = {"f32": 1e-2, "bf16": 0.5, "f16": 0.1, "int8": 0.5, "int4": 0.5}
RESERVE = 2.5
"""How much larger than the largest difference that a device's trial finds epsilon is there: the trial is one text."""


def devices() -> list[tuple[str, str]]:
    """The devices that OpenVINO has here: ("CPU", its full name) and so on."""
    return [(device, str(core().get_property(device, "FULL_DEVICE_NAME"))) for device in core().available_devices]


def described(compiled: ov.CompiledModel, device: str) -> list[str]:
    """What the last bits of a compiled model's numbers may depend on: device, driver and threads, as far as told."""
    about = [key for key in core().get_property(device, "SUPPORTED_PROPERTIES") if key.endswith("DRIVER_VERSION")]
    threads = [key for key in compiled.get_property("SUPPORTED_PROPERTIES") if key == "INFERENCE_NUM_THREADS"]
    return [
        *(f"{key} {core().get_property(device, key)}" for key in ("FULL_DEVICE_NAME", *about)),
        *(f"{key} {compiled.get_property(key)}" for key in threads),
    ]


def precisions(device: str) -> list[str]:
    """The precisions that a device computes in by itself, and those that are of the weights only."""
    able = core().get_property(device, "OPTIMIZATION_CAPABILITIES")
    return [*(each for each, capability in _CAPABILITY.items() if capability in able), *BITS]


def is_cpu(device: str) -> bool:
    """Whether a device, as it is asked for, is the CPU."""
    return _device(device) == "CPU"


Preparing = Callable[[str], object]
"""Called with a device ("GPU") before a model is compiled for it for the first time."""


class DeviceSettings:
    """A device with the settings of a precision; `name` and `kind` are what is in use, `precision` names the kind in
    full.

    With `between` the numbers between products of bytes are of that precision, instead of f32 on the CPU. `model` tells
    one model, as it lies on the disk, from others. Where a part of it was not compiled for this device before,
    `preparing` is called once, and `prepares` is true from then on.
    """

    def __init__(
        self,
        device: str,
        precision: str,
        cache: Path | None,
        model: Sequence[str] = (),
        preparing: Preparing = lambda device: None,
        between: str = "",
    ) -> None:
        self.name = _device(device)
        plain = "f32" if self.name == "CPU" else "f16"
        self.kind = plain if precision == "auto" else precision
        if self.kind not in EPSILON:
            raise Problem("model.precision", precision=precision, precisions=", ".join(EPSILON))
        if self.kind not in (able := precisions(self.name)):
            raise Problem("model.precision", precision=precision, precisions=", ".join(able))
        self.precision = f"{self.kind} and {between}" if between else self.kind
        hint = between or (plain if self.kind in BITS else self.kind)
        self.numbers = _KINDS.get(hint, ov.Type.f32)
        # Without these OpenVINO's own choice on x86 is a cache of 8 bits and, behind int8 weights, activations of 8
        # bits in large groups.
        wanted = {
            "INFERENCE_PRECISION_HINT": hint,
            "KV_CACHE_PRECISION": hint,
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(ACTIVATION_GROUP) if self.kind in BITS else "0",
        }
        known = set(core().get_property(self.name, "SUPPORTED_PROPERTIES"))
        self._settings = {"PERFORMANCE_HINT": "LATENCY"} | {key: each for key, each in wanted.items() if key in known}
        self._folder, self._model, self._preparing, self.prepares = cache, model, preparing, False
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)

    def compiled(
        self, model: ov.Model, part: str = "", more: Mapping[str, str] | None = None, *, kept: bool = True
    ) -> ov.InferRequest:
        """A graph ready to run, `part` of the model, with `more` settings, and `kept` in the cache; Problem where the
        device refuses it."""
        settings = self._settings | dict(more or {})
        cache = self._folder if kept else None
        # OpenVINO's cache tells models apart, but not the precisions and kernels that they were compiled for: what was
        # compiled for f32 and is run in bf16 reads behind the end of its memory (OpenVINO 2026.4.1 with AMX).
        model.set_rt_info(json.dumps(settings), "compiled_for")
        with openvino_cache.exclusive(cache, openvino_cache.PATIENCE) as has_cache:
            folder = self._folder_of(cache, part, settings) if cache is not None and has_cache else None
            if folder is not None and not openvino_cache.prepare(folder):
                folder = None
            is_compiled = folder is not None and openvino_cache.has_compiled(folder)
            if cache is not None and not is_compiled and self.name not in QUICK and not self.prepares:
                self.prepares = True
                self._preparing(self.name.partition(".")[0])
            try:
                place = {} if folder is None else {"CACHE_DIR": str(folder)}
                compiled = core().compile_model(model, self.name, settings | place)
                request = compiled.create_infer_request()
            except RuntimeError as error:
                raise Problem("model.device_refused", device=self.name, error=_clause(error)) from error
            if folder is not None and not _is_from_cache(compiled):
                openvino_cache.record(folder)
        return request

    def _folder_of(self, cache: Path, part: str, settings: dict[str, str]) -> Path:
        """The folder of what is compiled of this part for this device."""
        versions = [key for key in core().get_property(self.name, "SUPPORTED_PROPERTIES") if "DRIVER_VERSION" in key]
        device = [str(core().get_property(self.name, key)) for key in ("FULL_DEVICE_NAME", *versions)]
        return cache / quantised.named([*self._model, part, json.dumps(settings), self.name, *device, ov.__version__])


def _is_from_cache(compiled: ov.CompiledModel) -> bool:
    try:
        return bool(compiled.get_property("LOADED_FROM_CACHE"))
    except RuntimeError:  # a device that does not know of it
        return False


def _clause(error: RuntimeError) -> str:
    """The end of what OpenVINO says about an error, where the reason stands."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no reason is given"


def has_bf16_units() -> bool:
    """Whether the CPU has units for products of bf16 (Intel's AMX): there a large product takes less time in bf16 than
    in bytes."""
    return "amx" in _bf16_product()


def has_bf16_vectors() -> bool:
    """Whether the CPU has no such units, but vectors that multiply bf16 faster than f32, as AMD's do from Zen 4 on. Of
    Intel's, the few that compute in bf16 without AMX gain nothing (benchmarks/history/2026-11.md)."""
    return "avx512_bf16" in _bf16_product() and "AMD" in core().get_property("CPU", "FULL_DEVICE_NAME")


@lru_cache(maxsize=1)
def _bf16_product() -> str:
    """What OpenVINO would execute for a product in bf16, as it names it: the same each time."""
    x = op.parameter([16, 64], ov.Type.f32)
    product = op.matmul(x, op.constant(np.ones((64, 64), np.float32)), transpose_a=False, transpose_b=False)
    model = ov.Model([op.result(product)], [x], "product")
    steps = core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "bf16"}).get_runtime_model().get_ops()
    return " ".join(str(step.get_rt_info()["primitiveType"].astype(str)) for step in steps)


@lru_cache(maxsize=1)
def core() -> ov.Core:
    """OpenVINO itself, which takes a moment to start."""
    return ov.Core()


def _device(wanted: str) -> str:
    """OpenVINO's name of the device; Problem if it is not there."""
    name = AUTO if wanted == "auto" else wanted.upper()
    present = core().available_devices
    if not present:  # not even the CPU: what runs it cannot be loaded
        try:
            core().get_property(AUTO, "FULL_DEVICE_NAME")
        except RuntimeError as error:
            raise ImportError(_clause(error)) from error
    if not any(each == name or each.startswith(f"{name}.") for each in present):
        raise Problem("model.no_device", device=name, devices=", ".join(present).lower())
    return name


def run(request: ov.InferRequest) -> None:
    """One inference; Problem where the device fails.

    Unlike `infer` it does not copy every output into a dictionary of arrays.
    """
    try:
        request.start_async()
        request.wait()
    except RuntimeError as error:
        device = ", ".join(request.get_compiled_model().get_property("EXECUTION_DEVICES"))
        raise Problem("model.device_failed", device=device, error=_clause(error)) from error
