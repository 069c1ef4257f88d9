"""Random models in OpenVINO and in transformers, which says what is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from transformers import WhisperForConditionalGeneration

from desktop_app.checkpoints.folder import read
from desktop_app.runtimes.openvino import OpenVinoModel, load
from tests import random_models


@dataclass(frozen=True)
class Pair:
    """One model twice."""

    folder: Path
    model: OpenVinoModel
    reference: Any
    encoded: npt.NDArray[np.float32]

    def scores(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """The reference's scores of a whole text in one pass."""
        with torch.no_grad():
            hidden = (torch.from_numpy(self.encoded),)
            found = self.reference(encoder_outputs=hidden, decoder_input_ids=torch.tensor([list(tokens)]))
        return np.asarray(found.logits[0])


def features(bins: int = 80) -> npt.NDArray[np.float32]:
    """Something like a window's features."""
    return np.random.default_rng(5).uniform(-1, 1.5, (bins, 3000)).astype(np.float32)


def pair(folder: Path) -> Pair:
    model = load(read(folder))
    reference = WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    return Pair(folder, model, reference, model.encode(features(reference.config.num_mel_bins)))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """PyTorch on one thread: toys have no work for a second one, and would wait for it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return pair(random_models.toy(tmp_path_factory.mktemp("models") / "toy"))


@pytest.fixture(scope="session")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """128 mel bins, a decoder of fewer layers, an odd vocabulary."""
    recipe = random_models.Recipe.of(48, 3, 3, 1, text=257, languages=("en",), bins=128, padding=3)
    return pair(random_models.write(tmp_path_factory.mktemp("models") / "uneven", recipe))


@pytest.fixture(scope="session")
def real_tiny(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return pair(random_models.real_tiny(tmp_path_factory.mktemp("models") / "tiny"))
