"""Write a draft as a model folder: the target's encoder byte for byte, so that both share it, and its own decoder."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.checkpoints.shape import Shape
from desktop_app.training.network import Decoder


def source(name: str, kept: list[int], shape: Shape) -> str:
    """The target's name of a tensor of a draft that keeps the layers `kept`."""
    if name == "head.weight":
        return "proj_out.weight" if shape.own_head else "decoder.embed_tokens.weight"
    if name.startswith("layers."):
        number, _, rest = name.removeprefix("layers.").partition(".")
        return f"decoder.layers.{kept[int(number)]}.{rest}"
    return f"decoder.{name}"


def write(target: Checkpoint, draft: Decoder, kept: list[int], folder: Path) -> None:
    """Fill `folder` with a model that Galley and others can load."""
    for name in parts.SETTINGS:
        if (target.folder / name).is_file():
            shutil.copyfile(target.folder / name, folder / name)
    (folder / "config.json").write_text(json.dumps(target.config | {"decoder_layers": len(kept)}, indent=2) + "\n")
    generation = folder / "generation_config.json"
    if generation.is_file():  # the heads that follow the words are those of other layers
        settings = json.loads(generation.read_text(encoding="utf-8"))
        settings.pop("alignment_heads", None)
        generation.write_text(json.dumps(settings, indent=2) + "\n")
    _write_tensors(folder / parts.WEIGHTS, _tensors(target, draft, kept))


def _tensors(
    target: Checkpoint, draft: Decoder, kept: list[int]
) -> dict[str, tuple[str, tuple[int, ...], npt.NDArray]]:
    """Name -> kind, shape and bytes. The decoder's numbers are of the kind that the target's are."""
    shape, found = target.shape, {}
    for name in shape.encoder_tensors():
        tensor = target.tensors[name]
        found[f"model.{name}"] = (tensor.kind, tensor.shape, tensor.raw())
    for name, value in draft.state_dict().items():
        if name == "head.weight" and not shape.own_head:
            continue
        kind = target.tensors[source(name, kept, shape)].kind
        label = "proj_out.weight" if name == "head.weight" else f"model.decoder.{name}"
        found[label] = (kind, tuple(value.shape), _bytes(value.float().cpu().numpy(), kind))
    return found


def _bytes(numbers: npt.NDArray[np.float32], kind: str) -> npt.NDArray[np.uint8]:
    if kind == "BF16":  # rounded to the nearest
        bits = np.ascontiguousarray(numbers).view(np.uint32)
        return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")).view(np.uint8)
    return np.ascontiguousarray(numbers.astype("<f2" if kind == "F16" else "<f4")).view(np.uint8)


def _write_tensors(path: Path, tensors: dict[str, tuple[str, tuple[int, ...], npt.NDArray]]) -> None:
    """A safetensors file (https://huggingface.co/docs/safetensors), one tensor in memory at a time where they are
    mapped."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (kind, shape, raw) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + raw.nbytes]}
        at += raw.nbytes
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as file:
        file.write(len(encoded).to_bytes(8, "little"))
        file.write(encoded)
        for _, _, raw in tensors.values():
            file.write(np.ascontiguousarray(raw).reshape(-1).view(np.uint8).data)
        file.flush()
        os.fsync(file.fileno())
