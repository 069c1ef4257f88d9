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
from desktop_app.checkpoints.problem import ModelProblem
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
    with pytest.raises(ModelProblem, match=r"openvino_decoder_model\.bin has changed"):
        installed.verify("graphs", quiet)


def test_safetensors_are_preferred(sources: tuple[Path, Path], folder: Path) -> None:
    shutil.copy(sources[0] / "model.safetensors", folder)
    assert read(folder).ir is None


@pytest.mark.parametrize("name", parts.GRAPHS)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelProblem, match=f"without {name}"):
        read(folder)
    with pytest.raises(ModelProblem, match=f"without {name}"):
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
        (_cut(parts.DECODER), r"openvino_decoder_model\.xml is damaged"),
        (_cut("openvino_decoder_model.bin"), r"openvino_decoder_model\.bin is incomplete"),
        (_cut("openvino_encoder_model.bin"), r"openvino_encoder_model\.bin is incomplete"),
        (_renamed(parts.ENCODER, "<net", "<other><net"), r"openvino_encoder_model\.xml is damaged"),
        (_renamed(parts.ENCODER, 'offset="', 'offset="x'), r"openvino_encoder_model\.xml is damaged"),
        (_renamed(parts.ENCODER, "input_features", "mel"), r"openvino_encoder_model\.xml has no input input_features"),
        (_renamed(parts.DECODER, "beam_idx", "past"), r"openvino_decoder_model\.xml wants an input past"),
    ],
)
def test_each_defect_is_one_sentence(folder: Path, damage: Callable[[Path], None], reason: str) -> None:
    damage(folder)
    with pytest.raises(ModelProblem, match=reason):
        read(folder)


def test_a_decoder_without_memory_is_refused(sources: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tiny_ir.write(sources[0], tmp_path / "stateless", stateful=False)
    with pytest.raises(ModelProblem, match="not stateful") as caught:
        read(folder)
    assert "galley models convert" in caught.value.remedy
