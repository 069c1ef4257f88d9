"""The speaker networks on OpenVINO: the starter's is what its description says, ONNX files run as they come."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.runtimes import speakers_openvino as runtime

BINS, WIDTH, LAST, DIMS = 80, 8, 12, 16


def starter_folder(folder: Path) -> dict[str, np.ndarray]:
    """A starter network of random numbers, as the training exports it; gives its tensors."""
    rng = np.random.default_rng(3)
    shapes = {"stem": (WIDTH, BINS, 5), "last": (LAST, WIDTH, 1), "attend": (6, LAST, 1), "choose": (LAST, 6, 1)}
    shapes["embed"] = (DIMS, 2 * LAST)
    for block in ("blocks.0", "blocks.1"):
        shapes |= {f"{block}.wide": (WIDTH, WIDTH, 3), f"{block}.narrow": (WIDTH, WIDTH, 1)}
        shapes |= {f"{block}.squeeze": (4, WIDTH), f"{block}.open": (WIDTH, 4)}
    tensors = {}
    for name, shape in shapes.items():
        tensors[f"{name}.weight"] = (rng.standard_normal(shape) * 0.2).astype(np.float16)
        tensors[f"{name}.bias"] = (rng.standard_normal(shape[0]) * 0.1).astype(np.float16)
    save_file(tensors, folder / "speakers.safetensors")
    settings = {"format": 1, "architecture": runtime.ARCHITECTURE, "dilations": [1, 3], "stride": 2}
    settings["clustering"] = {"alike": 0.4, "doubt": 1.0, "same": 0.8, "least": 0.6}
    (folder / "speakers.json").write_text(json.dumps(settings))
    return {name: tensor.astype(np.float32) for name, tensor in tensors.items()}


def convolved(x, tensors, name, stride=1, dilation=1):
    """A convolution of [channels, time] with zeros around it, by the book."""
    weight, bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    reach = dilation * (weight.shape[2] // 2)
    padded = np.pad(x, [(0, 0), (reach, reach)])
    count = (padded.shape[1] - dilation * (weight.shape[2] - 1) - 1) // stride + 1
    taps = [
        weight[:, :, tap] @ padded[:, tap * dilation :][:, : stride * count : stride] for tap in range(weight.shape[2])
    ]
    return sum(taps) + bias[:, None]


def by_hand(banks, tensors):
    """The network as models/training describes it, for one piece [frames, bins]."""
    x = np.maximum(convolved(banks.T, tensors, "stem", stride=2), 0)
    for block, dilation in (("blocks.0", 1), ("blocks.1", 3)):
        y = convolved(
            np.maximum(convolved(x, tensors, f"{block}.wide", dilation=dilation), 0), tensors, f"{block}.narrow"
        )
        gate = np.maximum(tensors[f"{block}.squeeze.weight"] @ y.mean(1) + tensors[f"{block}.squeeze.bias"], 0)
        gate = 1 / (1 + np.exp(-(tensors[f"{block}.open.weight"] @ gate + tensors[f"{block}.open.bias"])))
        x = np.maximum(x + y * gate[:, None], 0)
    x = np.maximum(convolved(x, tensors, "last"), 0)
    attention = np.exp(convolved(np.tanh(convolved(x, tensors, "attend")), tensors, "choose"))
    attention /= attention.sum(1, keepdims=True)
    mean = (attention * x).sum(1)
    deviation = np.sqrt(np.maximum((attention * x * x).sum(1) - mean**2, 1e-6))
    vector = tensors["embed.weight"] @ np.concatenate([mean, deviation]) + tensors["embed.bias"]
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("frames", [150, 33])
def test_the_starters_network_is_what_its_description_says(tmp_path: Path, frames: int) -> None:
    tensors = starter_folder(tmp_path)
    banks = np.random.default_rng(0).standard_normal((3, frames, BINS)).astype(np.float32)
    expected = np.stack([by_hand(each, tensors) for each in banks])
    assert np.allclose(runtime.starter(tmp_path)(banks), expected, atol=1e-4)


def test_what_is_missing_or_damaged_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelProblem, match="not there"):
        runtime.starter(tmp_path)
    starter_folder(tmp_path)
    (tmp_path / "speakers.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ModelProblem):
        runtime.starter(tmp_path)
    (tmp_path / "speakers.json").write_text('{"architecture": "other"}')
    with pytest.raises(ModelProblem, match="another kind"):
        runtime.starter(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no network")
    with pytest.raises(ModelProblem, match="cannot be read"):
        runtime.embedder(tmp_path / "model.onnx")


def written(path: Path, nodes, inputs, outputs, constants) -> Path:
    graph = helper.make_graph(
        nodes, "tiny", inputs, outputs, [numpy_helper.from_array(v, k) for k, v in constants.items()]
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def tiny_segmenter(path: Path) -> Path:
    """Of pyannote segmentation-3.0's shapes: [n, 1, samples] -> [n, frames, 7]; loud is class 1, quiet is class 0."""
    scores = np.zeros((1, 7), np.float32)
    scores[0, 1] = 1.0
    nodes = [
        helper.make_node("Abs", ["x"], ["loud"]),
        helper.make_node("MaxPool", ["loud"], ["peaks"], kernel_shape=[270], strides=[270]),
        helper.make_node("Transpose", ["peaks"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("Sub", ["turned", "threshold"], ["above"]),
        helper.make_node("MatMul", ["above", "scores"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, "samples"])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", "frames", 7])
    return written(path, nodes, [given], [made], {"threshold": np.float32([0.05]), "scores": scores})


def tiny_embedder(path: Path) -> Path:
    """Of WeSpeaker's shapes: [n, frames, 80] -> [n, 256]."""
    matrix = np.random.default_rng(0).standard_normal((80, 256)).astype(np.float32)
    nodes = [
        helper.make_node("Mul", ["feats", "feats"], ["power"]),
        helper.make_node("ReduceMean", ["power"], ["spread"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["spread", "matrix"], ["embs"]),
    ]
    given = helper.make_tensor_value_info("feats", TensorProto.FLOAT, ["n", "frames", 80])
    made = helper.make_tensor_value_info("embs", TensorProto.FLOAT, ["n", 256])
    return written(path, nodes, [given], [made], {"matrix": matrix})


def test_onnx_networks_of_the_catalogues_shapes_run(tmp_path: Path) -> None:
    segment = runtime.segmenter(tiny_segmenter(tmp_path / "segmentation.onnx"))
    scores = segment(np.full((1, 1, 160_000), 0.5, np.float32))
    assert scores.shape == (1, 592, 7) and scores.argmax(-1).min() == 1
    embed = runtime.embedder(tiny_embedder(tmp_path / "embedding.onnx"))
    assert embed(np.ones((4, 150, 80), np.float32)).shape == (4, 256)


def test_an_onnx_network_of_another_shape_is_refused(tmp_path: Path) -> None:
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 80])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 80])
    path = written(tmp_path / "flat.onnx", [helper.make_node("Abs", ["x"], ["y"])], [given], [made], {})
    with pytest.raises(ModelProblem, match="another input"):
        runtime.embedder(path)
