"""Empty libraries in the place of those that Galley must not ship, on Windows and macOS: see slimming.py, which does
the same on Linux.

What a library has to offer is what the others beside it take from it. On Windows pefile reads that, which PyInstaller
brings there, and gcc of MinGW makes the library; on macOS nm, otool and clang of Xcode's command line tools do.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("libx264", "libx265", "libSvtAv1Enc")
_TABLE = 4096  # bytes of zeros for what is no function: how large a table is, these formats do not say


def empty(folder: Path) -> None:
    """Replace the libraries of NAMES below the folder of a frozen program. Exits with a sentence if one is missing."""
    ending, offered, taken, make = (
        ("*.dll", _offered_by_dll, _taken_by_dll, _make_dll)
        if sys.platform == "win32"
        else ("*.dylib", _offered_by_dylib, _taken_by_dylib, _make_dylib)
    )
    libraries = [file for file in folder.rglob(ending) if file.parent.name.endswith(("av.libs", "dylibs"))]
    unwanted = [file for file in libraries if file.name.startswith(NAMES)]
    if len(unwanted) != len(NAMES):
        sys.exit(f"{', '.join(NAMES)} are not all in {folder}: correct installer/empty_libraries.py.")
    for library in unwanted:
        wanted = {name for other in libraries if other not in unwanted for name in taken(other, library)}
        make(library, {name: is_function for name, is_function in offered(library).items() if name in wanted})


def source(symbols: dict[str, bool]) -> str:
    """A library in C whose functions return nothing; `symbols` are its names, and whether each is a function."""
    export = '__attribute__((visibility("default")))' if sys.platform == "darwin" else "__declspec(dllexport)"
    lines = [
        f"{export} void *{name}(void) {{ return 0; }}" if is_function else f"{export} char {name}[{_TABLE}];"
        for name, is_function in sorted(symbols.items())
    ]
    return "\n".join([*lines, ""])


def _offered_by_dll(library: Path) -> dict[str, bool]:
    import pefile

    with pefile.PE(str(library)) as content:
        return {
            each.name.decode(): bool(content.get_section_by_rva(each.address).IMAGE_SCN_MEM_EXECUTE)
            for each in content.DIRECTORY_ENTRY_EXPORT.symbols
            if each.name
        }


def _taken_by_dll(other: Path, library: Path) -> list[str]:
    import pefile

    with pefile.PE(str(other)) as content:
        tables = getattr(content, "DIRECTORY_ENTRY_IMPORT", [])
        names = [table.imports for table in tables if table.dll.decode().lower() == library.name.lower()]
        return [each.name.decode() for imports in names for each in imports if each.name]


def _make_dll(library: Path, symbols: dict[str, bool], compiler: str = "gcc") -> None:
    begin = "int start(void *library, unsigned reason, void *rest) { return 1; }\n"
    with tempfile.TemporaryDirectory() as place:
        written = Path(place, "empty.c")
        written.write_text(begin + source(symbols))
        library.unlink()
        _run(compiler, "-shared", "-nostdlib", "-s", "-Wl,--entry,start", "-o", str(library), str(written))


def _offered_by_dylib(library: Path) -> dict[str, bool]:
    lines = _run("nm", "-gU", str(library)).splitlines()  # address, T for code or another letter, _name
    return {parts[2].removeprefix("_"): parts[1] == "T" for line in lines if len(parts := line.split()) == 3}


def _taken_by_dylib(other: Path, library: Path) -> list[str]:
    """All that a library takes from others: which of them has it is not looked up."""
    return [line.strip().removeprefix("_") for line in _run("nm", "-gju", str(other)).splitlines()]


def _make_dylib(library: Path, symbols: dict[str, bool]) -> None:
    name = _run("otool", "-D", str(library)).splitlines()[-1].strip()
    versions = re.search(r"compatibility version ([\d.]+), current version ([\d.]+)", _run("otool", "-L", str(library)))
    assert versions is not None
    with tempfile.TemporaryDirectory() as place:
        written = Path(place, "empty.c")
        written.write_text(source(symbols))
        library.unlink()
        numbers = ["-compatibility_version", versions[1], "-current_version", versions[2]]
        _run("clang", "-dynamiclib", "-install_name", name, *numbers, "-o", str(library), str(written))


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
