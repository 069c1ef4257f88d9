"""The map of CONTRIBUTING.md holds: which room may import which, and what never enters the window's process."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "desktop_app"

QT = {"PySide6", "shiboken6"}
ENGINES = {"torch", "openvino", "transformers"}

# A room and the rooms it may use. `folders` and `resources` say where files lie, `texts` is what translates.
ROOMS: dict[str, set[str]] = {
    "folders": set(),
    "resources": set(),
    "texts": {"resources"},
    "settings": {"folders"},
    "transcript": set(),
    "audio": {"transcript"},
    "speakers": {"audio", "transcript"},
    "decoding": {"transcript"},
    "checkpoints": {"decoding", "resources", "folders", "settings", "transcript"},
    "runtimes": {"audio", "checkpoints", "decoding", "folders"},
    "training": {"audio", "checkpoints", "decoding", "folders", "runtimes", "transcript"},
    "library": {"audio", "transcript", "folders"},
    "engine": {
        *("audio", "checkpoints", "decoding", "folders", "library", "resources", "runtimes", "speakers", "transcript"),
    },
    "measure": {
        *("audio", "checkpoints", "decoding", "engine", "folders", "resources", "runtimes", "speakers", "transcript"),
    },
    "app": {"audio", "engine", "folders", "library", "settings", "transcript"},
    "ui": {"app", "audio", "engine", "library", "resources", "transcript"},
    "cli": {
        "app",
        "audio",
        "checkpoints",
        "engine",
        "folders",
        "library",
        "measure",
        "resources",
        "transcript",
        "training",
        "ui",
    },
    "__main__": {"cli"},
}

# What a room never imports from outside; for the two rooms that everything rests on, the only things that they may.
FORBIDDEN: dict[str, set[str]] = {
    "audio": QT | ENGINES,
    "speakers": QT | ENGINES,
    "checkpoints": QT | {"openvino"},
    "runtimes": QT,
    "training": QT | {"openvino", "transformers"},
    "library": QT | ENGINES,
    "engine": QT | {"openvino"},  # only runtimes knows how to load it without telling its maker
    "measure": QT | {"openvino"},
    "app": QT | ENGINES | {"rich"},
    "ui": ENGINES,
    "cli": ENGINES,
    "__main__": ENGINES,
}
ALLOWED: dict[str, set[str]] = {
    "decoding": {"numpy"},
    "transcript": set(),
    "folders": {"platformdirs"},
    "resources": set(),
    "texts": {"polib"},
    "settings": set(),
}


def room_of(file: Path) -> str:
    """The room a source file lives in: the first name below the package."""
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, wherever in it, with the line."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: write the full name of the module"
            module = node.module or ""
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}" if module == "desktop_app" else module


def sources() -> list[Path]:
    return [file for file in sorted(PACKAGE.rglob("*.py")) if file != PACKAGE / "__init__.py"]


def test_every_room_is_on_the_map() -> None:
    assert {room_of(file) for file in sources()} <= set(ROOMS)


def test_the_map_has_no_circle() -> None:
    done: set[str] = set()
    while len(done) < len(ROOMS):
        ready = {room for room, below in ROOMS.items() if room not in done and below <= done}
        assert ready, f"these rooms stand on each other: {set(ROOMS) - done}"
        done |= ready


@pytest.mark.parametrize("file", sources(), ids=lambda file: str(file.relative_to(TOP)))
def test_imports_only_from_rooms_below(file: Path) -> None:
    room = room_of(file)
    for line, module in imports(file):
        top, _, rest = module.partition(".")
        if top == "desktop_app":
            other = rest.partition(".")[0]
            known = other in ROOMS or other.startswith("__version__")
            assert known, f"{file}:{line}: {module} is in no room"
            assert other in {room, "__version__"} | ROOMS[room], f"{file}:{line}: {room} must not know {other}"
        elif room in ALLOWED:
            assert top in ALLOWED[room] | sys.stdlib_module_names, f"{file}:{line}: {room} must not import {top}"
        else:
            assert top not in FORBIDDEN[room], f"{file}:{line}: {room} must not import {top}"


def test_the_command_line_knows_the_window_only_to_open_it() -> None:
    users = {
        file.name for file in sources() if room_of(file) == "cli" and any(".ui" in name for _, name in imports(file))
    }
    assert users == {"window.py"}


@pytest.mark.parametrize(
    "module", ["desktop_app.ui.shell.app", "desktop_app.cli", "desktop_app.__main__", "desktop_app.engine.client"]
)
def test_the_windows_process_loads_no_model_runtime(module: str) -> None:
    """In a process of its own, because the tests around this one load everything."""
    program = f"import sys, {module}; print(sorted({{name.partition('.')[0] for name in sys.modules}} & {ENGINES!r}))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout.strip() == "[]"


def test_the_base_installation_has_no_torch() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = {re.split(r"[^\w-]", requirement)[0].lower() for requirement in project["dependencies"]}
    assert base.isdisjoint({"torch", "torchvision", "torchaudio", "transformers", "optimum-intel", "ray"})


def test_every_dependency_is_explained() -> None:
    """CONTRIBUTING.md says in one line why each dependency is there."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    missing = [name for name in {re.split(r"[^\w-]", one)[0] for one in named} - {"galley"} if f"`{name}`" not in text]
    assert not missing
