"""Write a trained draft as a model folder that holds only what differs from its target."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.shape import Shape
from desktop_app.checkpoints.shared_draft import SharedDraft, own_tensors
from desktop_app.training.ctc import Head
from desktop_app.training.network import Decoder


def write(settings: SharedDraft, shape: Shape, decoder: Decoder, head: Head | None, folder: Path) -> None:
    """Fill `folder` with config.json and the tensors of a draft of this shape that are its own, in 16 bits."""
    (folder / "config.json").write_text(json.dumps(settings.config()) + "\n", encoding="utf-8")
    state = {f"decoder.{name}": each for name, each in decoder.state_dict().items()}
    if head is not None:
        state |= {f"ctc.{name}": each for name, each in head.state_dict().items()}
    tensors = {
        f"model.{name}": np.ascontiguousarray(state[name].float().cpu().numpy().astype("<f2"))
        for name in own_tensors(shape, settings.ctc)
    }
    save_file(tensors, folder / parts.WEIGHTS, {"format": "pt"})
