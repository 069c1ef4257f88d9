"""The models on this computer: one folder each in the user's data folder, and the one that comes with Galley.

A model is put together in a folder of its own, `.partial/NAME`, and moved to its place whole: a folder that is listed
is complete. Only safetensors and settings come in, never a pickle.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from desktop_app import folders, resources
from desktop_app.checkpoints import catalogue, parts
from desktop_app.checkpoints.catalogue import CatalogueEntry
from desktop_app.checkpoints.folder import read, read_draft, read_target
from desktop_app.checkpoints.parts import ModelFile
from desktop_app.checkpoints.pieces import read_json
from desktop_app.checkpoints.shared_draft import is_shared_draft, read_settings
from desktop_app.checkpoints.tensors import Tensors
from desktop_app.problems import Problem

BUNDLED = "base"
"""The name of the bundled model."""

Progress = Callable[[str, int, int], None]
"""Called with the step ("Copying"), the bytes of it that are done, and all of its bytes."""

_NAME = re.compile(r"\w[\w.+-]*")
_OTHER = re.compile(r"[^\w.+-]+")
_ROOM = 50_000_000


@dataclass(frozen=True)
class Installed:
    """A model on this computer. `repository` and `revision` say where it came from, "" where unknown."""

    name: str
    folder: Path
    repository: str
    revision: str

    @property
    def entry(self) -> CatalogueEntry | None:
        """The catalogue's entry of it: that of its name, if it came from the entry's repository."""
        entry = catalogue.find(self.name)
        return entry if entry and entry.repository == self.repository else None

    @property
    def trained_for(self) -> str:
        """The target of a draft that was trained here, or ""."""
        return parts.text_in(parts.read_about(self.folder), "trained_for")

    @property
    def bytes(self) -> int:
        """How much room it takes."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())


def bundled() -> Path:
    """The folder of the model that comes with Galley; its draft lies in it."""
    return resources.path("models", "whisper-base")


def home() -> Path:
    """The folder of the models that the user installed."""
    return folders.data() / "models"


def names() -> dict[str, Path]:
    """Names and folders of the models on this computer, the bundled one first, unless the user installed another under
    its name. One that cannot be read is left out.
    """
    found = {BUNDLED: bundled()}
    if home().is_dir():
        for folder in sorted(home().iterdir()):
            with contextlib.suppress(OSError):  # `check_readable` tells it to who asks for that model
                found |= {folder.name: folder} if _holds_model(folder) else {}
    return found


def models() -> list[Installed]:
    """The models on this computer, the bundled one first."""
    return [describe(name, folder) for name, folder in names().items()]


def describe(name: str, folder: Path) -> Installed:
    """What its folder says of a model."""
    about = parts.read_about(folder)
    return Installed(name, folder, parts.text_in(about, "repository"), parts.text_in(about, "revision"))


def unfinished() -> dict[str, int]:
    """Names of the models whose download stopped before its end, and the bytes of each that are here."""
    folder = home() / ".partial"
    begun = sorted(folder.iterdir()) if folder.is_dir() else []
    here = {each.name: sum(file.stat().st_size for file in each.rglob("*") if file.is_file()) for each in begun}
    return {name: size for name, size in here.items() if size}


def add(source: Path, name: str, progress: Progress) -> Installed:
    """Copy a model folder, and the draft in it, to the installed models; `name` "" takes the folder's own, as far as it
    can be a model's, or, for a model of the catalogue, the catalogue's.

    Raises Problem, also where the copy is not what was read; then nothing of it stays behind, but what an
    unfinished download left under this name does. Raises OSError.
    """
    checkpoint = read_target(source)
    if checkpoint.draft:
        try:
            read_draft(checkpoint.draft, checkpoint)
        except Problem as problem:
            raise Problem("model.own_draft", cause=problem) from problem
    wanted = _files(source) + [f"draft/{file}" for file in (_files(checkpoint.draft) if checkpoint.draft else ())]
    name = check_free(name or _own_name(source))
    with staging(name) as mine:
        check_free(name)  # another Galley may have installed it since
        folder = mine / "copy"
        try:
            shutil.rmtree(folder, ignore_errors=True)  # of a copying that was killed
            folder.mkdir()
            copied = _copy_all(source, wanted, folder, progress)
            if checkpoint.draft and (about := parts.read_about(checkpoint.draft)):
                parts.write_about(folder / "draft", about)
            parts.write_about(folder, _about(name, source, copied), copied)
            _check(folder, progress)
            added = place(folder, name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(mine, ignore_errors=True)  # a download of it is of no more use
        return added


def verify(name: str, progress: Progress) -> bool:
    """Read every byte of a model again; Problem says what is wrong. False if it is sound as far as one can see,
    but nobody wrote down what its files have to be.
    """
    known = names()
    if name not in known:
        raise unknown(name)
    return _check(known[name], progress)


def remove(name: str) -> None:
    """Delete an installed model, or what an unfinished download left. Raises Problem and OSError."""
    if name not in unfinished():
        _removable(name)
    with staging(name) as folder:
        shutil.rmtree(folder)
        if (home() / name).exists():
            (home() / name).rename(folder)  # at once gone from the list, whatever happens while it is deleted
            shutil.rmtree(folder)


def check_free(name: str) -> str:
    """The name, if a model can be installed under it; Problem if not."""
    if not _NAME.fullmatch(name):
        raise Problem("model.bad_name", name=name)
    found = names().get(name)
    if found == bundled():
        raise Problem("model.built_in", name=name)
    if found:
        raise Problem("model.installed", name=name)
    check_readable(name)
    return name


def check_readable(name: str) -> None:
    """Raise Problem where there is a model of this name that the system does not let one read."""
    if not _NAME.fullmatch(name):
        return
    folder = home() / name
    try:
        _holds_model(folder)
    except OSError as error:
        raise Problem("model.not_read", file=str(folder), error=error.strerror or str(error)) from error


def check_room(folder: Path, size: int, named: Path | None = None) -> None:
    """Raise Problem, with the folder of models or the `named` one, unless so many bytes fit on the disk."""
    free = shutil.disk_usage(folder).free
    if free < size + _ROOM:
        needed, shown = f"{(size + _ROOM) / 1e9:.2f}", str(named or home())
        raise Problem("disk.no_room", needed=needed, free=f"{free / 1e9:.2f}", folder=shown)


@contextlib.contextmanager
def staging(name: str) -> Iterator[Path]:
    """The folder in which the model `name` is put together, this program's alone inside the block. What is left in it
    stays.
    """
    folder = home() / ".partial" / name
    with locked(name):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield folder
        finally:
            for empty in (folder, folder.parent):
                with contextlib.suppress(OSError):
                    empty.rmdir()


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Let only this program work on what has this name inside the block."""
    locks = folders.cache() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    lock = FileLock(locks / f"{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Problem("model.busy", name=name) from None
    try:
        yield
    finally:
        lock.release()


def place(folder: Path, name: str) -> Installed:
    """Move a finished model to where it is found."""
    target = home() / name
    if target.exists():
        raise Problem("disk.exists", path=str(target))
    folder.rename(target)
    sync_folder(target.parent)
    return describe(name, target)


def sync_folder(folder: Path) -> None:
    """Let what was renamed in a folder survive a power cut, on systems that can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def disk_problem(error: OSError) -> Problem:
    """What the disk refuses."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return Problem("disk.full")
    return Problem("disk.failed", path=str(error.filename or home()), error=error.strerror or str(error))


def _removable(name: str) -> None:
    known = names()
    if name not in known:
        raise unknown(name)
    if known[name] == bundled():
        raise Problem("model.built_in", name=name)


def _holds_model(folder: Path) -> bool:
    """Whether a folder is a model's; OSError where one cannot look into it."""
    return folder.is_dir() and "config.json" in os.listdir(folder) and (folder / "config.json").is_file()


def unknown(name: str) -> Problem:
    """Says that there is no such model, or that it cannot be read."""
    try:
        check_readable(name)
    except Problem as problem:
        return problem
    return Problem("model.not_installed", name=name, names=", ".join(names()))


def _own_name(source: Path) -> str:
    """The catalogue's name of a model whose folder is called as there and holds the same weights, else the folder's
    without what no name can have.
    """
    own = _OTHER.sub("-", unicodedata.normalize("NFC", source.resolve().name)).lstrip(".+-") or "model"
    entry = catalogue.find(own)
    if entry is None:
        return own
    file = source / parts.WEIGHTS
    other = entry.sha256 and (not parts.there(file) or parts.digest(file) != entry.sha256)
    return own if other else entry.name


def _about(name: str, source: Path, copied: list[ModelFile]) -> dict[str, Any]:
    """What galley.json says of a copy: what it said before and, of weights with the catalogue's hash, where they are
    from.
    """
    about = {"name": name} | parts.read_about(source)
    entry = catalogue.find(name)
    if entry and entry.sha256 in [part.sha256 for part in copied]:
        about["repository"] = entry.repository
    return about


def _files(folder: Path) -> list[str]:
    """What belongs to the model in a folder, without galley.json and the draft."""
    there = {entry.name for entry in folder.iterdir() if entry.is_file()}
    weights = parts.weights(there, lambda: dict(read_json(folder / parts.INDEX)))
    return [name for name in parts.SETTINGS if parts.there(folder / name)] + weights


def _copy_all(source: Path, wanted: list[str], folder: Path, progress: Progress) -> list[ModelFile]:
    """Copy the files of a model; returns sizes and hashes of what was read."""
    total, done, copied = sum((source / file).stat().st_size for file in wanted), 0, []
    check_room(folder, total)
    for file in wanted:
        (folder / file).parent.mkdir(exist_ok=True)
        part = _copy(source / file, folder / file, partial(report, progress, "Copying", done, total))
        copied.append(ModelFile(file, part.size, part.sha256))
        done += part.size
    return copied


def report(progress: Progress, what: str, before: int, total: int, size: int) -> None:
    """Report a file's progress as part of that of all files; `before` counts the bytes of those that are done."""
    progress(what, before + size, total)


def _copy(source: Path, target: Path, progress: parts.BytesDone) -> ModelFile:
    """Copy a file and sync it to the disk; returns size and hash of what was read."""
    state, size = hashlib.sha256(), 0
    with source.open("rb") as old, target.open("wb") as new:
        while block := old.read(parts.BLOCK):
            new.write(block)
            state.update(block)
            size += len(block)
            progress(size)
        new.flush()
        os.fsync(new.fileno())
    return ModelFile(target.name, size, state.hexdigest())


def _check(folder: Path, progress: Progress) -> bool:
    """Compare every file with its recorded hash, then check every number. Raises Problem."""
    wanted = parts.recorded(folder)
    total, done = sum(part.size for part in wanted), 0
    for part in wanted:
        file = folder / part.name
        if not parts.there(file):
            raise Problem("model.changed", file=part.name)
        if file.stat().st_size != part.size:
            raise Problem("model.changed", file=part.name)
        if parts.digest(file, partial(report, progress, "Checking", done, total)) != part.sha256:
            raise Problem("model.changed", file=part.name)
        done += part.size
    check_numbers(folder)
    return bool(wanted)


def check_numbers(folder: Path) -> None:
    """Raise Problem where a number of a model, or of the draft in it, is infinite or none."""
    for tensors, name in _numbers(folder):
        if not tensors[name].is_finite():
            raise Problem("model.not_finite", name=name)


def _numbers(folder: Path) -> Iterator[tuple[Tensors, str]]:
    """Every tensor that a model and the draft in it are made of. A draft that lies alone, without the target that it
    was trained for, has its own."""
    if is_shared_draft(folder):
        read_settings(folder)
        tensors = Tensors(folder)
        yield from ((tensors, name) for name in tensors)
        return
    checkpoint = read(folder)
    for each in [checkpoint] if checkpoint.draft is None else [checkpoint, read_draft(checkpoint.draft, checkpoint)]:
        yield from ((each.tensors, name) for name in (() if each.ir else each.shape.tensors()))
