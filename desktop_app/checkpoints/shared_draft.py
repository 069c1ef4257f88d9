"""Drafts that were trained for one target and hold only what differs from it: a few decoder layers, which tokens they
score, and perhaps a CTC head. Encoder, embeddings, the rows of the decoder's head and the tokenizer are the target's
own.

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
from desktop_app.decoding.ctc import FIRST_UNIT
from desktop_app.problems import Problem

KIND = "galley_draft"
_FINGERPRINT_ROWS = 256


JOINED = 2
"""So many of the encoder's positions are one frame of a CTC head."""


@dataclass(frozen=True)
class Ctc:
    """The shape of a CTC head: `layers` of `width` channels with convolutions over `kernel` frames. It writes `units`,
    text tokens of the target in ascending order of which it spells all others, in `languages`, codes: more of them
    than the layers perhaps, because it learns a language from less speech."""

    width: int
    layers: int
    kernel: int
    units: tuple[int, ...]
    languages: tuple[str, ...]

    def tensors(self, width: int) -> dict[str, tuple[int, ...]]:
        """Name -> shape of its tensors, for an encoder of so many channels."""
        own, sides = self.width, dict[str, tuple[int, ...]]()

        def linear(name: str, rows: int, columns: int) -> None:
            sides.update({f"ctc.{name}.weight": (rows, columns), f"ctc.{name}.bias": (rows,)})

        def norm(name: str) -> None:
            sides.update({f"ctc.{name}.weight": (own,), f"ctc.{name}.bias": (own,)})

        linear("start", own, JOINED * width)
        for layer in range(self.layers):
            name = f"layers.{layer}"
            sides |= {f"ctc.{name}.conv.weight": (own, 1, self.kernel), f"ctc.{name}.conv.bias": (own,)}
            norm(f"{name}.norm")
            linear(f"{name}.fc1", 4 * own, own)
            linear(f"{name}.fc2", own, 4 * own)
        norm("norm")
        linear("units", len(self.units) + FIRST_UNIT, own)
        linear("times", JOINED, own)
        return sides


@dataclass(frozen=True)
class SharedDraft:
    """What the folder of a draft says: `head_tokens` are the ids that its layers score, in ascending order; `languages`
    the codes that they were trained on; `pooling` so many of the encoder's positions become one for their
    cross-attention."""

    target: str
    fingerprint: str
    layers: int
    pooling: int
    languages: tuple[str, ...]
    head_tokens: tuple[int, ...]
    ctc: Ctc | None = None

    def config(self) -> dict[str, Any]:
        """What is written to config.json."""
        ctc = {} if self.ctc is None else {"ctc": vars(self.ctc)}
        return {
            "model_type": KIND,
            "target": {"name": self.target, "fingerprint": self.fingerprint},
            "decoder_layers": self.layers,
            "audio_pooling": self.pooling,
            "languages": list(self.languages),
            "head_tokens": list(self.head_tokens),
            **ctc,
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
            head_tokens=_ascending(found["head_tokens"]),
            ctc=_ctc(found["ctc"]) if "ctc" in found else None,
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise Problem("model.damaged", file="config.json") from error
    return draft


def own_tensors(shape: Shape, ctc: Ctc | None) -> dict[str, tuple[int, ...]]:
    """Name -> shape of the tensors that lie in the folder of a draft of this shape."""
    own = ("decoder.layers.", "decoder.layer_norm.")
    found = {name: sides for name, sides in shape.decoder_tensors().items() if name.startswith(own)}
    return found if ctc is None else found | ctc.tensors(shape.width)


def fingerprint(tensors: Tensors) -> str:
    """Tells a target by what its drafts take from it: normalisations, positions and the first embeddings, as numbers of
    32 bits, so that it is the same for weights stored in halves and widened ones."""
    state = hashlib.sha256()
    for name in ("encoder.layer_norm.weight", "encoder.layer_norm.bias", "encoder.conv1.weight"):
        state.update(tensors[name].read().tobytes())
    for name in ("decoder.embed_positions.weight", "decoder.embed_tokens.weight"):
        state.update(tensors[name].rows(0, min(_FINGERPRINT_ROWS, tensors[name].shape[0])).tobytes())
    return state.hexdigest()


def _ctc(found: Any) -> Ctc:
    width, layers, kernel = (_positive(found[key]) for key in ("width", "layers", "kernel"))
    languages = tuple(map(str, found["languages"]))
    ctc = Ctc(width, layers, kernel, _ascending(found["units"]), languages)
    if ctc.kernel % 2 == 0:
        raise ValueError("no frame is in the middle")
    return ctc


def _ascending(found: Any) -> tuple[int, ...]:
    """The ids of tokens, some and each once."""
    tokens = tuple(map(int, found))
    if list(tokens) != sorted(set(tokens)) or min(tokens) < 0:
        raise ValueError("not in ascending order")
    return tokens


def _positive(found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool) or not 0 < found < 1000:
        raise ValueError(f"{found!r} is no count")
    return found
