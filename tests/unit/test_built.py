"""What is built to be handed on holds all that the installed program needs, and no model that is only for tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hatchling.builders.plugin.interface import BuilderInterface
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from tests.small_pair import SMALL_PAIR

TOP = Path(__file__).resolve().parents[2]


BUILDERS: list[type[BuilderInterface]] = [WheelBuilder, SdistBuilder]


@pytest.fixture(params=BUILDERS, ids=["wheel", "sdist"])
def built(request: pytest.FixtureRequest) -> dict[str, Path]:
    """Where each file of the checkout lies in a wheel or a source distribution."""
    builder: BuilderInterface = request.param(str(TOP))
    return {file.distribution_path: Path(file.path) for file in builder.recurse_included_files()}


def test_the_models_that_galley_brings_along_travel_whole(built: dict[str, Path]) -> None:
    there = set(built.values())
    folders = [TOP / "models" / "whisper-base", TOP / "models" / "speakers", TOP / "resources"]
    wanted = {file for folder in folders for file in folder.rglob("*") if file.is_file()}
    assert wanted | {TOP / "models" / "catalogue.toml"} <= there
    assert any(file.suffix == ".safetensors" for file in wanted)


def test_only_who_gets_the_tests_gets_their_models() -> None:
    wheel, source = ({Path(file.path) for file in builder(str(TOP)).recurse_included_files()} for builder in BUILDERS)
    assert SMALL_PAIR / "model.safetensors" in source
    assert not [file for file in wheel if TOP / "tests" in file.parents]


def test_a_wheel_has_its_data_where_the_program_looks() -> None:
    """desktop_app/resources.py: an installed program's lie in its package."""
    paths = {file.distribution_path for file in WheelBuilder(str(TOP)).recurse_included_files()}
    assert {path.split("/")[0] for path in paths} == {"desktop_app"}
    assert {f"desktop_app/_data/models/{name}" for name in ("catalogue.toml", "whisper-base/config.json")} <= paths
