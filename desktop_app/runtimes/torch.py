"""Whisper models on PyTorch: CUDA, other accelerators that nobody has tried, and the CPU for comparison. See
`torch_network` for the network and `torch_passes` for how its passes run.

A rewind only sets the length: the KV cache of rejected tokens is overwritten. Run and tested on the CPU; CUDA was not
at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.checkpoints.shape import Shape
from desktop_app.problems import Problem
from desktop_app.runtimes.reading import Reading
from desktop_app.runtimes.torch_network import Encoder, TorchDecoder, Weights
from desktop_app.runtimes.torch_passes import ONE_WIDTH, Passes, cuda_graphs

Array = npt.NDArray[np.float32]

_PRECISIONS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}

# How far margins of passes of one and of many tokens may differ on a device where passes were seen to differ at all. On
# the CPU, with a width for each number of tokens (random weights, 384 x (4 + 4) layers), they did by 1.7e-5 in f32,
# 0.014 in f16 and 0.10 in bf16. For CUDA these are guesses: `benchmarks/margins.py FOLDER --device cuda` measures them.
_EPSILON = {"f32": 1e-3, "f16": 0.06, "bf16": 0.4}


def devices() -> list[tuple[str, str]]:
    """The CUDA devices that PyTorch has here: ("CUDA", its full name), ("CUDA:1", ...)."""
    there = [torch.device("cuda", index) for index in range(torch.cuda.device_count())]
    return [(_name(each), torch.cuda.get_device_name(each)) for each in there]


def absence() -> Problem:
    """Why there is no CUDA device."""
    built = torch.version.cuda is not None or torch.version.hip is not None
    return Problem("model.no_cuda_device" if built else "model.no_cuda", version=str(torch.__version__))


def load(
    checkpoint: Checkpoint,
    device: str = "cuda",
    precision: str = "auto",
    *,
    encoder: TorchModel | None = None,
    widths: Sequence[int] = ONE_WIDTH,
) -> TorchModel:
    """A checkpoint made ready to run.

    `device` is "cuda" (the first of them), "cuda:1", a name in `_ACCELERATORS` in the place of "cuda", or "cpu";
    `precision` "auto" (f32 on the CPU, f16 elsewhere), "f32",
    "f16" or "bf16". With `encoder` that model's encoder is used: its tensors must be equal. `widths` are those of
    `Passes`. Problem where the device is not there or cannot run the model: nothing falls back in silence.
    """
    return load_batch(checkpoint, 1, device, precision, encoder=encoder, widths=widths).rows[0]


def load_batch(
    checkpoint: Checkpoint,
    rows: int,
    device: str = "cuda",
    precision: str = "auto",
    *,
    encoder: TorchModel | None = None,
    widths: Sequence[int] = ONE_WIDTH,
) -> TorchBatch:
    """`load` with room for so many texts side by side."""
    return build(
        checkpoint.shape,
        reader(checkpoint),
        device,
        precision,
        encoder=encoder,
        widths=widths,
        watched=checkpoint.alignment_heads,
        head_tokens=checkpoint.head_tokens,
        rows=rows,
    )


def reader(checkpoint: Checkpoint) -> Callable[[str], Tensor]:
    """Gives a checkpoint's tensors by name, as they lie in its file: nothing is copied."""

    def read(name: str) -> Tensor:
        tensor = checkpoint.tensors[name]
        kind = {"F32": "<f4", "F16": "<f2", "BF16": "<i2"}[tensor.kind]
        numbers = torch.from_numpy(np.require(tensor.raw().view(kind), requirements=["A", "W"]).reshape(tensor.shape))
        return numbers.view(torch.bfloat16) if tensor.kind == "BF16" else numbers

    return read


@torch.inference_mode()
def build(
    shape: Shape,
    read: Callable[[str], Tensor],
    device: str,
    precision: str,
    *,
    encoder: TorchModel | None = None,
    widths: Sequence[int] = ONE_WIDTH,
    watched: Sequence[tuple[int, int]] = (),
    head_tokens: Sequence[int] | None = None,
    rows: int = 1,
) -> TorchBatch:
    """`load_batch` for tensors from anywhere: `read` gives them by name. `watched` are the alignment heads in order,
    `head_tokens` the tokens that are scored, None being all."""
    place = _device(device)
    kind = ("f32" if place.type == "cpu" else "f16") if precision == "auto" else precision
    if kind not in _PRECISIONS:
        raise Problem("model.precision", precision=precision, precisions=", ".join(_PRECISIONS))
    if place.type == "cuda":
        _prepare(place, kind)
    weights = Weights(read, place, _PRECISIONS[kind])
    try:
        used = encoder._network.encoder if encoder else Encoder(weights, shape)
        decoder = TorchDecoder(weights, shape, max(widths), head_tokens, rows)
        passes = Passes(decoder, place, widths, cuda_graphs() if place.type == "cuda" else None)
        steady = _steady(passes, decoder, shape, max(widths), _noise(weights, 2, shape.audio_positions, shape.width))
        if encoder:
            together = encoder._network.together
        else:
            noise = _noise(weights, 2, shape.mel_bins, 2 * shape.audio_positions)
            together = rows if rows > 1 and _encodes_alike(used, rows, noise) else 1
    except torch.OutOfMemoryError as error:
        card = torch.cuda.get_device_name(place) if place.type == "cuda" else _name(place)
        raise Problem("model.device_memory", device=card) from error
    except (ImportError, RuntimeError) as error:
        what = str(error).partition("\n")[0].strip()[:200]
        raise Problem("model.device_refused", device=_name(place), error=what) from error
    epsilon = 0.0 if steady else _EPSILON[kind]
    return TorchBatch(_Network(place, kind, epsilon, shape.mel_bins, used, together, decoder, passes, watched))


def _name(place: torch.device) -> str:
    """How a device is called."""
    return f"{place.type.upper()}:{place.index}" if place.index else place.type.upper()


def _device(wanted: str) -> torch.device:
    """The device as PyTorch calls it; Problem if it is not there."""
    if wanted == "cpu":
        return torch.device("cpu")
    if (kind := wanted.partition(":")[0]) in _ACCELERATORS:
        if not _ACCELERATORS[kind]():
            raise Problem("model.no_accelerator", device=kind, version=str(torch.__version__))
        return torch.device(wanted)
    there = [name.lower() for name, _ in devices()]
    if wanted in there:
        return torch.device("cuda", there.index(wanted))
    raise Problem("model.no_device", device=wanted, devices=", ".join(there)) if there else absence()


def _has_gaudi() -> bool:
    """Whether there is a Gaudi; Habana's package brings it into PyTorch."""
    try:
        import habana_frameworks.torch  # noqa: F401
    except ImportError:
        return False
    return bool(torch.hpu.is_available())  # type: ignore[attr-defined]


_ACCELERATORS: Mapping[str, Callable[[], bool]] = {
    "hpu": _has_gaudi,
    "mps": torch.backends.mps.is_available,
    "xpu": torch.xpu.is_available,
}
"""The devices beside CUDA that PyTorch may have, and whether it has one here. Nobody has run any of them."""


def _prepare(place: torch.device, kind: str) -> None:
    """Make this the current device, and its arithmetic exact and the same each time, as far as that can be asked."""
    torch.cuda.set_device(place)
    if kind == "bf16" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise Problem("model.precision", precision=kind, precisions="f16, f32")
    backends = torch.backends
    backends.cuda.matmul.allow_tf32 = backends.cudnn.allow_tf32 = False
    backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    backends.cudnn.deterministic, backends.cudnn.benchmark = True, False


def _noise(weights: Weights, *sides: int) -> Tensor:
    """Random numbers, to try a network with."""
    numbers = np.random.default_rng(1).standard_normal(sides, np.float32)
    return torch.from_numpy(numbers).to(weights.device, weights.dtype)


def _steady(passes: Passes, decoder: TorchDecoder, shape: Shape, width: int, windows: Tensor) -> bool:
    """Whether this device gives the same scores to the last bit one by one and many at once, at both ends of a text, in
    every row, and whatever the other rows hold. `windows` are two that are encoded."""
    rows, count = range(decoder.rows), min(width, shape.text_positions)
    tokens, others = np.random.default_rng(2).integers(0, shape.vocabulary, (2, count)).tolist()

    def use(own: Sequence[int]) -> None:
        for row in rows:
            decoder.set_window(windows[0 if row in own else 1], row)

    for start in (0, shape.text_positions - count):
        found: list[Array] = []
        for own in (rows[::2], rows[1::2]):
            use(own)
            scores = passes.run([(row, tokens if row in own else others, start) for row in rows])
            found += [scores[row] for row in own]
        use(rows)
        together = passes.run([(0, tokens, start)])[0]
        # In all rows, and last: what it leaves in their caches has to be alike for the second place.
        alone = [passes.run([(row, [token], start + index) for row in rows]) for index, token in enumerate(tokens)]
        found += [np.concatenate(scores) for scores in zip(*alone, strict=True)]
        if not all(np.array_equal(scores, together) for scores in found):
            return False
    return True


def _encodes_alike(encoder: Encoder, rows: int, features: Tensor) -> bool:
    """Whether a window of `rows` in one pass is encoded the same to the last bit in every place, and whatever the
    others are. `features` are those of two windows."""
    same = encoder(features[[0] * rows])
    mixed = encoder(features[[row % 2 for row in range(rows)]])
    return all(torch.equal(each, same[0]) for each in [*same, *mixed[::2]])


@dataclass(frozen=True)
class _Network:
    """A loaded model, which its rows share.

    Attributes:
        together: how many windows are encoded in one pass.
        opened: the encoded window of each row.
    """

    place: torch.device
    precision: str
    epsilon: float
    mel_bins: int
    encoder: Encoder
    together: int
    decoder: TorchDecoder
    passes: Passes
    watched: Sequence[tuple[int, int]]
    opened: dict[int, Tensor] = field(default_factory=dict)

    @torch.inference_mode()
    def encode(self, features: Sequence[Array], together: int) -> list[Tensor]:
        """The encoder's output [positions, width] for windows of features [bins, frames], in passes of `together`."""
        found: list[Tensor] = []
        for at in range(0, len(features), together):
            some = np.stack(features[at : at + together]).astype(np.float32)
            padded = np.pad(some, ((0, together - len(some)), (0, 0), (0, 0)))
            # Each on its own, so that a window that is done does not wait for the others to leave the memory.
            found += [each.clone() for each in self.encoder(torch.from_numpy(padded).to(self.place))[: len(some)]]
        if self.place.type == "cuda":
            torch.cuda.synchronize(self.place)  # so that the time it takes is counted here
        return found


class TorchBatch:
    """A model that decodes several texts side by side: `decoding.protocol.Batch`.

    Attributes: rows (a model for each text).
    """

    def __init__(self, network: _Network) -> None:
        self._network = network
        self.rows = [TorchModel(network, row) for row in range(network.decoder.rows)]

    def encode(self, features: Sequence[Array]) -> list[Tensor]:
        """The encoder's output [positions, width], on the device, for each of some windows of features [bins, frames],
        as many in a pass as there are rows."""
        return self._network.encode(features, self._network.together)

    @torch.inference_mode()
    def run(self, reads: Sequence[tuple[Any, Sequence[int]]]) -> list[Array]:
        """Scores [k, vocabulary] after each of the k tokens that are read at each of some rows' cursors, in one pass;
        ValueError past the last position."""
        return _run(self._network.passes, reads)


class TorchModel:
    """A model that is ready to run: `decoding.protocol.Model`. One cursor is open at a time in its row."""

    rewinds_freely = True
    threads = window_bytes = 0

    def __init__(self, network: _Network, row: int) -> None:
        self._network, self._row = network, row
        self.device = self.encoder_device = _name(network.place)
        self.precision = self.weights = network.precision
        self.epsilon = network.epsilon
        self.mel_bins = network.mel_bins
        self.positions = network.decoder.positions
        self.pass_width = network.passes.narrowest

    def encode(self, features: Array) -> Tensor:
        """The encoder's output [positions, width], on the device, for one window of features [bins, frames]."""
        return self._network.encode([features], 1)[0]

    def hidden(self, encoded: Tensor) -> Array:
        """What `encode` gave, [positions, width], on the host."""
        return encoded.float().cpu().numpy()

    @torch.inference_mode()
    def open(self, encoded: Tensor) -> TorchCursor:
        """A cursor at the start of the window; it ends the one before. A window that is opened again costs nothing."""
        network, row = self._network, self._row
        if network.opened.get(row) is not encoded:
            network.decoder.set_window(encoded, row)
            network.opened[row] = encoded
        return TorchCursor(network.passes, self.positions, row)

    @torch.inference_mode()
    def attend(self, encoded: Tensor, tokens: Sequence[int]) -> tuple[Array, Array]:
        """Scores [n, vocabulary] of n tokens from the first position on, and the cross-attention of the alignment heads
        before the softmax: [heads, n, audio positions]. Ends the cursor."""
        self.open(encoded).check_room(len(tokens))
        network = self._network
        numbers = torch.tensor([list(tokens), list(range(len(tokens)))]).to(network.place)
        scores, attention = network.decoder.watched(numbers[0], numbers[1], network.watched, self._row)
        return scores.cpu().numpy(), attention.cpu().numpy()


class TorchCursor(Reading):
    """A place in the text of one row: `decoding.protocol.Cursor`."""

    def __init__(self, passes: Passes, positions: int, row: int) -> None:
        super().__init__(positions)
        self._passes = passes
        self.row = row

    @torch.inference_mode()
    def run(self, tokens: Sequence[int]) -> Array:
        """Scores [k, vocabulary] after each of the k tokens; ValueError past the last position."""
        return _run(self._passes, [(self, tokens)])[0]


def _run(passes: Passes, reads: Sequence[tuple[TorchCursor, Sequence[int]]]) -> list[Array]:
    for cursor, tokens in reads:
        cursor.check_room(len(tokens))
    scores = passes.run([(cursor.row, tokens, cursor.length) for cursor, tokens in reads])
    for cursor, tokens in reads:
        cursor._length += len(tokens)
    return scores
