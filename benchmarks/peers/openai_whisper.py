"""openai-whisper, in PyTorch, 32 bits: greedy, without the text before as a prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any


def convert(target: Path, weights: Path, precision: str) -> None:
    """One file with dimensions and weights, as its `load_model` reads them; precision can only be f32."""
    import torch

    from tests import openai_models

    model = openai_models.load(target)
    torch.save({"dims": asdict(model.dims), "model_state_dict": model.state_dict()}, weights / "model.pt")


def load(weights: str, precision: str, threads: int) -> Callable[[Any, str], str]:
    """Ready to transcribe; precision can only be f32."""
    import torch
    import whisper

    torch.set_num_threads(threads)
    model = whisper.load_model(str(Path(weights) / "model.pt"), device="cpu")

    def transcribe(samples: Any, language: str) -> str:
        found = whisper.transcribe(
            model, samples, language=language, temperature=0.0, condition_on_previous_text=False, fp16=False
        )
        return str(found["text"])

    return transcribe
