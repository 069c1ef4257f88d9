"""transformers' Whisper in PyTorch, 32 bits: greedy, with timestamps, or assisted by a small model (its speculative
decoding, which needs an assistant with the same tokenizer and an encoder of its own, such as whisper-tiny).

Assisted it decodes windows of 30 s without timestamps, which cut words in two: with timestamps release 5.23 writes only
a few words of each window.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

WINDOW = 30 * 16_000


def load(weights: str, precision: str, threads: int, assistant: str = "") -> Callable[[Any, str], str]:
    """Ready to transcribe; precision can only be f32."""
    import torch
    from transformers import WhisperForConditionalGeneration

    torch.set_num_threads(threads)

    def model(folder: str) -> Any:
        return WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()

    return generating(model(weights), weights, {"assistant_model": model(assistant)} if assistant else {})


def generating(model: Any, folder: str, options: dict[str, Any]) -> Callable[[Any, str], str]:
    """What transcribes with anything that has transformers' `generate`; tokenizer and features are the folder's."""
    import tokenizers
    import transformers

    extract = transformers.WhisperFeatureExtractor.from_pretrained(folder)
    tokenizer = tokenizers.Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    end = model.generation_config.eos_token_id
    whole = {} if options else {"truncation": False, "padding": "longest"}

    def decoded(samples: Any, language: str) -> str:
        features = extract(samples, sampling_rate=16_000, return_tensors="pt", return_attention_mask=True, **whole)
        tokens = model.generate(
            **features,
            language=language,
            task="transcribe",
            return_timestamps=bool(whole),
            **({"condition_on_prev_tokens": False} if whole else {}),
            do_sample=False,
            num_beams=1,
            **options,
        )
        text: str = tokenizer.decode([token for token in tokens[0].tolist() if token < end])
        return text

    def transcribe(samples: Any, language: str) -> str:
        length = len(samples) if whole else WINDOW
        return " ".join(decoded(samples[at : at + length], language).strip() for at in range(0, len(samples), length))

    return transcribe
