"""Rows of a batch on PyTorch: each row's scores are to the last bit those that it has when nothing else is decoded. On
the CPU; on CUDA the same is tested when a model is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from desktop_app.checkpoints.folder import read
from desktop_app.runtimes import torch as runtime
from desktop_app.runtimes.torch import TorchBatch, load, load_batch, reader
from desktop_app.runtimes.torch_network import TorchDecoder, Weights
from desktop_app.runtimes.torch_passes import Passes
from tests import random_models
from tests.unit.runtimes.conftest import Pair, features
from tests.unit.runtimes.test_torch import SHORT
from tests.unit.runtimes.test_torch_passes import Recorder

pytestmark = pytest.mark.usefixtures("one_thread")

ROWS = 5


@pytest.fixture(scope="module", params=["f32", "f16", "bf16"])
def batch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TorchBatch:
    folder = random_models.write(tmp_path_factory.mktemp("models") / "short", SHORT)
    return load_batch(read(folder), ROWS, "cpu", request.param)


def windows(count: int) -> list[np.ndarray]:
    return [features()[:, 80 * number : 80 * (number + 1)] for number in range(count)]


def texts(count: int, length: int) -> list[list[int]]:
    return np.random.default_rng(11).integers(0, 300, (count, length)).tolist()


def test_the_trial_finds_nothing_on_the_cpu(batch: TorchBatch) -> None:
    assert [row.epsilon for row in batch.rows] == [0.0] * ROWS
    assert batch._network.together == ROWS


def test_a_row_has_the_same_scores_to_the_last_bit_whatever_the_others_do(batch: TorchBatch) -> None:
    """Texts of 20 to 96 tokens; passes in which each row reads its own number, more than a pass has among them, or
    nothing; rejected tokens behind them; and rows that begin another window while the others go on. Compared with a
    text that is read token by token in another row, with nothing in the others."""
    draw = np.random.default_rng(7)
    encoded, tokens = batch.encode(windows(ROWS)), texts(2 * ROWS, 96)
    todo = [[*range(row, 2 * ROWS, ROWS)] for row in range(ROWS)]
    lengths = draw.integers(20, 97, 2 * ROWS)
    lengths[3] = 96
    cursors = [row.open(encoded[number]) for number, row in enumerate(batch.rows)]
    found: list[list[np.ndarray]] = [[] for _ in tokens]
    while any(todo):
        reads = []
        for row in range(ROWS):
            if todo[row] and draw.random() < 0.8:
                text, at = todo[row][0], cursors[row].length
                right = tokens[text][at : min(lengths[text], at + int(draw.integers(1, 24)))]
                wrong = draw.integers(0, 300, min(int(draw.integers(0, 6)), 96 - at - len(right))).tolist()
                reads.append((row, text, right, wrong))
        if not reads:
            continue
        scores = batch.run([(cursors[row], [*right, *wrong]) for row, _, right, wrong in reads])
        for (row, text, right, wrong), each in zip(reads, scores, strict=True):
            assert each.shape[0] == len(right) + len(wrong)
            found[text] += [*each[: len(right)]]
            cursors[row].rewind(cursors[row].length - len(wrong))
            if len(found[text]) == lengths[text]:
                todo[row].pop(0)
                if todo[row]:
                    cursors[row] = batch.rows[row].open(encoded[todo[row][0] % ROWS])
    for text, each in enumerate(found):
        cursor = batch.rows[(text + 2) % ROWS].open(encoded[text % ROWS])
        alone = np.concatenate([cursor.run([token]) for token in tokens[text][: lengths[text]]])
        np.testing.assert_array_equal(each, alone)


def test_rows_compute_what_a_model_alone_computes(toy: Pair) -> None:
    model, batch = load(read(toy.folder), "cpu"), load_batch(read(toy.folder), 3, "cpu")
    both = [features(), -features()]
    for number, encoded in enumerate(batch.encode(both)):
        own, tokens = model.encode(both[number]), texts(1, 40)[0]
        np.testing.assert_allclose(encoded, own, atol=1e-5)
        row = batch.rows[number + 1]
        np.testing.assert_allclose(row.open(encoded).run(tokens), model.open(own).run(tokens), atol=1e-4)
        for ours, theirs in zip(row.attend(encoded, tokens), model.attend(own, tokens), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_a_window_is_encoded_the_same_in_every_place(batch: TorchBatch) -> None:
    first, *others = windows(ROWS)
    alone = batch.encode([first])[0]
    for place in range(ROWS):
        mixed = batch.encode([*others[:place], first, *others[place:]])
        assert torch.equal(mixed[place], alone)
    assert [len(each) for each in batch.encode(windows(ROWS) * 2)] == [40] * 2 * ROWS, "more than there are rows"


def test_word_times_of_a_row_leave_the_others_alone(batch: TorchBatch) -> None:
    """They are asked for while the other rows are in the middle of their texts."""
    encoded, tokens = batch.encode(windows(2)), texts(2, 30)
    one, other = (row.open(window) for row, window in zip(batch.rows, encoded, strict=False))
    before = batch.run([(one, tokens[0][:20]), (other, tokens[1][:20])])[0]
    batch.rows[1].attend(encoded[1], tokens[0])
    behind = one.run(tokens[0][20:])
    cursor = batch.rows[0].open(encoded[0])
    np.testing.assert_array_equal(np.concatenate([before, behind]), cursor.run(tokens[0]))


def test_a_row_at_the_last_position_and_one_at_the_first(batch: TorchBatch) -> None:
    """What pads a full text, and a row that reads nothing, is behind the last position, where nothing attends."""
    encoded, tokens = batch.encode(windows(2)), texts(2, 96)
    full, new = batch.rows[0].open(encoded[0]), batch.rows[3].open(encoded[1])
    full.run(tokens[0][:95])
    last, first = batch.run([(full, tokens[0][95:]), (new, tokens[1][:1])])
    rest = new.run(tokens[1][1:])
    full.rewind(90)
    np.testing.assert_array_equal(full.run(tokens[0][90:])[-1:], last)
    again = batch.rows[0].open(encoded[1])
    np.testing.assert_array_equal(again.run(tokens[1]), np.concatenate([first, rest]))
    with pytest.raises(ValueError, match="1 tokens at position 96 of 96"):
        batch.run([(again, [1]), (new, [])])


def test_a_recorded_pass_of_rows_is_the_pass(toy: Pair) -> None:
    checkpoint = read(toy.folder)
    with torch.no_grad():
        decoder = TorchDecoder(
            Weights(reader(checkpoint), torch.device("cpu"), torch.float32), checkpoint.shape, 16, rows=3
        )
        for row in range(3):
            decoder.set_window(torch.from_numpy(toy.encoded[0]) * (row + 1), row)
        reads = [[(0, [5, 6, 7], 0), (2, list(range(40)), 0)], [(1, [9], 0)], [(2, [4], 40), (0, [8, 9], 3)]]
        plain, recorder = Passes(decoder, torch.device("cpu"), (16,)), Recorder()
        expected = [plain.run(each) for each in reads]
        recorded = Passes(decoder, torch.device("cpu"), (16,), recorder)
        for each, scores in zip(reads, expected, strict=True):
            for ours, theirs in zip(recorded.run(each), scores, strict=True):
                np.testing.assert_array_equal(ours, theirs)
    assert (recorder.recorded, recorder.repeated) == (1, 3 + 1 + 1)


class Odd:
    """Scores that are the same everywhere, but for what `strange` says of a read, of those beside it and of the windows
    that the other rows hold."""

    rows = 4

    def __init__(self, strange: Any) -> None:
        self._strange = strange
        self._windows: dict[int, float] = {}

    def set_window(self, window: torch.Tensor, row: int) -> None:
        self._windows[row] = float(window)

    def run(self, reads: Sequence[tuple[int, list[int], int]]) -> list[np.ndarray]:
        found = []
        for row, tokens, first in reads:
            others = [other for other in reads if other[0] != row]
            scores = np.add(tokens, range(first, first + len(tokens)))[:, None] + np.zeros(3, np.float32)
            scores = scores + np.float32(self._windows[row])
            windows = {window for other, window in self._windows.items() if other != row}
            is_strange = self._strange(row, first, others, windows)
            found.append(np.nextafter(scores, np.float32(1e9)) if is_strange else scores)
        return found


@pytest.mark.parametrize(
    ("strange", "steady"),
    [
        (lambda row, first, others, windows: False, True),
        (lambda row, first, others, windows: row == 3, False),
        (lambda row, first, others, windows: row == 2 and first > 79, False),
        (lambda row, first, others, windows: row == 1 and len({tuple(tokens) for _, tokens, _ in others}) > 1, False),
        (lambda row, first, others, windows: row == 0 and len(others) == 3 and len(others[0][1]) > 1, False),
        (lambda row, first, others, windows: row == 3 and 5.0 in windows, False),
    ],
    ids=["nothing", "a row", "a row at the end", "a row beside other texts", "beside any", "beside other windows"],
)
def test_the_trial_reads_in_every_row_and_beside_other_texts(strange: Any, steady: bool) -> None:
    odd: Any = Odd(strange)
    assert runtime._steady(odd, odd, SHORT.shape, 16, torch.tensor([0.0, 5.0])) is steady


def test_what_fails_the_trial_gets_the_tie_guard_or_one_window_a_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = random_models.write(tmp_path / "short", SHORT)
    sizes: list[int] = []

    class Strange(runtime.Encoder):
        def __call__(self, features: torch.Tensor) -> torch.Tensor:
            sizes.append(len(features))
            found = super().__call__(features)
            return found + torch.arange(len(found))[:, None, None] * 1e-6

    monkeypatch.setattr(runtime, "_steady", lambda *given: False)
    monkeypatch.setattr(runtime, "Encoder", Strange)
    batch = load_batch(read(folder), 3, "cpu")
    assert {row.epsilon for row in batch.rows} == {1e-3}
    sizes.clear()
    one, two = batch.encode(windows(2))
    assert sizes == [1, 1]
    assert torch.equal(one, batch.encode(windows(1))[0]) and not torch.equal(one, two)


def test_what_a_row_cannot_read_is_refused_before_anything_is_read(batch: TorchBatch) -> None:
    encoded = batch.encode(windows(1))[0]
    cursors = [row.open(encoded) for row in batch.rows[:2]]
    with pytest.raises(ValueError, match="0 tokens"):
        batch.run([(cursors[0], [1, 2]), (cursors[1], [])])
    assert [cursor.length for cursor in cursors] == [0, 0]


def test_rows_of_another_shape(tmp_path: Path) -> None:
    """Scores of some tokens only, and several encoder positions as one, as trained drafts have."""
    recipe = replace(SHORT, seed=4)
    checkpoint = read(random_models.write(tmp_path / "short", recipe))
    shape = replace(checkpoint.shape, audio_pooling=2)
    batch = runtime.build(shape, reader(checkpoint), "cpu", "f32", head_tokens=[3, 5, 8], rows=2)
    encoded = batch.encode(windows(2))
    cursors = [row.open(each) for row, each in zip(batch.rows, encoded, strict=True)]
    together = batch.run([(cursors[0], [1, 2]), (cursors[1], [4])])
    assert [each.shape for each in together] == [(2, 3), (1, 3)]
    np.testing.assert_array_equal(batch.rows[0].open(encoded[1]).run([4]), together[1])
