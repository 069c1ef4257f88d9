"""Write a trained draft as a model folder that holds only what differs from its target."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.shape import Shape
from desktop_app.checkpoints.shared_draft import SharedDraft, own_tensors
from desktop_app.training.network import Decoder


def write(settings: SharedDraft, shape: Shape, draft: Decoder, folder: Path) -> None:
    """Fill `folder` with config.json and the layers of a draft of this shape, in numbers of 16 bits."""
    (folder / "config.json").write_text(json.dumps(settings.config()) + "\n", encoding="utf-8")
    state = draft.state_dict()
    tensors = {
        f"model.{name}": np.ascontiguousarray(state[name.removeprefix("decoder.")].float().cpu().numpy().astype("<f2"))
        for name in own_tensors(shape)
    }
    save_file(tensors, folder / parts.WEIGHTS, {"format": "pt"})
