"""The OpenVINO runtime computes what Whisper computes, in passes of any size, after any rewind, and says what it cannot
do.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import openvino as ov
import pytest
import torch
from filelock import FileLock, Timeout

from desktop_app.checkpoints.folder import read
from desktop_app.checkpoints.tensors import Tensor
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino as runtime
from desktop_app.runtimes import openvino_cache, openvino_place
from desktop_app.runtimes.openvino import OpenVinoModel, devices, load
from tests import random_models
from tests.unit.runtimes.conftest import Pair, features


@pytest.fixture(params=["toy", "uneven", "real_tiny"])
def pair(request: pytest.FixtureRequest) -> Pair:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Pair)
    return found


def text(pair: Pair, length: int) -> list[int]:
    return np.random.default_rng(11).integers(0, pair.reference.config.vocab_size, length).tolist()


def _tensors(folder: Path) -> list[tuple[str, Tensor]]:
    tensors = read(folder).tensors
    return [(name, tensors[name]) for name in tensors]


def test_encoder(pair: Pair) -> None:
    with torch.no_grad():
        encoded = torch.from_numpy(features(pair.reference.config.num_mel_bins)[None])
        expected = pair.reference.model.encoder(encoded).last_hidden_state.numpy()
    assert pair.encoded.dtype == np.float32
    np.testing.assert_allclose(pair.encoded, expected, atol=1e-3)


def test_one_pass_for_all(pair: Pair) -> None:
    tokens = text(pair, 20)
    np.testing.assert_allclose(pair.model.open(pair.encoded).run(tokens), pair.scores(tokens), atol=1e-3)


def test_one_pass_for_each(pair: Pair) -> None:
    tokens = text(pair, 20)
    cursor = pair.model.open(pair.encoded)
    scores = np.concatenate([cursor.run([token]) for token in tokens])
    assert cursor.length == 20
    np.testing.assert_allclose(scores, pair.scores(tokens), atol=1e-3)


def test_rejected_tokens_are_never_seen_again(pair: Pair) -> None:
    """Passes of every size, of which a part is rejected and replaced, give the scores of the text that was kept."""
    random = np.random.default_rng(3)
    tokens = text(pair, 60)
    cursor = pair.model.open(pair.encoded)
    kept: list[np.ndarray] = []
    while cursor.length < len(tokens):
        position = cursor.length
        right = tokens[position : position + int(random.integers(1, 9))]
        wrong = random.integers(0, pair.reference.config.vocab_size, int(random.integers(0, 6))).tolist()
        kept.extend(cursor.run(right + wrong)[: len(right)])
        cursor.rewind(position + len(right))
        assert cursor.length == position + len(right)
    np.testing.assert_allclose(kept, pair.scores(tokens), atol=1e-3)


def test_far_rewinds(toy: Pair) -> None:
    """Back to the middle and to the start, again and again, until the cache holds more than a text has positions."""
    tokens = text(toy, 100)
    cursor = toy.model.open(toy.encoded)
    for back in (50, 0, 99, 1, 0, 30, 60, 0, 0, 0, 0):
        cursor.run(tokens[cursor.length :])
        cursor.rewind(back)
    scores = np.concatenate([cursor.run(tokens[:5]), cursor.run(tokens[5:])])
    np.testing.assert_allclose(scores, toy.scores(tokens), atol=1e-3)


def test_the_last_position(toy: Pair) -> None:
    tokens = text(toy, 448)
    cursor = toy.model.open(toy.encoded)
    assert toy.model.positions == 448
    cursor.run(tokens[:440])
    with pytest.raises(ValueError, match="9 tokens at position 440 of 448"):
        cursor.run(tokens[:9])
    cursor.run([5] * 8)
    cursor.rewind(440)
    np.testing.assert_allclose(cursor.run(tokens[440:]), toy.scores(tokens)[440:], atol=1e-3)
    with pytest.raises(ValueError, match="1 tokens at position 448"):
        cursor.run([5])
    cursor.rewind(0)
    np.testing.assert_allclose(cursor.run(tokens[:1]), toy.scores(tokens[:1]), atol=1e-3)


def test_what_cannot_be_read_or_forgotten(toy: Pair) -> None:
    cursor = toy.model.open(toy.encoded)
    cursor.run([1, 2, 3])
    for length in (-1, 4):
        with pytest.raises(ValueError, match="rewind"):
            cursor.rewind(length)
    with pytest.raises(ValueError, match="0 tokens"):
        cursor.run([])
    assert cursor.length == 3


def test_scores_are_the_callers(toy: Pair) -> None:
    cursor = toy.model.open(toy.encoded)
    first = cursor.run([5, 6])
    kept = first.copy()
    assert first.dtype == np.float32 and first.shape == (2, toy.reference.config.vocab_size)
    cursor.run([7, 8])
    first += 0
    np.testing.assert_array_equal(first, kept)


def test_windows_do_not_touch_each_other(toy: Pair) -> None:
    """An encoded window outlives the next one, and a cursor starts from nothing."""
    tokens = text(toy, 10)
    other = toy.model.encode(-features())
    toy.model.open(other).run(tokens)
    np.testing.assert_allclose(toy.model.open(toy.encoded).run(tokens), toy.scores(tokens), atol=1e-3)
    toy.model.open(other)
    again = toy.model.open(toy.encoded)
    assert again.length == 0
    np.testing.assert_allclose(again.run(tokens), toy.scores(tokens), atol=1e-3)


def test_a_shared_encoder(toy: Pair) -> None:
    """A second model takes the first one's encoder and gives the same scores; both cursors go on side by side."""
    tokens = text(toy, 6)
    second = load(read(toy.folder), encoder=toy.model)
    one, other = toy.model.open(toy.encoded), second.open(toy.encoded)
    scores = [(one.run([token]), other.run([token])) for token in tokens]
    for first, again in scores:
        np.testing.assert_array_equal(first, again)


def test_epsilon_covers_the_size_of_a_pass(toy: Pair) -> None:
    """Margins of one- and many-token passes differ by less than a third of the epsilon that the tie guard is given."""
    tokens = text(toy, 64)
    cursor = toy.model.open(toy.encoded)
    alone = np.concatenate([cursor.run([token]) for token in tokens])
    cursor = toy.model.open(toy.encoded)
    together = np.concatenate([cursor.run(tokens[at : at + 8]) for at in range(0, 64, 8)])
    change = together - alone
    assert np.ptp(change, axis=1).max() < toy.model.epsilon / 3


def test_attention_is_fused_with_the_cache(toy: Pair) -> None:
    """As executed, not as written: one attention a layer that keeps its cache, which nothing copies or narrows.

    Left apart, the cache would pass through a Gather and a Concatenation; the two Gathers here are the embeddings.
    """
    executed = toy.model.executed()
    kinds = [kind for kind, _ in executed]
    assert kinds.count("ScaledDotProductAttention") == 2
    assert "Concatenation" not in kinds
    assert kinds.count("Gather") == 2
    assert {numbers for kind, numbers in executed if kind in {"MemoryInput", "MemoryOutput"}} == {"f32"}


@pytest.mark.parametrize("kind", ["F16", "F32"])
def test_numbers_that_16_bits_hold_are_read_as_16_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """In every product, with the scores of 32 bits, however the checkpoint stores them; also once the cache of compiled
    models is filled, from which the decoder would widen them once, for good."""
    folder = random_models.toy(tmp_path / "model")
    tensors = {name: tensor.read() for name, tensor in _tensors(folder)}
    random_models.write_tensors(folder / "model.safetensors", tensors, kind)

    def loaded() -> tuple[OpenVinoModel, np.ndarray]:
        model = load(read(folder), cache=tmp_path / "cache")
        return model, model.open(np.ones((1, 1500, 32), np.float32)).run([300, 1, 2])

    for _ in range(2):
        model, scores = loaded()
        assert (model.precision, model.weights) == ("f32", "f16")
        assert {numbers for step, numbers in model.executed() if step == "FullyConnected"} == {"f16"}
        assert len(list((tmp_path / "cache").rglob("*.blob"))) == 2  # encoder and window
    monkeypatch.setattr(Tensor, "halves", lambda tensor: None)
    model, widened = loaded()
    assert (model.precision, model.weights) == ("f32", "f32")
    np.testing.assert_allclose(scores, widened, atol=1e-5)


def test_a_number_that_16_bits_would_round_stays_as_it_is(tmp_path: Path) -> None:
    """Its matrix is read as 32 bits, and the decoder kept in the cache, as one that is not read as 16 bits alone."""
    folder = random_models.toy(tmp_path / "model")
    tensors = {name: tensor.read() for name, tensor in _tensors(folder)}
    tensors["decoder.layers.1.fc2.weight"][3, 4] = np.float32(1 + 2**-20)
    random_models.write_tensors(folder / "model.safetensors", tensors, "F32")
    model = load(read(folder), cache=tmp_path / "cache")
    products = [numbers for step, numbers in model.executed() if step == "FullyConnected"]
    assert model.weights == "f32" and products.count("f32") == 1
    assert len(list((tmp_path / "cache").rglob("*.blob"))) == 3


def test_cache_serves_only_what_was_compiled(tmp_path: Path) -> None:
    """Two folders, two precisions and a changed checkpoint each get their own; a damaged cache is compiled again."""
    cache = tmp_path / "cache"
    folders = [random_models.toy(tmp_path / str(seed), seed, "F32") for seed in (0, 1)]

    def scores(folder: Path, precision: str, cache: Path | None) -> np.ndarray:
        model = load(read(folder), precision=precision, cache=cache)
        return model.open(np.ones((1, 1500, 32), np.float32)).run([300, 1, 2])

    cases = [(folders[0], "f32"), (folders[1], "f32"), (folders[0], "int8")]
    expected = [scores(*case, None) for case in cases]
    for _ in range(2):
        for case, right in zip(cases, expected, strict=True):
            np.testing.assert_array_equal(scores(*case, cache), right, err_msg=str(case))
    blobs = len(list(cache.rglob("*.blob")))
    tensor = read(folders[0]).tensors["decoder.layers.1.fc2.weight"]
    with (folders[0] / "model.safetensors").open("r+b") as file:
        file.seek(tensor.file.start + tensor.begin + 400)
        file.write(np.float32(30).tobytes())
    changed = scores(folders[0], "f32", cache)
    np.testing.assert_array_equal(changed, scores(folders[0], "f32", None))
    assert not np.array_equal(changed, expected[0])
    assert len(list(cache.rglob("*.blob"))) == blobs + 3  # each part of it
    for blob in cache.rglob("*.blob"):
        blob.chmod(0o600)
        blob.write_bytes(blob.read_bytes()[: blob.stat().st_size // 2])
    np.testing.assert_array_equal(scores(folders[1], "f32", cache), expected[1])


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_compiled_model_is_never_loaded(
    toy: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """OpenVINO would compute with the flipped bit, and write another text. It is compiled again, and stays so."""
    compile_model, loaded = ov.Core.compile_model, []

    def noted(core: ov.Core, model: ov.Model, device: str, settings: dict[str, str]) -> ov.CompiledModel:
        for blob in Path(settings["CACHE_DIR"]).glob("*.blob") if "CACHE_DIR" in settings else ():
            loaded.append(blob.read_bytes())
        return compile_model(core, model, device, settings)

    def scores() -> np.ndarray:
        loaded.clear()
        return load(read(toy.folder), cache=tmp_path).open(toy.encoded).run([300, 1, 2])

    right = scores()
    whole = {blob: blob.read_bytes() for blob in sorted(tmp_path.rglob("*.blob"))}
    chance = np.random.default_rng(seed)
    for blob, data in whole.items():
        damaged = bytearray(data)
        damaged[chance.integers(len(data))] ^= 1 << chance.integers(8)
        blob.chmod(0o600)
        blob.write_bytes(damaged)
    monkeypatch.setattr(ov.Core, "compile_model", noted)
    np.testing.assert_array_equal(scores(), right)
    assert not loaded
    np.testing.assert_array_equal(scores(), right)
    assert len(loaded) == len(whole), "what was compiled again is kept"


@pytest.mark.parametrize("lost", ["record", "end"])
def test_a_compiled_model_that_was_not_written_to_its_end_is_compiled_again(
    toy: Pair, tmp_path: Path, lost: str
) -> None:
    """As a killed program leaves it: without its checksum, or, after a power cut, with one and without its end."""
    load(read(toy.folder), cache=tmp_path)
    blobs = {blob: blob.read_bytes() for blob in tmp_path.rglob("*.blob")}
    for blob, data in blobs.items():
        blob.chmod(0o600)
        blob.write_bytes(data[:-1])
        if lost == "record":
            blob.with_name(f"{blob.name}.checksum").unlink()
    load(read(toy.folder), cache=tmp_path)
    assert {blob: blob.stat().st_size for blob in tmp_path.rglob("*.blob")} == {
        blob: len(data) for blob, data in blobs.items()
    }


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are no UTF-8")
def test_a_cache_whose_name_is_no_utf_8_is_not_used(toy: Pair, tmp_path: Path) -> None:
    """OpenVINO refuses the name, and so the model."""
    cache = tmp_path / "caf\udce9"
    cache.mkdir()
    load(read(toy.folder), cache=cache)
    assert not list(cache.rglob("*.blob"))


def test_a_disk_that_takes_no_checksum_keeps_no_compiled_model(
    toy: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk OpenVINO may have written a part of it, and says nothing."""

    def refuse(path: Path, *_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", refuse)
    load(read(toy.folder), cache=tmp_path)
    assert not list(tmp_path.rglob("*.blob"))


def test_the_first_compilation_for_a_slow_device_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU stands in for a GPU. Word times are compiled in the same step; what is gone from the cache is told
    again, and so is another precision or a changed model."""
    monkeypatch.setattr(openvino_place, "QUICK", ())
    folder, cache = random_models.toy(tmp_path / "model"), tmp_path / "cache"
    told: list[str] = []

    def loaded(precision: str = "f32", cache: Path | None = cache) -> tuple[OpenVinoModel, list[str]]:
        told.clear()
        made = load(read(folder), precision=precision, encoder_device="cpu", cache=cache, preparing=told.append)
        return made, list(told)

    assert loaded()[1] == ["CPU"]
    blobs = set(cache.rglob("*.blob"))
    model, said = loaded()
    assert said == []
    model.attend(np.ones((1, 1500, 32), np.float32), [300, 1, 2])
    assert set(cache.rglob("*.blob")) == blobs, "word times were compiled with the rest"
    assert loaded("int8")[1] == ["CPU"]
    min(blobs, key=lambda blob: blob.stat().st_size).unlink()  # the window's, which every load needs
    assert loaded()[1] == ["CPU"] and loaded()[1] == []
    for record in cache.glob("*/*.checksum"):
        record.write_text("1", "utf-8")
    assert loaded()[1] == ["CPU"] and loaded()[1] == []
    os.utime(folder / "model.safetensors", (1, 1))
    assert loaded()[1] == ["CPU"]
    assert loaded(cache=None)[1] == [], "without a cache it would not be once"


def test_the_cpu_compiles_without_a_word(tmp_path: Path) -> None:
    told: list[str] = []
    load(read(random_models.toy(tmp_path / "model")), cache=tmp_path / "cache", preparing=told.append)
    assert told == []


def test_the_cache_does_not_grow_without_end(toy: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was used longest ago goes, what is in use stays."""
    monkeypatch.setattr(runtime, "_CACHE_BYTES", 10_000)
    for age, name in ((1000, "newer"), (2000, "older")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.blob.checksum").touch()
        (blob := tmp_path / name / "1.blob").write_bytes(bytes(8000))
        os.utime(blob, (2e9 - 1e9 - age, 2e9 - 1e9 - age))
    load(read(toy.folder), cache=tmp_path)
    assert not (tmp_path / "newer").exists() and not (tmp_path / "older").exists()
    assert len(list(tmp_path.rglob("*.blob"))) == 2  # encoder and window: a decoder of halves is compiled anew


def test_one_process_at_a_time_compiles_into_the_cache(
    toy: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenVINO writes blobs in place. While another process holds the cache too long, the model runs without it."""
    compile_model, cached = ov.Core.compile_model, []

    def noted(core: ov.Core, model: ov.Model, device: str, settings: dict[str, str]) -> ov.CompiledModel:
        if "CACHE_DIR" in settings:
            with pytest.raises(Timeout):
                FileLock(tmp_path / "compiling.lock", timeout=0).acquire()
        cached.append("CACHE_DIR" in settings)
        return compile_model(core, model, device, settings)

    monkeypatch.setattr(ov.Core, "compile_model", noted)
    monkeypatch.setattr(openvino_cache, "PATIENCE", 0.1)
    with FileLock(tmp_path / "compiling.lock"):
        without = load(read(toy.folder), cache=tmp_path).open(toy.encoded).run([300, 1, 2])
        assert not any(cached) and not list(tmp_path.rglob("*.blob"))
    cached.clear()
    np.testing.assert_array_equal(load(read(toy.folder), cache=tmp_path).open(toy.encoded).run([300, 1, 2]), without)
    assert any(cached) and list(tmp_path.rglob("*.blob"))
    FileLock(tmp_path / "compiling.lock", timeout=0).acquire()


def test_a_cache_that_cannot_be_locked_is_used(toy: Pair, tmp_path: Path) -> None:
    """As on a disk without locks: the models take half of the memory."""
    (tmp_path / "compiling.lock").mkdir()
    load(read(toy.folder), cache=tmp_path)
    assert list(tmp_path.rglob("*.blob"))


def test_devices_and_refusals(toy: Pair) -> None:
    names = [name for name, _ in devices()]
    assert "CPU" in names and all(full for _, full in devices())
    assert (toy.model.device, toy.model.precision) == ("CPU", "f32")
    with pytest.raises(Problem, match="no_device device='TPU'") as caught:
        load(read(toy.folder), device="tpu")
    assert "cpu" in caught.value.values["devices"]
    with pytest.raises(Problem, match="precision='f8'"):
        load(read(toy.folder), precision="f8")


def test_the_checkpoint_may_go_once_it_is_loaded(toy: Pair, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(toy.folder, tmp_path / "gone"))
    model = load(read(folder))
    shutil.rmtree(folder)
    tokens = text(toy, 5)
    np.testing.assert_allclose(model.open(toy.encoded).run(tokens), toy.scores(tokens), atol=1e-3)


def test_prefills_of_any_length_need_few_shapes(pair: Pair) -> None:
    """For the same reason; and what a prefill is padded with is never attended by the text behind it."""
    tokens = text(pair, 61)
    decoder, widths = pair.model._reader.decoder, set()
    for count in (34, 47, 60):
        cursor = pair.model.open(pair.encoded)
        scores = cursor.run(tokens[:count])
        widths.add(decoder.get_tensor("tokens").shape[1])
        behind = cursor.run(tokens[count : count + 1])
        found = np.concatenate([scores, behind])
        np.testing.assert_allclose(found, pair.scores(tokens[: count + 1]), atol=1e-3)
    assert widths == {64}


def test_passes_with_the_cache_on_the_host_need_few_shapes(toy: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """There the device prepares itself for each number of tokens with each number of slots."""
    monkeypatch.setattr(runtime, "_arithmetic", lambda place: "int8")
    model = load(read(toy.folder))
    passes, tokens, widths = model._reader.passes, text(toy, 33), set()
    passes.width = 2
    for count in range(1, 34):
        scores = model.open(toy.encoded).run(tokens[:count])
        widths.add(passes.decoder.get_tensor("tokens").shape[1])
        np.testing.assert_allclose(scores, toy.scores(tokens[:count]), atol=1e-3)
    assert widths == {2, 3, 4, 5, 8, 12, 16, 24, 32, 33}


def test_word_times_of_texts_of_any_length_need_few_shapes(pair: Pair) -> None:
    """A shape that the device has not met costs it megabytes, which it keeps: over hours, one for each length."""
    tokens = text(pair, 30)
    scores = [pair.model.attend(pair.encoded, tokens[:count])[0] for count in (3, 17, 30)]
    assert [len(each) for each in scores] == [3, 17, 30]
    np.testing.assert_array_equal(scores[0], scores[2][:3])
    decoder, widths = pair.model._watcher.passes.decoder, set()
    for count in (1, 30, 32, 34, 40, 64, 448):
        scores.append(pair.model.attend(pair.encoded, (tokens * 15)[:count])[0])
        widths.add(decoder.get_tensor("tokens").shape[1])
    assert widths == {32, 64, 448}


def test_where_the_heads_look(pair: Pair) -> None:
    """The attention that word times are made of is the reference's, head by head, and telling it changes no score."""
    tokens = text(pair, 12)
    scores, attention = pair.model.attend(pair.encoded, tokens)
    np.testing.assert_allclose(scores, pair.scores(tokens), atol=1e-3)
    with torch.no_grad():
        encoded = torch.from_numpy(pair.encoded)
        pair.reference.set_attn_implementation("eager")
        seen = pair.reference.model.decoder(
            torch.tensor([tokens]), encoder_hidden_states=encoded, output_attentions=True
        ).cross_attentions
    looks = np.exp(attention - attention.max(-1, keepdims=True))
    looks /= looks.sum(-1, keepdims=True)
    expected = [seen[layer][0, head].numpy() for layer, head in read(pair.folder).alignment_heads]
    np.testing.assert_allclose(looks, np.stack(expected), atol=1e-4)


def test_where_not_even_the_cpu_can_be_loaded_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where memory is short; it is no device that the computer does not have."""

    class Core:
        available_devices: ClassVar[list[str]] = []

        def get_property(self, *about: str) -> str:
            raise RuntimeError("Exception from src/plugin.cpp:\nlibcpu.so: failed to map segment from shared object\n")

    monkeypatch.setattr(openvino_place, "core", Core)
    with pytest.raises(ImportError, match=r"^libcpu\.so: failed to map segment from shared object$"):
        openvino_place.DeviceSettings("auto", "auto", None)
