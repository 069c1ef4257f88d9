"""The speaker networks on OpenVINO: ONNX files of the exports' shapes run as they come, the others are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from desktop_app.problems import Problem
from desktop_app.runtimes import speakers_openvino as runtime

BINS, WIDTH, DIMS = 80, 4, 16


def written(path: Path, nodes, inputs, outputs, constants) -> Path:
    graph = helper.make_graph(
        nodes, "tiny", inputs, outputs, [numpy_helper.from_array(v, k) for k, v in constants.items()]
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def tiny_segmenter(path: Path) -> Path:
    """Of pyannote segmentation-3.0's shapes: [n, 1, samples] -> [n, 589, 7]; loud is class 1, quiet is class 0. Like
    the export, it asks by an If how many dimensions its input has, in branches that differ in rank.
    """
    scores = np.zeros((1, 7), np.float32)
    scores[0, 1] = 100.0
    squeezed = helper.make_graph(
        [helper.make_node("Squeeze", ["loud", "one"], ["flat"])],
        "squeezed",
        [],
        [helper.make_tensor_value_info("flat", TensorProto.FLOAT, None)],
    )
    same = helper.make_graph(
        [helper.make_node("Identity", ["loud"], ["kept"])],
        "same",
        [],
        [helper.make_tensor_value_info("kept", TensorProto.FLOAT, None)],
    )
    nodes = [
        helper.make_node("Abs", ["x"], ["loud"]),
        helper.make_node("Shape", ["loud"], ["shape"]),
        helper.make_node("Gather", ["shape", "first"], ["channels"], axis=0),
        helper.make_node("Equal", ["channels", "first"], ["mono"]),
        helper.make_node("If", ["mono"], ["either"], then_branch=squeezed, else_branch=same),
        helper.make_node("Reshape", ["either", "back"], ["sound"]),
        helper.make_node("MaxPool", ["sound"], ["peaks"], kernel_shape=[991], strides=[270]),
        helper.make_node("Transpose", ["peaks"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("Sub", ["turned", "threshold"], ["above"]),
        helper.make_node("MatMul", ["above", "scores"], ["likely"]),
        helper.make_node("Add", ["likely", "unlikely"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "channels", "samples"])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", "frames", 7])
    constants = {
        "threshold": np.float32([0.05]),
        "scores": scores,
        "unlikely": np.float32([0, 0, -99, -99, -99, -99, -99]),
        "first": np.array(1),
        "one": np.array([1]),
        "back": np.array([1, 1, -1]),
    }
    return written(path, nodes, [given], [made], constants)


def tiny_embedder(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Of WeSpeaker's ResNets' shapes: [n, frames, 80] -> [n, 16] by an eighth of the frames, statistics and a matrix;
    gives the weights of its convolution and the matrix.
    """
    rng = np.random.default_rng(0)
    kernel = (rng.standard_normal((WIDTH, 1, 8, 8)) * 0.1).astype(np.float32)
    matrix = rng.standard_normal((2 * WIDTH * BINS // 8, DIMS)).astype(np.float32)
    nodes = [
        helper.make_node("Transpose", ["feats"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("Unsqueeze", ["turned", "channel"], ["image"]),
        helper.make_node("Conv", ["image", "kernel"], ["convolved"], strides=[8, 8]),
        helper.make_node("Relu", ["convolved"], ["maps"]),
        helper.make_node("ReduceMean", ["maps"], ["mean"], axes=[-1], keepdims=0),
        helper.make_node("ReduceMean", ["maps"], ["centre"], axes=[-1], keepdims=1),
        helper.make_node("Sub", ["maps", "centre"], ["off"]),
        helper.make_node("Mul", ["off", "off"], ["squares"]),
        helper.make_node("ReduceMean", ["squares"], ["variance"], axes=[-1], keepdims=0),
        helper.make_node("Sqrt", ["variance"], ["deviation"]),
        helper.make_node("Flatten", ["mean"], ["flat_mean"], axis=1),
        helper.make_node("Flatten", ["deviation"], ["flat_deviation"], axis=1),
        helper.make_node("Concat", ["flat_mean", "flat_deviation"], ["statistics"], axis=1),
        helper.make_node("MatMul", ["statistics", "matrix"], ["embs"]),
    ]
    given = helper.make_tensor_value_info("feats", TensorProto.FLOAT, ["n", "frames", BINS])
    made = helper.make_tensor_value_info("embs", TensorProto.FLOAT, ["n", DIMS])
    constants = {"channel": np.array([1]), "kernel": kernel, "matrix": matrix}
    written(path, nodes, [given], [made], constants)
    return kernel, matrix


def test_a_segmentation_whose_rank_is_open_runs(tmp_path: Path) -> None:
    segment = runtime.segmenter(tiny_segmenter(tmp_path / "segmentation.onnx"))
    scores = segment(np.full((1, 1, 160_000), 0.5, np.float32))
    assert scores.shape == (1, 589, 7) and scores.argmax(-1).min() == 1


def test_the_halves_of_an_embedding_network_are_the_whole(tmp_path: Path) -> None:
    """Features, their mean and deviation, and the second half give what the file as it is gives."""
    file = tmp_path / "embedding.onnx"
    tiny_embedder(file)
    features, embed = runtime.embedder(file)
    banks = np.random.default_rng(1).standard_normal((1, 160, BINS)).astype(np.float32)
    found = features(banks)
    assert found.shape == (1, 20, WIDTH * BINS // 8)
    whole = runtime._compiled(runtime._read(file, 3))(banks)
    assert np.allclose(embed(np.concatenate([found.mean(1), found.std(1)], 1)), whole, atol=1e-4)
    assert np.ptp(whole) > 0


def test_what_is_no_network_or_another_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no network")
    with pytest.raises(Problem, match="damaged"):
        runtime.embedder(tmp_path / "model.onnx")
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 80])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 80])
    path = written(tmp_path / "flat.onnx", [helper.make_node("Abs", ["x"], ["y"])], [given], [made], {})
    for read in (runtime.embedder, runtime.segmenter):
        with pytest.raises(Problem, match="damaged"):
            read(path)
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "t", 80])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", "t", 80])
    path = written(tmp_path / "plain.onnx", [helper.make_node("Abs", ["x"], ["y"])], [given], [made], {})
    with pytest.raises(Problem, match="damaged"):
        runtime.embedder(path)


def test_a_segmentation_that_cannot_take_the_window_is_refused(tmp_path: Path) -> None:
    """It reads, and has the dimensions: what does not fit shows only when it gets the window's shape."""
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "channels", "samples"])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", "channels", 7])
    constants = {"matrix": np.zeros((16, 7), np.float32)}
    nodes = [helper.make_node("MatMul", ["x", "matrix"], ["y"])]
    path = written(tmp_path / "narrow.onnx", nodes, [given], [made], constants)
    with pytest.raises(Problem, match="damaged"):
        runtime.segmenter(path)
