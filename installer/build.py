"""Build the program that people install, for the system that this runs on: `build.py [--report FILE] [--folder-only]`.

Makes build/frozen/galley, a folder with all that Galley needs (no Python, no network), prints how large its parts are,
and on Linux packs it as dist/*.deb and dist/*.tar.gz. docs/design/installers.md tells more.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import contents

sys.path.insert(0, str(contents.TOP))
from desktop_app import __version__
from desktop_app.app.system.about import BUILD_FILE

TOP = contents.TOP
BUILD, FROZEN, DIST = TOP / "build", TOP / "build" / "frozen" / "galley", TOP / "dist"
MACOS = sys.platform == "darwin"
CONTENTS = FROZEN.parent / "Galley.app" / "Contents"
DATA = CONTENTS / "Frameworks" if MACOS else FROZEN / "_internal"
ICONS = BUILD / "icons"

COMPONENTS = (
    ("Whisper base", ("models/whisper-base/",)),
    ("Its draft model", ("models/whisper-base/draft/",)),
    ("Speaker networks", ("models/speakers/",)),
    ("OpenVINO: runtime, and readers of IR and ONNX", ("openvino/", "libopenvino", "libtbb", "libhwloc")),
    ("OpenVINO: CPU", ("openvino/libs/libopenvino_intel_cpu",)),
    ("OpenVINO: GPU", ("openvino/libs/libopenvino_intel_gpu", "openvino/libs/cache.json")),
    ("OpenVINO: NPU", ("openvino/libs/libopenvino_intel_npu",)),
    ("Qt and PySide", ("PySide6/", "shiboken6/", "libQt6", "libicu")),
    ("FFmpeg and PyAV", ("av/", "av.libs/")),
    ("NumPy, with OpenBLAS", ("numpy/", "numpy.libs/")),
    ("Python", ("libpython", "python3", "base_library.zip", "libcrypto", "libssl", "libsqlite3", "lib")),
    ("Word documents: lxml, python-docx", ("lxml/", "docx/")),
    ("Tokenizers", ("tokenizers/",)),
    ("Icons, fonts, translations, sample", ("resources/",)),
    ("X11 and sound: libraries that a system may lack", ("libxcb-", "libportaudio", "libjack")),
)
"""Parts of the program, with how the paths of their files begin; the longest that fits decides."""


def epoch() -> int:
    """The time that packages say they were made at: the commit's, so that the same checkout gives the same files."""
    if said := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(said)
    command = ["git", "-C", str(TOP), "log", "-1", "--format=%ct"]
    with_git = subprocess.run(command, capture_output=True, text=True) if shutil.which("git") else None
    return int(with_git.stdout) if with_git and with_git.returncode == 0 else int(time.time())


def make_icons() -> None:
    """The icon in the sizes and files that systems want, from the drawing in resources."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from linux_packages import ICON_SIZES
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    app = QGuiApplication.instance() or QGuiApplication([])
    drawing = QSvgRenderer(str(TOP / "resources" / "icons" / "galley.svg"))
    ICONS.mkdir(parents=True, exist_ok=True)
    for size in (*ICON_SIZES, 1024):
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        files = [f"{size}.png", *(["galley.ico"] if size == 256 else []), *(["galley.icns"] if size == 1024 else [])]
        for name in files:
            if not image.save(str(ICONS / name)):
                raise SystemExit(f"Qt cannot write {name}.")
    del app


def freeze() -> None:
    """Run PyInstaller, and make what it leaves smaller where that is possible."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(FROZEN.parent), "--workpath", str(BUILD / "pyinstaller")]
    environment = {**os.environ, "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": str(epoch())}
    subprocess.run([*command, str(TOP / "installer" / "galley.spec")], check=True, env=environment)
    if sys.platform == "linux":
        import slimming

        slimming.empty(DATA)
        slimming.strip(DATA)
    else:
        import empty_libraries

        empty_libraries.empty(DATA)
    collect_licences()
    write_build()
    if MACOS:
        part_data_from_code()


def part_data_from_code() -> None:
    """Move what was written beside the libraries to where a signature of macOS wants data, and leave links."""
    for name in ("licences", BUILD_FILE):
        shutil.move(DATA / name, CONTENTS / "Resources" / name)
        (DATA / name).symlink_to(Path("..", "Resources", name))


def write_build() -> None:
    """Write what the program is built from, for desktop_app/app/system/about.py."""
    import av
    import openvino
    import PySide6.QtCore

    commit = subprocess.run(["git", "-C", str(TOP), "rev-parse", "HEAD"], capture_output=True, text=True)
    changed = subprocess.run(["git", "-C", str(TOP), "status", "--porcelain"], capture_output=True, text=True)
    about = {
        "commit": (commit.stdout.strip() or "unknown") + (", with changes" if changed.stdout else ""),
        "date": time.strftime("%Y-%m-%d", time.gmtime(epoch())),
        "versions": {
            "Python": platform.python_version(),
            "OpenVINO": openvino.get_version(),
            "Qt": PySide6.QtCore.qVersion(),
            "FFmpeg": av.ffmpeg_version_info,
        },
        "updates": _address("GALLEY_UPDATES_URL"),
        "index": _address("GALLEY_PACKAGE_INDEX"),
    }
    (DATA / BUILD_FILE).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _address(variable: str) -> str:
    """What a variable of the build says that the program may ask, "" where it is not set."""
    said = os.environ.get(variable, "")
    if said and not re.fullmatch(r"https://[\w.-]+(:\d+)?/[!-~]*", said):
        raise SystemExit(f"{variable} must be an address that begins with https://, then a host and a path.")
    return said


def collect_licences() -> None:
    """Put the licences of all that is in the folder beside it."""
    subprocess.run([sys.executable, str(TOP / "installer" / "licences.py"), str(DATA / "licences")], check=True)


def sizes() -> dict[str, int]:
    """How many bytes each part takes, largest first; what belongs to none is under "Others"."""
    found: dict[str, int] = {}
    for file in FROZEN.rglob("*"):
        if file.is_file() and not file.is_symlink():
            name = component(file.relative_to(DATA).as_posix()) if DATA in file.parents else "Python"
            found[name] = found.get(name, 0) + file.stat().st_size
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def component(path: str) -> str:
    """The part that a file of the folder belongs to."""
    fitting = [(len(begin), name) for name, begins in COMPONENTS for begin in begins if path.startswith(begin)]
    return max(fitting)[1] if fitting else "Others"


def report(packages: list[Path]) -> str:
    """The sizes as a table in Markdown."""
    found = sizes()
    weights = sum(found.get(name, 0) for name, begins in COMPONENTS if begins[0].startswith("models/"))
    total = sum(found.values())
    lines = ["| part | MB |", "|---|---|"]
    lines += [f"| {name} | {size / 1e6:.1f} |" for name, size in found.items()]
    lines += [f"| **all** | **{total / 1e6:.0f}** |", f"| without the weights | {(total - weights) / 1e6:.0f} |"]
    lines += [f"| `{file.name}` | {file.stat().st_size / 1e6:.0f} |" for file in packages]
    return "\n".join(lines)


def main() -> None:
    """Build, pack and report."""
    parser = argparse.ArgumentParser(description="Build the program that people install.")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the sizes of all parts to a page")
    parser.add_argument("--folder-only", action="store_true", help="make build/frozen/galley, and no packages of it")
    parser.add_argument(
        "--pack-only", action="store_true", help="make packages of the build/frozen/galley that is there"
    )
    given = parser.parse_args()
    if not given.pack_only:
        make_icons()
        freeze()
    packages: list[Path] = []
    if sys.platform == "linux" and not given.folder_only:
        import linux_packages

        DIST.mkdir(exist_ok=True)
        for make in (linux_packages.make_deb, linux_packages.make_tar):
            packages.append(make(FROZEN, ICONS, __version__, epoch(), DIST))
    text = report(packages)
    print(text)
    if given.report:
        command = "make installer REPORT=docs/design/installer-size.md"
        about = f"Galley {__version__} on {sys.platform}, measured by `{command}`."
        given.report.write_text(f"# Size of the installed program\n\n{about}\n\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
