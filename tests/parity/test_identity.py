"""With and without a draft the text is the same: on each case, at each temperature, with each kind of drafter, in each
precision, where the draft is left out and comes back, and on a device whose passes differ with their size.

Random models on the real runtime. A draft is the target itself, another model of its kind, one with other ids and mel
bins, or one with another tokenizer; random drafts are mostly wrong, so every round ends in a correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desktop_app.audio import logmel
from desktop_app.checkpoints import pairs
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.decoding.audio_window import AudioWindow, Features
from desktop_app.decoding.drafters import Draft
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.protocol import Scores
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.window import WindowDecoder
from desktop_app.runtimes.openvino import OpenVinoModel, load, precisions
from desktop_app.runtimes.openvino_place import BITS
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from tests import random_models
from tests.random_models import TOY, Recipe
from tests.sounds import babble

PLAIN = Settings("en")
TASKS = {
    "plain": PLAIN,
    "prompt": replace(PLAIN, prompt=(40, 41, 42), hot_words=(60,)),
    "no timestamps": replace(PLAIN, timestamps=False),
    "translation": Settings("de", translate=True),
}
DRAFTS = {
    "itself": TOY,
    "its kind": replace(TOY, seed=5),
    "other ids": Recipe.of(16, 2, 1, 1, text=300, languages=("en", "xx", "de"), bins=128),
    "other pieces": Recipe.of(16, 2, 1, 1, text=300, languages=("en", "de"), english=True),
}
FAST = {("plain", "its kind", 0.0), ("prompt", "other ids", 0.4), ("no timestamps", "itself", 1.0)}
FAST_IN_SMALL = {("plain", "its kind", 0.0)}
PRECISIONS = ("f32", "bf16", "f16", "int8", "int4")
CASES = [
    pytest.param(
        *case, precision, marks=() if case in (FAST_IN_SMALL if precision in BITS else FAST) else pytest.mark.long
    )
    for precision in PRECISIONS
    for case in ((task, draft, heat) for task in TASKS for draft in DRAFTS for heat in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
]
Loaded = tuple[Checkpoint, OpenVinoModel]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@cache
def model(folder: Path, name: str, precision: str, role: str) -> Loaded:
    """A model in memory: one for each role, because it has one cursor."""
    if precision not in precisions("CPU"):
        pytest.skip(f"this processor does not compute in {precision}")
    checkpoint = read(random_models.write(folder / role / name, DRAFTS[name]))
    return checkpoint, load(checkpoint, precision=precision)


class Switching(LookAhead):
    """Leaves the draft out and takes it back, again and again."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = cycle((3, 0, 0, 8, 0))

    def choose(self) -> int:
        return next(self._counts)


class Unsteady:
    """A model on a device whose passes of several tokens give other scores than passes of one, as graphics cards do in
    half precision: each score by up to `shake`. As on a device, the same pass at the same place gives the same scores.
    """

    def __init__(self, model: OpenVinoModel, shake: float, epsilon: float) -> None:
        self._model, self._shake = model, shake
        self.positions, self.mel_bins, self.epsilon = model.positions, model.mel_bins, epsilon

    def encode(self, features: Features) -> Any:
        return self._model.encode(features)

    def open(self, encoded: Any) -> Unsteady:
        self._cursor = self._model.open(encoded)
        return self

    def attend(self, encoded: Any, tokens: Sequence[int]) -> tuple[Scores, Scores]:
        return self._model.attend(encoded, tokens)

    @property
    def length(self) -> int:
        return self._cursor.length

    def rewind(self, length: int) -> None:
        self._cursor.rewind(length)

    def run(self, tokens: Sequence[int]) -> Scores:
        scores = self._cursor.run(tokens)
        if len(tokens) == 1:
            return scores
        draw = np.random.default_rng((self._cursor.length, len(tokens)))
        return np.asarray(scores + draw.uniform(-self._shake, self._shake, scores.shape), np.float32)


def nothing(tokens: Sequence[int], draft: Sequence[int]) -> None:
    """Watches and does nothing."""


@pytest.mark.parity
@pytest.mark.parametrize(("task", "draft", "temperature", "precision"), CASES)
def test_a_draft_changes_nothing(folder: Path, task: str, draft: str, temperature: float, precision: str) -> None:
    checkpoint, target = model(folder, "itself", precision, "target")
    other, small = model(folder, draft, precision, "draft")
    drafter = pairs.drafter(checkpoint, other)(Draft(small, small, other.vocabulary))
    sampling = Sampling(temperature, 480_000) if temperature else None
    texts = []
    counter = Counter()
    for each, look_ahead in ((None, LookAhead()), (drafter, LookAhead()), (drafter, Switching())):
        window = AudioWindow(babble(9, 3), logmel.features, 480_000)
        decoder = WindowDecoder(Setup(target, checkpoint.vocabulary, str, each, look_ahead=look_ahead), counter)
        texts.append(decoder.decode(window, TASKS[task], nothing, sampling).tokens)
    assert texts[0] == texts[1] == texts[2]
    assert len(texts[0]) > 10


@pytest.mark.parity
@pytest.mark.parametrize("temperature", [0.0, pytest.param(0.4, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "precision", [pytest.param(each, marks=() if each == "bf16" else pytest.mark.long) for each in PRECISIONS]
)
def test_the_guard_keeps_the_text_where_passes_differ(folder: Path, precision: str, temperature: float) -> None:
    """A margin changes by twice what a score does: a guard of that size keeps the text, none lets it change."""
    checkpoint, target = model(folder, "itself", precision, "target")
    other, small = model(folder, "its kind", precision, "draft")
    sampling = Sampling(temperature, 480_000) if temperature else None
    shake = 1.0
    texts, ties = [], []
    for drafts, epsilon in ((False, 2 * shake), (True, 2 * shake), (True, 0.0)):
        unsteady, counter = Unsteady(target, shake, epsilon), Counter()
        drafter = pairs.drafter(checkpoint, other)(Draft(small, small, other.vocabulary)) if drafts else None
        decoder = WindowDecoder(Setup(unsteady, checkpoint.vocabulary, str, drafter), counter)
        window = AudioWindow(babble(9, 3), logmel.features, 480_000)
        texts.append(decoder.decode(window, PLAIN, nothing, sampling).tokens)
        ties.append(counter.total.near_ties)
    assert texts[0] == texts[1] != texts[2]
    assert ties[0] == ties[2] == 0 < ties[1]
