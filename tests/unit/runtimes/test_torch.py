"""The PyTorch runtime computes what Whisper computes, the same to the last bit however tokens are grouped, and says
what it cannot do. On the CPU; what CUDA adds is tested as far as that goes without a GPU.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from desktop_app.checkpoints import pairs
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Draft, Drafter
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.window import WindowDecoder
from desktop_app.problems import Problem
from desktop_app.runtimes import torch as runtime
from desktop_app.runtimes.torch import TorchModel, load, reader
from desktop_app.runtimes.torch_passes import EACH_WIDTH, ONE_WIDTH
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter, Statistics
from tests import random_models
from tests.unit.runtimes.conftest import Pair, features

pytestmark = pytest.mark.usefixtures("one_thread")

PRECISIONS = ["f32", "f16", "bf16"]
SHORT = replace(
    random_models.TOY, shape=replace(random_models.TOY.shape, audio_positions=40, text_positions=96)
)  # of windows and of texts
NEAR = {"f32": 1e-3, "f16": 0.05, "bf16": 0.5}  # what the shorter numbers leave of scores that spread by about 2


@pytest.fixture(scope="module")
def model(toy: Pair) -> TorchModel:
    return load(read(toy.folder), "cpu")


@pytest.fixture(params=["toy", "uneven"])
def pair(request: pytest.FixtureRequest) -> Pair:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Pair)
    return found


def text(pair: Pair, length: int) -> list[int]:
    return np.random.default_rng(11).integers(0, pair.reference.config.vocab_size, length).tolist()


def noise(pair: Pair) -> np.ndarray:
    return features(pair.reference.config.num_mel_bins)


def test_it_computes_what_transformers_and_openvino_compute(pair: Pair) -> None:
    """The encoder, one pass for all, one pass for each, and where the heads look."""
    model = load(read(pair.folder), "cpu")
    assert (model.device, model.precision, model.positions) == ("CPU", "f32", 448)
    encoded = model.encode(noise(pair))
    np.testing.assert_allclose(encoded.numpy(), pair.encoded[0], atol=1e-3)
    tokens = text(pair, 24)
    right = pair.scores(tokens)
    np.testing.assert_allclose(pair.model.open(pair.encoded).run(tokens), right, atol=1e-3)
    together = model.open(encoded).run(tokens)
    assert together.dtype == np.float32
    np.testing.assert_allclose(together, right, atol=1e-3)
    cursor = model.open(encoded)
    np.testing.assert_allclose(np.concatenate([cursor.run([token]) for token in tokens]), right, atol=1e-3)
    assert cursor.length == 24
    scores, attention = model.attend(encoded, tokens)
    np.testing.assert_allclose(scores, right, atol=1e-3)
    np.testing.assert_allclose(attention, pair.model.attend(pair.encoded, tokens)[1], atol=1e-3)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("widths", [ONE_WIDTH, EACH_WIDTH], ids=["one width", "each width"])
def test_rejected_tokens_are_never_seen_again(toy: Pair, precision: str, widths: tuple[int, ...]) -> None:
    """Passes of every size, of which a part is rejected and replaced, give the scores of the text that was kept."""
    random = np.random.default_rng(3)
    model = load(read(toy.folder), "cpu", precision, widths=widths)
    tokens = text(toy, 90)
    cursor = model.open(model.encode(noise(toy)))
    kept: list[np.ndarray] = []
    while cursor.length < len(tokens):
        position = cursor.length
        right = tokens[position : position + int(random.integers(1, 20))]
        wrong = random.integers(0, toy.reference.config.vocab_size, int(random.integers(0, 6))).tolist()
        kept.extend(cursor.run(right + wrong)[: len(right)])
        cursor.rewind(position + len(right))
        assert cursor.length == position + len(right)
    np.testing.assert_allclose(kept, toy.scores(tokens), atol=NEAR[precision])


@pytest.mark.parametrize("precision", PRECISIONS)
def test_grouping_changes_no_bit(tmp_path: Path, precision: str) -> None:
    """At one width the scores are the same however a text is cut into passes, so there is nothing for a tie guard."""
    model = load(read(random_models.write(tmp_path / "short", SHORT)), "cpu", precision)
    assert model.epsilon == 0
    tokens, encoded = np.random.default_rng(11).integers(0, 300, 96).tolist(), model.encode(features()[:, :80])

    def cut(sizes: np.ndarray) -> np.ndarray:
        cursor = model.open(encoded)
        parts = [cursor.run(tokens[:4])]
        for size in sizes:
            if cursor.length < len(tokens):
                parts.append(cursor.run(tokens[cursor.length : cursor.length + size]))
        return np.concatenate(parts)

    alone = cut(np.ones(96, int))
    assert alone.shape[0] == 96
    np.testing.assert_array_equal(cut(np.random.default_rng(1).integers(1, 17, 96)), alone)
    np.testing.assert_array_equal(cut(np.full(96, 40)), alone)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_epsilon_covers_a_width_for_each_number_of_tokens(toy: Pair, precision: str) -> None:
    """There margins differ in the last bits, by less than a third of the epsilon that the tie guard is given."""
    model = load(read(toy.folder), "cpu", precision, widths=EACH_WIDTH)
    tokens, encoded = text(toy, 64), model.encode(noise(toy))
    cursor = model.open(encoded)
    alone = np.concatenate([cursor.run([token]) for token in tokens])
    cursor = model.open(encoded)
    together = np.concatenate([cursor.run(tokens[at : at + 8]) for at in range(0, 64, 8)])
    change = np.ptp(together - alone, axis=1).max()
    assert 0 < change < model.epsilon / 3
    assert model.epsilon == {"f32": 1e-3, "f16": 0.06, "bf16": 0.4}[precision]


@pytest.mark.parametrize(
    ("start", "count", "steady"), [(0, 1, False), (80, 16, False), (80, 1, False), (0, 17, True), (40, 16, True)]
)
def test_the_trial_reads_both_ends_of_a_text(start: int, count: int, steady: bool) -> None:
    """In passes of one token and of a width: a difference in the last bit of either is seen."""
    table = np.random.default_rng(4).standard_normal((SHORT.shape.vocabulary + 96, 5)).astype(np.float32)

    class Odd:
        rows = 1

        def set_window(self, window: torch.Tensor, row: int) -> None:
            pass

        def run(self, reads: list[tuple[int, list[int], int]]) -> list[np.ndarray]:
            [(_, tokens, position)] = reads
            scores = table[np.add(tokens, range(position, position + len(tokens)))]
            return [np.nextafter(scores, np.float32(9)) if (position, len(tokens)) == (start, count) else scores]

    odd: Any = Odd()
    assert runtime._steady(odd, odd, SHORT.shape, 16, torch.zeros(2)) is steady


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("widths", [ONE_WIDTH, EACH_WIDTH], ids=["one width", "each width"])
def test_a_draft_changes_no_token(tmp_path: Path, precision: str, widths: tuple[int, ...]) -> None:
    """Whole texts of short windows, with a draft that is often right and with one that never is, also behind a prompt
    of more tokens than a pass has."""
    accepted = 0
    for seed, prompt in ((0, 0), (1, 0), (1, 45)):
        checkpoint = read(random_models.write(tmp_path / f"target{seed}", replace(SHORT, seed=seed)))
        stranger = read(random_models.write(tmp_path / f"draft{seed}", replace(SHORT, seed=seed + 10)))
        target = load(checkpoint, "cpu", precision, widths=widths)
        task = Settings("en", prompt=tuple(range(40, 40 + prompt)))
        alone, _ = write(checkpoint, target, task)
        assert alone
        # The target itself in other numbers, and a stranger.
        for draft in (load(checkpoint, "cpu", "f32", widths=(1,)), load(stranger, "cpu", precision)):
            drafter = pairs.drafter(checkpoint, stranger)(Draft(draft, draft, stranger.vocabulary))
            drafted, figures = write(checkpoint, target, task, drafter)
            assert drafted == alone
            assert figures.near_ties == 0 or widths == EACH_WIDTH
            accepted += figures.accepted
    assert accepted > 0


def write(
    checkpoint: Checkpoint, target: TorchModel, task: Settings, drafter: Drafter | None = None
) -> tuple[tuple[int, ...], Statistics]:
    """The tokens of a window of 80 frames, and the figures."""
    counter, window = Counter(), AudioWindow(np.zeros(0, np.float32), lambda samples, bins: features(bins)[:, :80])
    decoder = WindowDecoder(Setup(target, checkpoint.vocabulary, str, drafter), counter)
    return decoder.decode(window, task, lambda tokens, draft: None).tokens, counter.total


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_prefill_has_the_same_scores_with_a_draft_behind_it(toy: Pair, precision: str) -> None:
    """To the last bit: what the target would have written alone is decided by them."""
    model = load(read(toy.folder), "cpu", precision)
    encoded, tokens = model.encode(noise(toy)), text(toy, 230)
    for count in (1, 15, 16, 57, 63, 222):
        alone = model.open(encoded).run(tokens[:count])
        np.testing.assert_array_equal(model.open(encoded).run(tokens[: count + 8])[:count], alone)


def test_far_rewinds(toy: Pair, model: TorchModel) -> None:
    """Back to the middle and to the start, again and again."""
    tokens = text(toy, 100)
    cursor = model.open(model.encode(noise(toy)))
    for back in (50, 0, 99, 1, 0, 30, 60, 0, 0):
        cursor.run(tokens[cursor.length :])
        cursor.rewind(back)
    scores = np.concatenate([cursor.run(tokens[:5]), cursor.run(tokens[5:])])
    np.testing.assert_allclose(scores, toy.scores(tokens), atol=1e-3)


def test_the_last_position(toy: Pair, model: TorchModel) -> None:
    tokens = text(toy, 448)
    right = toy.scores(tokens)
    cursor = model.open(model.encode(noise(toy)))
    cursor.run(tokens[:440])
    with pytest.raises(ValueError, match="9 tokens at position 440 of 448"):
        cursor.run(tokens[:9])
    cursor.run([5] * 8)
    cursor.rewind(440)
    np.testing.assert_allclose(cursor.run(tokens[440:]), right[440:], atol=1e-3)
    with pytest.raises(ValueError, match="1 tokens at position 448"):
        cursor.run([5])
    cursor.rewind(447)
    np.testing.assert_allclose(cursor.run(tokens[447:]), right[447:], atol=1e-3)
    cursor.rewind(0)
    np.testing.assert_allclose(cursor.run(tokens[:1]), right[:1], atol=1e-3)


def test_what_cannot_be_read_or_forgotten(toy: Pair, model: TorchModel) -> None:
    cursor = model.open(model.encode(noise(toy)))
    cursor.run([1, 2, 3])
    for length in (-1, 4):
        with pytest.raises(ValueError, match="rewind"):
            cursor.rewind(length)
    with pytest.raises(ValueError, match="0 tokens"):
        cursor.run([])
    assert cursor.length == 3
    with pytest.raises(ValueError, match="449 tokens at position 0 of 448"):
        model.attend(model.encode(noise(toy)), [5] * 449)


def test_scores_are_the_callers(toy: Pair, model: TorchModel) -> None:
    cursor = model.open(model.encode(noise(toy)))
    first = cursor.run([5, 6])
    kept = first.copy()
    assert first.shape == (2, toy.reference.config.vocab_size)
    cursor.run([7, 8])
    first += 0
    np.testing.assert_array_equal(first, kept)


def test_windows_do_not_touch_each_other(toy: Pair, model: TorchModel) -> None:
    """An encoded window outlives the next one, and a cursor starts from nothing."""
    tokens = text(toy, 10)
    encoded, other = model.encode(noise(toy)), model.encode(-noise(toy))
    model.open(other).run(tokens)
    np.testing.assert_allclose(model.open(encoded).run(tokens), toy.scores(tokens), atol=1e-3)
    model.open(other)
    again = model.open(encoded)
    assert again.length == 0
    np.testing.assert_allclose(again.run(tokens), toy.scores(tokens), atol=1e-3)


def test_a_shared_encoder(toy: Pair, model: TorchModel) -> None:
    """A second model takes the first one's encoder and gives the same scores; both cursors go on side by side."""
    tokens, encoded = text(toy, 6), model.encode(noise(toy))
    second = load(read(toy.folder), "cpu", encoder=model)
    one, other = model.open(encoded), second.open(encoded)
    scores = [(one.run([token]), other.run([token])) for token in tokens]
    for first, again in scores:
        np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
def test_tensors_are_read_where_they_lie(tmp_path: Path, kind: str) -> None:
    checkpoint = read(random_models.toy(tmp_path / "model", kind=kind))
    for name in ("decoder.layers.0.fc1.weight", "encoder.conv1.weight", "decoder.layer_norm.bias"):
        tensor, found = checkpoint.tensors[name], reader(checkpoint)(name)
        assert found.data_ptr() == tensor.raw().ctypes.data
        np.testing.assert_array_equal(found.float().numpy(), tensor.read())


def test_the_checkpoint_may_go_once_it_is_loaded(toy: Pair, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(toy.folder, tmp_path / "gone"))
    model = load(read(folder), "cpu")
    shutil.rmtree(folder)
    tokens = text(toy, 5)
    scores = model.open(model.encode(noise(toy))).run(tokens)
    np.testing.assert_allclose(scores, toy.scores(tokens), atol=1e-3)


def test_refusals(toy: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = read(toy.folder)
    with pytest.raises(Problem, match="precision='int8'") as caught:
        load(checkpoint, "cpu", "int8")
    assert caught.value.values["precisions"] == "f32, f16, bf16"
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    assert runtime.devices() == []
    with pytest.raises(Problem, match=torch.__version__.split("+")[0]) as caught:
        load(checkpoint, "cuda")
    assert caught.value.code in ("model.no_cuda", "model.no_cuda_device")


def test_another_accelerator_that_is_not_there_or_refuses_is_a_problem(
    toy: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This PyTorch knows Gaudi's name, and can do nothing with it."""
    checkpoint = read(toy.folder)
    with pytest.raises(Problem, match="no_accelerator device='hpu'"):
        load(checkpoint, "hpu")
    monkeypatch.setitem(sys.modules, "habana_frameworks", ModuleType("habana_frameworks"))
    monkeypatch.setitem(sys.modules, "habana_frameworks.torch", ModuleType("habana_frameworks.torch"))
    monkeypatch.setattr(torch, "hpu", SimpleNamespace(is_available=lambda: True), raising=False)
    with pytest.raises(Problem, match="device_refused device='HPU'"):
        load(checkpoint, "hpu")


def test_cuda_devices_have_names(toy: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"Card {torch.device(device).index}")
    assert runtime.devices() == [("CUDA", "Card 0"), ("CUDA:1", "Card 1")]
    with pytest.raises(Problem, match="no_device device='cuda:2'") as caught:
        load(read(toy.folder), "cuda:2")
    assert caught.value.values["devices"] == "cuda, cuda:1"


def test_a_card_without_bf16_is_not_given_other_numbers(toy: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Old Card")
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: including_emulation)
    with pytest.raises(Problem, match="precision='bf16'"):
        load(read(toy.folder), "cuda", "bf16")


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (torch.OutOfMemoryError("CUDA out of memory."), Problem("model.device_memory", device="Card")),
        (
            RuntimeError("no kernel image\nmore"),
            Problem("model.device_refused", device="CUDA", error="no kernel image"),
        ),
    ],
)
def test_what_a_card_cannot_do_is_a_problem(
    toy: Pair, monkeypatch: pytest.MonkeyPatch, error: RuntimeError, problem: Problem
) -> None:
    def fail(*given: object) -> None:
        raise error

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Card")
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    monkeypatch.setattr(runtime, "Encoder", fail)
    with pytest.raises(Problem) as caught:
        load(read(toy.folder), "cuda")
    assert caught.value == problem
