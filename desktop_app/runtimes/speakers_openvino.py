"""The networks that tell voices apart, on OpenVINO: the starter's own, built from its tensors, and ONNX files, which
OpenVINO reads itself. All run on the CPU, where they take a hundredth of real time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import Model, Node, PartialShape, Type
from openvino import opset13 as op

from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.checkpoints.tensors import FETCH_AGAIN, Tensor, TensorFile

Array = npt.NDArray[np.float32]

ARCHITECTURE = "tdnn-se-asp"
LIMITS = {"alike", "doubt", "same", "least"}
"""What speakers.json has to say of the network's likeness (`speakers.networks.Limits`)."""
_FLOOR = 1e-6  # below a variance


@dataclass(frozen=True)
class Network:
    """A compiled network of one input and one output; calling it runs a batch."""

    compiled: ov.CompiledModel

    def __call__(self, given: Array) -> Array:
        return np.array(self.compiled(given, share_inputs=True)[0], np.float32)


def starter_settings(folder: Path) -> dict[str, Any]:
    """What speakers.json in the starter's folder says. Raises ModelProblem."""
    try:
        found: dict[str, Any] = json.loads((folder / "speakers.json").read_text(encoding="utf-8"))
        if found["architecture"] != ARCHITECTURE or set(found["clustering"]) != LIMITS:
            raise ModelProblem(
                "the starter's speaker network is of another kind", "install this version of Galley again"
            )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelProblem("the starter's speaker network is not there", "install Galley again") from error
    return found


def starter(folder: Path) -> Network:
    """The starter's network: filter banks [n, frames, 80] without their mean -> [n, dims] of length 1.

    A TDNN with squeeze-excitation and attentive statistics pooling (Desplanques et al., ECAPA-TDNN, 2020, made small);
    batch normalisation is folded into the convolutions. Raises ModelProblem.
    """
    settings = starter_settings(folder)
    try:
        file = TensorFile(folder / "speakers.safetensors")
        tensors = {name: Tensor(file, *entry).read() for name, entry in file.header.items()}
        graph = _graph(tensors, settings["dilations"], settings["stride"])
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        raise ModelProblem("the starter's speaker network is damaged", "install Galley again") from error
    return _compiled(graph)


def embedder(file: Path) -> Network:
    """An ONNX network that makes embeddings of filter banks [n, frames, bins], as WeSpeaker exports them."""
    return _compiled(_read(file, 3))


def segmenter(file: Path) -> Network:
    """An ONNX network that finds speakers in samples [n, 1, samples], as pyannote's segmentation is exported."""
    return _compiled(_read(file, 3))


def _read(file: Path, rank: int) -> Model:
    try:
        model = _core().read_model(file)
    except RuntimeError as error:
        raise ModelProblem(f"{file.name} in {file.parent.name} cannot be read", FETCH_AGAIN) from error
    if len(model.inputs) != 1 or model.inputs[0].get_partial_shape().rank != rank:
        raise ModelProblem(f"{file.name} in {file.parent.name} takes another input", "choose another network")
    return model


def _compiled(model: Model) -> Network:
    # One batch at a time and all cores for it; 32 bits, so that labels do not depend on the processor.
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    return Network(_core().compile_model(model, "CPU", settings))


@cache
def _core() -> ov.Core:
    return ov.Core()


def _graph(tensors: dict[str, Array], dilations: list[int], stride: int) -> Model:
    def convolution(x: Node, name: str, step: int = 1, dilation: int = 1) -> Node:
        weight = tensors[f"{name}.weight"]
        pad = [dilation * (weight.shape[2] // 2)]
        y = op.convolution(x, op.constant(weight), [step], pad, pad, [dilation])
        return op.add(y, op.constant(tensors[f"{name}.bias"][None, :, None]))

    def linear(x: Node, name: str) -> Node:
        y = op.matmul(x, op.constant(tensors[f"{name}.weight"]), transpose_a=False, transpose_b=True)
        return op.add(y, op.constant(tensors[f"{name}.bias"][None]))

    def over_time(reduce: Any, x: Node, *, keep: bool = False) -> Node:
        return reduce(x, op.constant(np.array([2])), keep)

    bins = tensors["stem.weight"].shape[1]
    given = op.parameter(PartialShape([-1, -1, bins]), Type.f32, "filterbanks")
    x = op.transpose(given, op.constant(np.array([0, 2, 1])))
    x = op.relu(convolution(x, "stem", stride))
    for number, dilation in enumerate(dilations):
        block = f"blocks.{number}"
        y = convolution(op.relu(convolution(x, f"{block}.wide", dilation=dilation)), f"{block}.narrow")
        gate = op.relu(linear(over_time(op.reduce_mean, y), f"{block}.squeeze"))
        gate = op.unsqueeze(op.sigmoid(linear(gate, f"{block}.open")), op.constant(np.array([2])))
        x = op.relu(op.add(x, op.multiply(y, gate)))
    x = op.relu(convolution(x, "last"))
    attention = op.softmax(convolution(op.tanh(convolution(x, "attend")), "choose"), 2)
    mean = over_time(op.reduce_sum, op.multiply(attention, x))
    square = over_time(op.reduce_sum, op.multiply(attention, op.multiply(x, x)))
    variance = op.subtract(square, op.multiply(mean, mean))
    deviation = op.sqrt(op.maximum(variance, op.constant(np.float32(_FLOOR))))
    vector = linear(op.concat([mean, deviation], 1), "embed")
    unit = op.normalize_l2(vector, op.constant(np.array([1])), 1e-12, "add")
    return Model([unit], [given], "speakers")
