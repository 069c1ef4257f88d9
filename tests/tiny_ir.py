"""A Whisper folder with OpenVINO's own graphs, of the signatures that optimum-intel writes, made with OpenVINO.

The encoder is the one that Galley builds. The decoder is written anew here: input_ids, encoder_hidden_states and
beam_idx go in, and where it is asked for cache_position; each token stands where the memory of the text ends; keys and
values of the window are remembered from the first pass on; the memories are not in the order of the layers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
from openvino import Node, PartialShape, Type
from openvino import opset13 as op
from openvino.op.util import Variable, VariableInfo

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.runtimes import openvino_graphs as graphs
from desktop_app.runtimes.openvino_memory import take


def write(
    source: Path, folder: Path, *, stateful: bool = True, last_only: bool = False, positions: bool = False
) -> Path:
    """The graphs of a safetensors folder, with its settings. With `positions` the decoder is told where its tokens
    stand. Two kinds that Galley cannot run can be asked for: a decoder without memory, and one that gives the last
    token's scores alone.
    """
    checkpoint = read(source)
    folder.mkdir(parents=True, exist_ok=True)
    for name in parts.SETTINGS:
        if (source / name).is_file():
            (folder / name).write_bytes((source / name).read_bytes())
    encoder = graphs.encoder(checkpoint.tensors, checkpoint.shape, None)
    encoder.inputs[0].get_tensor().set_names({"input_features"})
    ov.save_model(encoder, folder / parts.ENCODER, compress_to_fp16=False)
    ov.save_model(
        _Decoder(checkpoint, stateful, last_only, positions).graph, folder / parts.DECODER, compress_to_fp16=False
    )
    return folder


class _Decoder:
    def __init__(self, checkpoint: Checkpoint, stateful: bool, last_only: bool, positions: bool) -> None:
        shape, weights = checkpoint.shape, graphs.Weights(checkpoint.tensors, None)
        self._heads, self._stateful = graphs.Heads(shape.width, shape.decoder_heads), stateful
        self._sinks: list[Node] = []
        tokens = take([-1, -1], Type.i64, "input_ids")
        window = take([-1, -1, shape.width], Type.f32, "encoder_hidden_states")
        self._beam = take([-1], Type.i32, "beam_idx")
        memories = {
            f"{layer}.{each}": self._memory(f"{layer}.{each}")
            for layer in reversed(range(shape.decoder_layers))
            for each in ("key", "value")
        }
        start = _side(memories["0.key"][0], 2)
        end = op.add(start, _side(tokens, 1))
        told = [take([-1], Type.i64, "cache_position")] if positions else []
        places = told[0] if told else op.range(start, end, _number(1), "i64")
        embed, score = weights.vocabulary("decoder.embed_tokens", "decoder.embed_tokens")
        rows = op.gather(weights.positions("decoder.embed_positions"), places, _number(0))
        x, mask = op.add(embed(tokens.output(0)), rows), _causal(places, end)
        for layer in range(shape.decoder_layers):
            name = f"decoder.layers.{layer}"
            h = weights.norm(x, f"{name}.self_attn_layer_norm")
            q = weights.linear(h, f"{name}.self_attn.q_proj")
            k = self._append(memories[f"{layer}.key"], weights.linear(h, f"{name}.self_attn.k_proj", bias=False))
            v = self._append(memories[f"{layer}.value"], weights.linear(h, f"{name}.self_attn.v_proj"))
            x = op.add(x, weights.linear(self._attend(q, k, v, mask), f"{name}.self_attn.out_proj"))
            name = f"{name}.encoder_attn"
            q = weights.linear(weights.norm(x, f"{name}_layer_norm"), f"{name}.q_proj")
            k = self._cross(weights.linear(window, f"{name}.k_proj", bias=False), f"cross.{layer}.key")
            v = self._cross(weights.linear(window, f"{name}.v_proj"), f"cross.{layer}.value")
            x = op.add(x, weights.linear(self._attend(q, k, v), f"{name}.out_proj"))
            x = weights.block(x, f"decoder.layers.{layer}")
        if last_only:
            x = op.gather(x, op.constant(np.array([-1])), _number(1))
        logits = graphs.give(score(weights.norm(x, "decoder.layer_norm")), "logits")
        self.graph = ov.Model([logits], self._sinks, [tokens, window, self._beam, *told], "decoder")

    def _attend(self, q: Node, k: Node, v: Node, *mask: Node) -> Node:
        return self._heads.merge(op.scaled_dot_product_attention(self._heads.split(q), k, v, *mask))

    def _variable(self, name: str) -> Variable:
        info = VariableInfo()
        info.data_shape = PartialShape([-1, self._heads.heads, -1, self._heads.head])
        info.data_type, info.variable_id = Type.f32, name
        return Variable(info)

    def _memory(self, name: str) -> tuple[Node, Variable | None]:
        """What was kept of the tokens before, nothing at first, and where it is kept."""
        rows = op.constant(np.array([self._heads.heads, 0, self._heads.head]))
        empty = op.broadcast(op.constant(np.float32(0)), op.concat([op.shape_of(self._beam), rows], 0))
        if not self._stateful:
            return empty, None
        variable = self._variable(name)
        return op.gather(op.read_value(empty, variable), self._beam, _number(0)), variable

    def _append(self, memory: tuple[Node, Variable | None], new: Node) -> Node:
        before, variable = memory
        whole = op.concat([before, self._heads.split(new)], 2)
        if variable is not None:
            self._sinks.append(op.assign(whole, variable))
        return whole

    def _cross(self, x: Node, name: str) -> Node:
        """What the decoder makes of the window: in the first pass, and kept."""
        if not self._stateful:
            return self._heads.split(x)
        variable = self._variable(name)
        known = op.read_value(self._heads.split(x), variable)
        self._sinks.append(op.assign(known, variable))
        return known


def _number(value: int) -> Node:
    return op.constant(np.int64(value))


def _side(x: Node, axis: int) -> Node:
    """How long a tensor is, as a number."""
    return op.gather(op.shape_of(x), _number(axis), _number(0))


def _causal(places: Node, end: Node) -> Node:
    """0 where a token looks, -inf behind it: [k, all]."""
    sees = op.less_equal(op.range(_number(0), end, _number(1), "i64"), op.unsqueeze(places, _number(1)))
    return op.select(sees, op.constant(np.float32(0)), op.constant(np.float32(-np.inf)))
