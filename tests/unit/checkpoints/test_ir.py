"""A folder with OpenVINO's own graphs is recognised, installed and compared; what is missing, cut off or of another
kind is told in one plain sentence, without OpenVINO.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.checkpoints import installed, parts
from desktop_app.checkpoints.folder import read, same_encoder
from desktop_app.problems import Problem
from tests import random_models, tiny_ir


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A toy in safetensors, and its graphs."""
    toy = random_models.toy(tmp_path_factory.mktemp("models") / "toy")
    return toy, tiny_ir.write(toy, toy.parent / "graphs")


@pytest.fixture
def folder(sources: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(sources[1], tmp_path / "graphs"))


def quiet(what: str, done: int, total: int) -> None:
    """Nobody watches."""


def test_a_whole_folder(sources: tuple[Path, Path], folder: Path) -> None:
    toy, found = read(sources[0]), read(folder)
    assert found.ir is not None and toy.ir is None
    assert (found.shape, found.vocabulary, found.pieces) == (toy.shape, toy.vocabulary, toy.pieces)
    assert not list(found.tensors)
    assert not same_encoder(toy, found)


def test_it_is_installed_and_compared(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"a pickle")
    (folder / "openvino_tokenizer.xml").write_text("not a part of it")
    model = installed.add(folder, "", quiet)
    names = {file.name for file in model.folder.iterdir()}
    assert {*parts.GRAPHS, "config.json", "tokenizer.json"} <= names
    assert not names & {"pytorch_model.bin", "openvino_tokenizer.xml"}
    assert installed.verify("graphs", quiet)
    with (model.folder / "openvino_decoder_model.bin").open("r+b") as file:
        file.write(b"\x01")
    with pytest.raises(Problem, match=r"changed file='openvino_decoder_model\.bin'"):
        installed.verify("graphs", quiet)


def test_safetensors_are_preferred(sources: tuple[Path, Path], folder: Path) -> None:
    shutil.copy(sources[0] / "model.safetensors", folder)
    assert read(folder).ir is None


@pytest.mark.parametrize("name", parts.GRAPHS)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(Problem, match=f"graphs_incomplete file='{name}'"):
        read(folder)
    with pytest.raises(Problem, match=f"graphs_incomplete file='{name}'"):
        installed.add(folder, "", quiet)
    assert list(installed.names()) == ["base"]


def _cut(name: str) -> Callable[[Path], None]:
    def cut(folder: Path) -> None:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) * 2 // 3])

    return cut


def _renamed(name: str, old: str, new: str) -> Callable[[Path], None]:
    def renamed(folder: Path) -> None:
        (folder / name).write_text((folder / name).read_text().replace(old, new))

    return renamed


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_cut(parts.DECODER), r"damaged file='openvino_decoder_model\.xml"),
        (_cut("openvino_decoder_model.bin"), r"damaged file='openvino_decoder_model\.bin"),
        (_cut("openvino_encoder_model.bin"), r"damaged file='openvino_encoder_model\.bin"),
        (_renamed(parts.ENCODER, "<net", "<other><net"), r"damaged file='openvino_encoder_model\.xml"),
        (_renamed(parts.ENCODER, 'offset="', 'offset="x'), r"damaged file='openvino_encoder_model\.xml"),
        (_renamed(parts.ENCODER, "input_features", "mel"), r"encoder_model\.xml' detail='without input_features'"),
        (_renamed(parts.DECODER, "beam_idx", "past"), r"decoder_model\.xml' detail='past'"),
    ],
)
def test_each_defect_is_one_sentence(folder: Path, damage: Callable[[Path], None], reason: str) -> None:
    damage(folder)
    with pytest.raises(Problem, match=reason):
        read(folder)


def test_a_decoder_without_memory_is_refused(sources: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tiny_ir.write(sources[0], tmp_path / "stateless", stateful=False)
    with pytest.raises(Problem, match="not stateful") as caught:
        read(folder)
    assert caught.value.code == "model.graph"
