"""Live text on a slow computer: a smaller installed target writes meanwhile, and both are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.checkpoints.folder import read
from desktop_app.checkpoints.installed import bundled
from desktop_app.messages.jobs import LiveOptions, StartLive
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.worker import live_target
from desktop_app.worker.live_target import encoding_seconds, pair_for_live
from desktop_app.worker.loaded_models import ModelCache
from tests.random_models import TOY, toy, write


@pytest.fixture
def installed(home: Path) -> Path:
    """A large, a middling and a small toy."""
    folder = home / "data" / "models"
    for name, layers in (("large", 4), ("middling", 2), ("small", 1)):
        write(folder / name, replace(TOY, shape=replace(TOY.shape, encoder_layers=layers)))
    return folder


def slow(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(live_target, "encoding_seconds", lambda pair: seconds)


def request(target: str, **live: bool) -> StartLive:
    return StartLive("live", Options(target, draft="off"), LiveOptions(**live))


def test_a_target_that_is_fast_enough_writes_itself(installed: Path) -> None:
    pair, models = pair_for_live(request("large"), ModelCache(), lambda stage, **values: None)
    assert (pair.target.checkpoint.name, models.notices) == ("large", ())
    assert 0 < encoding_seconds(pair) < 1


@pytest.mark.parametrize(("seconds", "chosen"), [(2.0, "middling"), (2.5, "small"), (40.0, "small")])
def test_the_largest_one_that_is_fast_enough_writes_instead(
    installed: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, chosen: str
) -> None:
    """Half of the layers are half of the work. Where none is fast enough the smallest is less slow."""
    slow(monkeypatch, seconds)
    pair, models = pair_for_live(request("large"), ModelCache(), lambda stage, **values: None)
    assert models.target == pair.target.checkpoint.name == chosen
    assert models.final == "large"
    assert models.notices == (Problem("model.live_smaller", model=chosen, chosen="large", seconds=round(seconds)),)


def test_the_bundled_model_writes_for_a_large_one(home: Path) -> None:
    """Somebody who installed a large model has nothing smaller but what Galley brought along."""
    chosen = read(bundled())
    large = replace(chosen, shape=replace(chosen.shape, width=1280, encoder_layers=32, encoder_inner=5120))
    assert live_target._smaller(large, 9.0, request("")) == bundled()


def test_for_a_model_of_one_language_one_that_knows_it_is_enough(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody chooses a language for a model that knows English only."""
    english = replace(TOY, english=True)
    write(installed / "large.en", replace(english, shape=replace(TOY.shape, encoder_layers=5)))
    write(installed / "least.en", replace(english, shape=replace(TOY.shape, encoder_layers=1, encoder_inner=64)))
    slow(monkeypatch, 5.1)  # the multilingual ones are too large for that
    _, models = pair_for_live(request("large.en"), ModelCache(), lambda stage, **values: None)
    assert (models.target, models.final) == ("least.en", "large.en")


def test_without_a_smaller_one_that_is_said(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, 40.0)
    _, models = pair_for_live(request("small"), ModelCache(), lambda stage, **values: None)
    assert models.target == "small"
    assert models.notices == (Problem("model.live_slow", seconds=40),)


def test_nothing_is_said_where_live_text_is_only_a_little_slower(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(monkeypatch, 1.6)
    _, models = pair_for_live(request("small"), ModelCache(), lambda stage, **values: None)
    assert (models.target, models.notices) == ("small", ())


def test_the_choice_can_be_kept(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, 2.0)
    pair, _ = pair_for_live(request("large", smaller=False), ModelCache(), lambda stage, **values: None)
    assert pair.target.checkpoint.name == "large"


def test_an_encoding_is_measured_until_it_is_fast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ModelCache().pair(Options(str(toy(tmp_path / "toy")), draft="off"), lambda stage, **values: None)
    clock = iter([0.0, 5.0, 5.0, 5.5])
    monkeypatch.setattr(live_target, "perf_counter", lambda: next(clock))
    assert encoding_seconds(pair) == 0.5
