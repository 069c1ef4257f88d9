"""At every precision, and with graphs whose shapes are all fixed: a token's scores are the same to the last bit however
its text is grouped and whatever was rejected before.
"""

from __future__ import annotations

import errno
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
import soundfile
from openvino import opset13 as op

from desktop_app import resources
from desktop_app.audio import logmel
from desktop_app.checkpoints.folder import read
from desktop_app.decoding.live_drafters import MOST
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino as runtime
from desktop_app.runtimes import openvino_graphs as graphs
from desktop_app.runtimes import openvino_int8, openvino_place
from desktop_app.runtimes.openvino import OpenVinoModel, load, precisions
from desktop_app.runtimes.openvino_cross import Int8
from desktop_app.runtimes.openvino_graphs import Heads
from desktop_app.runtimes.openvino_memory import give, take
from desktop_app.runtimes.openvino_passes import AppendedCursor, largest_difference
from tests.unit.runtimes.conftest import Pair, features

SMALL = ["int8", "int4"]
HALF = ["bf16", "f16"]


@pytest.fixture(autouse=True)
def computed(request: pytest.FixtureRequest) -> None:
    """Skip what this processor does not compute in."""
    precision = request.node.callspec.params.get("precision", "f32") if hasattr(request.node, "callspec") else "f32"
    if precision not in precisions("CPU"):
        pytest.skip(f"this processor does not compute in {precision}")


@pytest.fixture(autouse=True)
def rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small weights are run as on a CPU that rounds activations, whatever this one does."""
    monkeypatch.setattr(openvino_int8, "rounds_activations", lambda: True)


@pytest.fixture
def slow_bf16(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU that gains nothing by bf16, as most do."""
    monkeypatch.setattr(openvino_place, "has_bf16_units", lambda: False)
    monkeypatch.setattr(openvino_place, "has_bf16_vectors", lambda: False)


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
    assert (model.epsilon, model.precision.partition(",")[0]) == (0.0, precision)
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
    """What was found is remembered; every width is tried before the tie guard has to do, and epsilon is measured."""
    tried: list[int] = []
    apart = {2: 0.4, 16: 0.3}

    def unsteady(passes: Any, *about: object) -> float:
        tried.append(passes.width)
        return apart[passes.width]

    monkeypatch.setattr(runtime, "largest_difference", unsteady)
    for _ in range(2):
        model = load(read(toy.folder), precision="int8", cache=tmp_path)
        assert (model.epsilon, model._reader.passes.width) == (pytest.approx(2.5 * 0.3), 16)
    assert tried == [2, 16]
    apart |= {2: 0.001}
    assert load(read(toy.folder), precision="int8").epsilon == 0.5  # no less than was seen elsewhere
    apart |= {16: 0.0}
    model = load(read(toy.folder), precision="int8")
    assert (model.epsilon, model._reader.passes.width) == (0.0, 16)
    tokens = text(model, 300, 40)
    np.testing.assert_array_equal(grouped(model, toy.encoded, tokens), alone(model, toy.encoded, tokens))


@pytest.mark.parametrize(("precision", "least"), [("f16", 0.1), ("bf16", 0.5), ("int8", 0.5), ("int4", 0.5)])
def test_what_the_guard_reaches_over_at_least(
    toy: Pair, monkeypatch: pytest.MonkeyPatch, precision: str, least: float
) -> None:
    """On a device that is not steady, however little that was seen to be; in f32 no trial is needed."""
    monkeypatch.setattr(runtime, "largest_difference", lambda passes, *about: 1e-6)
    assert load(read(toy.folder), precision=precision).epsilon == least
    assert toy.model.epsilon == 1e-2


@pytest.mark.usefixtures("slow_bf16")
@pytest.mark.parametrize("precision", SMALL)
def test_small_weights_that_are_only_widened_are_run_as_f32(
    toy: Pair, monkeypatch: pytest.MonkeyPatch, precision: str
) -> None:
    """No pass is padded, no trial needed, and the guard reaches no further than in f32: both take time."""
    monkeypatch.setattr(openvino_int8, "rounds_activations", lambda: False)
    monkeypatch.setattr(openvino_int8, "is_exact", lambda: False)
    monkeypatch.setattr(runtime, "largest_difference", lambda *about: pytest.fail("tried"))
    model = load(read(toy.folder), precision=precision)
    assert (model.epsilon, model.precision, type(model.open(toy.encoded))) == (1e-2, precision, AppendedCursor)
    monkeypatch.setattr(openvino_int8, "is_exact", lambda: True)  # the other trial has found products of bytes
    monkeypatch.setattr(runtime, "largest_difference", lambda *about: 0.0)
    assert load(read(toy.folder), precision=precision).epsilon == 0


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="only x86 does both by the same units")
def test_rounded_activations_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the units that also multiply bytes without overflow: two trials, one answer."""
    monkeypatch.undo()
    assert openvino_int8.rounds_activations() == openvino_int8.is_exact()


@pytest.mark.parametrize("precision", ["f32", *HALF, *SMALL])
def test_what_a_device_is_asked_to_compute_in(precision: str) -> None:
    """Weights of few bits alone have their sums in groups, of which 32 are the same in every pass."""
    place = openvino_place.DeviceSettings("cpu", precision, None)
    node = op.parameter([1, 4], ov.Type.f32)
    compiled = place.compiled(ov.Model([op.relu(node)], [node])).get_compiled_model()
    assert compiled.get_property("DYNAMIC_QUANTIZATION_GROUP_SIZE") == (32 if precision in SMALL else 0)
    numbers = {"bf16": ov.Type.bf16, "f16": ov.Type.f16}.get(precision, ov.Type.f32)
    assert compiled.get_property("INFERENCE_PRECISION_HINT") == place.numbers == numbers
    assert compiled.get_property("KV_CACHE_PRECISION") == numbers


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("", "", id="nothing left"),
        pytest.param("}", "", id="cut"),
        pytest.param("0.3", "0.0", id="steady"),
        pytest.param("0.3", "null", id="nothing"),
        pytest.param("16", "2", id="another width"),
        pytest.param("{", "[", id="list"),
    ],
)
def test_a_verdict_that_was_changed_is_not_believed(
    toy: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    monkeypatch.setattr(runtime, "largest_difference", lambda passes, *about: 0.6 - passes.width * 0.3 / 16)
    load(read(toy.folder), precision="int8", cache=tmp_path)
    (verdict,) = tmp_path.glob("*.steady")
    right = verdict.read_text("utf-8")
    assert old in right
    verdict.write_text(right.replace(old, new, 1) if old else "", "utf-8")
    assert load(read(toy.folder), precision="int8", cache=tmp_path).epsilon == pytest.approx(0.75)
    assert verdict.read_text("utf-8") == right


def test_a_verdict_is_for_one_device_precision_and_shape(
    toy: Pair, uneven: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What holds on one processor, with so many threads or that version of OpenVINO, may not hold on another; nor is
    the file of one believed under the name of another."""
    tried: list[int] = []

    def steady(passes: Any, *about: object) -> float:
        tried.append(passes.width)
        return 0.0

    monkeypatch.setattr(runtime, "largest_difference", steady)
    about = runtime.described

    def trials(**options: Any) -> int:
        before = len(tried)
        load(read(options.pop("folder", toy.folder)), cache=tmp_path, **options)
        return len(tried) - before

    assert [trials(precision="int8"), trials(precision="int8")] == [1, 0]
    assert trials(precision="int4") == 1
    assert trials(precision="int8", folder=uneven.folder) == 1
    assert trials(precision="int8", fixed=True) == 1
    monkeypatch.setattr(runtime, "described", lambda compiled, device: [*about(compiled, device), "another"])
    assert trials(precision="int8") == 1
    first, second = sorted(tmp_path.glob("*.steady"))[:2]
    shutil.copy(first, second)
    assert runtime._read(first) is not None and runtime._read(second) is None


def test_the_name_of_a_verdict_holds_processor_and_threads(toy: Pair) -> None:
    compiled = load(read(toy.folder), precision="int8")._window.get_compiled_model()
    about = " ".join(openvino_place.described(compiled, "CPU"))
    assert "FULL_DEVICE_NAME " in about and "INFERENCE_NUM_THREADS " in about


def test_the_trial_sees_a_difference(toy: Pair) -> None:
    """Of passes of any number of tokens that a draft may have, each by itself, and of prefills."""
    model = load(read(toy.folder), precision="int8")
    passes = model._reader.passes
    model.open(toy.encoded)
    assert largest_difference(passes, 448, 300) == 0.0
    table = np.random.default_rng(4).standard_normal((500, 300)).astype(np.float32)

    class Coarse:
        """Each token has the same scores at a position, but where so many are read at once, or from there on."""

        def __init__(self, count: int, position: int | None = None) -> None:
            self.count, self.position = count, position

        def run(self, tokens: list[int], position: int) -> tuple[np.ndarray, None]:
            scores = table[np.add(tokens, range(position, position + len(tokens))) % 500]
            wrong = len(tokens) == self.count and self.position in (None, position)
            scores[0, 7] += 2e-3 if wrong else 0
            return scores, None

    for count in [*range(1, MOST + 2), 60, 208]:
        found = largest_difference(Coarse(count), 448, 300)  # type: ignore[arg-type]
        assert found == pytest.approx(2e-3, rel=0.01), count
    for count in (2, 20, 33):
        assert largest_difference(Coarse(count, 448 - 33), 448, 300)  # type: ignore[arg-type]
    for count, position in ((2, 5), (9, 7), (16, 17)):  # behind passes of other widths
        for start in (0, 448 - 33):
            assert largest_difference(Coarse(count, start + position), 448, 300)  # type: ignore[arg-type]
    assert not largest_difference(Coarse(MOST + 2), 448, 300)  # type: ignore[arg-type]


@pytest.mark.usefixtures("slow_bf16")
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


def test_weights_that_cannot_be_kept_are_quantised_all_the_same(
    toy: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk costs memory, not the transcript: the scores are those of weights from a file."""
    checkpoint = read(toy.folder)
    windows = features()
    kept = load(checkpoint, precision="int8", cache=tmp_path / "kept")
    expected = kept.open(kept.encode(windows)).run([1, 2, 3])

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    model = load(checkpoint, precision="int8", cache=tmp_path / "full")
    assert not list((tmp_path / "full").glob("*.weights"))
    np.testing.assert_array_equal(model.open(model.encode(windows)).run([1, 2, 3]), expected)


def test_the_checkpoint_may_go_once_it_is_loaded(toy: Pair, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(toy.folder, tmp_path / "gone"))
    model = load(read(folder), precision="int4", cache=tmp_path / "cache")
    shutil.rmtree(folder)
    assert np.isfinite(model.open(toy.encoded).run([1, 2, 3])).all()
    assert model.attend(toy.encoded, [1, 2, 3])[1].shape[1] == 3


def test_what_was_compiled_for_one_precision_serves_no_other(toy: Pair, tmp_path: Path) -> None:
    """OpenVINO itself would take it: the settings are no part of the name that it gives to a compiled model."""
    wanted = [*precisions("CPU"), "f32"]

    def encoded_and_read(precision: str, cache: Path | None) -> tuple[np.ndarray, np.ndarray]:
        model = load(read(toy.folder), precision=precision, cache=cache)
        encoded = model.encode(features(toy.reference.config.num_mel_bins))
        return encoded, model.open(encoded).run([300, 1, 2])

    for precision in (*wanted, *wanted):
        for found, right in zip(encoded_and_read(precision, tmp_path), encoded_and_read(precision, None), strict=True):
            np.testing.assert_array_equal(found, right, err_msg=precision)


def test_the_settings_name_a_compiled_model(toy: Pair, tmp_path: Path) -> None:
    """The same graph with other kernels is compiled again, and found again."""
    place, checkpoint = openvino_place.DeviceSettings("cpu", "f32", tmp_path), read(toy.folder)
    cached = []
    for settings in ({}, {"SNIPPETS_MODE": "DISABLE"}) * 2:
        request = place.compiled(graphs.encoder(checkpoint.tensors, checkpoint.shape, None), "", settings)
        cached.append(request.get_compiled_model().get_property("LOADED_FROM_CACHE"))
    assert cached == [False, False, True, True]


def executed(request: ov.InferRequest) -> list[tuple[str, str]]:
    """The steps that the device executes for a graph: type and precision of each."""
    steps = request.get_compiled_model().get_runtime_model().get_ordered_ops()
    return [
        tuple(str(step.get_rt_info()[key].astype(str)) for key in ("layerType", "runtimePrecision")) for step in steps
    ]


def error(found: np.ndarray, right: np.ndarray) -> float:
    return float(np.linalg.norm(found - right) / np.linalg.norm(right))


@pytest.mark.usefixtures("slow_bf16")
@pytest.mark.parametrize("precision", ["f32", "int8"])
def test_an_int8_encoder_multiplies_bytes(toy: Pair, precision: str) -> None:
    """As executed, not as written: the attention of each layer is one step of 8 bits. OpenVINO could compute the same
    in f32 and say nothing."""
    steps = executed(load(read(toy.folder), precision=precision)._encoder)
    in_bytes = precision == "int8" and openvino_int8.is_exact()
    assert steps.count(("Subgraph", "i8")) == (read(toy.folder).shape.encoder_layers if in_bytes else 0)


@pytest.mark.usefixtures("slow_bf16")
@pytest.mark.parametrize("precision", ["bf16"])
def test_an_int8_encoder_has_bf16_between_its_bytes(toy: Pair, precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As executed, where the CPU's vectors multiply bf16 faster: the convolutions, and what is between the products."""
    before = executed(load(read(toy.folder), precision="int8")._encoder)
    monkeypatch.setattr(openvino_place, "has_bf16_vectors", lambda: True)
    model = load(read(toy.folder), precision="int8")
    steps = executed(model._encoder)
    assert before.count(("Convolution", "f32")) == steps.count(("Convolution", precision)) == 2
    assert ("MVN", precision) in steps and ("MVN", precision) not in before
    if "amx" not in openvino_place._bf16_product():  # units for bf16 may take these products too
        for in_bytes in (("FullyConnected", "i8"), ("Subgraph", "i8")):
            assert steps.count(in_bytes) == before.count(in_bytes)
    assert not any(kind == precision for _, kind in executed(model._reader.passes.decoder)), "the decoder is as it was"


@pytest.mark.parametrize(
    ("name", "executed_as", "units", "vectors"),
    [
        pytest.param("AMD Ryzen 7 7840U", "brgemm_avx512_bf16", False, True, id="zen-4"),
        pytest.param("AMD EPYC", "brgemm_avx2_f32", False, False, id="zen-3"),
        pytest.param("Intel(R) Xeon(R) Platinum", "brgemm_avx512_bf16", False, False, id="intel-without-amx"),
        pytest.param("Intel(R) Xeon(R) Platinum", "brgemm_avx512_amx_bf16", True, False, id="intel-with-amx"),
    ],
)
def test_which_cpus_gain_by_bf16(
    name: str, executed_as: str, units: bool, vectors: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Core:
        def get_property(self, device: str, key: str) -> str:
            return {"FULL_DEVICE_NAME": name}[key]

    monkeypatch.setattr(openvino_place, "core", Core)
    monkeypatch.setattr(openvino_place, "_bf16_product", lambda: f"jit_uni_f32 {executed_as}")
    assert (openvino_place.has_bf16_units(), openvino_place.has_bf16_vectors()) == (units, vectors)


@pytest.mark.parametrize(
    ("gained_by", "most", "named"),
    [
        pytest.param("", 0.06, "int8", id="bytes"),
        pytest.param("has_bf16_vectors", 0.06, "int8, encoder int8 and bf16", id="bytes-and-bf16"),
        pytest.param("has_bf16_units", 0.03, "int8, encoder bf16", id="bf16"),
    ],
)
@pytest.mark.usefixtures("slow_bf16")
def test_an_int8_encoder_is_near_f32(gained_by: str, most: float, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the model that Galley ships, with speech, and the same each time; nearer in bf16, where the CPU has units for
    that. One that gains nothing by bf16, but can compute in it, stands in for it."""
    if gained_by:
        if "bf16" not in precisions("CPU"):
            pytest.skip("this processor does not compute in bf16")
        monkeypatch.setattr(openvino_place, gained_by, lambda: True)
    checkpoint = read(resources.path("models", "whisper-base"))
    speech, _ = soundfile.read(resources.path("resources", "sample", "conversation.flac"), 480_000, dtype="float32")
    given = logmel.features(speech, checkpoint.mel_bins)
    full, quantised = (load(checkpoint, precision=precision, steady=False) for precision in ("f32", "int8"))
    found = quantised.encode(given)
    assert 0 < error(found, full.encode(given)) < most
    assert quantised.precision == named
    np.testing.assert_array_equal(quantised.encode(given), found)


@pytest.mark.parametrize("precision", ["f32", "int8"])
def test_the_cross_attention_of_int8_multiplies_bytes(toy: Pair, precision: str) -> None:
    """As executed, not as written: two products a layer, whose keys and values are a quarter of the memory."""
    model = load(read(toy.folder), precision=precision)
    decoder = model._reader.decoder if precision == "f32" else model._reader.passes.decoder
    in_bytes = precision == "int8" and openvino_int8.is_exact()
    layers, shape = read(toy.folder).shape.decoder_layers, read(toy.folder).shape
    products = [kind for step, kind in executed(decoder) if step == "MatMul" and kind in ("i8", "u8")]
    assert len(products) == (2 * layers if in_bytes else 0)
    numbers = 2 * layers * shape.cross_positions * shape.width
    assert model.window_bytes == (numbers + 8 * layers * shape.width if in_bytes else 4 * numbers)


@pytest.mark.skipif(not openvino_int8.is_exact(), reason="this processor does not multiply bytes without overflow")
def test_cross_attention_of_bytes_has_scales_for_dimensions_and_tokens() -> None:
    """A dimension of large keys or values leaves the small ones their precision, a large query the others, and a token
    that looks everywhere is as exact as one that looks at one place."""
    random, heads, positions, size = np.random.default_rng(7), 2, 80, 16
    sizes = np.geomspace(0.01, 100, size, dtype=np.float32)
    k, v = random.standard_normal((2, 1, heads, positions, size)).astype(np.float32) * sizes
    q = random.standard_normal((1, heads, 5, size)).astype(np.float32) / sizes
    q *= np.geomspace(0.01, 4, 5, dtype=np.float32)[:, None]
    given = [take([1, heads, positions, size], ov.Type.f32, name) for name in "kv"]
    place, cross = openvino_place.DeviceSettings("cpu", "int8", None), Int8()
    window = place.compiled(ov.Model(cross.results(*given, 0), given, "window"))
    window.infer({"k": k, "v": v})
    query, kept = take([1, heads, -1, size], ov.Type.f32, "q"), cross.inputs(0, Heads(heads * size, heads), positions)
    products, attended = cross.attend(query, kept)
    model = ov.Model([give(products, "products"), give(attended, "attended")], [query, *kept], "attention")
    decoder = place.compiled(model)
    for output in window.model_outputs:
        decoder.set_tensor(output.any_name, window.get_tensor(output.any_name))
    decoder.infer({"q": q})
    right = q @ k.swapaxes(2, 3)
    weights = np.exp(right - right.max(-1, keepdims=True))
    assert error(decoder.get_tensor("products").data, right) < 0.02
    found, wanted = decoder.get_tensor("attended").data, weights / weights.sum(-1, keepdims=True) @ v
    for token in range(5):
        assert error(found[:, :, token] / sizes, wanted[:, :, token] / sizes) < 0.06


@pytest.mark.skipif(not openvino_int8.is_exact(), reason="this processor does not multiply bytes without overflow")
def test_attention_of_bytes_has_scales_for_dimensions_and_tokens() -> None:
    """A dimension of large keys leaves the small ones their precision, and a large query the others."""
    random, shape = np.random.default_rng(7), (1, 2, 80, 16)
    q, k, v = random.standard_normal((3, *shape)).astype(np.float32)
    sizes = np.geomspace(0.01, 100, 16, dtype=np.float32)
    q, k = q / sizes * np.geomspace(0.01, 4, 80, dtype=np.float32)[:, None], k * sizes
    inputs = [take(list(shape), ov.Type.f32, name) for name in "qkv"]
    model = ov.Model([give(openvino_int8.attend(*inputs, scale=0.5), "attended")], inputs, "attention")
    place = openvino_place.DeviceSettings("cpu", "int8", None)
    found = place.compiled(model).infer({"q": q, "k": k, "v": v})
    weights = np.exp(0.5 * q @ k.swapaxes(2, 3))
    right = weights / weights.sum(-1, keepdims=True) @ v
    assert error(next(iter(found.values())), right) < 0.02


def test_without_vnni_the_attention_is_not_of_bytes(toy: Pair, tmp_path: Path) -> None:
    """There sums of bytes overflow. oneDNN is told to do without; it reads that once in a process."""
    script = """if True:
        import sys
        from pathlib import Path
        import numpy as np
        from desktop_app.checkpoints.folder import read
        from desktop_app.runtimes.openvino import load
        from desktop_app.runtimes.openvino_int8 import is_exact
        folder, given, found = map(Path, sys.argv[1:])
        assert not is_exact()
        model = load(read(folder), precision="int8")
        assert ("Input", "i8") not in model.executed()
        np.save(found, model.encode(np.load(given)))
        """
    given, found = tmp_path / "features.npy", tmp_path / "encoded.npy"
    np.save(given, features())
    environment = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE"}
    subprocess.run([sys.executable, "-c", script, toy.folder, given, found], env=environment, check=True)
    assert error(np.load(found), toy.encoded) < 0.05
