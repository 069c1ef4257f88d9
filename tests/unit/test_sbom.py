"""The bill of materials lists all that a user's computer gets, and nothing else."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(TOP / "installer" / "sbom.py"))


@pytest.fixture(scope="module")
def bom(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place = tmp_path_factory.mktemp("sbom") / "new" / "galley.cdx.json"
    SCRIPT["main"](place)
    found: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def libraries(bom: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {normal(each["name"]): each for each in bom["components"] if each["type"] == "library"}


def test_every_package_of_the_base_installation_is_listed_as_it_is_pinned(bom: dict[str, Any]) -> None:
    lines = (TOP / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {normal(name): version for name, _, version in (line.partition("==") for line in lines) if version}
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = libraries(bom)
    assert {normal(re.split(r"[^\w-]", each)[0]) for each in project["dependencies"]} <= found.keys()
    assert {"httpx2", "cffi", "shiboken6"} <= found.keys(), "what packages need in their turn"
    assert {name: each["version"] for name, each in found.items()} == {name: pins[name] for name in found}
    assert found.keys().isdisjoint({"torch", "transformers", "pytest", "galley"})
    assert all(each["licenses"] for each in bom["components"])


def test_every_file_of_a_bundled_model_has_its_hash(bom: dict[str, Any]) -> None:
    parts = [part for each in bom["components"] for part in each.get("components", [])]
    hashes = {part["name"]: part["hashes"][0]["content"] for part in parts}
    endings = (".safetensors", ".onnx", ".ttf")
    shipped = [file for top in ("models", "resources") for file in (TOP / top).rglob("*") if file.suffix in endings]
    assert len(shipped) >= 10
    for file in shipped:
        with file.open("rb") as opened:
            assert hashes[file.relative_to(TOP).as_posix()] == hashlib.file_digest(opened, "sha256").hexdigest()
    about = json.loads((TOP / "models" / "whisper-base" / "galley.json").read_text(encoding="utf-8"))
    for each in about["files"]:
        assert hashes[f"models/whisper-base/{each['name']}"] == each["sha256"]


def test_it_is_what_the_format_asks_for(bom: dict[str, Any]) -> None:
    """References are unique and lead somewhere; every library can be reached from Galley."""
    assert (bom["bomFormat"], bom["specVersion"], bom["version"]) == ("CycloneDX", "1.6", 1)
    application = bom["metadata"]["component"]["bom-ref"]
    tops = [application, *(each["bom-ref"] for each in bom["components"])]
    parts = [part["bom-ref"] for each in bom["components"] for part in each.get("components", [])]
    assert len(set(tops + parts)) == len(tops + parts)
    needs = {each["ref"]: each["dependsOn"] for each in bom["dependencies"]}
    reached, waiting = set(), [application]
    while waiting:
        ref = waiting.pop()
        waiting += [] if ref in reached else needs.get(ref, [])
        reached.add(ref)
    assert reached == set(tops)


def test_another_version_than_the_pinned_one_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"numpy is installed as .*, but constraints.txt has 0.1: run make setup"):
        SCRIPT["package"]("numpy", "0.1")
