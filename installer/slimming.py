"""Make the frozen folder smaller on Linux: libraries without their symbol tables, and empty ones where nothing is used.

PyAV's FFmpeg is under the LGPL, but it is linked to x264 and x265, which are under the GPL, and to SVT-AV1. They encode
video, which Galley never does. Debian's PortAudio is linked to JACK's library, and that to Berkeley DB, whose licence
wants what the GPL wants; PortAudio reaches every sound card through ALSA. But neither loads without libraries of these
names. So each is replaced by one of the same name, made here, whose functions all return nothing: to ask FFmpeg for
such an encoder fails, and PortAudio takes it that no JACK runs.
"""

from __future__ import annotations

import platform
import subprocess
import tempfile
from pathlib import Path

EMPTY = {"av.libs": ("libx264-", "libx265-", "libSvtAv1Enc-"), "": ("libjack.",)}
"""How the names of the libraries begin that are replaced, by their folders."""

_RETURN_NOTHING = {"x86_64": "xor %eax, %eax\nret", "aarch64": "mov x0, #0\nret"}
_WORTH_IT = 0.9  # of a library's size: one that strip makes hardly smaller stays as it was made


def empty(folder: Path) -> None:
    """Put empty libraries in the place of those of EMPTY."""
    for place, names in EMPTY.items():
        libraries = [file for file in (folder / place).iterdir() if ".so" in file.name]
        others = [file for file in libraries if not file.name.startswith(names)]
        taken = {symbol for other in others for symbol, *_ in _symbols(other, defined=False)}
        for name in names:
            [library] = (file for file in libraries if file.name.startswith(name))
            _write_empty(library, [symbol for symbol in _symbols(library, defined=True) if symbol[0] in taken])


def _symbols(library: Path, *, defined: bool) -> list[tuple[str, bool, int]]:
    """What a library offers, or takes from others, by name: the name, whether it is a function, and its size."""
    found = set()
    for line in _run("readelf", "--dyn-syms", "--wide", str(library)).splitlines():
        parts = line.split()  # number, value, size, kind, binding, visibility, section, name
        if len(parts) == 8 and parts[0].rstrip(":").isdigit() and (parts[6] != "UND") == defined:
            found.add((parts[7].partition("@")[0], parts[3] in ("FUNC", "IFUNC"), int(parts[2], 0)))
    return sorted(found)


def _write_empty(library: Path, symbols: list[tuple[str, bool, int]]) -> None:
    """Replace a library by one of the same name and file, with functions that return 0 and tables of zeros."""
    lines = ['.section .note.GNU-stack, "", %progbits']
    for name, is_function, size in symbols:
        section, kind = (".text", "function") if is_function else (".bss", "object")
        content = _RETURN_NOTHING[platform.machine()] if is_function else f".zero {size}"
        lines += [section, ".balign 16", f".globl {name}", f".type {name}, %{kind}", f"{name}:", content]
        lines.append(f".size {name}, . - {name}")
    with tempfile.TemporaryDirectory() as place:
        source, object_file = Path(place, "empty.s"), Path(place, "empty.o")
        source.write_text("\n".join([*lines, ""]))
        _run("as", "-o", str(object_file), str(source))
        library.unlink()
        _run("ld", "-shared", "-soname", library.name, "--build-id=none", "-o", str(library), str(object_file))


def strip(folder: Path) -> int:
    """Take symbol tables, which only debuggers read, out of libraries that have large ones; gives the bytes saved."""
    saved = 0
    with tempfile.TemporaryDirectory() as place:
        smaller = Path(place, "library")
        for file in sorted(folder.rglob("*.so*")):
            if file.is_symlink() or not file.is_file():
                continue
            _run("strip", "--strip-unneeded", "-o", str(smaller), str(file))
            before, after = file.stat().st_size, smaller.stat().st_size
            if after < before * _WORTH_IT:
                file.write_bytes(smaller.read_bytes())
                saved += before - after
    return saved


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
