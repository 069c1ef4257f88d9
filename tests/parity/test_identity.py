"""With and without a draft the text is the same: on each case, at each temperature, with each kind of drafter, in each
precision, and where the draft is left out and comes back.

Random models on the real runtime. A draft is the target itself, another model of its kind, one with other ids and mel
bins, or one with another tokenizer; random drafts are mostly wrong, so every round ends in a correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest

from desktop_app.audio import logmel
from desktop_app.checkpoints import pairs
from desktop_app.checkpoints.folder import Checkpoint, read
from desktop_app.decoding.drafters import Draft
from desktop_app.decoding.figures import Figures
from desktop_app.decoding.hearing import Window
from desktop_app.decoding.lookahead import LookAhead
from desktop_app.decoding.sampling import Sampling
from desktop_app.decoding.task import Task
from desktop_app.decoding.window import WindowDecoder
from desktop_app.runtimes.openvino import OpenVinoModel, load, precisions
from tests import random_models
from tests.random_models import TOY, Recipe
from tests.sounds import babble

PLAIN = Task("en")
TASKS = {
    "plain": PLAIN,
    "prompt": replace(PLAIN, prompt=(40, 41, 42), hot_words=(60,)),
    "no timestamps": replace(PLAIN, timestamps=False),
    "translation": Task("de", translate=True),
}
DRAFTS = {
    "itself": TOY,
    "its kind": replace(TOY, seed=5),
    "other ids": Recipe.of(16, 2, 1, 1, text=300, languages=("en", "xx", "de"), bins=128),
    "other pieces": Recipe.of(16, 2, 1, 1, text=300, languages=("en", "de"), english=True),
}
FAST = {("plain", "its kind", 0.0), ("prompt", "other ids", 0.4), ("no timestamps", "itself", 1.0)}
PRECISIONS = tuple(each for each in ("f32", "bf16") if each in precisions("CPU"))
CASES = [
    pytest.param(*case, precision, marks=() if case in FAST else pytest.mark.long)
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
    checkpoint = read(random_models.write(folder / role / name, DRAFTS[name]))
    return checkpoint, load(checkpoint, precision=precision)


class Switching(LookAhead):
    """Leaves the draft out and takes it back, again and again."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = cycle((3, 0, 0, 8, 0))

    def choose(self) -> int:
        return next(self._counts)


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
    figures = Figures()
    for each, look_ahead in ((None, LookAhead()), (drafter, LookAhead()), (drafter, Switching())):
        window = Window(babble(9, 3), logmel.features, 480_000)
        decoder = WindowDecoder(target, checkpoint.vocabulary, figures, each)
        decoder._look_ahead = look_ahead
        texts.append(decoder.write(window, TASKS[task], nothing, sampling).tokens)
    assert texts[0] == texts[1] == texts[2]
    assert len(texts[0]) > 10
