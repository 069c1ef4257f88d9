"""Whisper models on OpenVINO, made for draft-and-verify: see `openvino_graphs` for the graphs, `openvino_memory` and
`openvino_passes` for how they keep the KV cache and run passes.

A rewind is an integer. Run and measured on the CPU; the graph of fixed shapes that the NPU gets was run on the CPU, GPU
and NPU were not at hand and are untried.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov

from desktop_app import bounded
from desktop_app.checkpoints import quantised
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.checkpoints.quantised import Quantised
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_cache, openvino_int8, openvino_place
from desktop_app.runtimes import openvino_graphs as graphs
from desktop_app.runtimes.openvino_cross import Cross, Floats, Int8
from desktop_app.runtimes.openvino_memory import Appended, Slots
from desktop_app.runtimes.openvino_passes import (
    BLOCK,
    WIDTHS,
    AppendedCursor,
    FlexiblePasses,
    GraphCursor,
    HostCache,
    Passes,
    SlotPasses,
    largest_difference,
)
from desktop_app.runtimes.openvino_place import (
    AUTO,
    BITS,
    EPSILON,
    RESERVE,
    DeviceSettings,
    Preparing,
    described,
    devices,
    is_cpu,
    precisions,
    run,
)

__all__ = ["AUTO", "OpenVinoModel", "devices", "is_cpu", "load", "precisions"]

Array = npt.NDArray[np.float32]

_CACHE_BYTES = 4_000_000_000
_WEIGHTS_BYTES = 8_000_000_000


def load(
    checkpoint: Checkpoint,
    device: str = "cpu",
    precision: str = "f32",
    *,
    encoder: OpenVinoModel | None = None,
    encoder_device: str = "",
    cache: Path | None = None,
    fixed: bool | None = None,
    steady: bool = True,
    preparing: Preparing = lambda device: None,
) -> OpenVinoModel:
    """A checkpoint made ready to run.

    `device` is "auto" (the CPU, the only one that was tried), "cpu", "gpu", "gpu.1" or "npu"; `encoder_device` "" is
    the same. `precision` is "auto" (f32 on the CPU, f16 elsewhere), "f32", "bf16", "f16", or of the weights "int8" and
    "int4"; with "int8" the encoder computes in bf16, or in bytes and bf16, on a CPU where that is faster. With
    `encoder` that model's encoder is used: its tensors must be equal. `fixed` asks for graphs whose shapes are all
    fixed; None is what the device needs. A model that is not to be `steady`, as a draft, may give other last bits in
    passes of one and of many tokens, where that takes less time. Problem where the device is not there or cannot run
    the model: nothing falls back in silence.

    `cache` is the folder of compiled models and of quantised weights. They are named by a hash of all they hold, so a
    changed checkpoint is compiled anew, and so is what differs from its checksum; those used longest ago are removed.
    On the CPU that saves little time (768 x (12 + 12) layers: 2.7 s of work instead of 2.8) but half of the memory
    (1.1 GB instead of 2.1), as the weights are mapped from there. `preparing` is called with the device before the
    first compilation for one that takes long, word times included.
    """
    begun = time.time()
    place = DeviceSettings(device, precision, cache, checkpoint.state, preparing)
    encoder_place = place
    if encoder is None:
        if encoder_device not in ("", device):
            encoder_place = DeviceSettings(encoder_device, precision, cache, checkpoint.state, preparing)
        if (encoder_place.name, encoder_place.kind) == ("CPU", "int8"):
            encoder_place = _encoder_of_int8(encoder_place, cache, checkpoint.state)
    shape, tensors = checkpoint.shape, checkpoint.tensors
    shared = encoder._encoder if encoder else None
    if shared is None:
        shared = _encoder(checkpoint, encoder_place, cache)
    weights = _quantised(checkpoint, place.kind, shape.decoder_tensors(), cache)
    window = place.compiled(
        graphs.window(tensors, shape, weights, _cross(place), halves=_may_have_halves(place)), "window"
    )
    _release(tensors, weights)
    fixed = place.name.startswith("NPU") if fixed is None else fixed
    parts = _Parts(checkpoint, weights, place, window, fixed)
    appends = _arithmetic(place) == "f32" if steady else place.name == "CPU"
    reader = parts.appended() if appends and not fixed else parts.steady(cache)
    if place.prepares and checkpoint.alignment_heads and steady:
        with suppress(Problem):  # who asks for word times is told
            parts.watcher()  # once now, not in the middle of a recording
    if cache is not None:
        openvino_cache.tidy(cache, _CACHE_BYTES, begun)
        quantised.tidy(cache, "*.weights", _WEIGHTS_BYTES, begun)
        quantised.tidy_unfinished(cache)
    used = encoder.encoder_place if encoder else encoder_place
    return OpenVinoModel(place, used, shape.mel_bins, shape.text_positions, shared, window, reader, parts.watcher)


def _encoder_of_int8(place: DeviceSettings, cache: Path | None, model: Sequence[str]) -> DeviceSettings:
    """The fastest encoder of int8 on the CPU: in bf16, in bytes with bf16 between them, or in bytes with f32."""
    if openvino_place.has_bf16_units():
        return DeviceSettings("cpu", "bf16", cache, model)  # a CPU has nothing to prepare
    if openvino_place.has_bf16_vectors():
        return DeviceSettings("cpu", "int8", cache, model, between="bf16")
    return place


def _encoder(checkpoint: Checkpoint, place: DeviceSettings, cache: Path | None) -> ov.InferRequest:
    """The encoder."""
    weights = _quantised(checkpoint, place.kind, checkpoint.shape.encoder_tensors(), cache)
    in_bytes = _in_bytes(place)
    encoder = place.compiled(
        graphs.encoder(
            checkpoint.tensors,
            checkpoint.shape,
            weights,
            int8_attention=in_bytes,
            halves=_may_have_halves(place),
        ),
        "encoder",
        openvino_int8.ENCODER_SETTINGS if in_bytes else None,
    )
    _release(checkpoint.tensors, weights)
    return encoder


def _may_have_halves(place: DeviceSettings) -> bool:
    """Whether matrices may be given as f16 if that rounds none of their numbers: where the CPU computes in f32. Other
    devices were not tried."""
    return (place.name, place.kind) == ("CPU", "f32")


def _in_bytes(place: DeviceSettings) -> bool:
    """Whether attention multiplies bytes: int8 on a CPU that does it without overflow, the only device on which that
    was tried."""
    return (place.name, place.kind) == ("CPU", "int8") and openvino_int8.is_exact()


def _arithmetic(place: DeviceSettings) -> str:
    """The precision of a decoder's products: f32 where the CPU only widens the weights. Both trials must say so, as the
    guard of f32 would not be enough for products of bytes."""
    if place.name != "CPU" or place.kind not in BITS:
        return place.kind
    return place.kind if openvino_int8.rounds_activations() or openvino_int8.is_exact() else "f32"


def _cross(place: DeviceSettings) -> Cross:
    """What the cross-attention computes in."""
    return Int8() if _in_bytes(place) else Floats(place.numbers)


def _quantised(
    checkpoint: Checkpoint, kind: str, sides: dict[str, tuple[int, ...]], cache: Path | None
) -> Quantised | None:
    """The quantised matrices among some tensors, from the cache where there is one; None at full precision."""
    if kind not in BITS:
        return None
    names = quantised.matrices(sides)
    if cache is not None:
        try:
            return quantised.stored(checkpoint.tensors, names, BITS[kind], cache)
        except Problem as problem:  # a full disk costs memory, not the transcript
            if problem.kind != "disk":
                raise
    return Quantised(checkpoint.tensors, BITS[kind])


def _release(tensors: Tensors, weights: Quantised | None) -> None:
    """Release the weights after a graph was made: it has its own copy, or reads them again."""
    tensors.release()
    if weights is not None:
        weights.release()


@dataclass(frozen=True)
class _Verdict:
    """What the trial of a device found: scores of passes of at least `width` tokens are at most so far `apart`."""

    apart: float
    width: int


def _read(known: Path) -> _Verdict | None:
    """The result of an earlier trial; None where there is none, or the file is not as it was written."""
    try:
        text, _, checksum = bounded.read(known).decode().rpartition("\n")
        return _Verdict(**bounded.parse_json(text)) if checksum == _checksum(known, text) else None
    except (OSError, ValueError):
        return None


def _write(known: Path, verdict: _Verdict) -> None:
    text = json.dumps(asdict(verdict))
    with suppress(OSError):  # it is tried again next time
        known.write_text(f"{text}\n{_checksum(known, text)}", "utf-8")


def _checksum(known: Path, text: str) -> str:
    """Of a result and of what it is for, which the file's name says."""
    return f"{zlib.crc32(f'{known.name}{text}'.encode()):08x}"


class _Parts:
    """The decoders of one checkpoint, compiled as they are needed."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        weights: Quantised | None,
        place: DeviceSettings,
        window: ov.InferRequest,
        fixed: bool,
    ) -> None:
        self._checkpoint, self._quantised, self._place = checkpoint, weights, place
        self._window, self._fixed = window, fixed

    def appended(self) -> _AppendedReader:
        """A decoder whose KV cache is on the device."""
        halves = self._reads_halves()
        # From the cache of compiled models the CPU would widen them once, for good (OpenVINO 2026.4.1).
        decoder = self._bound(self._compiled(Appended(), kept=not halves))
        return _AppendedReader(decoder, self._positions, EPSILON[_arithmetic(self._place)], halves)

    def steady(self, cache: Path | None) -> _HostReader:
        """A decoder whose KV cache is on the host, run so that passes of one and of many tokens agree if possible.

        The result of the trial is kept beside the compiled models, for this device and OpenVINO.
        """
        passes = self._passes(())
        known = None if cache is None else cache / f"{self._tried()}.steady"
        verdict = _read(known) if known else None
        if verdict is None:
            verdict = self._try(passes)
            if known:
                _write(known, verdict)
        passes.width = verdict.width
        epsilon = max(EPSILON[_arithmetic(self._place)], RESERVE * verdict.apart) if verdict.apart else 0.0
        return _HostReader(passes, self._positions, epsilon)

    def watcher(self) -> _HostReader:
        """A decoder that also gives its cross-attention weights. It reads whole texts, of any length."""
        passes = self._passes(self._checkpoint.alignment_heads)
        if not self._fixed:
            passes.width = BLOCK
        return _HostReader(passes, self._positions, 0.0)

    @property
    def _positions(self) -> int:
        return self._checkpoint.shape.text_positions

    def _tried(self) -> str:
        """A name for the combination of device, OpenVINO version, shape and precision."""
        device = described(self._window.get_compiled_model(), self._place.name)
        return quantised.named(
            [
                *device,
                ov.__version__,
                repr(self._checkpoint.shape),
                self._place.kind,
                type(_cross(self._place)).__name__,
                str(self._fixed),
                str(BLOCK),
            ]
        )

    def _try(self, passes: Passes) -> _Verdict:
        """Find the least width of passes from which on scores do not depend on the grouping of tokens, or else the one
        with which they depend on it least."""
        shape = self._checkpoint.shape
        noise = np.random.default_rng(1).standard_normal((1, shape.audio_positions, shape.width), np.float32)
        self._window.set_tensor("encoded", ov.Tensor(noise))
        run(self._window)
        verdicts = []
        for width in passes.widths:
            passes.width = width
            verdicts.append(_Verdict(largest_difference(passes, self._positions, shape.vocabulary), width))
            if not verdicts[-1].apart:
                break
        return min(verdicts, key=lambda verdict: verdict.apart)

    def _passes(self, watched: Sequence[tuple[int, int]]) -> Passes:
        shape, numbers = self._checkpoint.shape, self._place.numbers
        names = [f"self.{layer}.{each}" for layer in range(shape.decoder_layers) for each in "kv"]
        heads = shape.decoder_heads
        cache = HostCache(names, shape.text_positions, heads, shape.width // heads, numbers)
        if not self._fixed:
            return FlexiblePasses(self._bound(self._compiled(Slots(numbers), watched)), cache)
        decoders = {width: self._compiled(Slots(numbers, cache.capacity, width), watched) for width in WIDTHS}
        return SlotPasses({width: self._bound(each) for width, each in decoders.items()}, cache)

    def _compiled(
        self, memory: Appended | Slots, watched: Sequence[tuple[int, int]] = (), *, kept: bool = True
    ) -> ov.InferRequest:
        checkpoint = self._checkpoint
        model = graphs.decoder(
            checkpoint.tensors,
            checkpoint.shape,
            self._quantised,
            memory,
            _cross(self._place),
            watched,
            checkpoint.head_tokens,
            halves=_may_have_halves(self._place),
        )
        # The CPU would fuse this attention into kernels that are a third slower for one token (768 x 12 layers), and
        # wrong in bf16 where all shapes are fixed (OpenVINO 2026.4.1).
        fuses = self._place.name == "CPU" and not isinstance(memory, Appended)
        apart = {"SNIPPETS_MODE": "DISABLE"} if fuses else {}
        form = [type(memory).__name__, *([str(memory.width)] if isinstance(memory, Slots) else []), str(bool(watched))]
        request = self._place.compiled(model, " ".join(["decoder", *form]), apart, kept=kept)
        del model
        _release(checkpoint.tensors, self._quantised)
        return request

    def _reads_halves(self) -> bool:
        """Whether passes read matrices of f16, half as many bytes: all numbers are such, and the KV cache is on the
        device."""
        tensors, names = self._checkpoint.tensors, quantised.matrices(self._checkpoint.shape.decoder_tensors())
        return _may_have_halves(self._place) and all(tensors[name].halves() is not None for name in names)

    def _bound(self, decoder: ov.InferRequest) -> ov.InferRequest:
        """Bind a decoder's inputs to the window graph's outputs, so that keys and values are not copied."""
        for output in self._window.model_outputs:
            decoder.set_tensor(output.any_name, self._window.get_tensor(output.any_name))
        return decoder


class _HostReader:
    """Opens cursors on a decoder whose KV cache is on the host."""

    def __init__(self, passes: Passes, positions: int, epsilon: float) -> None:
        self.passes, self.epsilon = passes, epsilon
        self._positions = positions

    def cursor(self) -> GraphCursor:
        """At the start of a text."""
        return GraphCursor(self.passes, self._positions)


class _AppendedReader:
    """Opens cursors on a decoder whose KV cache is on the device, and whose matrices may be `halves`."""

    def __init__(self, decoder: ov.InferRequest, positions: int, epsilon: float, halves: bool) -> None:
        self.decoder, self.epsilon, self.halves = decoder, epsilon, halves
        self._positions = positions
        decoder.set_tensor("beam", ov.Tensor(np.zeros(1, np.int32)))

    def cursor(self) -> AppendedCursor:
        """At the start of a text."""
        self.decoder.reset_state()
        return AppendedCursor(self.decoder, self._positions)


_Reader = _HostReader | _AppendedReader


class OpenVinoModel:
    """A model that is ready to run: `decoding.protocol.Model`. One cursor is open at a time.

    `device` is where its decoder runs, `encoder_device` where its encoder runs; `precision` names both where they
    differ, and `weights` is that in which the decoder's matrices lie in memory. On a CPU a pass runs on `threads` and
    reads `window_bytes` of keys and values of the window.
    """

    rewinds_freely = True
    pass_width = 1

    def __init__(
        self,
        place: DeviceSettings,
        encoder_place: DeviceSettings,
        mel_bins: int,
        positions: int,
        encoder: ov.InferRequest,
        window: ov.InferRequest,
        reader: _Reader,
        watcher: Callable[[], _HostReader],
    ) -> None:
        self.encoder_place = encoder_place
        self.device, self.encoder_device = place.name, encoder_place.name
        self.precision = (
            place.kind if place.kind == encoder_place.precision else f"{place.kind}, encoder {encoder_place.precision}"
        )
        self.weights = "f16" if isinstance(reader, _AppendedReader) and reader.halves else place.kind
        self.mel_bins = mel_bins
        self.positions = positions
        self.epsilon = reader.epsilon
        self._encoder = encoder
        self._window = window
        self._reader = reader
        self._make_watcher = watcher
        self._opened: Any = None
        self.threads = self.window_bytes = 0
        if is_cpu(place.name):
            self.threads = int(window.get_compiled_model().get_property("INFERENCE_NUM_THREADS"))
            self.window_bytes = sum(window.get_tensor(each.any_name).byte_size for each in window.model_outputs)

    def executed(self) -> list[tuple[str, str]]:
        """The steps that the device executes for the decoder, in order: of each the type, and the precision ("f32") of
        what it reads, of a product that of the matrix. For debugging."""
        decoder = self._reader.decoder if isinstance(self._reader, _AppendedReader) else self._reader.passes.decoder
        steps = (node.get_rt_info() for node in decoder.get_compiled_model().get_runtime_model().get_ordered_ops())
        return [(each["layerType"].astype(str), each["runtimePrecision"].astype(str)) for each in steps]

    def encode(self, features: Array) -> Array:
        """The encoder's output [1, positions, width] for one window of features [bins, frames]."""
        self._encoder.set_tensor(
            "features", ov.Tensor(np.ascontiguousarray(features[None], np.float32), shared_memory=True)
        )
        run(self._encoder)
        return np.array(self._encoder.get_output_tensor(0).data)

    def hidden(self, encoded: Array) -> Array:
        """What `encode` gave, [positions, width]."""
        found: Array = encoded[0]
        return found

    def open(self, encoded: Array) -> GraphCursor | AppendedCursor:
        """A cursor at the start of the window; it ends the one before. A window that is opened again costs nothing."""
        if self._opened is not encoded:
            self._window.set_tensor("encoded", ov.Tensor(encoded, shared_memory=True))
            run(self._window)
            self._opened = encoded
        return self._reader.cursor()

    def attend(self, encoded: Array, tokens: Sequence[int]) -> tuple[Array, Array]:
        """Scores [n, vocabulary] of n tokens from the first position on, and the cross-attention of the alignment heads
        before the softmax: [heads, n, audio positions]. Ends the cursor."""
        self.open(encoded)
        scores, attention = self._watcher.cursor().watch(tokens)
        assert attention is not None
        return scores, attention

    @cached_property
    def _watcher(self) -> _HostReader:
        """The decoder that also gives its cross-attention, made when word times are first asked for."""
        return self._make_watcher()
