"""Of two drafts the one ships of which the target accepts more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from desktop_app import resources
from desktop_app.decoding.figures import Figures
from models.training import train_draft
from models.training.listening import Counts


@pytest.mark.parametrize(("own", "alongside", "kept"), [(90, 80, "own"), (80, 90, "alongside"), (80, 80, "alongside")])
def test_the_draft_is_kept_of_which_the_target_accepts_more(
    own: int, alongside: int, kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = resources.path("models", "starter")
    trained = train_draft.start(pair)
    with torch.no_grad():
        trained.layer_norm.weight += 1

    def accepted(_pair: Path, made: dict[str, Path]) -> Iterator[tuple[str, Counts]]:
        assert [(folder / "model.safetensors").is_file() for folder in made.values()] == [True, True]
        for name, folder in made.items():
            count = alongside if folder == pair / "draft" else own
            yield name, Counts([Figures(accepted=count, compared=100)])

    monkeypatch.setattr(train_draft, "WORK", tmp_path)
    monkeypatch.setattr(train_draft, "accepted", accepted)
    shipped = train_draft.better(pair, trained)
    wanted = trained if kept == "own" else train_draft.start(pair)
    assert torch.equal(shipped.layer_norm.weight, wanted.layer_norm.weight)
