"""Whisper folders with random weights, complete enough for Galley and for transformers: numpy, tokenizers and
safetensors, no torch.

`toy` is small enough for a unit test, `real_tiny` has the shape and the vocabulary size of the real tiny model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from desktop_app.checkpoints.shape import Shape

_TIMES = 1501
_TASKS = ("<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>")


@dataclass(frozen=True)
class Recipe:
    """What a random model is like. `text` counts the tokens that spell text, at least the 256 bytes; `kind` is F16,
    BF16 or F32. An `english` model names neither language nor task before its text and has a tokenizer
    that joins other bytes.
    """

    shape: Shape
    text: int
    languages: Sequence[str]
    kind: str = "F16"
    seed: int = 0
    english: bool = False

    @staticmethod
    def of(
        width: int,
        heads: int,
        encoder_layers: int,
        decoder_layers: int,
        *,
        text: int,
        languages: Sequence[str],
        bins: int = 80,
        padding: int = 0,
        english: bool = False,
    ) -> Recipe:
        """A recipe whose inner matrices are four times as wide; `padding` rows stand behind the last timestamp."""
        size = text + 2 + len(languages) + len(_TASKS) + _TIMES + padding
        inner = 4 * width
        shape = Shape(width, encoder_layers, heads, inner, decoder_layers, heads, inner, bins, 1500, 448, size, False)
        return Recipe(shape, text, languages, english=english)


TOY = Recipe.of(32, 2, 2, 2, text=300, languages=("en", "de"))
REAL_TINY = Recipe.of(384, 6, 4, 4, text=50_257, languages=[a + b for a in "abcdefghij" for b in "klmnopqrst"][:99])
THREE_VOCABULARIES = {
    size: Recipe.of(16, 2, 1, 1, text=text, languages=languages, bins=bins, english=size == 51_864)
    for size, text, languages, bins in (
        (51_864, 50_256, REAL_TINY.languages, 80),
        (51_865, 50_257, REAL_TINY.languages, 80),
        (51_866, 50_257, [*REAL_TINY.languages, "yue"], 128),
    )
}
"""Recipes with the sizes of Whisper's vocabularies: English-only with tokens of its own, multilingual, and multilingual
with one language more and more mel bins."""
SMALL = Recipe.of(768, 12, 12, 12, text=50_257, languages=REAL_TINY.languages)


def toy(folder: Path, seed: int = 0, kind: str = "F16") -> Path:
    """A toy of 32 x (2 + 2) layers with 300 text tokens and two languages."""
    return write(folder, replace(TOY, seed=seed, kind=kind))


def real_tiny(folder: Path, seed: int = 0) -> Path:
    """The shape of the real tiny model: 384 x (4 + 4) layers, 6 heads, 51,865 tokens."""
    return write(folder, replace(REAL_TINY, seed=seed))


def write(folder: Path, recipe: Recipe) -> Path:
    """Write the model folder of a recipe; the same recipe writes the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ["<|endoftext|>", "<|startoftranscript|>", *(f"<|{code}|>" for code in recipe.languages), *_TASKS]
    names += [f"<|{index * 0.02:.2f}|>" for index in range(_TIMES)]
    ids = {name: recipe.text + index for index, name in enumerate(names)}
    _tokenizer(recipe, names).save(str(folder / "tokenizer.json"), pretty=False)
    _json(folder / "config.json", _config(recipe.shape, ids))
    _json(folder / "generation_config.json", _generation(recipe, ids))
    _json(folder / "preprocessor_config.json", _preprocessor(recipe.shape.mel_bins))
    numbers = {name: _weights(name, sides, recipe) for name, sides in recipe.shape.tensors().items()}
    write_tensors(folder / "model.safetensors", {f"model.{name}": each for name, each in numbers.items()}, recipe.kind)
    return folder


def write_tensors(path: Path, tensors: dict[str, npt.NDArray[np.float32]], kind: str) -> None:
    """A safetensors file of 32-bit arrays stored as F16, BF16 (cut off) or F32."""
    stored = {
        "F16": lambda array: array.astype("<f2"),
        "BF16": lambda array: (np.ascontiguousarray(array).view("<u4") >> 16).astype("<u2"),
        "F32": lambda array: array.astype("<f4"),
    }[kind]
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, array in tensors.items():
        begin, end = end, end + array.size * (4 if kind == "F32" else 2)
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [begin, end]}
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for array in tensors.values():
            file.write(stored(array).tobytes())


def _weights(name: str, sides: tuple[int, ...], recipe: Recipe) -> npt.NDArray[np.float32]:
    """Numbers that keep activations and scores lively, seeded by name so that equal parts of two models are equal."""
    random = np.random.default_rng([recipe.seed, *name.encode()])
    values = random.standard_normal(sides, np.float32)
    if name.endswith("layer_norm.weight"):
        return 1 + values / 10
    if len(sides) == 1:
        return values / 10
    if "embed" in name or "proj_out" in name:
        return values * np.float32(2 / np.sqrt(recipe.shape.width))
    return values / np.sqrt(np.float32(np.prod(sides[1:])))


def _tokenizer(recipe: Recipe, names: Sequence[str]) -> Tokenizer:
    """Byte-level pieces: the 256 bytes, then pairs of them until there are enough, then the special tokens."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet(), reverse=recipe.english)
    merges = [(first, second) for first in letters for second in letters][: recipe.text - len(letters)]
    pieces = [*letters, *(first + second for first, second in merges)]
    tokenizer = Tokenizer(models.BPE({piece: index for index, piece in enumerate(pieces)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
    return tokenizer


def _config(shape: Shape, ids: dict[str, int]) -> dict[str, object]:
    return {
        "architectures": ["WhisperForConditionalGeneration"],
        "model_type": "whisper",
        "activation_function": "gelu",
        "d_model": shape.width,
        "encoder_layers": shape.encoder_layers,
        "encoder_attention_heads": shape.encoder_heads,
        "encoder_ffn_dim": shape.encoder_inner,
        "decoder_layers": shape.decoder_layers,
        "decoder_attention_heads": shape.decoder_heads,
        "decoder_ffn_dim": shape.decoder_inner,
        "num_mel_bins": shape.mel_bins,
        "max_source_positions": shape.audio_positions,
        "max_target_positions": shape.text_positions,
        "vocab_size": shape.vocabulary,
        "scale_embedding": False,
        "tie_word_embeddings": True,
        "dropout": 0.0,
        "bos_token_id": ids["<|endoftext|>"],
        "eos_token_id": ids["<|endoftext|>"],
        "pad_token_id": ids["<|endoftext|>"],
        "decoder_start_token_id": ids["<|startoftranscript|>"],
    }


def _generation(recipe: Recipe, ids: dict[str, int]) -> dict[str, object]:
    end, start = ids["<|endoftext|>"], ids["<|startoftranscript|>"]
    tasks = {
        "lang_to_id": {f"<|{code}|>": ids[f"<|{code}|>"] for code in recipe.languages},
        "task_to_id": {"transcribe": ids["<|transcribe|>"], "translate": ids["<|translate|>"]},
    }
    return {
        "bos_token_id": end,
        "eos_token_id": end,
        "pad_token_id": end,
        "decoder_start_token_id": start,
        "no_timestamps_token_id": ids["<|notimestamps|>"],
        "prev_sot_token_id": ids["<|startofprev|>"],
        "is_multilingual": not recipe.english,
        **({} if recipe.english else tasks),
        "suppress_tokens": [1, 2, 7, start, *(ids[name] for name in _TASKS[:-1])],
        "begin_suppress_tokens": [220, end],
        "max_initial_timestamp_index": 50,
        "max_length": recipe.shape.text_positions,
        "return_timestamps": True,
    }


def _preprocessor(bins: int) -> dict[str, object]:
    return {
        "feature_extractor_type": "WhisperFeatureExtractor",
        "feature_size": bins,
        "sampling_rate": 16_000,
        "hop_length": 160,
        "chunk_length": 30,
        "n_fft": 400,
        "n_samples": 480_000,
        "nb_max_frames": 3000,
        "padding_side": "right",
        "padding_value": 0.0,
        "return_attention_mask": False,
    }


def _json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), "utf-8")
