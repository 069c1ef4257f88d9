"""Whisper folders that hold OpenVINO's own graphs, as optimum-intel writes them: run as they are, without torch.

Their decoder puts a token at the end of its KV cache, even where it has an input for the position, so rejected tokens
must be removed: a rewind copies the cache off the device, trims it and copies it back, in the next pass. The
cross-attention's keys and values of the window stay. Run and measured on the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov
from openvino import opset13 as op

from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.problems import Problem
from desktop_app.runtimes.openvino_place import EPSILON, DeviceSettings, Preparing, core, run
from desktop_app.runtimes.reading import Reading

Array = npt.NDArray[np.float32]

_QUANTISED = {ov.Type.i8: "int8", ov.Type.u8: "int8", ov.Type.i4: "int4", ov.Type.u4: "int4"}


def load(
    checkpoint: Checkpoint,
    device: str = "cpu",
    precision: str = "auto",
    *,
    encoder_device: str = "",
    cache: Path | None = None,
    preparing: Preparing = lambda device: None,
) -> FolderModel:
    """The graphs of a checkpoint made ready to run, computed in f32 with the numbers that they hold.

    `device`, `encoder_device`, `cache` and `preparing` are those of `openvino.load`. Problem where the device
    cannot run them or they are not what config.json says.
    """
    assert checkpoint.ir is not None
    if precision not in ("auto", "f32"):
        raise Problem("model.openvino_precision", model=checkpoint.name, precision=precision)
    place = DeviceSettings(device, "f32", cache, checkpoint.state, preparing)
    encoder_place = place
    if encoder_device not in ("", device):
        encoder_place = DeviceSettings(encoder_device, "f32", cache, checkpoint.state, preparing)
    if "NPU" in place.name + encoder_place.name:
        raise Problem("model.npu_shapes", model=checkpoint.name)
    return FolderModel(checkpoint, place, encoder_place)


class FolderModel:
    """A model that is ready to run: `decoding.protocol.Model`. One cursor is open at a time."""

    rewinds_freely = False
    threads = window_bytes = 0
    pass_width = 1

    def __init__(self, checkpoint: Checkpoint, place: DeviceSettings, encoder_place: DeviceSettings) -> None:
        assert checkpoint.ir is not None
        shape = checkpoint.shape
        self.mel_bins, self.positions = shape.mel_bins, shape.text_positions
        self.device, self.encoder_device = place.name, encoder_place.name
        self._checkpoint, self._place, self._ir = checkpoint, place, checkpoint.ir
        encoder, decoder = _graph(self._ir.encoder), _graph(self._ir.decoder)
        # Where activations are quantised, a difference in the last bit can move a number by a whole step.
        self.epsilon = EPSILON["int8" if _rounds(decoder) else "f32"]
        kinds = [_numbers(graph) for graph in (decoder, encoder)]
        self.precision = kinds[0] if kinds[0] == kinds[1] else f"{kinds[0]}, encoder {kinds[1]}"
        self.weights = kinds[0]
        try:
            encoder.reshape({"input_features": [1, shape.mel_bins, 2 * shape.audio_positions]})
        except RuntimeError as error:
            raise Problem("model.graph", file=self._ir.encoder.name, detail="input_features") from error
        self._encoder = encoder_place.compiled(encoder, "encoder")
        sides = self._encoder.model_outputs[0].partial_shape
        if not sides.compatible(ov.PartialShape([1, shape.audio_positions, shape.width])):
            raise Problem("model.graph", file=self._ir.encoder.name, detail="last_hidden_state")
        self._decoder = place.compiled(decoder, "decoder")
        self._grow = self._try()

    def _try(self) -> dict[str, int]:
        """The states that hold the KV cache of the text, and the axis along which each grows: found in two passes. All
        other states belong to the window."""
        shape, decoder = self._checkpoint.shape, self._decoder
        silence = np.zeros((1, shape.audio_positions, shape.width), np.float32)
        _set_window(decoder, silence)
        before: dict[str, Any] = {}
        grow = {}
        for length, count in ((0, 2), (2, 3)):
            try:
                scores = _scores(decoder, [0] * count, length)
            except RuntimeError as error:  # Problem is none
                raise Problem(
                    "model.graph", file=self._ir.decoder.name, detail=str(error).strip().splitlines()[-1][:200]
                ) from error
            if scores.shape != (count, shape.vocabulary):
                raise Problem("model.graph", file=self._ir.decoder.name, detail="logits")
            sides = {state.name: list(state.state.get_shape()) for state in decoder.query_state()}
            for name, each in sides.items():
                if name in before and each != before[name]:
                    grow[name] = next(axis for axis, side in enumerate(each) if side != before[name][axis])
                    if each[grow[name]] != 5:
                        raise Problem("model.graph", file=self._ir.decoder.name, detail="KV cache")
            before = sides
        if not grow:
            raise Problem("model.graph", file=self._ir.decoder.name, detail="not stateful")
        return grow

    def encode(self, features: Array) -> Array:
        """The encoder's output [1, positions, width] for one window of features [bins, frames]."""
        self._encoder.set_tensor("input_features", ov.Tensor(np.ascontiguousarray(features[None], np.float32)))
        run(self._encoder)
        return np.array(self._encoder.get_output_tensor(0).data)

    def hidden(self, encoded: Array) -> Array:
        """What `encode` gave, [positions, width]."""
        found: Array = encoded[0]
        return found

    def open(self, encoded: Array) -> FolderCursor:
        """A cursor at the start of the window; it ends the one before. The first pass computes the window's keys and
        values anew."""
        _set_window(self._decoder, encoded)
        return FolderCursor(self._decoder, self._grow, self.positions)

    def attend(self, encoded: Array, tokens: Sequence[int]) -> tuple[Array, Array]:
        """Scores [n, vocabulary] of n tokens from the first position on, and the cross-attention of the alignment heads
        before the softmax: [heads, n, audio positions]. Ends the cursor."""
        _set_window(self._watcher, encoded)
        scores = _scores(self._watcher, tokens, 0)
        return scores, np.array(self._watcher.get_output_tensor(1).data[0], np.float32)

    @cached_property
    def _watcher(self) -> ov.InferRequest:
        """The decoder that also gives its cross-attention, made when word times are first asked for."""
        graph = _graph(self._ir.decoder)
        _watch(graph, self._checkpoint.alignment_heads, self._checkpoint.shape.decoder_layers)
        return self._place.compiled(graph, "watcher")


class FolderCursor(Reading):
    """A place in the text of one window: `decoding.protocol.Cursor`. A rewind is paid for in the pass after it."""

    def __init__(self, decoder: ov.InferRequest, grow: dict[str, int], positions: int) -> None:
        super().__init__(positions)
        self._decoder, self._grow = decoder, grow
        self._stored = 0  # tokens in the decoder's KV cache

    def run(self, tokens: Sequence[int]) -> Array:
        """Scores [k, vocabulary] after each of the k tokens, read in one pass; ValueError past the last position."""
        self.check_room(len(tokens))
        if self._length < self._stored:
            self._trim()
        scores = _scores(self._decoder, tokens, self._length)
        self._length = self._stored = self._length + len(tokens)
        return scores

    def _trim(self) -> None:
        """Cut the KV cache of the text to its length."""
        if not self._length:
            self._decoder.reset_state()
            return
        for state in self._decoder.query_state():
            if state.name in self._grow:
                left = [slice(None)] * self._grow[state.name] + [slice(self._length)]
                state.state = ov.Tensor(np.array(state.state.data[tuple(left)], order="C"))


def _graph(path: Path) -> ov.Model:
    try:
        return core().read_model(path)
    except RuntimeError as error:
        raise Problem("model.graph", file=path.name, detail=str(error).strip().splitlines()[-1][:200]) from error


def _rounds(graph: ov.Model) -> bool:
    """Whether a graph rounds what passes through it, as static quantisation does."""
    return any(node.get_type_name() == "FakeQuantize" for node in graph.get_ops())


def _numbers(graph: ov.Model) -> str:
    """The precision of a graph's weights ("int4", "int8" or "f32"), also where it quantises activations."""
    found = {"int8"} if _rounds(graph) else set()
    for node in graph.get_ops():
        if node.get_type_name() == "Constant" and len(node.get_output_shape(0)) > 1:
            found.add(_QUANTISED.get(node.get_output_element_type(0), "f32"))
    return min(found & {"int4", "int8"}, default="f32")


def _set_window(decoder: ov.InferRequest, encoded: Array) -> None:
    """Reset a decoder's states and set the window it attends."""
    decoder.reset_state()
    decoder.set_tensor("encoder_hidden_states", ov.Tensor(np.ascontiguousarray(encoded, np.float32)))
    if _wants(decoder, "beam_idx"):
        decoder.set_tensor("beam_idx", ov.Tensor(np.zeros(1, np.int32)))


def _scores(decoder: ov.InferRequest, tokens: Sequence[int], length: int) -> Array:
    """The scores after each of some tokens, read in one pass after the `length` ones in its KV cache: a copy."""
    decoder.set_tensor("input_ids", ov.Tensor(np.array([tokens], np.int64)))
    if _wants(decoder, "cache_position"):
        decoder.set_tensor("cache_position", ov.Tensor(np.arange(length, length + len(tokens), dtype=np.int64)))
    run(decoder)
    return np.array(decoder.get_output_tensor(0).data[0], np.float32)


def _wants(decoder: ov.InferRequest, name: str) -> bool:
    """Whether a decoder has an input of this name."""
    return any(name in each.get_names() for each in decoder.model_inputs)


def _watch(graph: ov.Model, heads: Sequence[tuple[int, int]], layers: int) -> None:
    """Add an output to a decoder: the attention of some heads before the softmax, [1, heads, k, audio positions].

    Each layer attends twice, to the text and then to the window, and each attention needs the one before it.
    """
    attentions = [node for node in graph.get_ordered_ops() if node.get_type_name() == "ScaledDotProductAttention"]
    if len(attentions) != 2 * layers:
        raise Problem("model.no_word_times")
    seen = []
    for layer, head in heads:
        inputs = attentions[2 * layer + 1].input_values()
        size = inputs[0].get_partial_shape()[-1].get_length()
        scale = inputs[4] if len(inputs) > 4 else op.constant(np.float32(size**-0.5)).output(0)
        products = op.multiply(op.matmul(inputs[0], inputs[1], transpose_a=False, transpose_b=True), scale)
        seen.append(op.gather(products, op.constant(np.array([head])), op.constant(np.array(1))))
    graph.add_outputs(op.concat(seen, 1).output(0))
