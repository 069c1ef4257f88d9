"""What was measured of this computer's speed is kept, and a better model is suggested only where it would work."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app import folders
from desktop_app.app.models import speeds
from desktop_app.app.models.speeds import Speeds, estimate, installed_memory, suggestion
from desktop_app.engine.model_list import ListedModel
from desktop_app.transcript.statistics import Speed

BASE = ListedModel("base", "base", Path("/base"), 0, languages=("*",), parameters=72_000_000)
SMALL = ListedModel("small", "small", None, 0, languages=("*",), parameters=240_000_000, memory=(3_000_000_000, 1))
LARGE = ListedModel("large", "large", None, 0, languages=("*",), parameters=1_540_000_000, memory=(17_000_000_000, 1))
CHOSEN = ("/base", "auto", "auto")
FOUND = Speed(alone=9.0, with_draft=13.0)


def test_a_measurement_is_found_by_what_was_chosen_and_outlasts_the_program(home: Path) -> None:
    kept = Speeds()
    kept.keep(CHOSEN, FOUND)
    kept.keep(("/base", "auto", "int8"), replace(FOUND, alone=15.0))
    kept.keep(CHOSEN, replace(FOUND, alone=8.0))
    kept.save()
    again = Speeds()
    assert again.find(CHOSEN) == replace(FOUND, alone=8.0)
    assert again.find(("/base", "off", "auto")) is None
    assert again.latest("/base") == replace(FOUND, alone=8.0)
    assert again.latest("/other") is None


def test_a_busy_computer_does_not_take_the_place_of_a_quieter_one(home: Path) -> None:
    kept, quiet, busy, busier = Speeds(), FOUND, replace(FOUND, alone=5.3, others=0.4), replace(FOUND, others=0.8)
    assert kept.keep(CHOSEN, busier), "better than nothing"
    assert kept.keep(CHOSEN, busy)
    assert kept.keep(CHOSEN, quiet)
    assert not kept.keep(CHOSEN, busy)
    assert kept.keep(CHOSEN, replace(quiet, alone=8.0, others=0.1)), "a quiet one is the newer truth"
    kept.save()
    assert Speeds().find(CHOSEN) == replace(quiet, alone=8.0, others=0.1)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"[]", b'{"version": "0"}', b'{"version": "%s", "speeds": [["/base", "auto"]]}', b'{"speeds": 3}'],
)
def test_a_file_that_cannot_be_read_is_as_none(content: bytes, home: Path) -> None:
    place = folders.cache() / "speeds.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.replace(b"%s", speeds.__version__.encode()))
    assert Speeds().latest("/base") is None


@pytest.mark.parametrize(("at", "value"), [(3, "fast"), (3, -1.0), (3, 0), (4, float("inf")), (4, -2), (5, 2)])
def test_a_damaged_measurement_is_as_none(at: int, value: object, home: Path) -> None:
    kept = Speeds()
    kept.keep(CHOSEN, FOUND)
    kept.save()
    place = folders.cache() / "speeds.json"
    found = json.loads(place.read_text("utf-8"))
    found["speeds"][0][at] = value
    place.write_text(json.dumps(found), "utf-8")
    assert Speeds().latest("/base") is None


def test_another_version_measures_anew(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Speeds()
    kept.keep(CHOSEN, FOUND)
    kept.save()
    monkeypatch.setattr(speeds, "__version__", "another")
    assert Speeds().latest("/base") is None


def test_a_full_disk_costs_only_the_measurement(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    kept = Speeds()
    kept.keep(CHOSEN, FOUND)
    monkeypatch.setattr("desktop_app.atomic.write", full)
    kept.save()
    assert kept.latest("/base") == FOUND


def test_the_estimate_is_that_of_the_target_alone() -> None:
    assert estimate(FOUND, 72, 240) == pytest.approx(2.7)
    assert estimate(FOUND, 0, 240) == estimate(FOUND, 72, 0) == 0


def test_the_most_capable_model_that_is_fast_enough_is_suggested() -> None:
    models = (LARGE, SMALL, BASE)
    found = suggestion(FOUND, BASE, models, 16_000_000_000)
    assert found is not None
    assert found == (SMALL, pytest.approx(2.7))
    assert suggestion(replace(FOUND, alone=6.0), BASE, models, 16_000_000_000) is None  # too slow
    assert suggestion(FOUND, BASE, models, 4_000_000_000) is None  # too little memory
    assert suggestion(replace(FOUND, alone=60.0), BASE, models, None) == (LARGE, pytest.approx(60 * 72 / 1540))
    assert suggestion(FOUND, SMALL, models, None) is None  # nothing better
    english = replace(SMALL, languages=("en",))
    assert suggestion(FOUND, BASE, (replace(LARGE, speakers=True), english), None) is None


def test_this_computer_has_memory() -> None:
    memory = installed_memory()
    assert memory is not None
    assert memory > 1 << 29
