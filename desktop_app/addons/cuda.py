"""PyTorch for CUDA as an add-on of the installed program: the wheels of PyTorch and NVIDIA's libraries, from a package
index, in a folder of the user's. Who runs Galley from source installs the extra `torch` instead.

Wheel after wheel is downloaded, compared with its SHA-256, unpacked and deleted, in a folder of its own; the whole is
then moved to its place. What has arrived stays when that breaks off.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import bounded, folders
from desktop_app.addons import wheels
from desktop_app.checkpoints import installed, parts
from desktop_app.checkpoints.installed import Progress
from desktop_app.problems import Problem

if TYPE_CHECKING:
    from desktop_app.addons.index import PackageIndex, Wheel

NAME = "cuda"

TORCH = "2.13.0"
"""The release that Galley's code was written for and is tested with; that of constraints.txt."""

_SKIPPED = frozenset(
    {
        "setuptools",  # builds extensions of PyTorch
        "triton",  # compiles for torch.compile, which Galley does not call; there is none on Windows
    }
)
_ABOUT = "galley-addon.json"


@dataclass(frozen=True)
class DownloadPlan:
    """What is to be downloaded: the wheels, and who is asked for them."""

    index: PackageIndex
    wheels: tuple[Wheel, ...]

    @property
    def bytes(self) -> int:
        """Of the download; unpacked it takes more."""
        return sum(wheel.size for wheel in self.wheels)

    @property
    def hosts(self) -> list[str]:
        """Where the files lie."""
        return sorted({wheel.host for wheel in self.wheels})


@dataclass(frozen=True)
class InstalledAddOn:
    """The add-on that is here: the version of PyTorch, and whether it is the one that this Galley runs."""

    version: str
    fits: bool
    bytes: int


def is_offered() -> bool:
    """Whether this is the installed program, into whose Python nobody can install packages."""
    return bool(getattr(sys, "frozen", False))


def folder() -> Path:
    """Where it lies."""
    return folders.data() / "addons" / NAME


def found() -> InstalledAddOn | None:
    """The add-on that is here; None where there is none. Looks at every file."""
    here = _about(folder())
    if here is None:
        return None
    size = sum(file.stat().st_size for file in folder().rglob("*") if file.is_file())
    return InstalledAddOn(here["torch"], here == _own(), size)


def is_here() -> bool:
    """Whether PyTorch can be imported: it is in this Python, or the add-on is one for this Galley."""
    return importlib.util.find_spec("torch") is not None or _about(folder()) == _own()


def use() -> None:
    """Let this process import PyTorch from the add-on, if there is one and PyTorch is not here otherwise. Problem where
    it is one for another Galley.
    """
    if importlib.util.find_spec("torch") is not None:
        return
    here = _about(folder())
    if here is None:
        return
    if here != _own():
        raise Problem("addon.outdated", version=here["torch"], wanted=TORCH)
    sys.path.insert(0, str(folder()))  # before the program's own parts of the same packages, which are not whole


@contextmanager
def importing_torch() -> Iterator[None]:
    """For imports of PyTorch, from the add-on where there is one. Problem where it is missing, or cannot be loaded."""
    use()
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise Problem("addon.missing" if is_offered() else "model.no_torch") from error
    except (ImportError, OSError) as error:
        raise Problem("addon.broken" if is_offered() else "model.torch_broken", error=str(error)) from error


def plan(address: str, contacting: Callable[[str], object], needs_cuda: bool = True) -> DownloadPlan:
    """What the index at `address` has for this system; `contacting` is called with each host before it is asked. Raises
    Problem, also where its PyTorch is not for CUDA although it `needs_cuda`: training does without.
    """
    from desktop_app.addons.index import (
        PackageIndex,  # the engine uses this module, and loads no code that uses a network
    )

    here = _about(folder())
    if here is not None and here == _own():
        raise Problem("addon.installed", version=here["torch"])
    index = PackageIndex(address, contacting)
    needed = tuple(index.resolve(f"torch=={TORCH}", _SKIPPED))
    if needs_cuda and not any("cuda" in wheel.name or wheel.name.startswith("nvidia-") for wheel in needed):
        raise Problem("addon.no_cuda", host=index.host)
    return DownloadPlan(index, needed)


def install(wanted: DownloadPlan, progress: Progress) -> None:
    """Download what is planned, and put it in its place. Raises Problem, and OSError where the disk refuses."""
    with installed.locked(NAME):
        room = _room()
        room.mkdir(parents=True, exist_ok=True)
        site = room / "site"
        _tidy(room, wanted)
        site.mkdir(exist_ok=True)
        missing = [wheel for wheel in wanted.wheels if not wheels.is_unpacked(wheel.file, site)]
        left = sum(wheel.size for wheel in missing) + max((wheel.size for wheel in missing), default=0)
        here = sum(entry.stat().st_size for entry in room.iterdir() if entry.is_file())
        installed.check_room(room, max(left - here, 0), folder())
        done = wanted.bytes - sum(wheel.size for wheel in missing)
        for wheel in missing:
            _bring(wanted, wheel, room, partial(installed.report, progress, "Downloading", done, wanted.bytes))
            done += wheel.size
            _unpack(room / wheel.file, site, partial(progress, "Unpacking", done, wanted.bytes))
        if not all(wheels.is_unpacked(wheel.file, site) for wheel in wanted.wheels):
            wheels.discard(site)
            raise Problem("addon.damaged", file=wanted.wheels[0].file)
        (site / _ABOUT).write_text(json.dumps(_own()), "utf-8")
        wheels.sync()
        if folder().exists():
            folder().rename(room / "old")
        site.rename(folder())
        installed.sync_folder(folder().parent)
        wheels.discard(room)


def remove() -> None:
    """Delete the add-on, and what an unfinished download left. Raises Problem and OSError."""
    with installed.locked(NAME):
        room = _room()
        if not folder().exists() and not room.exists():
            raise Problem("addon.not_installed")
        wheels.discard(room)
        if folder().exists():
            room.parent.mkdir(parents=True, exist_ok=True)
            folder().rename(room)  # at once gone, whatever happens while it is deleted
            wheels.discard(room)


def _room() -> Path:
    """Where it is put together."""
    return folder().with_name(f".{NAME}")


def _own() -> dict[str, str]:
    """What an add-on says that fits this program."""
    return {"torch": TORCH, "python": ".".join(platform.python_version_tuple()[:2]), "machine": platform.machine()}


def _about(place: Path) -> dict[str, str] | None:
    try:
        about = bounded.read_json(place / _ABOUT)
    except (OSError, ValueError):
        return None
    whole = isinstance(about, dict) and isinstance(about.get("torch"), str)
    return about if whole else None


def _tidy(room: Path, wanted: DownloadPlan) -> None:
    """Remove what an earlier attempt has left and this one cannot use."""
    names = {wheel.file for wheel in wanted.wheels}
    kept = names | {f"{wheel.file}.{wheel.sha256[:16]}.part" for wheel in wanted.wheels} | {"site"}
    for entry in room.iterdir():
        if entry.is_dir() and entry.name != "site":
            wheels.discard(entry)
        elif entry.name not in kept:
            entry.unlink()
    releases = {wheels.release(wheel.file) for wheel in wanted.wheels}
    if any(wheels.release(entry.name) not in releases for entry in (room / "site").glob("*.dist-info")):
        wheels.discard(room / "site")


def _bring(wanted: DownloadPlan, wheel: Wheel, room: Path, progress: parts.BytesDone) -> None:
    """Download a wheel and compare its hash; one with another is deleted."""
    target, part = room / wheel.file, room / f"{wheel.file}.{wheel.sha256[:16]}.part"
    if not target.exists():
        part.touch()
        wanted.index.fetch(wheel, part, progress)
        if parts.digest(part, lambda done: None) != wheel.sha256:
            part.unlink()
            raise Problem("download.hash", file=wheel.file)
        part.rename(target)


def _unpack(file: Path, site: Path, progress: Callable[[], object]) -> None:
    """Unpack a wheel and delete it, and so one that cannot be unpacked."""
    try:
        wheels.unpack(file, site, lambda size: installed.check_room(site, size, folder()), progress)
    except Problem as problem:
        if problem.kind == "disk":
            raise
        file.unlink()
        raise
    file.unlink()
