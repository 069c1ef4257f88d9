"""requirements/ is what environment.sh installs: all of it, pinned as in constraints.txt, each package with hashes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).resolve().parents[2]
EXTRAS = {"base": ["build"], "tests": ["dev", "bench", "build"], "installer": ["build", "installer"]}
"""The extras of pyproject.toml that each file covers, beside what every user gets."""
SOURCES = ["openai-whisper", "meeteval"]
"""Files of what comes as source; what these need is in tests.txt."""
BUILDERS = ["installer/environment.sh", "Makefile", ".github/workflows/release.yml"]


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def requirements(name: str) -> list[tuple[Requirement, list[str]]]:
    """Every requirement of a file, with its hashes."""
    text = (TOP / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    lines = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    halves = [re.split(r"\s+--hash=", line) for line in lines if line.strip()]
    return [(Requirement(wanted), hashes) for wanted, *hashes in halves]


@pytest.mark.parametrize("name", [*EXTRAS, *SOURCES])
def test_every_package_has_hashes_and_the_version_of_the_pins(name: str) -> None:
    lines = (TOP / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {Requirement(line) for line in lines if not line.startswith("#")}
    versions = {canonicalize_name(pin.name): str(pin.specifier) for pin in pins}
    for wanted, hashes in requirements(name):
        name = canonicalize_name(wanted.name)
        assert str(wanted.specifier) == versions.get(name), f"{name}: make requirements"
        assert hashes, wanted.name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), wanted.name


@pytest.mark.parametrize("name", EXTRAS)
def test_every_dependency_is_covered_on_three_systems(name: str) -> None:
    covered = {canonicalize_name(wanted.name): wanted for wanted, _ in requirements(name)}
    extras = project()["optional-dependencies"]
    asked = project()["dependencies"] + [line for extra in EXTRAS[name] for line in extras[extra]]
    for line in map(Requirement, asked):
        for system in ("linux", "win32", "darwin"):
            here = {"sys_platform": system, "extra": ""}
            if line.name == "galley" or (line.marker and not line.marker.evaluate(here)):
                continue
            wanted = covered.get(canonicalize_name(line.name))
            assert wanted, f"{line.name} is not in requirements/{name}.txt: make requirements"
            assert wanted.marker is None or wanted.marker.evaluate(here), f"{line.name} is left out on {system}"
            [pin] = wanted.specifier
            assert line.specifier.contains(pin.version), f"{line.name}: {pin.version} is not {line.specifier}"


def test_torch_is_left_to_the_index_that_pip_asks() -> None:
    """Its hash would refuse the CPU build; and what is beside it would be gigabytes of graphics libraries."""
    names = {canonicalize_name(wanted.name) for name in EXTRAS for wanted, _ in requirements(name)}
    assert not [name for name in names if name.startswith(("torch", "nvidia", "triton", "openai-whisper"))]


@pytest.mark.parametrize("name", BUILDERS)
def test_nothing_is_built_by_tools_that_no_hash_covers(name: str) -> None:
    """Pip would download the newest for itself: what has hashes is not built, or built by what is installed already."""
    text = (TOP / name).read_text(encoding="utf-8")
    text = text.replace("${from_source[@]}", re.findall(r"from_source=\((.*)\)|$", text)[0])
    commands = re.findall(r"(?:-m pip .*|^ *)install (?:--|\").*", text, flags=re.MULTILINE)
    assert commands
    for command in commands:
        isolated = "--no-build-isolation" not in command and "--only-binary :all:" not in command
        hashed = "--require-hashes" in command or "--editable" in command
        assert (hashed and not isolated) or re.search(r"torch==|quiet uv$|quiet \"\$@\"", command), command


def test_what_is_built_elsewhere_is_built_by_pinned_tools() -> None:
    """Pip reads the first variable, and since 25.3 the second."""
    exported = (TOP / "Makefile").read_text(encoding="utf-8")
    for variable in ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"):
        assert f"export {variable} = $(CURDIR)/constraints.txt\n" in exported
    covered = {canonicalize_name(wanted.name) for wanted, _ in requirements("tests")}
    assert {"cython", "hatchling", "numpy", "packaging", "scipy", "setuptools"} <= covered
