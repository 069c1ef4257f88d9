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
from desktop_app.checkpoints.problem import ModelProblem

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


@dataclass(frozen=True)
class Pair:
    """The installed networks, each with its file; None where there is none. A segmentation alone is of no use."""

    embedding: tuple[SpeakerNetwork, Path] | None
    segmentation: tuple[SpeakerNetwork, Path] | None


@cache
def entries() -> tuple[SpeakerNetwork, ...]:
    """All of them, in the order of the catalogue."""
    text = resources.path("models", "catalogue.toml").read_text(encoding="utf-8")
    return tuple(SpeakerNetwork(**fields) for fields in tomllib.loads(text)["speakers"])


def find(name: str) -> SpeakerNetwork | None:
    """The network of this name."""
    return next((entry for entry in entries() if entry.name == name), None)


def installed_pair() -> Pair:
    """What is installed of the catalogue's networks."""
    here = {entry.part: (entry, file) for entry in entries() if (file := home() / entry.name / entry.file).is_file()}
    return Pair(here.get(EMBEDDING), here.get(SEGMENTATION))


def is_installed(entry: SpeakerNetwork) -> bool:
    """Whether its file is on this computer."""
    return (home() / entry.name / entry.file).is_file()


def verify(entry: SpeakerNetwork) -> bool:
    """Read every byte of an installed network again: True if it is what the catalogue knows, else ModelProblem."""
    if not is_installed(entry):
        raise ModelProblem(f"{entry.name} is not installed", f"galley models download {entry.name} fetches it")
    if parts.digest(home() / entry.name / entry.file) != entry.sha256:
        raise ModelProblem(f"{entry.file} has changed since it was installed", "remove it and fetch it again")
    return True


def remove(entry: SpeakerNetwork) -> None:
    """Delete an installed network, or what an unfinished download left. Raises ModelProblem and OSError."""
    with staging(entry.name) as folder:
        left = any(folder.iterdir())
        shutil.rmtree(folder)
        if is_installed(entry):
            (home() / entry.name).rename(folder)  # at once gone, whatever happens while it is deleted
            shutil.rmtree(folder)
        elif not left:
            raise ModelProblem(f"{entry.name} is not installed", f"galley models download {entry.name} fetches it")
