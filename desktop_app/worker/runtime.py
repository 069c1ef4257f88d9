"""Which runtime runs a model: CUDA and its like are PyTorch's, all else OpenVINO's. Nothing falls back in silence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from desktop_app.addons import cuda
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.decoding.protocol import Batch, Model
from desktop_app.messages.devices import on_torch
from desktop_app.problems import Problem
from desktop_app.runtimes import ctc_openvino, openvino, openvino_folder

AUTO = openvino.AUTO
"""What the device "auto" is."""


class RuntimeModel(Model, Protocol):
    """A model that is ready to run, with the device of its decoder, that of its encoder, and the precision in use as
    people call them. Where it does not rewind freely, a draft hardly pays.

    `weights` is the precision in which the decoder's matrices lie in memory. `threads` of the CPU run a pass of its
    decoder, which reads `window_bytes` of the window's keys and values; both are 0 where another device runs it, or the
    graphs are not Galley's own. A pass over up to `pass_width` tokens is the same work as one over a single token.
    """

    device: str
    encoder_device: str
    precision: str
    weights: str
    threads: int
    window_bytes: int
    pass_width: int

    @property
    def rewinds_freely(self) -> bool: ...

    def hidden(self, encoded: Any) -> npt.NDArray[np.float32]:
        """What `encode` gave as numbers, [positions, width]."""


class RuntimeBatch(Batch, Protocol):
    """A model that decodes several texts side by side."""

    @property
    def rows(self) -> Sequence[RuntimeModel]: ...


def load(
    checkpoint: Checkpoint,
    device: str,
    precision: str,
    encoder: Any,
    cache: Path | None,
    *,
    encoder_device: str = "",
    drafts: bool = False,
    preparing: Callable[[str], object] = lambda device: None,
) -> RuntimeModel:
    """A checkpoint ready to run on `device`, its encoder on `encoder_device` ("" is the same); Problem where that
    cannot be.

    `encoder` is None or a model of the same runtime whose encoder is to be shared. A model that `drafts` runs on the
    CPU in int8, whatever the target does: no word depends on it, and a pass takes a third of the time. `preparing`
    is called with the device ("GPU") before it compiles the model for the first time, where that takes long.
    """
    if drafts and checkpoint.ir is None and not on_torch(device) and openvino.is_cpu(device):
        precision = "int8"
    if checkpoint.ir is not None:
        if on_torch(device):
            raise Problem("model.openvino_on_torch")
        return openvino_folder.load(
            checkpoint, device, precision, encoder_device=encoder_device, cache=cache, preparing=preparing
        )
    if not on_torch(device):
        return openvino.load(
            checkpoint,
            device,
            precision,
            encoder=encoder,
            encoder_device=encoder_device,
            cache=cache,
            steady=not drafts,
            preparing=preparing,
        )
    return _torch(device).load(checkpoint, device, precision, encoder=encoder)


def ctc_head(checkpoint: Checkpoint, cache: Path | None) -> ctc_openvino.CtcHead | None:
    """The CTC head of a draft, ready to run; None where it has none. `cache` is that of `load`."""
    return None if checkpoint.ctc is None else ctc_openvino.CtcHead(checkpoint, cache)


def load_batch(checkpoint: Checkpoint, rows: int, device: str, precision: str, encoder: Any) -> RuntimeBatch:
    """A checkpoint ready to decode so many texts side by side; arguments and errors are those of `load`."""
    if not on_torch(device):
        raise Problem("model.batch_device")
    if checkpoint.ir is not None:
        raise Problem("model.openvino_on_torch")
    return _torch(device).load_batch(checkpoint, rows, device, precision, encoder=encoder)


def _torch(device: str) -> ModuleType:
    """PyTorch's runtime; Problem where that is missing, or CUDA if that is wanted."""
    with cuda.importing_torch():
        from desktop_app.runtimes import torch
    if device.startswith("cuda") and not torch.devices():
        raise torch.absence()
    return torch
