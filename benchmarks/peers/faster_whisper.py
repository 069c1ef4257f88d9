"""faster-whisper, on CTranslate2: greedy, without the text before as a prompt and without voice activity detection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

COMPUTE_TYPES = {"f32": "float32", "int8": "int8"}


def convert(target: Path, weights: Path, precision: str) -> None:
    """Matrices in int8 with a scale for each row, or all in 32 bits."""
    from ctranslate2.converters import TransformersConverter

    converter = TransformersConverter(str(target), copy_files=["tokenizer.json", "preprocessor_config.json"])
    converter.convert(str(weights), quantization=COMPUTE_TYPES[precision], force=True)


def load(weights: str, precision: str, threads: int) -> Callable[[Any, str], str]:
    """Ready to transcribe."""
    from faster_whisper import WhisperModel

    model = WhisperModel(weights, device="cpu", compute_type=COMPUTE_TYPES[precision], cpu_threads=threads)

    def transcribe(samples: Any, language: str) -> str:
        segments, _ = model.transcribe(
            samples,
            language=language,
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            vad_filter=False,
        )
        return "".join(segment.text for segment in segments)  # they are transcribed while they are read

    return transcribe
