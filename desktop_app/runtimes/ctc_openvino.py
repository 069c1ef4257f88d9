"""The CTC head of a draft on OpenVINO. It runs on the CPU whatever runs the models: a window takes a few
milliseconds there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import Model, Node
from openvino import opset13 as op

from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.checkpoints.shared_draft import JOINED, Ctc
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.runtimes import openvino_place
from desktop_app.runtimes.openvino_graphs import Weights
from desktop_app.runtimes.openvino_memory import constant, give, take

Array = npt.NDArray[np.float32]


class CtcHead:
    """The head of a draft, ready to run. The checkpoint must have one; what was compiled of it is kept in `cache`."""

    def __init__(self, checkpoint: Checkpoint, cache: Path | None) -> None:
        assert checkpoint.ctc is not None
        shape = checkpoint.shape
        model = graph(checkpoint.tensors, checkpoint.ctc, shape.audio_positions, shape.width)
        fast = openvino_place.has_bf16_units() or openvino_place.has_bf16_vectors()
        precision = "bf16" if fast else "f32"
        self._request = openvino_place.DeviceSettings("cpu", precision, cache, checkpoint.state).compiled(model, "ctc")
        checkpoint.tensors.release()

    def __call__(self, encoded: Array) -> tuple[npt.NDArray[np.int32], Array]:
        """What the frames of a window hold, and how likely a segment ends at each position of the encoder's output
        [positions, width]: `decoding.ctc.Frames`."""
        self._request.set_tensor("encoded", ov.Tensor(np.ascontiguousarray(encoded[None]), shared_memory=True))
        openvino_place.run(self._request)
        holds, ends = (np.array(self._request.get_tensor(each).data[0]) for each in ("holds", "ends"))
        return holds, ends


def graph(tensors: Tensors, ctc: Ctc, positions: int, width: int) -> Model:
    """encoded [1, positions, width] -> "holds" i32 [1, frames], "ends" [1, positions]."""
    weights = Weights(tensors)
    encoded = take([1, positions, width], ov.Type.f32, "encoded")
    frames = positions // JOINED
    joined = op.reshape(encoded, op.constant(np.array([1, frames, JOINED * width])), special_zero=False)
    x = weights.linear(joined, "ctc.start")
    for layer in range(ctc.layers):
        name = f"ctc.layers.{layer}"
        h = weights.norm(_convolved(x, tensors, f"{name}.conv", ctc), f"{name}.norm")
        x = op.add(x, weights.linear(op.gelu(weights.linear(h, f"{name}.fc1"), "erf"), f"{name}.fc2"))
    x = weights.norm(x, "ctc.norm")
    best = op.topk(weights.linear(x, "ctc.units"), op.constant(np.array(1)), -1, "max", "none").output(1)
    holds = op.reshape(best, op.constant(np.array([1, frames])), special_zero=False)
    ends = op.reshape(weights.linear(x, "ctc.times"), op.constant(np.array([1, positions])), special_zero=False)
    results = [give(holds, "holds"), give(op.sigmoid(ends), "ends")]
    return Model(results, [encoded], "ctc")


def _convolved(x: Node, tensors: Tensors, name: str, ctc: Ctc) -> Node:
    """A convolution over the frames of x [1, frames, width], each channel by itself."""
    turned = op.constant(np.array([0, 2, 1]))
    kernel = tensors[f"{name}.weight"].read()[:, None]
    edge = ctc.kernel // 2
    y = op.group_convolution(op.transpose(x, turned), constant(kernel), [1], [edge], [edge], [1])
    return op.transpose(op.add(y, constant(tensors[f"{name}.bias"].read()[None, :, None])), turned)
