"""The request to train a draft model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class TrainDraft:
    """A draft called `name` for the model in `target`, of `layers` layers, from the recordings in `audio`, trained for
    `minutes` on `device` ("auto", "cpu" or "cuda"). `language` "auto" is detected in each window."""

    target: Path
    audio: Path
    name: str
    layers: int = 2
    minutes: float = 30.0
    language: str = "auto"
    device: str = "auto"
