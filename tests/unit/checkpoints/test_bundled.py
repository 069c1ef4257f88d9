"""The model that Galley ships is OpenAI's, to the last bit, and its folder is one that any program can read."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator

import numpy as np

from desktop_app.checkpoints import catalogue, parts
from desktop_app.checkpoints.folder import read_target
from desktop_app.checkpoints.installed import bundled, describe
from desktop_app.checkpoints.tensors import TensorFile

FOLDER = bundled()
BASE = catalogue.find("base")
assert BASE is not None


def published() -> Iterator[bytes]:
    """model.safetensors as the hub has it: a header, padded to eight bytes as safetensors does, then all tensors by
    name, in f32.
    """
    found = {}
    for name in parts.named_shards(json.loads((FOLDER / parts.INDEX).read_text("utf-8"))):
        file = TensorFile(FOLDER / name)
        found |= {tensor: (file, *entry) for tensor, entry in file.header.items()}
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (_, kind, shape, begin, end) in sorted(found.items()):
        assert kind == "F16"
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at := at + 2 * (end - begin)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for _, (file, _, _, begin, end) in sorted(found.items()):
        yield file.bytes[begin:end].view("<f2").astype("<f4").tobytes()


def test_its_numbers_are_those_that_openai_published() -> None:
    """The catalogue names the hash of the hub's file in f32; every f16 number is one of f32."""
    state, size = hashlib.sha256(), 0
    for block in published():
        state.update(block)
        size += len(block)
    assert BASE.repository == "openai/whisper-base"
    assert (size, state.hexdigest()) == (BASE.bytes, BASE.sha256)


def test_its_weights_lie_in_parts_that_every_host_of_git_takes() -> None:
    """100 MB is the limit of the common ones for a file."""
    index = json.loads((FOLDER / parts.INDEX).read_text("utf-8"))
    shards = parts.named_shards(index)
    assert all((FOLDER / name).stat().st_size < 100_000_000 for name in shards)
    sizes = [end - begin for name in shards for _, _, begin, end in TensorFile(FOLDER / name).header.values()]
    assert sum(sizes) == index["metadata"]["total_size"]
    assert np.array_equal(sorted(index["weight_map"]), sorted(n for s in shards for n in TensorFile(FOLDER / s).header))


def test_the_notices_of_its_licences_are_kept() -> None:
    assert "Copyright (c) 2022 OpenAI" in (FOLDER / "LICENSE").read_text("utf-8")
    card = (FOLDER / "README.md").read_text("utf-8")
    assert "MIT" in card and "Apache-2.0" in card


def test_it_is_read_as_whispers_base_with_all_languages() -> None:
    checkpoint = read_target(FOLDER)
    assert (checkpoint.name, checkpoint.notice, len(checkpoint.vocabulary.languages)) == ("base", "", 99)
    assert sum(map(math.prod, checkpoint.shape.tensors().values())) == BASE.parameters
    assert describe("base", FOLDER).entry is BASE


def test_its_files_are_those_that_were_recorded() -> None:
    """`galley models verify base`, without the look at every number."""
    recorded = {part.name: part for part in parts.recorded(FOLDER)}
    for file in FOLDER.glob("*.safetensors*"):
        assert file.name in recorded
    for name, part in recorded.items():
        assert ((FOLDER / name).stat().st_size, parts.digest(FOLDER / name)) == (part.size, part.sha256)
