"""What goes into the frozen program and what stays out: the rules that galley.spec and build.py follow."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from packaging.utils import canonicalize_name
from sbom import packages

TOP = Path(__file__).resolve().parents[1]
LANGUAGES = sorted(file.stem for file in (TOP / "resources" / "translations").glob("*.po"))

DATA = (
    ("models/catalogue.toml", "models"),
    ("models/whisper-base", "models/whisper-base"),
    ("models/speakers", "models/speakers"),
    ("resources", "resources"),
    ("LICENSE", "."),
)
"""Files and folders of the checkout, and where each lies in the frozen program: see desktop_app/resources.py."""

NOT_USED = (
    "hf_xet",  # another way to download, which Galley's hub.py does not take
    "openvino.frontend.jax",
    "openvino.frontend.paddle",
    "openvino.frontend.pytorch",
    "openvino.frontend.tensorflow",
    "openvino.tools",
    "openvino.torch",
    "openvino_telemetry",
    "markdown_it",  # for parts of rich that nothing calls, as is pygments
    "pygments",
    "PySide6.QtDBus",  # what PyInstaller adds to QtCore and QtGui
    "PySide6.QtNetwork",
    *("curses", "dbm", "ensurepip", "idlelib", "lib2to3", "nis", "pydoc_data", "readline", "test", "tkinter", "venv"),
    *("_distutils_hack", "pip", "pkg_resources", "setuptools"),
)
"""Modules that some package imports where Galley never goes."""

_NOT_OF_PYTHON = ("antigravity", "crypt", "distutils", "msilib", "ossaudiodev", "spwd", "this", "turtle", "turtledemo")
"""Of Python's own modules besides, those that nothing imports, or that want further libraries of the system."""

_OPENVINO = re.compile(
    r"""(?x) (lib)? (
        openvino (_(auto|auto_batch|hetero|intel_cpu|intel_gpu|intel_npu)_plugin | _(ir|onnx)_frontend)?
        | tbb(12|malloc|bind\w*)? | hwloc
    ) (\.\d+)? (-\d+)? \.(so|dll|dylib)\b | (cache\.json|plugins\.xml)$"""
)
"""Files of OpenVINO that are kept: the runtime, its devices, the readers of IR and ONNX, and the GPU's tuning."""

_LEFT_OUT = re.compile(
    rf"""(?x)
    PySide6/(Qt/)?plugins/ (
        (?!platforms/|platformthemes/|platforminputcontexts/|imageformats/|iconengines/|styles/|wayland|xcbgl)
        | platforms/\w*q(linuxfb|vkkhrdisplay|vnc|eglfs|minimal|minimalegl)\.
        | imageformats/\w*q(gif|icns|pdf|tga|tiff|wbmp|webp)\.
        | wayland-(shell-integration/\w*(ivi|qt-shell|fullscreen)|decoration-client/\w*bradient|graphics-integration)
        | platforminputcontexts/\w*virtualkeyboard
    )
    | (PySide6/(Qt/)?lib/)? libQt6(Egl\w*|Network)\.so
    | PySide6/(Qt/)?translations/(?!qtbase_({"|".join(LANGUAGES)})\.qm$)
    | PySide6/opengl32sw\.dll$
    | _sounddevice_data/portaudio-binaries/\w*-asio\.dll$
    | .*\.(pyi|pxd|pyx|h|hpp|c|cpp|a|lib|cmake|pc)$
    | (.*/)? (tests?|include|cmake)/
    | [\w.-]+\.dist-info/(?!METADATA$)
    | lxml/isoschematron/
    """
)
"""Files that no part of Galley opens. Of a package's metadata only the part with its version stays, which some
libraries ask for. Licences are collected by themselves.
"""

_TAKEN_ALONG = re.compile(r"lib(python3|z|bz2|lzma|zstd|ffi|ssl|crypto|sqlite3|uuid|expat|mpdec|portaudio|jack|xcb-)")
"""Of the libraries of the Linux that builds the program, those that are taken along: Python's own, PortAudio's, and
those of X11 that a desktop may lack. All others stay the system's own, and so fit its drivers, sound and fonts: above
all libstdc++, as the GPU driver that OpenVINO loads may have been built with a newer one.
"""


def excluded() -> list[str]:
    """Modules that PyInstaller must not follow: NOT_USED, and what the environment has for tests and measurements."""
    needed = set(packages())
    others = {
        module
        for module, names in importlib.metadata.packages_distributions().items()
        if not needed & {canonicalize_name(name) for name in names}
    }
    return sorted({*NOT_USED, *others} - {"desktop_app"})


def standard_library() -> list[str]:
    """Python's own modules, also those that Galley never imports: PyTorch, which the program can be given as an add-on,
    imports many, and which ones on a GPU was not tried.
    """
    found = []
    for name in sorted(sys.stdlib_module_names - {*NOT_USED, *_NOT_OF_PYTHON}):
        spec = None if name.startswith("_") else importlib.util.find_spec(name)
        if spec is None:  # of another system
            continue
        found.append(name)
        for folder in map(Path, spec.submodule_search_locations or ()):
            parts = [file.relative_to(folder).with_suffix("").parts for file in sorted(folder.rglob("*.py"))]
            found += [
                ".".join([name, *each]) for each in parts if not {"__init__", "__main__", "test", "tests"} & {*each}
            ]
    return found


def is_kept(place: str, source: str) -> bool:
    """Whether a file goes into the program: where it would lie there, and where it is from."""
    place = place.replace("\\", "/")
    name = place.rpartition("/")[2]
    if place.startswith("openvino/libs/") or name.startswith(("libopenvino", "libtbb")):
        return _OPENVINO.match(name) is not None
    if sys.platform == "linux" and source.startswith(("/lib/", "/usr/lib/")):
        return _TAKEN_ALONG.match(name) is not None
    return _LEFT_OUT.match(place) is None


def kept(entries: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The entries of one of PyInstaller's tables that go into the program."""
    return [entry for entry in entries if is_kept(entry[0], entry[1])]
