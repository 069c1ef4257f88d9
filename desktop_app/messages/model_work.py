"""What is asked of a task on models, and what it answers: frozen dataclasses over a pipe."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop_app.messages.training import Gain, MeasureDraft, TrainDraft
from desktop_app.problems import Problem
from desktop_app.transcript.statistics import Speed

_ATTEMPTS = 20  # to remove a folder


@dataclass(frozen=True)
class Download:
    """Download a model or a speaker network of the catalogue."""

    name: str


@dataclass(frozen=True)
class Add:
    """Copy a model from a folder to the installed ones, under a `name`, or under that of the folder."""

    folder: str
    name: str = ""


@dataclass(frozen=True)
class Verify:
    """Read every byte of an installed model again."""

    name: str


@dataclass(frozen=True)
class Remove:
    """Delete an installed model, or what an unfinished download left."""

    name: str


@dataclass(frozen=True)
class Quantise:
    """Quantise the weights of a model, and of the draft that it would use: `precision` is "int8" or "int4"."""

    target: str
    draft: str
    precision: str


@dataclass(frozen=True)
class Convert:
    """Write a model as OpenVINO's own graphs to a folder, as `convert` says; `sounds` "" for none."""

    model: str
    folder: str
    sounds: str = ""
    _token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def room(self) -> Path:
        """The folder beside it in which the graphs are put together."""
        folder = Path(self.folder)
        return folder.with_name(f".{folder.name}-{self._token}")

    def remove_room(self) -> None:
        """Remove what a conversion that was killed, or whose parent was, has left. It may write meanwhile."""
        for _attempt in range(_ATTEMPTS):
            shutil.rmtree(self.room, ignore_errors=True)
            if not self.room.exists():
                break


@dataclass(frozen=True)
class Try:
    """Check whether a model can transcribe, and with this draft ("auto", "off", a name or a folder)."""

    target: str
    draft: str


@dataclass(frozen=True)
class Measure:
    """Measure how fast a model transcribes here, with this draft ("auto", "off", a name or a folder) and precision: a
    part of the sample conversation, or of a `file` in a `language`."""

    target: str
    draft: str
    precision: str
    file: str = ""
    language: str = "auto"


@dataclass(frozen=True)
class AddTorch:
    """Download PyTorch as an add-on of the installed program, from the package index at this address."""

    index: str


@dataclass(frozen=True)
class Hold:
    """Let the work pause at its next step, or go on."""

    held: bool


@dataclass(frozen=True)
class Step:
    """Progress: the current step ("Downloading"), how many bytes of it are done, and of how many (0 if unknown)."""

    what: str
    done: int
    total: int


@dataclass(frozen=True)
class Announced:
    """The work has come to a stage of `app/presentation/stages.py`, whose sentence has these values."""

    stage: str
    values: dict[str, Any]


@dataclass(frozen=True)
class Done:
    """The work is done. `name` is that of the model, `draft` what a pair that was tried would use ("" for none).
    `compared` is whether its bytes were compared with what they should be, `agreement` at which share of held-back
    places a draft that was trained agrees with its target, `speed` or `gain` what was measured."""

    name: str = ""
    draft: str = ""
    compared: bool = True
    agreement: float = 0.0
    speed: Speed | None = None
    gain: Gain | None = None


@dataclass(frozen=True)
class Refused:
    """The work cannot be done."""

    problem: Problem


@dataclass(frozen=True)
class Stopped:
    """The work was cancelled."""


Work = Download | Add | Verify | Remove | Quantise | Convert | TrainDraft | MeasureDraft | AddTorch | Try | Measure
Message = Step | Announced | Done | Refused | Stopped
Progress = Callable[[str, int, int], None]
Announce = Callable[..., None]
"""Called with a stage and the values of its sentence."""
