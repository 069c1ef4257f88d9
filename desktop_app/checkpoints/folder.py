"""Read a Whisper model folder in the Hugging Face layout: its shape, its special tokens, its tensors, and every defect
before it is run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from desktop_app.checkpoints.ir import Ir, check_descriptions, read_ir
from desktop_app.checkpoints.parts import DECODER, ENCODER, INDEX, WEIGHTS, text_in, there
from desktop_app.checkpoints.pieces import TokenizerPieces, read_json, read_pieces
from desktop_app.checkpoints.shape import Shape, read_shape
from desktop_app.checkpoints.shared_draft import JOINED, Ctc, fingerprint, is_shared_draft, own_tensors, read_settings
from desktop_app.checkpoints.specials import read_vocabulary
from desktop_app.checkpoints.tensors import Tensor, Tensors
from desktop_app.decoding.vocabulary import Vocabulary
from desktop_app.problems import Problem
from desktop_app.transcript.constants import SAMPLE_RATE, WINDOW_SECONDS

__all__ = ["Checkpoint", "Problem", "check_settings", "read", "read_draft", "read_target", "same_encoder"]

_FEATURES = {"sampling_rate": SAMPLE_RATE, "hop_length": 160, "n_fft": 400}
_BLOCK = 1 << 24


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A model folder that was found whole. Its tensors stay on disk until they are read; with `ir`, OpenVINO's own
    graphs, it has none.

    `name` and `notice` (a sentence its reader must see, or "") are those of the optional galley.json.
    `alignment_heads` are the (layer, head) pairs whose cross-attention follows the words. `draft` is the folder of the
    draft that came with the model, if any. `head_tokens` are the tokens that it scores, in ascending order; None where
    it scores all. `ctc` is the shape of its CTC head, if it has one.
    """

    folder: Path
    name: str
    notice: str
    config: dict[str, Any]
    shape: Shape
    vocabulary: Vocabulary
    pieces: TokenizerPieces
    tensors: Tensors
    ir: Ir | None
    alignment_heads: tuple[tuple[int, int], ...]
    draft: Path | None
    head_tokens: tuple[int, ...] | None = None
    ctc: Ctc | None = None

    @property
    def state(self) -> list[str]:
        """Tells this model, as its files are now, from others."""
        files = sorted(file for file in self.folder.glob("*.*") if file.is_file())
        states = [(file.name, file.stat()) for file in files]
        return [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states]

    @property
    def mel_bins(self) -> int:
        """The number of mel bins that its encoder takes."""
        return self.shape.mel_bins

    def drafts(self, language: str) -> bool:
        """Whether its layers, or its CTC head, know a language."""
        return self.vocabulary.knows(language) or (self.ctc is not None and language in self.ctc.languages)

    def text(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`; special tokens and timestamps are left out."""
        return self.pieces.join(tokens)

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text."""
        return self.pieces.split(text)


def read(folder: Path) -> Checkpoint:
    """The model in `folder`; Problem says what is wrong with it and what to do."""
    with _readable(folder):
        return _read(folder)


def _read(folder: Path) -> Checkpoint:
    config = _config(folder)
    generation = _optional(folder / "generation_config.json")
    about = _optional(folder / "galley.json")
    shape = read_shape(config)
    ir = None if any(there(folder / name) for name in (WEIGHTS, INDEX)) else read_ir(folder)
    tensors = Tensors(None if ir else folder)
    for name, sides in ({} if ir else shape.tensors()).items():
        tensors.check(name, sides)
    _check_features(folder)
    pieces = _pieces(folder, shape)
    draft = folder / "draft"
    return Checkpoint(
        folder=folder,
        name=text_in(about, "name") or folder.resolve().name,
        notice=text_in(about, "notice"),
        config=config,
        shape=shape,
        vocabulary=read_vocabulary(pieces, generation, config, shape),
        pieces=pieces,
        tensors=tensors,
        ir=ir,
        alignment_heads=_alignment_heads(generation, shape),
        draft=draft if _holds_draft(draft) else None,
    )


def _holds_draft(draft: Path) -> bool:
    """Whether a model's folder has a draft in it; Problem where that is a link out of the folder."""
    if draft.is_symlink() and not draft.resolve().is_relative_to(draft.parent.resolve()):
        raise Problem("model.link", file=draft.name)
    return there(draft / "config.json")


def read_draft(folder: Path, target: Checkpoint) -> Checkpoint:
    """The draft in `folder`, with what it takes from its target; Problem says what is wrong with it."""
    with _readable(folder):
        return _with_target(folder, target) if is_shared_draft(folder) else _read(folder)


def _with_target(folder: Path, target: Checkpoint) -> Checkpoint:
    """The draft in a folder together with what it takes from its target; Problem where it is for another one."""
    draft = read_settings(folder)
    if target.ir is not None or draft.fingerprint != fingerprint(target.tensors):
        raise Problem("model.draft_trained_for", target=draft.target)
    shape = replace(target.shape, decoder_layers=draft.layers, audio_pooling=draft.pooling)
    vocabulary = target.vocabulary
    odd = shape.audio_positions % shape.audio_pooling or (draft.ctc and shape.audio_positions % JOINED)
    unwritten = draft.ctc and draft.ctc.units[-1] >= vocabulary.end
    if odd or unwritten or not _is_head(draft.head_tokens, vocabulary):
        raise Problem("model.damaged", file="config.json")
    own = Tensors(folder)
    for name, sides in own_tensors(shape, draft.ctc).items():
        own.check(name, sides)
    languages = {code: token for code, token in vocabulary.languages.items() if code in draft.languages}
    return replace(
        target,
        folder=folder,
        name=text_in(_optional(folder / "galley.json"), "name") or folder.name,
        notice="",
        shape=shape,
        vocabulary=replace(vocabulary, languages=languages, translate=None),
        tensors=target.tensors.with_own(own),
        alignment_heads=(),
        head_tokens=draft.head_tokens,
        ctc=draft.ctc,
        draft=None,
    )


def _is_head(tokens: Sequence[int], vocabulary: Vocabulary) -> bool:
    """Whether these tokens can be scored alone: all special tokens and timestamps are among them, as the last ones."""
    special = range(vocabulary.end, vocabulary.size)
    return len(tokens) > len(special) and list(tokens[-len(special) :]) == list(special)


def read_target(folder: Path) -> Checkpoint:
    """The model in `folder`, which is to transcribe; Problem also where its windows have another length than those
    that are cut for it.
    """
    checkpoint = read(folder)
    _check_window(checkpoint.shape, checkpoint.vocabulary)
    return checkpoint


def check_settings(folder: Path) -> None:
    """Raise Problem for what is wrong with a model whose numbers are not there yet: what `read_target` would say
    of its settings, its tokenizer and the descriptions of OpenVINO's own graphs.
    """
    with _readable(folder):
        config = _config(folder)
        shape = read_shape(config)
        _check_features(folder)
        generation = _optional(folder / "generation_config.json")
        _check_window(shape, read_vocabulary(_pieces(folder, shape), generation, config, shape))
        if there(folder / ENCODER):
            check_descriptions(Ir(folder / ENCODER, folder / DECODER))


@contextlib.contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Say in a Problem what the system does not let one read of a model."""
    try:
        yield
    except OSError as error:
        name = Path(error.filename or folder).name
        raise Problem("model.not_read", file=name, error=error.strerror or str(error)) from error


def _check_window(shape: Shape, vocabulary: Vocabulary) -> None:
    """Raise Problem where a model's windows are not those that recordings are cut into."""
    seconds = shape.audio_positions * vocabulary.seconds_per_timestamp
    if seconds != WINDOW_SECONDS:
        raise Problem("model.window", seconds=f"{seconds:g}", wanted=WINDOW_SECONDS)


def _check_features(folder: Path) -> None:
    """Raise Problem where a model's input differs from Whisper's."""
    settings = _optional(folder / "preprocessor_config.json")
    for key, wanted in _FEATURES.items():
        found = settings.get(key, wanted)
        if found != wanted:
            raise Problem("model.not_whisper", found=f"{key} {found}")


def _pieces(folder: Path, shape: Shape) -> TokenizerPieces:
    """The tokenizer of a model of this shape."""
    pieces = read_pieces(folder)
    if pieces.largest >= shape.vocabulary:
        raise Problem("model.other_tokenizer")
    return pieces


def _config(folder: Path) -> dict[str, Any]:
    """config.json of a folder that is a Whisper model."""
    if not folder.exists():
        raise Problem("model.no_folder")
    if not folder.is_dir():
        raise Problem("model.is_file", name=folder.name)
    if not there(folder / "config.json"):
        raise Problem("model.incomplete", file="config.json")
    config = _optional(folder / "config.json")
    kind = config.get("model_type", "no type")
    if kind != "whisper":
        raise Problem("model.not_whisper", found=f"model_type {kind}")
    return config


def _optional(path: Path) -> dict[str, Any]:
    """The object in a JSON file, {} if the file is not there."""
    if not there(path):
        return {}
    found = read_json(path)
    if not isinstance(found, dict):
        raise Problem("model.damaged", file=path.name)
    return found


def _alignment_heads(generation: dict[str, Any], shape: Shape) -> tuple[tuple[int, int], ...]:
    """Those that the checkpoint names, else all of the upper half of its layers, as openai/whisper does."""
    named = generation.get("alignment_heads")
    try:
        heads = tuple(sorted({(int(layer), int(head)) for layer, head in named or ()}))
    except (TypeError, ValueError, OverflowError):
        heads = ()
    if heads and all(0 <= x < shape.decoder_layers and 0 <= y < shape.decoder_heads for x, y in heads):
        return heads
    layers = range(shape.decoder_layers // 2, shape.decoder_layers)
    return tuple((layer, head) for layer in layers for head in range(shape.decoder_heads))


def same_encoder(one: Checkpoint, other: Checkpoint) -> bool:
    """Whether both have the same encoder: equal shapes, then every number of the encoders' tensors, small ones first.
    Of OpenVINO's own graphs that is not known.
    """
    shapes = one.shape.encoder_tensors()
    if other.head_tokens is not None:
        return True  # it was read with the tensors of its target
    if one.ir or other.ir:
        return False
    if shapes != other.shape.encoder_tensors() or one.shape.encoder_heads != other.shape.encoder_heads:
        return False
    names = sorted(shapes, key=lambda name: one.tensors[name].end - one.tensors[name].begin)
    return all(_same(one.tensors[name], other.tensors[name]) for name in names)


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors of one shape hold the same numbers, in blocks so that a large one costs no memory."""
    if one.kind != other.kind:
        return np.array_equal(one.read(), other.read())
    first, second = one.raw(), other.raw()
    return all(np.array_equal(first[at : at + _BLOCK], second[at : at + _BLOCK]) for at in range(0, len(first), _BLOCK))
