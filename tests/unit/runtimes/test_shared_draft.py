"""A draft that holds only what differs from its target is the same network in both runtimes as where it was trained,
and changes no token of what its target writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from desktop_app.audio.logmel import features
from desktop_app.checkpoints import pairs
from desktop_app.checkpoints.folder import Checkpoint, read, read_draft
from desktop_app.checkpoints.shared_draft import Ctc, SharedDraft, fingerprint
from desktop_app.decoding.audio_window import AudioWindow
from desktop_app.decoding.drafters import Draft
from desktop_app.decoding.setup import Setup
from desktop_app.decoding.steps import alone
from desktop_app.decoding.window import WindowDecoder
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino, openvino_place
from desktop_app.runtimes import torch as torch_runtime
from desktop_app.runtimes.ctc_openvino import CtcHead
from desktop_app.training import draft
from desktop_app.training.ctc import Head
from desktop_app.training.draft import Trained
from desktop_app.transcript.settings import Settings
from desktop_app.transcript.statistics import Counter
from tests import random_models
from tests.sounds import babble

TOKENS = [3, 14, 15, 92, 65]
RUNTIMES: dict[str, Callable[..., Any]] = {
    "openvino": lambda checkpoint, **more: openvino.load(checkpoint, **more),
    "torch": lambda checkpoint, **more: torch_runtime.load(checkpoint, "cpu", **more),
}


@pytest.fixture
def window() -> AudioWindow:
    return AudioWindow(babble(3.0, 1), features)


@pytest.fixture
def target(tmp_path: Path) -> Checkpoint:
    return read(random_models.toy(tmp_path / "target"))


@pytest.fixture
def trained(target: Checkpoint, tmp_path: Path) -> tuple[Checkpoint, Trained]:
    """A draft of one layer that scores every second text token, with a CTC head: read from its folder, and as it was
    trained."""
    end, size = target.vocabulary.end, target.vocabulary.size
    scored, units = (*range(0, end, 2), *range(end, size)), tuple(range(10))
    ctc = Ctc(24, 2, 5, units, ("en",))
    settings = SharedDraft(target.name, fingerprint(target.tensors), 1, draft.POOLING, ("en",), scored, ctc)
    network = Trained(draft.beginning(target, settings).eval(), Head(ctc, target.shape.width).eval())
    folder = tmp_path / "draft"
    folder.mkdir()
    draft.write(target, network, settings, "small", folder)
    return read_draft(folder, target), network


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_its_scores_are_those_of_the_network_that_was_trained(
    runtime: str, target: Checkpoint, trained: tuple[Checkpoint, Trained]
) -> None:
    checkpoint, network = trained
    model = RUNTIMES[runtime](checkpoint, encoder=RUNTIMES[runtime](target))
    encoded = model.encode(features(babble(3.0, 1), 80))
    found = model.open(encoded).run(TOKENS)
    view = torch.as_tensor(np.asarray(encoded)).reshape(-1, target.shape.width)
    pooled = view.unflatten(0, (-1, draft.POOLING)).mean(1)[None]
    with torch.no_grad():
        wanted = network.decoder(torch.tensor([TOKENS]), pooled, torch.ones(1, len(TOKENS), dtype=torch.bool)).numpy()
    assert found.shape == (len(TOKENS), len(checkpoint.head_tokens or ()))
    assert found == pytest.approx(wanted, abs=2e-3)


@pytest.mark.parametrize(("precision", "nearness"), [("f32", 1e-3), ("int8", 0.1)])
def test_its_tokens_have_their_own_scores_in_every_form_of_its_matrices(
    precision: str,
    nearness: float,
    target: Checkpoint,
    trained: tuple[Checkpoint, Trained],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As f16, as f32 and as int8: of the matrix of all tokens only the rows of its own are read."""
    checkpoint, alone = trained[0], openvino.load(target)
    encoded = alone.encode(features(babble(3.0, 1), 80))
    wanted = openvino.load(checkpoint, encoder=alone).open(encoded).run(TOKENS)
    monkeypatch.setattr(openvino, "_may_have_halves", lambda place: False)
    found = openvino.load(checkpoint, precision=precision, encoder=alone).open(encoded).run(TOKENS)
    assert found == pytest.approx(wanted, abs=nearness * float(np.abs(wanted).max()))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_its_head_is_that_which_was_trained(
    runtime: str, target: Checkpoint, trained: tuple[Checkpoint, Trained], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openvino_place, "has_bf16_units", lambda: False)
    monkeypatch.setattr(openvino_place, "has_bf16_vectors", lambda: False)
    checkpoint, network = trained
    model = RUNTIMES[runtime](target)
    hidden = model.hidden(model.encode(features(babble(3.0, 1), 80)))
    assert hidden.shape == (target.shape.audio_positions, target.shape.width)
    holds, ends = CtcHead(checkpoint, None)(hidden)
    assert network.head is not None
    with torch.no_grad():
        scores, times = network.head(torch.from_numpy(hidden)[None])
    assert len(holds) == len(ends) // 2
    assert np.mean(holds == scores[0].argmax(-1).numpy()) > 0.99, "but for ties of numbers in 16 bits"
    assert ends == pytest.approx(times[0].sigmoid().numpy(), abs=2e-3)


def test_the_text_is_the_targets_own(
    target: Checkpoint, trained: tuple[Checkpoint, Trained], window: AudioWindow
) -> None:
    checkpoint, _ = trained
    alone = openvino.load(target)
    model = openvino.load(checkpoint, encoder=alone)
    counter = Counter()
    drafter = pairs.drafter(target, checkpoint)(Draft(model, alone, checkpoint.vocabulary))
    texts = [
        WindowDecoder(Setup(alone, target.vocabulary, str, each), counter).decode(
            window, Settings("en"), lambda *_: None
        )
        for each in (drafter, None)
    ]
    assert texts[0].tokens == texts[1].tokens
    assert counter.total.drafted > 0


def test_a_language_that_it_was_not_trained_on_is_left_to_its_target(
    target: Checkpoint, trained: tuple[Checkpoint, Trained], window: AudioWindow
) -> None:
    checkpoint, _ = trained
    model = openvino.load(target)
    draft_model = Draft(openvino.load(checkpoint, encoder=model), model, checkpoint.vocabulary)
    draft_model.begin(window, Settings("de"))
    assert target.vocabulary.knows("de") and alone(draft_model.scores([])) is None
    draft_model.begin(window, Settings("en"))
    assert alone(draft_model.scores([])) is not None


def test_a_language_that_only_the_head_knows_is_drafted(
    target: Checkpoint, trained: tuple[Checkpoint, Trained]
) -> None:
    english = trained[0]
    assert english.ctc is not None
    with pytest.raises(Problem, match="draft_language"):
        pairs.check(target, english, "de", translate=False)
    pairs.check(target, replace(english, ctc=replace(english.ctc, languages=("de", "en"))), "de", translate=False)
