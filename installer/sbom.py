"""Write what Galley consists of: `sbom.py FILE`, in CycloneDX 1.6 (JSON), from a .venv that `make setup` has made.

Listed are the packages of the base installation with the versions of constraints.txt, and the models and typefaces that
come with Galley with the SHA-256 of every file. Libraries inside of packages (FFmpeg in av, Qt in PySide6) are parts of
those packages, and are not listed one by one. The same checkout gives the same file.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).resolve().parents[1]
Component = dict[str, Any]


def pins() -> dict[str, str]:
    """The versions of constraints.txt, by their canonical names."""
    lines = (TOP / "constraints.txt").read_text(encoding="utf-8").splitlines()
    both = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {canonicalize_name(name.strip()): version.strip() for name, version in both}


def project() -> dict[str, Any]:
    """What pyproject.toml says of Galley."""
    found: dict[str, Any] = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def needed(requirements: list[str]) -> Iterator[str]:
    """The names of the packages that these requirements ask for on this system, extras aside."""
    for line in requirements:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)


def packages() -> dict[str, list[str]]:
    """The packages of the base installation, each with those that it needs."""
    found: dict[str, list[str]] = {}
    waiting = sorted(needed(project()["dependencies"]))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = sorted(set(needed(importlib.metadata.requires(name) or [])))
            waiting += found[name]
    return dict(sorted(found.items()))


def licence(metadata: Any) -> list[dict[str, Any]]:
    """What a package says of its licence: an SPDX expression, or a name where it has none."""
    if expression := metadata.get("License-Expression"):
        return [{"expression": expression}]
    classifiers = metadata.get_all("Classifier") or []
    names = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")]
    said = (metadata.get("License") or "").strip().splitlines()
    names = names or said[:1]
    return [{"license": {"name": name}} for name in names]


def package(name: str, pinned: str | None) -> Component:
    """One package. Exits with a sentence where another version is installed than the one that is pinned."""
    about = importlib.metadata.metadata(name)
    version = importlib.metadata.version(name)
    if version.partition("+")[0] != pinned:
        sys.exit(f"{name} is installed as {version}, but constraints.txt has {pinned}: run make setup.")
    purl = f"pkg:pypi/{name}@{pinned}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": about["Name"],
        "version": pinned,
        "purl": purl,
        "licenses": licence(about),
    }


def file(path: Path) -> Component:
    """One file with its hash."""
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    name = path.relative_to(TOP).as_posix()
    return {"type": "file", "bom-ref": name, "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}


def named(kind: str, name: str, licences: str, files: list[Path], **more: str) -> Component:
    """Something that consists of files."""
    return {
        "type": kind,
        "bom-ref": f"{kind}:{name}",
        "name": name,
        **more,
        "licenses": [{"license": {"name": licences}}],
        "components": [file(each) for each in files],
    }


def models() -> Iterator[Component]:
    """The models that come with Galley."""
    kind, whisper = "machine-learning-model", TOP / "models" / "whisper-base"
    about = json.loads((whisper / "galley.json").read_text(encoding="utf-8"))
    files = [whisper / each["name"] for each in about["files"]]
    own = [each for each in files if each.parent != whisper]
    source = f"{about['repository']} {about['revision']}"
    yield named(kind, "whisper-base", about["licence"], [each for each in files if each not in own], version=source)
    yield named(kind, "base-draft", project()["license"], own, version=importlib.metadata.version("galley"))
    networks = tomllib.loads((TOP / "models" / "catalogue.toml").read_text(encoding="utf-8"))["speakers"]
    for network in networks:
        bundled = TOP / "models" / "speakers" / f"{network['name']}.onnx"
        if bundled.exists():
            source = f"{network['repository']} {network['revision']}"
            yield named(kind, network["name"], network["licence"], [bundled], version=source)


def typefaces() -> Iterator[Component]:
    """The typefaces that come with Galley."""
    fonts = TOP / "resources" / "fonts"
    for name in sorted({re.split("-", each.name)[0] for each in fonts.glob("*.ttf")}):
        yield named("data", name, "OFL-1.1", sorted(fonts.glob(f"{name}-*.ttf")))


def bom() -> dict[str, Any]:
    """The whole bill of materials."""
    version, needs = importlib.metadata.version("galley"), packages()
    here = f"pkg:pypi/galley@{version}"
    pinned = pins()
    components = [package(name, pinned.get(name)) for name in needs]
    refs = {name: component["bom-ref"] for name, component in zip(needs, components, strict=True)}
    bundled = [*models(), *typefaces()]
    direct = sorted(refs[name] for name in needed(project()["dependencies"]))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": here,
                "name": "galley",
                "version": version,
                "purl": here,
                "licenses": [{"expression": project()["license"]}],
            }
        },
        "components": components + bundled,
        "dependencies": [
            {"ref": here, "dependsOn": direct + [each["bom-ref"] for each in bundled]},
            *({"ref": refs[name], "dependsOn": [refs[each] for each in needs[name]]} for name in needs),
        ],
    }


def main(place: Path) -> None:
    """Write it."""
    whole = bom()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{place}: {len(whole['components'])} packages, models and typefaces")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
