"""Write the trained pair as two complete Hugging Face Whisper folders: `FOLDER` and `FOLDER/draft`."""

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from models.training.network import FRAMES, MELS, TARGET_POSITIONS, encoder_layers
from models.training.settings import STARTER, WORK, recipe
from models.training.tokenise import FILE, Tokens

NEVER_WRITTEN = (
    "<|startoftranscript|>",
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
)
ALIGNMENT_HEADS = [[layer, head] for layer in (1, 2) for head in (0, 1)]
"""The guided cross-attention heads of the target: they follow the audio and give words their times."""


def halves(model: dict[str, Tensor], decoder: dict[str, Tensor]) -> dict[str, Tensor]:
    """The encoder of `model` with `decoder`, by Hugging Face's names, in half precision."""
    named = {f"model.{name}": value for name, value in model.items() if name.startswith("encoder.")}
    named |= {f"model.decoder.{name}": value for name, value in decoder.items()}
    return {name: value.half().contiguous() for name, value in named.items()}


def configuration(tokens: Tokens, heard_by: int, layers: int) -> dict[str, Any]:
    """Of an encoder of `heard_by` layers and a decoder of `layers`."""
    sizes = recipe()["network"]
    return {
        "architectures": ["WhisperForConditionalGeneration"],
        "model_type": "whisper",
        "torch_dtype": "float16",
        "activation_function": "gelu",
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
        "dropout": 0.0,
        "d_model": sizes["width"],
        "vocab_size": tokens.size,
        "num_mel_bins": MELS,
        "encoder_layers": heard_by,
        "encoder_attention_heads": sizes["heads"],
        "encoder_ffn_dim": 4 * sizes["width"],
        "encoder_layerdrop": 0.0,
        "decoder_layers": layers,
        "decoder_attention_heads": sizes["heads"],
        "decoder_ffn_dim": 4 * sizes["width"],
        "decoder_layerdrop": 0.0,
        "num_hidden_layers": heard_by,
        "max_source_positions": FRAMES,
        "max_target_positions": TARGET_POSITIONS,
        "max_length": TARGET_POSITIONS,
        "is_encoder_decoder": True,
        "scale_embedding": False,
        "use_cache": True,
        "tie_word_embeddings": True,
        "init_std": 0.02,
        "pad_token_id": tokens.end,
        "bos_token_id": tokens.end,
        "eos_token_id": tokens.end,
        "decoder_start_token_id": tokens.prefix[0],
    }


def generation(tokens: Tokens, layers: int) -> dict[str, Any]:
    settings = {
        "decoder_start_token_id": tokens.prefix[0],
        "bos_token_id": tokens.end,
        "eos_token_id": tokens.end,
        "pad_token_id": tokens.end,
        "is_multilingual": True,
        "lang_to_id": {"<|en|>": tokens.id("<|en|>")},
        "task_to_id": {"transcribe": tokens.id("<|transcribe|>"), "translate": tokens.id("<|translate|>")},
        "no_timestamps_token_id": tokens.id("<|notimestamps|>"),
        "prev_sot_token_id": tokens.id("<|startofprev|>"),
        "begin_suppress_tokens": [tokens.id("\u0120"), tokens.end],
        "suppress_tokens": [tokens.id(name) for name in NEVER_WRITTEN],
        "max_initial_timestamp_index": 50,
        "max_length": TARGET_POSITIONS,
        "return_timestamps": True,
    }
    return settings if layers == 1 else {**settings, "alignment_heads": ALIGNMENT_HEADS}


def write_folder(folder: Path, weights: dict[str, Tensor], tokens: Tokens, layers: int) -> None:
    """One loadable folder."""
    folder.mkdir(parents=True, exist_ok=True)
    end = "<|endoftext|>"
    files: dict[str, Any] = {
        "config.json": configuration(tokens, encoder_layers(weights), layers),
        "generation_config.json": generation(tokens, layers),
        "preprocessor_config.json": {
            "feature_extractor_type": "WhisperFeatureExtractor",
            "processor_class": "WhisperProcessor",
            "feature_size": MELS,
            "sampling_rate": 16000,
            "hop_length": 160,
            "n_fft": 400,
            "chunk_length": 30,
            "n_samples": 480000,
            "nb_max_frames": 3000,
            "padding_side": "right",
            "padding_value": 0.0,
            "return_attention_mask": False,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "WhisperTokenizer",
            "processor_class": "WhisperProcessor",
            "add_prefix_space": False,
            "bos_token": end,
            "eos_token": end,
            "pad_token": end,
            "unk_token": end,
            "errors": "replace",
            "model_max_length": 1024,
        },
        "special_tokens_map.json": {"bos_token": end, "eos_token": end, "pad_token": end, "unk_token": end},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")
    (folder / "tokenizer.json").write_text(FILE.read_text())
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)


def export(folder: Path) -> None:
    """Export the newest checkpoint: the draft's own last stage where it has run, else the one trained alongside."""
    tokens = Tokens.load()
    target = torch.load(WORK / "target.pt", map_location="cpu")
    refined = WORK / "draft.pt"
    draft = torch.load(refined, map_location="cpu")["draft"] if refined.exists() else target["draft"]
    model = target["model"]
    decoder = {name.removeprefix("decoder."): value for name, value in model.items() if name.startswith("decoder.")}
    write_folder(folder, halves(model, decoder), tokens, recipe()["network"]["layers"])
    write_folder(folder / "draft", halves(model, draft), tokens, 1)
    size = sum((folder / part / "model.safetensors").stat().st_size for part in (".", "draft"))
    print(f"exported step {target['step']} to {folder}: {size / 1e6:.2f} MB of weights", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=STARTER)
    export(parser.parse_args().folder)


if __name__ == "__main__":
    main()
