"""Random models with openai-whisper's own vocabularies, once as a folder for Galley and once in openai-whisper.

Random weights write random tokens and never end. These are pulled towards a few hundred pieces of text, times now and
then, an end at last, and silence in some windows, so that every rule has something to do.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import whisper
from tokenizers import AddedToken, decoders, pre_tokenizers
from transformers.convert_slow_tokenizer import TikTokenConverter
from whisper.decoding import DecodingOptions, DecodingTask
from whisper.model import ModelDimensions, Whisper
from whisper.tokenizer import LANGUAGES, Tokenizer, get_tokenizer

from desktop_app.checkpoints.folder import read
from tests import random_models
from tests.random_models import Recipe

SEEDS = {51_864: 3, 51_865: 0, 51_866: 3}
"""Sizes of openai-whisper's vocabularies, each with the seed of a model that writes longer and shorter texts."""
_SHARP = 2.0  # logits this much larger make texts of which the model is sure, more or less
_LOUDER = {
    "encoder.conv1.weight": 3.0,
    "encoder.conv2.weight": 3.0,
    "encoder.embed_positions": 0.3,
    "encoder_attn.q_proj": 8.0,
    "encoder_attn.out_proj": 8.0,
    "decoder.layers.1.fc2": 3.0,
}
_NAMES = (
    ("layers.", "blocks."),
    ("encoder_attn_layer_norm", "cross_attn_ln"),
    ("self_attn_layer_norm", "attn_ln"),
    ("final_layer_norm", "mlp_ln"),
    ("encoder_attn", "cross_attn"),
    ("self_attn", "attn"),
    ("q_proj", "query"),
    ("k_proj", "key"),
    ("v_proj", "value"),
    ("out_proj", "out"),
    ("fc1", "mlp.0"),
    ("fc2", "mlp.2"),
    ("encoder.layer_norm", "encoder.ln_post"),
    ("decoder.layer_norm", "decoder.ln"),
    ("embed_tokens", "token_embedding"),
    ("embed_positions.weight", "positional_embedding"),
)


def tokenizer(size: int) -> Tokenizer:
    """openai-whisper's tokenizer of a vocabulary."""
    return get_tokenizer(size > 51_864, num_languages=size - 51_765 - (size > 51_864), language="en", task="transcribe")


def write(folder: Path, size: int) -> Path:
    """A model folder with this vocabulary, f32."""
    theirs, seed = tokenizer(size), SEEDS[size]
    languages = list(LANGUAGES)[: theirs.num_languages]
    bins = 128 if size == 51_866 else 80
    recipe = Recipe.of(32, 2, 1, 2, text=theirs.eot, languages=languages, bins=bins, english=size == 51_864)
    random_models.write(folder, replace(recipe, kind="F32", seed=seed))
    _write_tokenizer(folder, theirs)
    generation = json.loads((folder / "generation_config.json").read_text("utf-8"))
    assert generation["no_timestamps_token_id"] == theirs.no_timestamps
    task = DecodingTask.__new__(DecodingTask)  # only to ask it for its list
    task.tokenizer, task.options = theirs, DecodingOptions()
    generation["suppress_tokens"] = list(task._get_suppress_tokens())
    generation["begin_suppress_tokens"] = [*theirs.encode(" "), theirs.eot]
    (folder / "generation_config.json").write_text(json.dumps(generation), "utf-8")
    checkpoint = read(folder)
    numbers = {name: checkpoint.tensors[name].read().astype(np.float32) for name in checkpoint.tensors}
    _enliven(numbers, theirs, seed)
    random_models.write_tensors(
        folder / "model.safetensors", {f"model.{name}": each for name, each in numbers.items()}, "F32"
    )
    return folder


def load(folder: Path) -> Whisper:
    """The same model in openai-whisper."""
    checkpoint = read(folder)
    shape = checkpoint.shape
    model = Whisper(
        ModelDimensions(
            shape.mel_bins,
            shape.audio_positions,
            shape.width,
            shape.encoder_heads,
            shape.encoder_layers,
            shape.vocabulary,
            shape.text_positions,
            shape.width,
            shape.decoder_heads,
            shape.decoder_layers,
        )
    )
    state: dict[str, Any] = {}
    for name in checkpoint.tensors:
        other = name
        for ours, theirs in _NAMES:
            other = re.sub(re.escape(ours), theirs, other)
        state[other] = torch.from_numpy(checkpoint.tensors[name].read().astype(np.float32).copy())
    missing = model.load_state_dict(state, strict=False)
    assert not missing.unexpected_keys
    assert all("alignment" in key or "mask" in key for key in missing.missing_keys), missing.missing_keys
    heads = torch.zeros(shape.decoder_layers, shape.decoder_heads, dtype=torch.bool)
    heads[tuple(zip(*checkpoint.alignment_heads, strict=True))] = True
    model.register_buffer("alignment_heads", heads.to_sparse(), persistent=False)
    return model.eval()


def _enliven(numbers: dict[str, npt.NDArray[np.float32]], theirs: Tokenizer, seed: int) -> None:
    """The first channel of the last normalisation is constant, so that the embedding's first column is a bias."""
    draw = np.random.default_rng(seed)
    embedding = numbers["decoder.embed_tokens.weight"]
    norm, shift = numbers["decoder.layer_norm.weight"], numbers["decoder.layer_norm.bias"]
    norm *= _SHARP
    norm[0], shift[0] = 0.0, 1.0
    embedding[:, 0] = -60.0
    embedding[draw.choice(theirs.eot, 300, replace=False), 0] = 0.0
    embedding[theirs.eot, 0] = 7.0
    embedding[theirs.no_speech, 0] = 14.0
    embedding[list(theirs.all_language_tokens), 0] = -30.0
    embedding[theirs.timestamp_begin :, 0] = -4.0
    together = draw.normal(size=embedding.shape[1]) / np.sqrt(embedding.shape[1])
    together[0] = 0.0
    embedding[theirs.timestamp_begin :] += together.astype(np.float32) * 2.5
    # What is heard and where decides what is written, more than the last token, which would follow itself for ever.
    numbers["decoder.embed_positions.weight"] *= 1.5
    for name, values in numbers.items():
        values *= next((factor for part, factor in _LOUDER.items() if part in name), 1.0)


def _write_tokenizer(folder: Path, theirs: Tokenizer) -> None:
    ranks = Path(whisper.__file__).parent / "assets" / f"{theirs.encoding.name}"
    converted = TikTokenConverter(str(ranks)).tokenizer()
    converted.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    converted.decoder = decoders.ByteLevel()
    names = sorted(theirs.special_tokens, key=theirs.special_tokens.__getitem__)
    converted.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
    converted.save(str(folder / "tokenizer.json"), pretty=False)
