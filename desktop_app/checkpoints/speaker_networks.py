"""The catalogue's networks that tell speakers apart: which there are, and which are installed."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from desktop_app import resources
from desktop_app.checkpoints import parts
from desktop_app.checkpoints.installed import home, staging
from desktop_app.problems import Problem

SEGMENTATION, EMBEDDING = "segmentation", "embedding"


@dataclass(frozen=True)
class SpeakerNetwork:
    """A network on the hub: the fields are explained in models/catalogue.toml."""

    name: str
    part: str
    repository: str
    revision: str
    file: str
    licence: str
    credit: str
    bytes: int
    sha256: str
    alike: float = 0.0
    doubt: float = 0.0
    same: float = 0.0
    least: float = 0.0


@cache
def entries() -> tuple[SpeakerNetwork, ...]:
    """All of them, in the order of the catalogue."""
    text = resources.path("models", "catalogue.toml").read_text(encoding="utf-8")
    return tuple(SpeakerNetwork(**fields) for fields in tomllib.loads(text)["speakers"])


def find(name: str) -> SpeakerNetwork | None:
    """The network of this name."""
    return next((entry for entry in entries() if entry.name == name), None)


def of(part: str) -> tuple[SpeakerNetwork, Path]:
    """The network of this part, and its file. Raises Problem where it is not on this computer, or a downloaded one is
    not what the catalogue knows: OpenVINO is given no other file.
    """
    for entry in entries():
        if entry.part == part and (file := location(entry)) is not None:
            if file != bundled(entry):
                verify(entry)
            return entry, file
    missing = next(entry for entry in entries() if entry.part == part)
    raise Problem("model.no_network", name=missing.name)


def location(entry: SpeakerNetwork) -> Path | None:
    """Its file: the one that comes with Galley, else the one that was downloaded; None where there is neither."""
    return next((file for file in (bundled(entry), home() / entry.name / entry.file) if file.is_file()), None)


def bundled(entry: SpeakerNetwork) -> Path:
    """Where its file lies if it came with Galley."""
    return resources.path("models", "speakers", f"{entry.name}.onnx")


def is_installed(entry: SpeakerNetwork) -> bool:
    """Whether its file is on this computer."""
    return location(entry) is not None


def verify(entry: SpeakerNetwork) -> bool:
    """Read every byte of an installed network again: True if it is what the catalogue knows, else Problem."""
    file = location(entry)
    if file is None:
        raise Problem("model.no_network", name=entry.name)
    if file.stat().st_size != entry.bytes or parts.digest(file) != entry.sha256:
        raise Problem("model.changed", file=file.name)
    return True


def remove(entry: SpeakerNetwork) -> None:
    """Delete a downloaded network, or what an unfinished download left. Raises Problem and OSError."""
    if bundled(entry).is_file():
        raise Problem("model.built_in", name=entry.name)
    with staging(entry.name) as folder:
        left = any(folder.iterdir())
        shutil.rmtree(folder)
        if is_installed(entry):
            (home() / entry.name).rename(folder)  # at once gone, whatever happens while it is deleted
            shutil.rmtree(folder)
        elif not left:
            raise Problem("model.no_network", name=entry.name)
