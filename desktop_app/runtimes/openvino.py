"""Whisper models on OpenVINO, made for draft-and-verify: see `openvino_graphs` for the graphs.

A rewind is an integer: what was read and then rejected stays in the decoder's cache and is masked for ever after, until
the next window. Run and measured on the CPU; the graphs are plain enough for other devices, but GPU and NPU were not at
hand and are untried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov

from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.runtimes import openvino_graphs as graphs

Array = npt.NDArray[np.float32]

_CACHE_BYTES = 4_000_000_000
_HIDDEN = -6e4  # of the mask: nothing is left of it after the softmax, and it fits half precision

_PRECISIONS: dict[str, dict[str, str]] = {
    # 32 bits throughout: OpenVINO's own choice on x86 is a cache of 8 bits and, behind int8 weights, activations of 8
    # bits.
    "f32": {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"},
    # Weights of 8 bits, activations of 8 bits in groups of 32 before the matrices, all else 32 bits.
    "int8": {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "32"},
}

# Largest change of any difference of two scores between passes of one and of up to 16 tokens, part of them rejected, on
# the CPU (benchmarks/margins.py: random weights of 32 to 768 x 12 layers, a trained 256 x 4): 4.4e-5 in f32, 0.19 in
# int8, where a last bit can change the rounding of an activation. Times 20, and a good 2.5.
_EPSILON = {"f32": 1e-3, "int8": 0.5}


def devices() -> list[tuple[str, str]]:
    """The devices that OpenVINO has here: ("CPU", its full name) and so on."""
    core = _core()
    return [(device, str(core.get_property(device, "FULL_DEVICE_NAME"))) for device in core.available_devices]


def load(
    checkpoint: Checkpoint,
    device: str = "cpu",
    precision: str = "f32",
    *,
    encoder: OpenVinoModel | None = None,
    cache: Path | None = None,
) -> OpenVinoModel:
    """A checkpoint made ready to run.

    `device` is "auto" (the CPU for now), "cpu", "gpu" or "npu"; `precision` "auto" (f32), "f32" or "int8" (weights, and
    activations before them). With `encoder` that model's encoder is used: its tensors must be equal. ModelProblem where
    the device is not there or cannot run the model: nothing falls back in silence.

    `cache` is the folder of compiled models. They are named by a hash of all they hold, so a changed checkpoint is
    compiled anew; those used longest ago are removed. On the CPU that saves little time (768 x (12 + 12) layers: 2.7 s
    of work instead of 2.8) but half of the memory (1.1 GB instead of 2.1), as the weights are mapped from there.
    """
    begun = time.time()
    name = _device(device)
    kind = "f32" if precision == "auto" else precision
    if kind not in _PRECISIONS:
        raise ModelProblem(f"there is no precision {precision} here", f"choose {' or '.join(_PRECISIONS)}")
    core = _core()
    settings = {"PERFORMANCE_HINT": "LATENCY", **_PRECISIONS[kind]}
    known = set(core.get_property(name, "SUPPORTED_PROPERTIES"))
    settings = {key: value for key, value in settings.items() if key in known}
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        settings["CACHE_DIR"] = str(cache)
    tensors, shape, int8 = checkpoint.tensors, checkpoint.shape, kind == "int8"

    def compiled(model: ov.Model) -> ov.InferRequest:
        try:
            return core.compile_model(model, name, settings).create_infer_request()
        except RuntimeError as error:
            raise ModelProblem(f"{name} cannot run this model", "choose another device or model") from error

    shared = encoder._encoder if encoder else compiled(graphs.encoder(tensors, shape, int8))
    window, decoder = compiled(graphs.window(tensors, shape, int8)), compiled(graphs.decoder(tensors, shape, int8))
    if cache is not None:
        _tidy(cache, begun)

    def watcher() -> ov.InferRequest:
        return compiled(graphs.decoder(tensors, shape, int8, checkpoint.alignment_heads))

    return OpenVinoModel(name, kind, shape.mel_bins, shape.text_positions, shared, window, decoder, watcher)


@lru_cache(maxsize=1)
def _core() -> ov.Core:
    """OpenVINO itself, which takes a moment to start."""
    return ov.Core()


def _tidy(cache: Path, since: float) -> None:
    """Remove what was used longest ago if the folder has grown too large, but nothing used after the time `since`."""
    used = []
    for blob in cache.glob("*.blob"):
        with suppress(OSError):
            state = blob.stat()
            used.append((max(state.st_atime, state.st_mtime), state.st_size, blob))
    left = sum(size for _, size, _ in used)
    for last, size, blob in sorted(used):
        if left <= _CACHE_BYTES or last >= since:
            break
        with suppress(OSError):
            blob.unlink()
            left -= size


def _device(wanted: str) -> str:
    """OpenVINO's name of the device; ModelProblem if it is not there."""
    name = "CPU" if wanted == "auto" else wanted.upper()
    present = _core().available_devices
    if not any(each == name or each.startswith(f"{name}.") for each in present):
        raise ModelProblem(
            f"this computer has no {name} that OpenVINO can use", f"choose {' or '.join(present).lower()}"
        )
    return name


def _run(request: ov.InferRequest) -> None:
    """One inference. Unlike `infer` it does not copy every output into a dictionary of arrays."""
    request.start_async()
    request.wait()


class OpenVinoModel:
    """A model that is ready to run: `decoding.protocol.Model`. One cursor is open at a time."""

    def __init__(
        self,
        device: str,
        precision: str,
        mel_bins: int,
        positions: int,
        encoder: ov.InferRequest,
        window: ov.InferRequest,
        decoder: ov.InferRequest,
        watcher: Callable[[], ov.InferRequest],
    ) -> None:
        self.device = device
        self.precision = precision
        self.mel_bins = mel_bins
        self.positions = positions
        self.epsilon = _EPSILON[precision]
        self._encoder = encoder
        self._window = window
        self._decoder = decoder
        self._make_watcher = watcher
        self._opened: Any = None
        self._cursor: OpenVinoCursor | None = None
        self._bind(decoder)

    def executed(self) -> list[tuple[str, str]]:
        """What the device made of the decoder, in order: kind and numbers ("f32") of each step. For looking into it."""
        steps = (
            node.get_rt_info() for node in self._decoder.get_compiled_model().get_runtime_model().get_ordered_ops()
        )
        return [(each["layerType"].astype(str), each["outputPrecisions"].astype(str)) for each in steps]

    def encode(self, features: Array) -> Array:
        """The encoder's view [1, positions, width] of one window of features [bins, frames]."""
        self._encoder.set_tensor(
            "features", ov.Tensor(np.ascontiguousarray(features[None], np.float32), shared_memory=True)
        )
        _run(self._encoder)
        return np.array(self._encoder.get_output_tensor(0).data)

    def open(self, encoded: Array) -> OpenVinoCursor:
        """A cursor at the start of the window; it ends the one before. A window that is opened again costs nothing."""
        if self._opened is not encoded:
            self._window.set_tensor("encoded", ov.Tensor(encoded, shared_memory=True))
            _run(self._window)
            self._opened = encoded
        self._decoder.reset_state()
        self._cursor = OpenVinoCursor(self._decoder, self.positions)
        return self._cursor

    def attend(self, encoded: Array, tokens: Sequence[int]) -> tuple[Array, Array]:
        """Scores [n, vocabulary] of n tokens from the first position on, and where the alignment heads looked while
        they were read, before the softmax: [heads, n, audio positions]. Ends the cursor."""
        self.open(encoded)
        watcher = self._watcher
        watcher.reset_state()
        scores = OpenVinoCursor(watcher, self.positions).run(tokens)
        return scores, np.array(watcher.get_tensor("attention").data[0])

    @cached_property
    def _watcher(self) -> ov.InferRequest:
        """The decoder that also tells where it looks, made when words are first asked for."""
        watcher = self._make_watcher()
        self._bind(watcher)
        return watcher

    def _bind(self, decoder: ov.InferRequest) -> None:
        """Let a decoder read the window's keys and values where they are written."""
        for output in self._window.model_outputs:
            decoder.set_tensor(output.any_name, self._window.get_tensor(output.any_name))
        decoder.set_tensor("beam", ov.Tensor(np.zeros(1, np.int32)))


class OpenVinoCursor:
    """A place in the text of one window: `decoding.protocol.Cursor`."""

    def __init__(self, decoder: ov.InferRequest, positions: int) -> None:
        self._decoder = decoder
        self._positions = positions
        self._slots = np.zeros(positions, np.int64)  # where in the cache the token at a position stands
        self._mask = np.zeros(2 * positions, np.float32)  # of every entry in the cache
        self._stored = 0
        self._length = 0

    @property
    def length(self) -> int:
        """How many tokens the decoder has read."""
        return self._length

    def rewind(self, length: int) -> None:
        """Forget everything from position `length` on."""
        if not 0 <= length <= self._length:
            raise ValueError(f"rewind to {length} of {self._length}")
        self._mask[self._slots[length : self._length]] = _HIDDEN
        self._length = length

    def run(self, tokens: Sequence[int]) -> Array:
        """Scores [k, vocabulary] after each of the k tokens, read in one pass; ValueError past the last position."""
        count, length, stored = len(tokens), self._length, self._stored
        if not 0 < count <= self._positions - length:
            raise ValueError(f"{count} tokens at position {length} of {self._positions}")
        end = stored + count
        if end > len(self._mask):
            self._mask = np.concatenate([self._mask, np.zeros(max(count, len(self._mask)), np.float32)])
        if count == 1:
            mask = self._mask[None, None, None, :end]
        else:
            mask = np.empty((1, 1, count, end), np.float32)
            mask[:] = self._mask[:end]
            mask[0, 0, :, stored:] = np.triu(np.full((count, count), _HIDDEN, np.float32), 1)
        decoder = self._decoder
        decoder.set_tensor("tokens", ov.Tensor(np.array([tokens], np.int64)))
        decoder.set_tensor("positions", ov.Tensor(np.arange(length, length + count)[None]))
        decoder.set_tensor("mask", ov.Tensor(mask))
        _run(decoder)
        self._slots[length : length + count] = np.arange(stored, end)
        self._length, self._stored = length + count, end
        return np.array(decoder.get_tensor("logits").data[0])
