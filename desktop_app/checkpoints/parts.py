"""Which files make a model, what a model's folder says of them, and whether they are what they should be."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from desktop_app import bounded
from desktop_app.problems import Problem

SETTINGS = (
    "config.json",
    "generation_config.json",
    "preprocessor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "normalizer.json",
    "vocab.json",
    "merges.txt",
)
"""Everything beside the weights that a Whisper folder may hold and that Galley or another program reads."""

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
ENCODER, DECODER = "openvino_encoder_model.xml", "openvino_decoder_model.xml"
GRAPHS = (ENCODER, DECODER, *(name.replace(".xml", ".bin") for name in (ENCODER, DECODER)))
"""OpenVINO's own graphs, in the place of tensors: the descriptions, then their numbers."""

ABOUT = "galley.json"

BLOCK = 1 << 20

_LARGEST = {
    **dict.fromkeys(("tokenizer.json", "vocab.json", "merges.txt"), 16_000_000),
    **dict.fromkeys((ENCODER, DECODER), 64_000_000),
}
_LARGEST_ELSE = 4_000_000
"""Bytes of what describes a model, several times the largest that any Whisper model has: what is read as text takes
much more memory than that. Numbers are mapped, and may be of any size."""

_LONGEST_TEXT = 1000  # characters of what galley.json says

_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib")
_OPENVINO = "openvino_"
_SHARD = re.compile(r"[\w .+-]{1,200}\.safetensors", re.ASCII)
_FOLDERS = 1000

BytesDone = Callable[[int], None]
"""Called with the bytes of a file that are done. An exception it raises stops the work."""


@dataclass(frozen=True)
class ModelFile:
    """A file of a model: its name, size in bytes and SHA-256."""

    name: str
    size: int
    sha256: str


def weights(names: Collection[str], shards: Callable[[], dict[str, Any]]) -> list[str]:
    """The files of a folder or repository that hold its tensors: one file, or the parts that its index names; else
    OpenVINO's own graphs. Problem names the pickle of one that has no other weights.
    """
    if WEIGHTS in names:
        return [WEIGHTS]
    if INDEX in names:
        try:
            index = shards()
        except (TypeError, ValueError):  # no object, of which a dict could be made
            index = {}
        return [INDEX, *named_shards(index)]
    if set(GRAPHS) & set(names):
        return whole_graphs(names)
    refuse_pickles(names)
    raise Problem("model.incomplete", file=WEIGHTS)


def named_shards(index: Any) -> list[str]:
    """The files that an index names, which lie beside it; Problem where it names none, others, or a pickle."""
    try:
        found = sorted(set(index["weight_map"].values()))
        damaged = not found or not all(map(_SHARD.fullmatch, found))
    except (AttributeError, KeyError, TypeError):
        found, damaged = [], True
    refuse_pickles(found)
    if damaged:
        raise Problem("model.damaged", file=INDEX)
    return found


def is_pickle(name: str) -> bool:
    """Whether a file of this name is one that PyTorch, joblib or Python itself unpickles, which can run code. The
    numbers of OpenVINO's graphs end alike and are none.
    """
    name = name.rpartition("/")[2].lower()
    return name.endswith(_PICKLES) and not (name.startswith(_OPENVINO) and name.endswith(".bin"))


def pickle_problem(name: str) -> Problem:
    """Says of a model that its weights are this pickle."""
    return Problem("model.pickle", file=name)


def refuse_pickles(names: Iterable[str]) -> None:
    """Raise Problem for the first pickle among the files of a model that has no other weights."""
    for name in sorted(filter(is_pickle, names), key=lambda name: (name.count("/"), name)):
        raise pickle_problem(name)


def files_below(folder: Path) -> Iterable[str]:
    """The files in a folder and those below it, its own first; not endlessly, as it may be a wrong one."""
    for place, _, files in islice(bounded.walk(folder), _FOLDERS):
        yield from ((Path(place) / file).relative_to(folder).as_posix() for file in files)


def is_small(name: str) -> bool:
    """Whether a file tells of a model and holds none of its numbers."""
    return not name.endswith((".safetensors", ".bin"))


def check_size(name: str, size: int) -> None:
    """Raise Problem where a file that tells of a model is larger than any such file."""
    most = _LARGEST.get(name, _LARGEST_ELSE)
    if is_small(name) and size > most:
        raise Problem("model.file_too_large", file=name, size=f"{size / 1e6:.0f}", most=f"{most / 1e6:.0f}")


def there(path: Path) -> bool:
    """Whether a model's folder has this file. Problem where another thing than a file has its name, where it is a link
    out of the folder, or where it is larger than any such file: before it is opened. Raises OSError.
    """
    try:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            if not _stays(path):
                raise Problem("model.link", file=path.name)
            about = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISREG(about.st_mode):
        raise Problem("model.not_a_file", file=path.name)
    check_size(path.name, about.st_size)
    return True


def _stays(path: Path) -> bool:
    """Whether a link leads into the model's folder, or to where the cache of huggingface_hub keeps the files of it."""
    folder = path.parent.resolve()
    model = folder.parent if folder.name == "draft" else folder
    homes = [model, *([model.parent.parent / "blobs"] if model.parent.name == "snapshots" else [])]
    try:
        target = path.resolve()
    except (OSError, RuntimeError):  # a link to itself
        return False
    return any(target.is_relative_to(each) for each in homes)


def read_text(path: Path) -> str:
    """The text of a file of a model. Raises Problem as `there` does, OSError, and ValueError where it is no UTF-8."""
    if not there(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return bounded.read(path, _LARGEST.get(path.name, _LARGEST_ELSE)).decode("utf-8")  # it may have grown


def whole_graphs(names: Collection[str]) -> list[str]:
    """The files of OpenVINO's graphs; Problem names the first that is missing."""
    for name in GRAPHS:
        if name not in names:
            raise Problem("model.graphs_incomplete", file=name)
    return list(GRAPHS)


def digest(path: Path, progress: BytesDone = lambda done: None) -> str:
    """The SHA-256 of a file."""
    return _digest(path, hashlib.sha256(), progress)


def git_digest(path: Path) -> str:
    """The name that git gives to a file with these contents: how a hub tells the hash of a small file."""
    head = f"blob {path.stat().st_size}\0".encode()
    return _digest(path, hashlib.sha1(head, usedforsecurity=False), lambda done: None)


def _digest(path: Path, state: hashlib._Hash, progress: BytesDone) -> str:
    done = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            state.update(block)
            done += len(block)
            progress(done)
    return state.hexdigest()


def text_in(about: dict[str, Any], key: str) -> str:
    """A text of galley.json, "" where there is none; cut off where it is too long for a name or a sentence. JSON can
    hold a lone surrogate, which no file and no terminal takes: it becomes a question mark.
    """
    found = about.get(key)
    return (found if isinstance(found, str) else "")[:_LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")


def read_about(folder: Path) -> dict[str, Any]:
    """What galley.json says of the model in a folder; {} where there is none that can be read."""
    try:
        found = bounded.parse_json(read_text(folder / ABOUT))
    except (OSError, ValueError, Problem):
        return {}
    return found if isinstance(found, dict) else {}


def write_about(folder: Path, about: dict[str, Any], parts: Collection[ModelFile] | None = None) -> None:
    """Write galley.json, whole or not at all. `parts` are the files as they should be, for a later check."""
    if parts is not None:
        about = about | {"files": [asdict(part) for part in parts]}
    fresh = folder / f".{ABOUT}.new"
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(about, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / ABOUT)


def recorded(folder: Path) -> list[ModelFile]:
    """The files as they were when the model was installed; [] where that is unknown."""
    try:
        return [
            ModelFile(str(each["name"]), int(each["size"]), str(each["sha256"])) for each in read_about(folder)["files"]
        ]
    except (KeyError, TypeError, ValueError, OverflowError):
        return []
