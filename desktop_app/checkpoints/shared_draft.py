"""Drafts that were trained for one target and hold only what differs from it: a few decoder layers, and which tokens
they score. Encoder, embeddings, the rows of the head and the tokenizer are the target's own.

Such a folder has config.json (of the type KIND), model.safetensors and galley.json. The fingerprint in config.json
tells the target from other models of its shape, whatever kind of numbers its weights are stored in.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.checkpoints.parts import text_in, there
from desktop_app.checkpoints.pieces import read_json
from desktop_app.checkpoints.shape import Shape
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.problems import Problem

KIND = "galley_draft"
_FINGERPRINT_ROWS = 256


@dataclass(frozen=True)
class SharedDraft:
    """What the folder of a draft says: `head_tokens` are the ids that it scores, in ascending order; `languages` the
    codes that it was trained on; `pooling` so many of the encoder's positions become one for its cross-attention."""

    target: str
    fingerprint: str
    layers: int
    pooling: int
    languages: tuple[str, ...]
    head_tokens: tuple[int, ...]

    def config(self) -> dict[str, Any]:
        """What is written to config.json."""
        return {
            "model_type": KIND,
            "target": {"name": self.target, "fingerprint": self.fingerprint},
            "decoder_layers": self.layers,
            "audio_pooling": self.pooling,
            "languages": list(self.languages),
            "head_tokens": list(self.head_tokens),
        }


def is_shared_draft(folder: Path) -> bool:
    """Whether the model in a folder needs its target to run; Problem where its config.json is damaged."""
    file = folder / "config.json"
    found = read_json(file) if there(file) else {}
    return isinstance(found, dict) and found.get("model_type") == KIND


def read_settings(folder: Path) -> SharedDraft:
    """What config.json says of a draft; Problem where that makes no sense."""
    found = read_json(folder / "config.json")
    try:
        draft = SharedDraft(
            target=text_in(found["target"], "name"),
            fingerprint=text_in(found["target"], "fingerprint"),
            layers=_positive(found["decoder_layers"]),
            pooling=_positive(found["audio_pooling"]),
            languages=tuple(map(str, found["languages"])),
            head_tokens=tuple(map(int, found["head_tokens"])),
        )
        if list(draft.head_tokens) != sorted(set(draft.head_tokens)) or min(draft.head_tokens) < 0:
            raise ValueError("not in ascending order")
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise Problem("model.damaged", file="config.json") from error
    return draft


def own_tensors(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Name -> shape of the tensors that lie in the folder of a draft of this shape."""
    own = ("decoder.layers.", "decoder.layer_norm.")
    return {name: sides for name, sides in shape.decoder_tensors().items() if name.startswith(own)}


def fingerprint(tensors: Tensors) -> str:
    """Tells a target by what its drafts take from it: normalisations, positions and the first embeddings, as numbers of
    32 bits, so that it is the same for weights stored in halves and widened ones."""
    state = hashlib.sha256()
    for name in ("encoder.layer_norm.weight", "encoder.layer_norm.bias", "encoder.conv1.weight"):
        state.update(tensors[name].read().tobytes())
    for name in ("decoder.embed_positions.weight", "decoder.embed_tokens.weight"):
        state.update(tensors[name].rows(0, min(_FINGERPRINT_ROWS, tensors[name].shape[0])).tobytes())
    return state.hexdigest()


def _positive(found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool) or not 0 < found < 1000:
        raise ValueError(f"{found!r} is no count")
    return found
