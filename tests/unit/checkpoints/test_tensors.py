"""Tensors are read as they were written, whatever kind of number holds them, and a header is not believed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from desktop_app.checkpoints.tensors import Tensors
from desktop_app.problems import Problem


def test_numbers_of_every_kind(tmp_path: Path) -> None:
    values = torch.randn(5, 7, generator=torch.Generator().manual_seed(1)) * 100
    kinds = {"half": torch.float16, "brain": torch.bfloat16, "full": torch.float32}
    save_file({name: values.to(kind) for name, kind in kinds.items()}, tmp_path / "model.safetensors")
    tensors = Tensors(tmp_path)
    assert set(tensors) == set(kinds)
    for name, kind in kinds.items():
        found = tensors[name].read()
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, values.to(kind).float().numpy())


def test_halves(tmp_path: Path) -> None:
    """Numbers that 16 bits hold, in 16 bits and in 32, are given as such, subnormal ones too; others never are."""
    values = torch.tensor([[1.0, -0.333251953125, 65504.0], [2.0**-24, 0.0, -(2.0**-15)]])
    others = {"finer": 1 + 2.0**-20, "smaller": 2.0**-26, "larger": 70000.0}
    changed = {
        name: values.clone().index_put((torch.tensor(1), torch.tensor(1)), torch.tensor(each))
        for name, each in others.items()
    }
    save_file(
        {"half": values.half(), "full": values, "brain": values.bfloat16(), **changed}, tmp_path / "model.safetensors"
    )
    tensors = Tensors(tmp_path)
    for name in ("half", "full"):
        found = tensors[name].halves()
        assert found is not None and found.dtype == np.float16
        np.testing.assert_array_equal(found, values.numpy())
    for name in others:
        assert tensors[name].halves() is None


def test_a_change_in_memory_stays_there(tmp_path: Path) -> None:
    save_file({"full": torch.zeros(3)}, tmp_path / "model.safetensors")
    Tensors(tmp_path)["full"].read()[:] = 1
    assert not Tensors(tmp_path)["full"].read().any()


def header(**changes: object) -> bytes:
    text = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes}).encode()
    return len(text).to_bytes(8, "little") + text + bytes(8)


@pytest.mark.parametrize(
    "content",
    [
        header(data_offsets=[0, 80]),
        header(data_offsets=[4, 8]),
        header(data_offsets=[8, 0]),
        header(data_offsets=[-8, 0]),
        header(data_offsets=[0]),
        header(shape=[-2]),
        header(shape="ab"),
        header(shape=None),
        header(shape=[float("inf")]),
        header(data_offsets=[0, float("inf")]),
        (5000).to_bytes(8, "little") + b"[" * 5000,
        (1 << 62).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
    ],
)
def test_headers_that_do_not_fit_the_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(Problem, match="damaged"):
        Tensors(tmp_path)


def test_a_pointer_of_git_is_called_one(tmp_path: Path) -> None:
    """What `git clone` leaves in the place of large files where git-lfs is not installed."""
    (tmp_path / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3\n")
    with pytest.raises(Problem, match="lfs_pointer"):
        Tensors(tmp_path)


@pytest.mark.parametrize("begin", [b"PK\x03\x04", *(bytes((0x80, protocol)) for protocol in range(2, 6))])
@pytest.mark.parametrize("rest", [b"", b"\x00\x00\x08\x08archive", b"}q\x00."])
def test_a_renamed_pickle_is_called_one(tmp_path: Path, begin: bytes, rest: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(begin + rest)
    with pytest.raises(Problem, match=r"pickle file='model\.safetensors'"):
        Tensors(tmp_path)


def test_a_header_as_long_as_a_pickle_begins_is_read(tmp_path: Path) -> None:
    """640 bytes are 80 02 in the file, the beginning of a pickle."""
    text = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).ljust(640).encode()
    (tmp_path / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    assert list(Tensors(tmp_path)) == ["a"]


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        ("[" * 5000, "damaged file='model.safetensors.index.json'"),
        (json.dumps({"weight_map": {"a": "x" * 400 + ".safetensors"}}), "damaged file='model.safetensors.index.json'"),
        (json.dumps({"weight_map": {"a": "\ud800.safetensors"}}), "damaged file='model.safetensors.index.json'"),
        (json.dumps({"weight_map": {"a": ["model.safetensors"]}}), "damaged file='model.safetensors.index.json'"),
        (json.dumps({"weight_map": {"a": "pytorch_model.bin"}}), "pickle file='pytorch_model.bin'"),
        (json.dumps({"weight_map": {"a": "x.pkl", "b": "model-1.safetensors"}}), "pickle file='x.pkl'"),
    ],
    ids=["nested", "long", "half a character", "a list", "a pickle", "a pickle beside"],
)
def test_an_index_is_not_believed(tmp_path: Path, index: str, reason: str) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(index)
    with pytest.raises(Problem) as caught:
        Tensors(tmp_path)
    assert reason in str(caught.value)


@given(st.binary(max_size=64))
def test_any_bytes_are_refused_or_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "model.safetensors").write_bytes(content)
    try:
        found = list(Tensors(folder))
    except Problem:
        return
    assert found == []
