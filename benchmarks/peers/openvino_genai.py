"""openvino-genai's WhisperPipeline, on the weights that optimum-intel converted: greedy, with timestamps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def load(weights: str, precision: str, threads: int) -> Callable[[Any, str], str]:
    """Ready to transcribe. What is not in int8 is computed in 32 bits, as in Galley: by default it would be in bf16 on
    processors that have it.
    """
    import openvino_genai

    pipeline = openvino_genai.WhisperPipeline(
        weights, "CPU", INFERENCE_PRECISION_HINT="f32", INFERENCE_NUM_THREADS=threads
    )

    def transcribe(samples: Any, language: str) -> str:
        found = pipeline.generate(samples, language=f"<|{language}|>", task="transcribe", return_timestamps=True)
        text: str = found.texts[0]
        return text

    return transcribe
