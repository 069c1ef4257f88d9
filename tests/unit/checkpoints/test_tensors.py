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

from desktop_app.checkpoints.problem import ModelProblem
from desktop_app.checkpoints.tensors import Tensors


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
        (1 << 62).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
    ],
)
def test_headers_that_do_not_fit_the_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelProblem, match="damaged or incomplete"):
        Tensors(tmp_path)


def test_a_pointer_of_git_is_called_one(tmp_path: Path) -> None:
    """What `git clone` leaves in the place of large files where git-lfs is not installed."""
    (tmp_path / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3\n")
    with pytest.raises(ModelProblem, match=r"safetensors is only git's pointer to the weights; run git lfs pull"):
        Tensors(tmp_path)


@given(st.binary(max_size=64))
def test_any_bytes_are_refused_or_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "model.safetensors").write_bytes(content)
    try:
        found = list(Tensors(folder))
    except ModelProblem:
        return
    assert found == []
