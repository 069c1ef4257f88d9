"""The networks that tell voices apart, ONNX files, on OpenVINO. Both run on the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import Model, Node, Output
from openvino import opset13 as op

from desktop_app.problems import Problem

Array = npt.NDArray[np.float32]

WINDOW = [1, 1, 160_000]
"""What the segmentation network is given: one channel of ten seconds at 16 kHz."""


@dataclass(frozen=True)
class Network:
    """A compiled network of one input and one output; calling it runs a batch."""

    compiled: ov.CompiledModel

    def __call__(self, given: Array) -> Array:
        return np.array(self.compiled(given, share_inputs=True)[0], np.float32)


def segmenter(file: Path) -> Network:
    """The network that finds speakers in samples [1, 1, 160000], as pyannote's segmentation is exported: scores
    [1, frames, 7]. Raises Problem.

    Its input gets that one shape: the export has an `If` whose branches differ in rank, and OpenVINO cannot compile it
    before the shape has settled which of them is taken.
    """
    model = _read(file, 3)
    try:
        model.reshape({model.inputs[0]: WINDOW})
        return _compiled(model)
    except RuntimeError as error:
        raise _other(file) from error


def embedder(file: Path) -> tuple[Network, Network]:
    """The two halves of a network that makes embeddings, as WeSpeaker exports its ResNets: up to the statistics pooling
    (filter banks [n, frames, bins] -> features [n, frames / 8, dims]), and from there on ([n, 2 dims], means and then
    standard deviations, -> [n, size]). Raises Problem.
    """
    model = _read(file, 3)
    statistics = next((node for node in reversed(model.get_ordered_ops()) if _joins_statistics(node)), None)
    if statistics is None:
        raise _other(file)
    maps = _before_pooling(statistics)
    turned = op.transpose(maps, op.constant(np.array([0, 3, 1, 2])))
    features = op.reshape(turned, op.constant(np.array([0, 0, -1])), special_zero=True)
    given = op.parameter([-1, statistics.output(0).get_partial_shape()[1].get_length()], ov.Type.f32)
    result = model.outputs[0].get_node().input_value(0)
    first = Model([features], model.get_parameters(), "features")
    for consumer in statistics.output(0).get_target_inputs():
        consumer.replace_source_output(given.output(0))
    return _compiled(first), _compiled(Model([result], [given], "embedding"))


def _joins_statistics(node: Node) -> bool:
    """Whether this is where the means and the standard deviations over time come together."""
    shape = node.output(0).get_partial_shape()
    return node.get_type_name() == "Concat" and shape.rank == 2 and shape[0].is_dynamic and node.get_input_size() == 2


def _before_pooling(node: Node) -> Output:
    """The feature maps [n, channels, bins, frames] whose mean is the first half of the statistics."""
    at = node.input_value(0)
    while at.get_partial_shape().rank != 4:
        at = at.get_node().input_value(0)
    return at


def _read(file: Path, rank: int) -> Model:
    try:
        model = _core().read_model(file)
    except RuntimeError as error:
        raise _other(file) from error
    if len(model.inputs) != 1 or model.inputs[0].get_partial_shape().rank != rank:
        raise _other(file)
    return model


def _other(file: Path) -> Problem:
    return Problem("model.damaged", file=f"{file.parent.name}/{file.name}")


def _compiled(model: Model) -> Network:
    # One batch at a time and all cores for it; 32 bits, so that labels do not depend on the processor.
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    return Network(_core().compile_model(model, "CPU", settings))


@cache
def _core() -> ov.Core:
    return ov.Core()
