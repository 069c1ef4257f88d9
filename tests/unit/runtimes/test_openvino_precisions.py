"""At every precision, and with graphs whose shapes are all fixed: a token's scores are the same to the last bit however
its text is grouped and whatever was rejected before.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from desktop_app.checkpoints.folder import read
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino as runtime
from desktop_app.runtimes import openvino_graphs as graphs
from desktop_app.runtimes import openvino_place
from desktop_app.runtimes.openvino import OpenVinoModel, load, precisions
from desktop_app.runtimes.openvino_passes import is_steady
from tests.unit.runtimes.conftest import Pair, features

HALF = [each for each in precisions("CPU") if each in ("bf16", "f16")]
SMALL = ["int8", "int4"]


def text(model: OpenVinoModel, size: int, length: int) -> list[int]:
    return np.random.default_rng(11).integers(0, size, length).tolist()


def alone(model: OpenVinoModel, encoded: np.ndarray, tokens: list[int]) -> np.ndarray:
    cursor = model.open(encoded)
    return np.concatenate([cursor.run([token]) for token in tokens])


def grouped(model: OpenVinoModel, encoded: np.ndarray, tokens: list[int]) -> np.ndarray:
    """The same text in passes of any size, of which a part is wrong and rejected."""
    random, kept = np.random.default_rng(3), list[np.ndarray]()
    cursor = model.open(encoded)
    while cursor.length < len(tokens):
        position = cursor.length
        right = tokens[position : position + int(random.integers(1, 12))]
        wrong = random.integers(0, 300, int(random.integers(0, 9))).tolist()[: model.positions - position - len(right)]
        kept.extend(cursor.run(right + wrong)[: len(right)])
        cursor.rewind(position + len(right))
    return np.array(kept)


@pytest.mark.parametrize(("precision", "fixed"), [("f32", True), *((each, False) for each in HALF + SMALL)])
@pytest.mark.parametrize("name", ["toy", "uneven"])
def test_the_same_to_the_last_bit(request: pytest.FixtureRequest, name: str, precision: str, fixed: bool) -> None:
    pair: Pair = request.getfixturevalue(name)
    model = load(read(pair.folder), precision=precision, fixed=fixed)
    tokens = text(model, pair.reference.config.vocab_size, 120)
    right = alone(model, pair.encoded, tokens)
    np.testing.assert_array_equal(grouped(model, pair.encoded, tokens), right)
    assert (model.epsilon, model.precision) == (0.0, precision)
    least = {"f32": 0.9999, "bf16": 0.999, "f16": 0.999, "int8": 0.99, "int4": 0.8}[precision]
    assert np.corrcoef(right[:60].ravel(), pair.scores(tokens[:60]).ravel())[0, 1] > least


@pytest.mark.parametrize("precision", ["f32", *HALF, *SMALL])
def test_fixed_shapes_write_what_the_others_write(toy: Pair, precision: str) -> None:
    """The graphs for the NPU, on the CPU: token for token, from the first position to the last; and where they look."""
    checkpoint = read(toy.folder)
    fixed, plain = (load(checkpoint, precision=precision, fixed=each) for each in (True, None))
    tokens = text(plain, toy.reference.config.vocab_size, 448)
    found, right = (grouped(each, toy.encoded, tokens) for each in (fixed, plain))
    np.testing.assert_array_equal(found.argmax(1), right.argmax(1))
    np.testing.assert_allclose(found, right, atol=1e-4 if precision == "f32" else 0.0)
    (scores, seen), (others, looked) = (each.attend(toy.encoded, tokens[:21]) for each in (fixed, plain))
    np.testing.assert_allclose(scores, others, atol=1e-4)
    np.testing.assert_allclose(seen, looked, atol=0.02 if precision in HALF else 1e-4)


def test_fixed_shapes_are_fixed(toy: Pair) -> None:
    model = load(read(toy.folder), fixed=True)
    decoder = model._reader.passes.decoder.get_compiled_model()
    assert not any(port.partial_shape.is_dynamic for port in (*decoder.inputs, *decoder.outputs))


def test_a_cursor_of_the_host(toy: Pair) -> None:
    """The limits of a text, and rewinds that are none."""
    cursor = load(read(toy.folder), precision="int8").open(toy.encoded)
    cursor.run([1] * 440)
    with pytest.raises(ValueError, match="9 tokens at position 440 of 448"):
        cursor.run([5] * 9)
    with pytest.raises(ValueError, match="rewind to 441 of 440"):
        cursor.rewind(441)
    cursor.run([5] * 8)
    with pytest.raises(ValueError, match="1 tokens at position 448"):
        cursor.run([5])


def test_what_a_device_cannot_compute_is_said(toy: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openvino_place, "precisions", lambda device: ["f32", "int8", "int4"])
    with pytest.raises(Problem, match="precision='bf16'") as caught:
        load(read(toy.folder), precision="bf16")
    assert caught.value.values["precisions"] == "f32, int8, int4"


def test_a_device_that_is_not_steady_gets_the_guard(toy: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is remembered; every width is tried before the tie guard has to do."""
    tried: list[int] = []

    def unsteady(passes: object, *about: object) -> bool:
        tried.append(passes.width)  # type: ignore[attr-defined]
        return False

    monkeypatch.setattr(runtime, "is_steady", unsteady)
    for _ in range(2):
        assert load(read(toy.folder), precision="int8", cache=tmp_path).epsilon > 0
    assert tried == [2, 16]
    monkeypatch.setattr(runtime, "is_steady", lambda passes, *about: passes.width == 16)
    model = load(read(toy.folder), precision="int8")
    assert (model.epsilon, model._reader.passes.width) == (0.0, 16)
    tokens = text(model, 300, 40)
    np.testing.assert_array_equal(grouped(model, toy.encoded, tokens), alone(model, toy.encoded, tokens))
    (verdict,) = tmp_path.glob("*.steady")
    assert json.loads(verdict.read_text("utf-8")) == {"steady": False, "width": 2}
    for damage in ('{"stea', '{"steady": true, "width": null}', "[]"):  # the first as a killed program may leave it
        verdict.write_text(damage, "utf-8")
        assert load(read(toy.folder), precision="int8", cache=tmp_path).epsilon == 0.0
        assert json.loads(verdict.read_text("utf-8")) == {"steady": True, "width": 16}


def test_the_trial_sees_a_difference(toy: Pair) -> None:
    """Passes of one token alone take other routines on this CPU; the trial is worth something."""
    model = load(read(toy.folder), precision="int8")
    passes = model._reader.passes
    model.open(toy.encoded)
    assert is_steady(passes, 448, 300)
    run = passes.run

    class Coarse:
        def __init__(self, count: int) -> None:
            self.count = count

        def run(self, tokens: list[int], position: int) -> tuple[np.ndarray, None]:
            scores, _ = run(tokens, position)
            return scores + (1e-6 if len(tokens) == self.count else 0), None

    assert is_steady(Coarse(3), 448, 300)  # type: ignore[arg-type]
    assert not is_steady(Coarse(5), 448, 300)  # type: ignore[arg-type]
    assert not is_steady(Coarse(208), 448, 300)  # type: ignore[arg-type]


@pytest.mark.parametrize("precision", SMALL)
def test_weights_are_made_once(toy: Pair, tmp_path: Path, precision: str) -> None:
    """With the cache the scores are those without it, and the next start writes nothing."""
    checkpoint = read(toy.folder)
    tokens = text(toy.model, 300, 5)
    plain = load(checkpoint, precision=precision)
    right = plain.open(plain.encode(features())).run(tokens)
    for _ in range(2):
        model = load(checkpoint, precision=precision, cache=tmp_path)
        np.testing.assert_array_equal(model.open(model.encode(features())).run(tokens), right)
        times = {file: file.read_bytes() for file in tmp_path.glob("*.weights")}
        assert len(times) == 2


def test_the_checkpoint_may_go_once_it_is_loaded(toy: Pair, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(toy.folder, tmp_path / "gone"))
    model = load(read(folder), precision="int4", cache=tmp_path / "cache")
    shutil.rmtree(folder)
    assert np.isfinite(model.open(toy.encoded).run([1, 2, 3])).all()
    assert model.attend(toy.encoded, [1, 2, 3])[1].shape[1] == 3


def test_what_was_compiled_for_one_precision_serves_no_other(toy: Pair, tmp_path: Path) -> None:
    """OpenVINO itself would take it: the settings are no part of the name that it gives to a compiled model."""
    wanted = [*precisions("CPU"), "f32"]

    def heard_and_read(precision: str, cache: Path | None) -> tuple[np.ndarray, np.ndarray]:
        model = load(read(toy.folder), precision=precision, cache=cache)
        encoded = model.encode(features(toy.reference.config.num_mel_bins))
        return encoded, model.open(encoded).run([300, 1, 2])

    for precision in (*wanted, *wanted):
        for found, right in zip(heard_and_read(precision, tmp_path), heard_and_read(precision, None), strict=True):
            np.testing.assert_array_equal(found, right, err_msg=precision)


def test_the_settings_name_a_compiled_model(toy: Pair, tmp_path: Path) -> None:
    """The same graph with other kernels is compiled again, and found again."""
    place, checkpoint = openvino_place.Place("cpu", "f32", tmp_path), read(toy.folder)
    cached = []
    for settings in ({}, {"SNIPPETS_MODE": "DISABLE"}) * 2:
        request = place.compiled(graphs.encoder(checkpoint.tensors, checkpoint.shape, None), **settings)
        cached.append(request.get_compiled_model().get_property("LOADED_FROM_CACHE"))
    assert cached == [False, False, True, True]
