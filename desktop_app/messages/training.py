"""The requests to train a draft model and to measure what it brings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class TrainDraft:
    """A draft called `name` for the model in `target`, of `layers` layers, from the recordings in the folder `audio`
    or from these files, trained for `minutes` on `device` ("auto", "cpu" or "cuda"). `language` "auto" is detected in
    each window. Labels and the state of the training are kept in `room`; None: in the cache folder, for other drafts
    of the same target too."""

    target: Path
    audio: Path | tuple[Path, ...]
    name: str
    layers: int = 2
    minutes: float = 30.0
    language: str = "auto"
    device: str = "auto"
    room: Path | None = None


@dataclass(frozen=True)
class MeasureDraft:
    """Measure what a draft that was trained brings, on the held-back parts of its recordings and with weights of this
    `precision`. The labels of the training have to be there."""

    training: TrainDraft
    precision: str


@dataclass(frozen=True)
class Gain:
    """What a draft brings, measured on `seconds` of audio: seconds of audio that are transcribed in a second by the
    target `alone`, with the draft that it took `before` (0.0 for none), and with the trained one (`after`), with which
    it writes so many tokens per pass."""

    seconds: float
    alone: float
    before: float
    after: float
    tokens_per_pass: float

    @property
    def pays(self) -> bool:
        """Whether the target is faster with it than without, and than with the draft before, by more than measuring
        is uncertain."""
        return self.after > _NOISE * max(self.alone, self.before)


_NOISE = 1.02
