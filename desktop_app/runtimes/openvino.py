"""Whisper models on OpenVINO, made for draft-and-verify: see `openvino_graphs` for the graphs, `openvino_memory` and
`openvino_passes` for how they remember a text and run it.

A rewind is an integer. Run and measured on the CPU; the graph of fixed shapes that the NPU gets was run on the CPU, GPU
and NPU were not at hand and are untried.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openvino as ov

from desktop_app.checkpoints import quantised
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.checkpoints.quantised import Quantised
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.runtimes import openvino_graphs as graphs
from desktop_app.runtimes.openvino_memory import Appended, Joined, Slots
from desktop_app.runtimes.openvino_passes import (
    WIDTHS,
    AppendedCursor,
    Cursor,
    JoinedPasses,
    Passes,
    Rows,
    SlotPasses,
    capacity,
    is_steady,
)
from desktop_app.runtimes.openvino_place import (
    AUTO,
    BITS,
    EPSILON,
    Place,
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
_DAY = 86_400.0  # seconds; whoever wrote for so long was ended


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
) -> OpenVinoModel:
    """A checkpoint made ready to run.

    `device` is "auto" (the CPU, the only one that was tried), "cpu", "gpu", "gpu.1" or "npu"; `encoder_device` "" is
    the same. `precision` is "auto" (f32 on the CPU, f16 elsewhere), "f32", "bf16", "f16", or of the weights "int8" and
    "int4". With `encoder` that model's encoder is used: its tensors must be equal. `fixed` asks for graphs whose shapes
    are all fixed; None is what the device needs. A model that is not to be `steady`, as a draft, may give other last
    bits in passes of one and of many tokens, where that takes less time. Problem where the device is not there or
    cannot run the model: nothing falls back in silence.

    `cache` is the folder of compiled models and of quantised weights. They are named by a hash of all they hold, so a
    changed checkpoint is compiled anew; those used longest ago are removed. On the CPU that saves little time (768 x
    (12 + 12) layers: 2.7 s of work instead of 2.8) but half of the memory (1.1 GB instead of 2.1), as the weights are
    mapped from there.
    """
    begun = time.time()
    place = Place(device, precision, cache)
    ears = Place(encoder_device, precision, cache) if encoder_device and encoder is None else place
    shape, tensors = checkpoint.shape, checkpoint.tensors
    shared = encoder._encoder if encoder else None
    if shared is None:
        small = _small(checkpoint, ears.kind, shape.encoder_tensors(), cache)
        shared = ears.compiled(graphs.encoder(tensors, shape, small))
        _release(tensors, small)
    small = _small(checkpoint, place.kind, shape.decoder_tensors(), cache)
    window = place.compiled(graphs.window(tensors, shape, small, place.numbers))
    _release(tensors, small)
    fixed = place.name.startswith("NPU") if fixed is None else fixed
    parts = _Parts(checkpoint, small, place, window, fixed)
    appends = place.appends if steady else place.name == "CPU"
    reader = parts.appended() if appends and not fixed else parts.steady(cache)
    if cache is not None:
        quantised.tidy(cache, "*.blob", _CACHE_BYTES, begun)
        quantised.tidy(cache, "*.weights", _WEIGHTS_BYTES, begun)
        quantised.tidy(cache, f".*{quantised.UNFINISHED}", 0, begun - _DAY)
    heard_by = encoder.ears if encoder else ears
    return OpenVinoModel(place, heard_by, shape.mel_bins, shape.text_positions, shared, window, reader, parts.watcher)


def _small(
    checkpoint: Checkpoint, kind: str, sides: dict[str, tuple[int, ...]], cache: Path | None
) -> Quantised | None:
    """The quantised matrices among some tensors, from the cache where there is one; None at full precision."""
    if kind not in BITS:
        return None
    names = quantised.matrices(sides)
    if cache is None:
        return Quantised(checkpoint.tensors, BITS[kind])
    return quantised.stored(checkpoint.tensors, names, BITS[kind], cache)


def _release(tensors: Tensors, small: Quantised | None) -> None:
    """A graph is ready and has its own copy of the weights, or reads them again."""
    tensors.release()
    if small is not None:
        small.release()


def _read(known: Path | None) -> dict[str, Any]:
    """What was found out before; {} where nothing was, or it cannot be read."""
    try:
        found = json.loads(known.read_text("utf-8")) if known else {}
    except (OSError, ValueError):
        return {}
    kinds = {"steady": bool, "width": int}
    return found if isinstance(found, dict) and all(type(found.get(key)) is kinds[key] for key in kinds) else {}


class _Parts:
    """The decoders of one checkpoint, compiled as they are needed."""

    def __init__(
        self, checkpoint: Checkpoint, small: Quantised | None, place: Place, window: ov.InferRequest, fixed: bool
    ) -> None:
        self._checkpoint, self._small, self._place = checkpoint, small, place
        self._window, self._fixed = window, fixed

    def appended(self) -> _AppendedReader:
        """The decoder that keeps its own cache."""
        return _AppendedReader(self._bound(self._compiled(Appended())), self._positions, EPSILON[self._place.kind])

    def steady(self, cache: Path | None) -> _HostReader:
        """A decoder with its memory on the host, run so that passes of one and of many tokens agree if that can be.

        What was found is kept beside the compiled models, for this device and OpenVINO.
        """
        passes = self._passes(())
        known = None if cache is None else cache / f"{self._tried()}.steady"
        verdict = _read(known) or self._try(passes)
        if known is not None:
            with suppress(OSError):  # it is tried again next time
                known.write_text(json.dumps(verdict), "utf-8")
        passes.width = verdict["width"]
        return _HostReader(passes, self._positions, 0.0 if verdict["steady"] else EPSILON[self._place.kind])

    def watcher(self) -> _HostReader:
        """The decoder that also tells where it looks."""
        return _HostReader(self._passes(self._checkpoint.alignment_heads), self._positions, 0.0)

    @property
    def _positions(self) -> int:
        return self._checkpoint.shape.text_positions

    def _tried(self) -> str:
        """Names a combination of device, OpenVINO, sizes and numbers."""
        device = described(self._window.get_compiled_model(), self._place.name)
        return quantised.named(
            [*device, ov.__version__, repr(self._checkpoint.shape), self._place.kind, str(self._fixed)]
        )

    def _try(self, passes: Passes) -> dict[str, Any]:
        """Whether the device is steady, and from which width of passes on."""
        shape = self._checkpoint.shape
        noise = np.random.default_rng(1).standard_normal((1, shape.audio_positions, shape.width), np.float32)
        self._window.set_tensor("encoded", ov.Tensor(noise))
        run(self._window)
        for width in passes.widths:
            passes.width = width
            if is_steady(passes, self._positions, shape.vocabulary):
                return {"steady": True, "width": width}
        return {"steady": False, "width": passes.widths[0]}

    def _passes(self, watched: Sequence[tuple[int, int]]) -> Passes:
        shape, numbers = self._checkpoint.shape, self._place.numbers
        names = [f"self.{layer}.{each}" for layer in range(shape.decoder_layers) for each in "kv"]
        rows = Rows(names, shape.text_positions, shape.width, numbers)
        if not self._fixed:
            return JoinedPasses(self._bound(self._compiled(Joined(numbers, shape.width), watched)), rows)
        slots = capacity(shape.text_positions)
        decoders = {width: self._compiled(Slots(numbers, shape.width, slots, width), watched) for width in WIDTHS}
        return SlotPasses({width: self._bound(each) for width, each in decoders.items()}, rows)

    def _compiled(self, memory: Appended | Joined | Slots, watched: Sequence[tuple[int, int]] = ()) -> ov.InferRequest:
        checkpoint = self._checkpoint
        model = graphs.decoder(
            checkpoint.tensors, checkpoint.shape, self._small, memory, watched, checkpoint.head_tokens
        )
        # The CPU would fuse this attention into kernels that are a third slower for one token (768 x 12 layers), and
        # wrong in bf16 where all shapes are fixed (OpenVINO 2026.4.1).
        fuses = self._place.name == "CPU" and not isinstance(memory, Appended)
        apart = {"SNIPPETS_MODE": "DISABLE"} if fuses else {}
        request = self._place.compiled(model, **apart)
        del model
        _release(checkpoint.tensors, self._small)
        return request

    def _bound(self, decoder: ov.InferRequest) -> ov.InferRequest:
        """Let a decoder read the window's keys and values where they are written."""
        for output in self._window.model_outputs:
            decoder.set_tensor(output.any_name, self._window.get_tensor(output.any_name))
        return decoder


class _HostReader:
    """Reads texts with a memory on the host."""

    def __init__(self, passes: Passes, positions: int, epsilon: float) -> None:
        self.passes, self.epsilon = passes, epsilon
        self._positions = positions

    def cursor(self) -> Cursor:
        """At the start of a text."""
        return Cursor(self.passes, self._positions)


class _AppendedReader:
    """Reads texts with the cache that the device keeps."""

    def __init__(self, decoder: ov.InferRequest, positions: int, epsilon: float) -> None:
        self.decoder, self.epsilon = decoder, epsilon
        self._positions = positions
        decoder.set_tensor("beam", ov.Tensor(np.zeros(1, np.int32)))

    def cursor(self) -> AppendedCursor:
        """At the start of a text."""
        self.decoder.reset_state()
        return AppendedCursor(self.decoder, self._positions)


_Reader = _HostReader | _AppendedReader


class OpenVinoModel:
    """A model that is ready to run: `decoding.protocol.Model`. One cursor is open at a time.

    `device` is where its decoder runs, `encoder_device` where it hears; `precision` names both where they differ.
    """

    rewinds_freely = True

    def __init__(
        self,
        place: Place,
        ears: Place,
        mel_bins: int,
        positions: int,
        encoder: ov.InferRequest,
        window: ov.InferRequest,
        reader: _Reader,
        watcher: Callable[[], _HostReader],
    ) -> None:
        self.ears = ears
        self.device, self.encoder_device = place.name, ears.name
        self.precision = place.kind if place.kind == ears.kind else f"{place.kind}, encoder {ears.kind}"
        self.mel_bins = mel_bins
        self.positions = positions
        self.epsilon = reader.epsilon
        self._encoder = encoder
        self._window = window
        self._reader = reader
        self._make_watcher = watcher
        self._opened: Any = None

    def executed(self) -> list[tuple[str, str]]:
        """What the device made of the decoder, in order: kind and numbers ("f32") of each step. For looking into it."""
        decoder = self._reader.decoder if isinstance(self._reader, _AppendedReader) else self._reader.passes.decoder
        steps = (node.get_rt_info() for node in decoder.get_compiled_model().get_runtime_model().get_ordered_ops())
        return [(each["layerType"].astype(str), each["outputPrecisions"].astype(str)) for each in steps]

    def encode(self, features: Array) -> Array:
        """The encoder's view [1, positions, width] of one window of features [bins, frames]."""
        self._encoder.set_tensor(
            "features", ov.Tensor(np.ascontiguousarray(features[None], np.float32), shared_memory=True)
        )
        run(self._encoder)
        return np.array(self._encoder.get_output_tensor(0).data)

    def open(self, encoded: Array) -> Cursor | AppendedCursor:
        """A cursor at the start of the window; it ends the one before. A window that is opened again costs nothing."""
        if self._opened is not encoded:
            self._window.set_tensor("encoded", ov.Tensor(encoded, shared_memory=True))
            run(self._window)
            self._opened = encoded
        return self._reader.cursor()

    def attend(self, encoded: Array, tokens: Sequence[int]) -> tuple[Array, Array]:
        """Scores [n, vocabulary] of n tokens from the first position on, and where the alignment heads looked while
        they were read, before the softmax: [heads, n, audio positions]. Ends the cursor."""
        self.open(encoded)
        scores, attention = self._watcher.cursor().watch(tokens)
        assert attention is not None
        return scores, attention

    @cached_property
    def _watcher(self) -> _HostReader:
        """The decoder that also tells where it looks, made when words are first asked for."""
        return self._make_watcher()
