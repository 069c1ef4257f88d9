"""OpenVINO's own graphs give the scores that Galley's own graphs of the same checkpoint give, after any rewind, and a
model of another kind is refused in a sentence.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import openvino as ov
import pytest
from openvino import opset13 as op

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import read
from desktop_app.decoding.protocol import Model
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino
from desktop_app.runtimes.openvino_folder import FolderModel, load
from desktop_app.runtimes.openvino_place import EPSILON
from desktop_app.worker import runtime
from tests import random_models, tiny_ir
from tests.unit.runtimes.conftest import features


@dataclass(frozen=True)
class Two:
    """One checkpoint twice: its own graphs, and those that Galley makes."""

    folder: Path
    source: Path
    model: FolderModel
    reference: Model
    encoded: npt.NDArray[np.float32]
    tokens: list[int]

    def scores(self, tokens: list[int]) -> npt.NDArray[np.float32]:
        return self.reference.open(self.encoded).run(tokens)


KINDS = {"counting": False, "cache_position": True}
"""Decoders that count their tokens, and those that are told where they stand."""


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Two]:
    source = random_models.toy(tmp_path_factory.mktemp("models") / "toy")
    reference = openvino.load(read(source))
    encoded = reference.encode(features())
    tokens = np.random.default_rng(11).integers(0, random_models.TOY.shape.vocabulary, 448).tolist()
    made = {}
    for kind, positions in KINDS.items():
        folder = tiny_ir.write(source, source.parent / kind, positions=positions)
        made[kind] = Two(folder, source, load(read(folder)), reference, encoded, tokens)
    return made


@pytest.fixture(params=KINDS)
def two(request: pytest.FixtureRequest, kinds: dict[str, Two]) -> Two:
    return kinds[request.param]


def test_hears_the_same(two: Two) -> None:
    np.testing.assert_allclose(two.model.encode(features()), two.encoded, atol=1e-4)
    assert (two.model.mel_bins, two.model.positions, two.model.precision) == (80, 448, "f32")


def test_rejected_tokens_are_never_seen_again(two: Two) -> None:
    """Passes of every size, of which a part is rejected and replaced, give the scores of the text that was kept."""
    random = np.random.default_rng(3)
    tokens = two.tokens[:60]
    cursor = two.model.open(two.encoded)
    kept: list[npt.NDArray[np.float32]] = []
    while cursor.length < len(tokens):
        position = cursor.length
        right = tokens[position : position + int(random.integers(1, 9))]
        wrong = random.integers(0, 300, int(random.integers(0, 6))).tolist()
        kept.extend(cursor.run(right + wrong)[: len(right)])
        cursor.rewind(position + len(right))
    change = np.array(kept) - two.scores(tokens)
    assert np.ptp(change, axis=1).max() < two.model.epsilon / 3


def test_only_the_memory_of_the_text_is_cut(two: Two) -> None:
    """Far rewinds, to the start too; the window is looked at again only then, and another window is another text."""
    tokens = two.tokens[:40]
    cursor = two.model.open(two.encoded)
    for back in (20, 0, 39, 1, 30, 0):
        cursor.run(tokens[cursor.length :])
        cursor.rewind(back)
        assert cursor.length == back
    np.testing.assert_allclose(cursor.run(tokens), two.scores(tokens), atol=1e-4)
    two.model.open(two.model.encode(-features())).run(tokens)
    again = two.model.open(two.encoded)
    np.testing.assert_allclose(again.run(tokens), two.scores(tokens), atol=1e-4)


def test_the_last_position(two: Two) -> None:
    cursor = two.model.open(two.encoded)
    cursor.run(two.tokens[:440])
    with pytest.raises(ValueError, match="9 tokens at position 440 of 448"):
        cursor.run(two.tokens[:9])
    cursor.run([5] * 8)
    cursor.rewind(440)
    np.testing.assert_allclose(cursor.run(two.tokens[440:]), two.scores(two.tokens)[440:], atol=1e-4)
    for length in (-1, 449):
        with pytest.raises(ValueError, match="rewind"):
            cursor.rewind(length)


def test_where_the_heads_look(two: Two) -> None:
    found, expected = (each.attend(two.encoded, two.tokens[:12]) for each in (two.model, two.reference))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_the_runtime_of_a_folder(two: Two) -> None:
    """A folder with graphs is run as it is, and it is said that it does not rewind freely."""
    assert isinstance(found := runtime.load(read(two.folder), "auto", "auto", None, None), FolderModel)
    assert not found.rewinds_freely and found.device == "CPU"
    assert runtime.load(read(two.source), "auto", "auto", None, None).rewinds_freely


@pytest.mark.parametrize(
    ("device", "precision", "reason"),
    [
        ("cpu", "int8", "openvino_precision .*int8"),
        ("cpu", "bf16", "openvino_precision .*bf16"),
        ("tpu", "auto", "no_device device='TPU'"),
        ("cuda", "auto", "openvino_on_torch"),
    ],
)
def test_what_a_folder_is_not_run_on(two: Two, device: str, precision: str, reason: str) -> None:
    with pytest.raises(Problem, match=reason):
        runtime.load(read(two.folder), device, precision, None, None)


def test_a_decoder_that_rounds_what_passes_has_wider_ties(two: Two, tmp_path: Path) -> None:
    """A last bit may move such a number by a whole step, so more is decided again."""
    assert two.model.epsilon == EPSILON["f32"]
    folder = Path(shutil.copytree(two.folder, tmp_path / "rounding"))
    graph = ov.Core().read_model(folder / parts.DECODER)
    product = next(node for node in graph.get_ordered_ops() if node.get_type_name() == "MatMul")
    ends = [op.constant(np.array(end, np.float32)) for end in (-6, 6, -6, 6)]
    product.input(0).replace_source_output(op.fake_quantize(product.input_value(0), *ends, 256).output(0))
    ov.save_model(graph, tmp_path / "new.xml")
    for suffix in (".xml", ".bin"):
        shutil.copy(tmp_path / f"new{suffix}", (folder / parts.DECODER).with_suffix(suffix))
    rounding = load(read(folder))
    assert rounding.epsilon == EPSILON["int8"]
    assert rounding.precision == "int8, encoder f32"


def test_graphs_of_another_kind_are_refused(two: Two, tmp_path: Path) -> None:
    folder = tiny_ir.write(two.source, tmp_path / "last", last_only=True)
    with pytest.raises(Problem, match="detail='logits'") as caught:
        load(read(folder))
    assert caught.value.code == "model.graph"
    checkpoint = read(two.folder)
    for size, reason in (({"mel_bins": 128}, "input_features"), ({"width": 48}, "last_hidden_state")):
        with pytest.raises(Problem, match=reason):
            load(_with_shape(checkpoint, **size))
    with pytest.raises(Problem, match="detail='logits'"):
        load(_with_shape(checkpoint, vocabulary=99))


def _with_shape(checkpoint: object, **sizes: int) -> object:
    return replace(checkpoint, shape=replace(checkpoint.shape, **sizes))  # type: ignore[attr-defined,type-var]
