"""The map of CONTRIBUTING.md holds: which room may import which, and what never enters the window's process."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "desktop_app"

QT = {"PySide6", "shiboken6"}
ENGINES = {"torch", "openvino", "transformers"}

# Floor 0 for everybody: problems, plain values, which may hold one, and the bounded reader. Every room may import them.
SHARED = {"transcript": {"problems"}, "problems": set(), "bounded": set()}

# The other rooms, from the bottom up, and what else each may import. A permission that nobody uses is refused.
ROOMS: dict[str, set[str]] = {
    "folders": set(),
    "resources": set(),
    "settings": {"atomic", "folders"},
    "texts": {"resources"},
    "private": set(),
    "atomic": {"private", "texts"},
    "printing": set(),
    "audio": set(),
    "decoding": set(),
    "speakers": set(),
    "export": {"audio", "texts"},
    "checkpoints": {"decoding", "folders", "resources", "settings"},
    "addons": {"checkpoints", "folders"},
    "runtimes": {"checkpoints"},
    "library": set(),
    "log": {"folders"},
    "messages": {"texts"},
    "training": {"messages", "audio", "checkpoints", "decoding", "folders", "runtimes"},
    "worker": {
        *("addons", "atomic", "audio", "checkpoints", "decoding", "folders", "log", "messages", "resources"),
        *("runtimes", "speakers", "training"),
    },
    "engine": {"addons", "audio", "checkpoints", "folders", "log", "messages", "worker"},
    "app": {
        *("atomic", "audio", "engine", "export", "folders", "library", "log", "messages", "resources", "settings"),
        *("speakers", "texts"),
    },
    "measure": {
        *("app", "atomic", "audio", "checkpoints", "decoding", "engine", "folders", "messages", "printing"),
        *("resources", "speakers", "texts", "worker"),
    },
    "ui": {"app", "audio", "engine", "export", "folders", "messages", "private", "resources", "texts"},
    "cli": {
        *(
            "addons",
            "app",
            "atomic",
            "audio",
            "checkpoints",
            "decoding",
            "engine",
            "export",
            "folders",
            "log",
            "measure",
        ),
        *("messages", "printing", "private", "settings", "texts"),
    },
    "__main__": {"audio", "cli", "folders", "private"},
}

# What a single file may import besides: the command line opens the window here, and options have help and refusals.
DOORS: dict[str, set[str]] = {
    "cli.window": {"ui"},
}

# What a room never imports from outside; for the rooms that everything rests on, the only things that they may.
FORBIDDEN: dict[str, set[str]] = {
    "audio": QT | ENGINES,
    "speakers": QT | ENGINES,
    "export": QT | ENGINES,
    "checkpoints": QT | {"openvino"},
    "addons": QT | ENGINES,
    "runtimes": QT,
    "training": QT | {"openvino", "transformers"},
    "library": QT | ENGINES,
    "worker": QT | {"openvino"},  # only runtimes knows how to load it without telling its maker
    "engine": QT | ENGINES,
    "measure": QT | {"openvino"},
    "app": QT | ENGINES | {"rich"},
    "ui": ENGINES | {"rich"},
    "cli": ENGINES,
    "__main__": ENGINES,
}
ALLOWED: dict[str, set[str]] = {
    "transcript": set(),
    "problems": set(),
    "bounded": set(),
    "folders": {"platformdirs"},
    "resources": set(),
    "settings": set(),
    "texts": {"polib"},
    "log": set(),
    "messages": set(),
    "private": set(),
    "atomic": set(),
    "printing": set(),
    "decoding": {"numpy"},
}

# The parts of the window from the bottom up: each imports only from those before it.
WINDOW = (
    "widgets",
    "mailbox",
    "current",
    "context",
    "settings",
    "transcript",
    "player",
    "speakers",
    "recording",
    "versions",
    "guard",
    "models",
    "export",
    "shell",
)


def sources() -> list[Path]:
    return [file for file in sorted(PACKAGE.rglob("*.py")) if file != PACKAGE / "__init__.py"]


def module_of(file: Path) -> str:
    """A file's name as a module, without the package's: `audio.files`; a folder's own file is the folder."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_of(file): file for file in sources()}
HERE = {name.partition(".")[0] for name in MODULES}


@cache
def imports(name: str) -> list[tuple[int, str]]:
    """Every module that a module imports, wherever in it and for types alone too, with the line."""
    return list(_imports(MODULES[name]))


def _imports(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: write the full name of the module"
            module = node.module or ""
            for alias in node.names:
                longer = f"{module}.{alias.name}"
                yield node.lineno, longer if longer.removeprefix("desktop_app.") in MODULES else module


def arrows(name: str) -> set[str]:
    """The modules of this package that a module imports."""
    found = (module.removeprefix("desktop_app.") for _, module in imports(name))
    return {module for module in found if module in MODULES and module != name}


def circle(graph: dict[str, set[str]]) -> str:
    """One circle of a graph, if there is any."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " imports ".join(reversed(error.args[1]))
    return ""


def test_every_room_is_on_the_map() -> None:
    assert set(ROOMS).isdisjoint(SHARED) and set(ROOMS) | set(SHARED) == set(FORBIDDEN) | set(ALLOWED)
    assert not HERE - set(ROOMS) - set(SHARED)


def test_the_map_has_no_circle() -> None:
    found = circle(ROOMS)
    assert not found


@pytest.mark.parametrize("name", MODULES)
def test_imports_only_from_rooms_below(name: str) -> None:
    room, file = name.partition(".")[0], MODULES[name]
    below = {room} | DOORS.get(name, set()) | (SHARED[room] if room in SHARED else set(SHARED) | ROOMS[room])
    for line, module in imports(name):
        top, *rest = module.split(".")
        if top == "desktop_app":
            assert not rest or rest[0] in below, f"{file}:{line}: {room} must not know {rest[0]}"
        elif room in ALLOWED:
            assert top in ALLOWED[room] | sys.stdlib_module_names, f"{file}:{line}: {room} must not import {top}"
        else:
            beside = {"benchmarks", "tests", "tools"}
            assert top not in FORBIDDEN[room] | beside, f"{file}:{line}: {room} must not import {top}"


def test_no_permission_goes_unused() -> None:
    used: dict[str, set[str]] = {}
    for name in MODULES:
        room = name.partition(".")[0]
        used.setdefault(name if name in DOORS else room, set()).update(
            other.partition(".")[0] for other in arrows(name)
        )
        used.setdefault(f"{room} from outside", set()).update(module.partition(".")[0] for _, module in imports(name))
    given = ROOMS | DOORS | {f"{room} from outside": names for room, names in ALLOWED.items()}
    assert not {who: unused for who, names in given.items() if (unused := names - used.get(who, set()))}


def test_no_import_has_a_computed_name() -> None:
    """It would be an arrow that nobody sees."""
    hidden, found = {"__import__", "import_module", "run_module", "spec_from_file_location"}, []
    for name, file in MODULES.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = {getattr(node, "attr", ""), getattr(node, "id", ""), getattr(node, "name", "")} & hidden
            if names or (isinstance(node, ast.Name) and node.id in {"eval", "exec"}):
                found.append(f"{name}:{getattr(node, 'lineno', '')}")
    assert not found


def test_no_files_import_each_other_in_a_circle() -> None:
    """Neither directly nor by others, and not for types alone."""
    found = circle({name: arrows(name) for name in MODULES})
    assert not found


def test_the_parent_knows_of_the_worker_only_where_it_begins() -> None:
    """What runs in child processes is loaded there alone: the parent names `worker.main`, which loads nothing."""
    above = {other for name in MODULES if name.startswith(("engine.", "app.", "ui.", "cli.")) for other in arrows(name)}
    assert {name for name in above if name.split(".")[0] == "worker"} == {"worker.main"}
    assert not {name for name in MODULES if name.startswith(("app.", "ui.", "cli.")) and "worker.main" in arrows(name)}


def test_no_two_rooms_have_a_public_class_of_one_name() -> None:
    """One name is one concept: who searches for it finds it in one place."""
    rooms: dict[str, set[str]] = {}
    for name, file in MODULES.items():
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                rooms.setdefault(node.name, set()).add(name.partition(".")[0])
    assert not {name: found for name, found in rooms.items() if len(found) > 1}


def test_no_file_is_longer_than_one_can_read() -> None:
    """600 lines outside of the tests."""
    files = [
        file for folder in ("desktop_app", "benchmarks", "installer", "tools") for file in (TOP / folder).rglob("*.py")
    ]
    assert not [file.name for file in files if file.read_text(encoding="utf-8").count("\n") > 600]


def test_only_the_decoding_process_reads_media() -> None:
    """A damaged file may crash FFmpeg: nothing but the program of that process opens one with it. Beside it only the
    encoders and that program's own filter know FFmpeg, and they see no file."""
    knowing = {name for name in MODULES if any(module.split(".")[0] == "av" for _, module in imports(name))}
    assert knowing == {"audio.decoder", "audio.flac", "audio.mp3", "audio.tempo", "audio.video"}
    assert not any("av.open" in MODULES[name].read_text(encoding="utf-8") for name in knowing - {"audio.decoder"})
    for name in ("audio.tempo", "audio.video"):
        assert {each for each in MODULES if name in arrows(each)} == {"audio.decoder"}
    assert {name for name in MODULES if "audio.decoder" in arrows(name)} == {"__main__"}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("ui.")])
def test_parts_of_the_window_import_only_from_those_below(name: str) -> None:
    part = name.split(".")[1]
    below = {*WINDOW[: WINDOW.index(part)], part}
    assert not {other for other in arrows(name) if other.startswith("ui.") and other.split(".")[1] not in below}


@pytest.mark.parametrize(
    "module", ["desktop_app.ui.shell.app", "desktop_app.cli", "desktop_app.__main__", "desktop_app.engine.client"]
)
def test_the_windows_process_loads_no_model_runtime(module: str) -> None:
    """In a process of its own, because the tests around this one load everything."""
    program = f"import sys, {module}; print(sorted({{name.partition('.')[0] for name in sys.modules}} & {ENGINES!r}))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_engine_loads_no_code_that_uses_a_network() -> None:
    """Not even Python's own for encrypted connections."""
    program = (
        "import sys, desktop_app.worker.runtime; print(sorted({'_ssl', 'http', 'urllib3', 'httpx2'} & {*sys.modules}))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_base_installation_has_no_torch() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = {re.split(r"[^\w-]", requirement)[0].lower() for requirement in project["dependencies"]}
    assert base.isdisjoint({"torch", "torchvision", "torchaudio", "transformers", "optimum-intel", "ray"})


def test_the_base_installation_has_no_scipy() -> None:
    """Neither does anything bring it nor import it. Here an import would go well: packages of tests bring SciPy."""
    assert "scipy" not in runpy.run_path(str(TOP / "installer" / "sbom.py"))["packages"]()
    assert not [name for name in MODULES if any(module.split(".")[0] == "scipy" for _, module in imports(name))]


def test_every_dependency_is_explained() -> None:
    """CONTRIBUTING.md says in one line why each dependency is there."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    missing = [name for name in {re.split(r"[^\w-]", one)[0] for one in named} - {"galley"} if f"`{name}`" not in text]
    assert not missing
