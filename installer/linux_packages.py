"""The frozen folder as packages for Linux: a .deb, and a tar.gz that runs from any folder."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

from contents import TOP
from system_packages import LIBRARIES

LINUX = TOP / "installer" / "linux"
ICON_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)

MIME_TYPES = {
    ".3gp": ("video/3gpp", "audio/3gpp"),
    ".aac": ("audio/aac",),
    ".ac3": ("audio/ac3",),
    ".aif": ("audio/x-aiff",),
    ".aiff": ("audio/x-aiff",),
    ".amr": ("audio/AMR",),
    ".au": ("audio/basic",),
    ".avi": ("video/x-msvideo", "video/vnd.avi"),
    ".caf": ("audio/x-caf",),
    ".flac": ("audio/flac",),
    ".flv": ("video/x-flv",),
    ".m2ts": ("video/mp2t",),
    ".m4a": ("audio/mp4", "audio/x-m4a"),
    ".m4b": ("audio/x-m4b",),
    ".m4v": ("video/mp4", "video/x-m4v"),
    ".mka": ("audio/x-matroska",),
    ".mkv": ("video/x-matroska",),
    ".mov": ("video/quicktime",),
    ".mp2": ("audio/mp2",),
    ".mp3": ("audio/mpeg",),
    ".mp4": ("video/mp4",),
    ".mpeg": ("video/mpeg",),
    ".mpg": ("video/mpeg",),
    ".mts": ("video/mp2t",),
    ".oga": ("audio/ogg",),
    ".ogg": ("audio/ogg", "application/ogg", "audio/x-vorbis+ogg"),
    ".ogv": ("video/ogg",),
    ".opus": ("audio/x-opus+ogg",),
    ".ts": ("video/mp2t",),
    ".wav": ("audio/x-wav", "audio/vnd.wave"),
    ".webm": ("video/webm", "audio/webm"),
    ".wma": ("audio/x-ms-wma",),
    ".wmv": ("video/x-ms-wmv",),
}
"""What the desktop calls the kinds of files that Galley opens, by the extensions of app/media.py; several names where
releases of shared-mime-info differ.
"""

_OWN = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libasound.so.2": "libasound2t64 | libasound2",
    "libfreetype.so.6": "libfreetype6",
    "libgcc_s.so.1": "libgcc-s1",
    "libglib-2.0.so.0": "libglib2.0-0t64 | libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0t64 | libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libxcb.so.1": "libxcb1",
}
DEBIAN = {name: packages[0] for name, packages in LIBRARIES["window"].items()} | _OWN
"""The packages of libraries that are the system's own."""

_OF_THE_C_LIBRARY = re.compile(r"(ld-linux[\w-]*|lib(c|m|dl|rt|pthread|resolv|util))\.so\.\d")
_OPTIONAL = re.compile(r"libq(gtk3|xcb-egl-integration)\.so|libopenvino_intel_gpu_plugin\.so")
"""Plugins that are passed over where the system lacks what they want: GTK for its dialogs, OpenCL for Intel's GPUs."""


def requirements(folder: Path) -> tuple[set[str], str]:
    """What the libraries of a folder want of the system: the names of libraries, and the version of the C library."""
    own = {file.name for file in folder.rglob("*")}
    wanted, version = set(), (0, 0)
    for file in _libraries(folder):
        listed = subprocess.run(["readelf", "-dVW", file], check=True, stdout=subprocess.PIPE, text=True).stdout
        if not _OPTIONAL.match(file.name):
            wanted |= set(re.findall(r"\(NEEDED\).*\[(.+)\]", listed))
        versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", listed)
        version = max([version, *((int(major), int(minor)) for major, minor in versions)])
    wanted = {name for name in wanted - own if not _OF_THE_C_LIBRARY.match(name)}
    return wanted, f"{version[0]}.{version[1]}"


def _libraries(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as opened:
                if opened.read(4) == b"\x7fELF":
                    yield file


def depends(folder: Path) -> str:
    """The Depends of the .deb. Exits where a library is neither in the folder nor known as one of the system."""
    wanted, version = requirements(folder)
    if unknown := sorted(wanted - DEBIAN.keys()):
        raise SystemExit(f"Neither in the program nor in DEBIAN of linux_packages.py: {', '.join(unknown)}")
    return ", ".join([f"libc6 (>= {version})", *sorted({DEBIAN[name] for name in wanted})])


def control(version: str, needs: str, size: int) -> str:
    """The description of the .deb; `size` in bytes."""
    return f"""\
Package: galley
Version: {version}
Architecture: {_architecture()}
Maintainer: The Galley authors
Installed-Size: {size // 1024}
Depends: {needs}
Recommends: libasound2-plugins | pipewire-alsa, ocl-icd-libopencl1 | libopencl1, pulseaudio-utils
Suggests: intel-opencl-icd
Section: sound
Priority: optional
Description: private transcription on your own computer
 Galley turns recordings and live speech into text with Whisper. A small model
 drafts, the large one verifies every word: the text is the large model's own,
 only sooner. Nothing that is recorded or transcribed leaves the computer.
 .
 Whisper base, a draft model for it and networks that tell speakers apart come
 with it, so that it works at once and without a network.
"""


def _architecture() -> str:
    command = ["dpkg", "--print-architecture"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def write_share(share: Path, icons: Path, version: str, epoch: int) -> None:
    """What a desktop wants to know of a program, as it lies in /usr/share."""
    values = {
        "@VERSION@": version,
        "@DATE@": time.strftime("%Y-%m-%d", time.gmtime(epoch)),
        "@MIME_TYPES@": "".join(
            f"{name};" for name in sorted({each for names in MIME_TYPES.values() for each in names})
        ),
    }
    for name, place in (
        ("galley.desktop", "applications"),
        ("app.galley.Galley.metainfo.xml", "metainfo"),
        ("galley.1", "man/man1"),
    ):
        text = (LINUX / name).read_text(encoding="utf-8")
        for mark, value in values.items():
            text = text.replace(mark, value)
        file = share / place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for size in ICON_SIZES:
        _copy(icons / f"{size}.png", share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / "galley.png")
    _copy(TOP / "resources" / "icons" / "galley.svg", share / "icons" / "hicolor" / "scalable" / "apps" / "galley.svg")


def _copy(source: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, place)


def make_deb(folder: Path, icons: Path, version: str, epoch: int, place: Path) -> Path:
    """The .deb of the frozen folder, in the folder `place`."""
    root = folder.parent / "deb"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder, root / "usr" / "lib" / "galley", symlinks=True, copy_function=os.link)
    (root / "usr" / "bin").mkdir()
    (root / "usr" / "bin" / "galley").symlink_to("../lib/galley/galley")
    share = root / "usr" / "share"
    write_share(share, icons, version, epoch)
    manual = share / "man" / "man1" / "galley.1"
    _compress(manual)
    documents = share / "doc" / "galley"
    _copy(LINUX / "copyright", documents / "copyright")
    _copy(TOP / "CHANGELOG.md", documents / "changelog")
    _compress(documents / "changelog")
    meta = root / "DEBIAN"
    meta.mkdir()
    files = [file for file in sorted(root.rglob("*")) if file.is_file() and not file.is_symlink()]
    sums = (f"{_md5(file)}  {file.relative_to(root)}\n" for file in files)
    (meta / "md5sums").write_text("".join(sums), encoding="utf-8")
    text = control(version, depends(folder), sum(file.stat().st_size for file in files))
    (meta / "control").write_text(text, encoding="utf-8")
    for source, name in (("not_running", "preinst"), ("not_running", "prerm"), ("postrm", "postrm")):
        _copy(LINUX / source, meta / name)
        (meta / name).chmod(0o755)
    for each in root.rglob("*"):
        if not each.is_symlink():
            each.chmod(0o755 if each.is_dir() or each.stat().st_mode & 0o100 else 0o644)
    target = place / f"galley_{version}_{_architecture()}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", str(root), str(target)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    shutil.rmtree(root)
    return target


def _compress(file: Path) -> None:
    """Put a compressed file, the same each time, in the place of a file."""
    with gzip.GzipFile(f"{file}.gz", "wb", mtime=0) as packed:
        packed.write(file.read_bytes())
    file.unlink()


def _md5(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "md5").hexdigest()


def make_tar(folder: Path, icons: Path, version: str, epoch: int, place: Path) -> Path:
    """The tar.gz of the frozen folder, in the folder `place`; in its `share` is what a desktop wants to know."""
    share = folder.parent / "share"
    shutil.rmtree(share, ignore_errors=True)
    write_share(share, icons, version, epoch)
    top = f"galley-{version}-linux-{os.uname().machine}"

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = epoch
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    target = place / f"{top}.tar.gz"
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=epoch) as packed,
        tarfile.open(mode="w", fileobj=packed) as archive,
    ):
        archive.add(folder, top, filter=plain)
        archive.add(share, f"{top}/share", filter=plain)
        archive.add(LINUX / "README.txt", f"{top}/README.txt", filter=plain)
    shutil.rmtree(share)
    return target
