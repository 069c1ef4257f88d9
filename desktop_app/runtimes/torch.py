"""Whisper models on PyTorch: CUDA, and the CPU for comparison. See `torch_network` for the network and `torch_passes`
for how its passes run.

A rewind only sets the length: the KV cache of rejected tokens is overwritten. Run and tested on the CPU; CUDA was not
at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.checkpoints.shape import Shape
from desktop_app.problems import Problem
from desktop_app.runtimes.reading import Reading
from desktop_app.runtimes.torch_network import Decoder, Encoder, Weights
from desktop_app.runtimes.torch_passes import ONE_WIDTH, Passes, cuda_graphs

Array = npt.NDArray[np.float32]

_PRECISIONS = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}

# How far margins of passes of one and of many tokens may differ on a device where passes were seen to differ at all. On
# the CPU, with a width for each number of tokens (random weights, 384 x (4 + 4) layers), they did by 1.7e-5 in f32,
# 0.014 in f16 and 0.10 in bf16. For CUDA these are guesses: `benchmarks/margins.py FOLDER --device cuda` measures them.
_EPSILON = {"f32": 1e-3, "f16": 0.06, "bf16": 0.4}


def devices() -> list[tuple[str, str]]:
    """The CUDA devices that PyTorch has here: ("CUDA", its full name), ("CUDA:1", ...)."""
    return [(_name(index), torch.cuda.get_device_name(index)) for index in range(torch.cuda.device_count())]


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

    `device` is "cuda" (the first of them), "cuda:1" or "cpu"; `precision` "auto" (f16 on CUDA, f32 on the CPU), "f32",
    "f16" or "bf16". With `encoder` that model's encoder is used: its tensors must be equal. `widths` are those of
    `Passes`. Problem where the device is not there or cannot run the model: nothing falls back in silence.
    """
    return build(
        checkpoint.shape,
        reader(checkpoint),
        device,
        precision,
        encoder=encoder,
        widths=widths,
        watched=checkpoint.alignment_heads,
        head_tokens=checkpoint.head_tokens,
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
) -> TorchModel:
    """`load` for tensors from anywhere: `read` gives them by name. `watched` are the alignment heads in order,
    `head_tokens` the tokens that are scored, None being all."""
    place = _device(device)
    kind = ("f32" if place.type == "cpu" else "f16") if precision == "auto" else precision
    if kind not in _PRECISIONS:
        raise Problem("model.precision", precision=precision, precisions=", ".join(_PRECISIONS))
    if place.type == "cuda":
        _prepare(place, kind)
    weights = Weights(read, place, _PRECISIONS[kind])
    try:
        used = encoder._encoder if encoder else Encoder(weights, shape)
        decoder = Decoder(weights, shape, max(widths), head_tokens)
        passes = Passes(decoder, place, widths, cuda_graphs() if place.type == "cuda" else None)
        decoder.set_window(_noise(shape, weights))
        epsilon = 0.0 if _steady(passes, shape, max(widths)) else _EPSILON[kind]
    except torch.OutOfMemoryError as error:
        raise Problem("model.device_memory", device=torch.cuda.get_device_name(place)) from error
    except RuntimeError as error:
        what = str(error).partition("\n")[0].strip()[:200]
        raise Problem("model.device_refused", device=_name(place.index), error=what) from error
    return TorchModel(place, kind, epsilon, shape.mel_bins, shape.text_positions, used, decoder, passes, watched)


def _name(index: int | None) -> str:
    """How a device is called; None is the CPU."""
    if index is None:
        return "CPU"
    return f"CUDA:{index}" if index else "CUDA"


def _device(wanted: str) -> torch.device:
    """The device as PyTorch calls it; Problem if it is not there."""
    if wanted == "cpu":
        return torch.device("cpu")
    there = [name.lower() for name, _ in devices()]
    if wanted in there:
        return torch.device("cuda", there.index(wanted))
    raise Problem("model.no_device", device=wanted, devices=", ".join(there)) if there else absence()


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


def _noise(shape: Shape, weights: Weights) -> Tensor:
    """Random numbers in the shape of an encoded window, to try the decoder with."""
    numbers = np.random.default_rng(1).standard_normal((shape.audio_positions, shape.width), np.float32)
    return torch.from_numpy(numbers).to(weights.device, weights.dtype)


def _steady(passes: Passes, shape: Shape, width: int) -> bool:
    """Whether this device gives the same scores to the last bit one by one and many at once, at both ends of a text."""
    count = min(width, shape.text_positions)
    tokens = np.random.default_rng(2).integers(0, shape.vocabulary, count).tolist()
    for start in (0, shape.text_positions - count):
        together = passes.run(tokens, start)
        alone = np.concatenate([passes.run([token], start + index) for index, token in enumerate(tokens)])
        if not np.array_equal(together, alone):
            return False
    return True


class TorchModel:
    """A model that is ready to run: `decoding.protocol.Model`. One cursor is open at a time."""

    rewinds_freely = True
    threads = window_bytes = 0

    def __init__(
        self,
        place: torch.device,
        precision: str,
        epsilon: float,
        mel_bins: int,
        positions: int,
        encoder: Encoder,
        decoder: Decoder,
        passes: Passes,
        watched: Sequence[tuple[int, int]],
    ) -> None:
        self.device = self.encoder_device = _name(place.index)
        self.precision = precision
        self.epsilon = epsilon
        self.mel_bins = mel_bins
        self.positions = positions
        self._place = place
        self._encoder = encoder
        self._decoder = decoder
        self._passes = passes
        self._watched = watched
        self._opened: Tensor | None = None

    @torch.inference_mode()
    def encode(self, features: Array) -> Tensor:
        """The encoder's output [positions, width], on the device, for one window of features [bins, frames]."""
        encoded = self._encoder(torch.from_numpy(np.ascontiguousarray(features, np.float32)).to(self._place))
        if encoded.is_cuda:
            torch.cuda.synchronize(self._place)  # so that the time it takes is counted here
        return encoded

    @torch.inference_mode()
    def open(self, encoded: Tensor) -> TorchCursor:
        """A cursor at the start of the window; it ends the one before. A window that is opened again costs nothing."""
        if self._opened is not encoded:
            self._decoder.set_window(encoded)
            self._opened = encoded
        return TorchCursor(self._passes, self.positions)

    @torch.inference_mode()
    def attend(self, encoded: Tensor, tokens: Sequence[int]) -> tuple[Array, Array]:
        """Scores [n, vocabulary] of n tokens from the first position on, and the cross-attention of the alignment heads
        before the softmax: [heads, n, audio positions]. Ends the cursor."""
        self.open(encoded).check_room(len(tokens))
        numbers = torch.tensor([list(tokens), list(range(len(tokens)))]).to(self._place)
        scores, attention = self._decoder.watched(numbers[0], numbers[1], self._watched)
        return scores.cpu().numpy(), attention.cpu().numpy()


class TorchCursor(Reading):
    """A place in the text of one window: `decoding.protocol.Cursor`."""

    def __init__(self, passes: Passes, positions: int) -> None:
        super().__init__(positions)
        self._passes = passes

    @torch.inference_mode()
    def run(self, tokens: Sequence[int]) -> Array:
        """Scores [k, vocabulary] after each of the k tokens; ValueError past the last position."""
        self.check_room(len(tokens))
        scores = self._passes.run(tokens, self._length)
        self._length += len(tokens)
        return scores
