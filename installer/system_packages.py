"""Make sure of the system libraries that Python's packages cannot bring: `system_packages.py window sound`.

Linux only; on other systems the packages bring everything. What the named groups lack is installed where that needs no
password (root, or sudo that does not ask); otherwise one line to type is printed. Never fails: what can work without
them goes on. Standard library only, so that it runs before anything else is installed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

Names = tuple[str, str, str]
"""A library's package in Debian and Ubuntu, in Fedora, in Arch."""

LIBRARIES: dict[str, dict[str, Names]] = {
    "window": {
        "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd"),
        "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd"),
        "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs", "dbus"),
        "libfontconfig.so.1": ("libfontconfig1", "fontconfig", "fontconfig"),
        "libglib-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
        "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor", "wayland"),
        "libwayland-egl.so.1": ("libwayland-egl1", "libwayland-egl", "wayland"),
        "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon"),
        "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
        "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
        "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
        "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image", "xcb-util-image"),
        "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
        "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil", "xcb-util-renderutil"),
        "libxcb-shape.so.0": ("libxcb-shape0", "libxcb", "libxcb"),
        "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb", "libxcb"),
    },
    "sound": {
        "libportaudio.so.2": ("libportaudio2", "portaudio", "portaudio"),
    },
    # A sound server that the tests start for themselves, and ALSA's way to it: a microphone where there is none.
    "virtual-microphone": {
        "pulseaudio": ("pulseaudio", "pulseaudio", "pulseaudio"),
        "pactl": ("pulseaudio-utils", "pulseaudio-utils", "libpulse"),
        "paplay": ("pulseaudio-utils", "pulseaudio-utils", "libpulse"),
        "alsa-lib/libasound_module_pcm_pulse.so": ("libasound2-plugins", "alsa-plugins-pulseaudio", "alsa-plugins"),
    },
    # What the tests see every socket of the program with.
    "chaos": {
        "strace": ("strace", "strace", "strace"),
    },
    # A screen, a window manager, keys and a mouse, and pictures, for `make journeys`.
    "journeys": {
        "Xvfb": ("xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb"),
        "openbox": ("openbox", "openbox", "openbox"),
        "xdotool": ("xdotool", "xdotool", "xdotool"),
        "import": ("imagemagick", "ImageMagick", "imagemagick"),
    },
}
FONT: Names = ("fonts-dejavu-core", "dejavu-sans-fonts", "ttf-dejavu")
FONT_FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path.home() / ".fonts",
    Path.home() / ".local/share/fonts",
)
PLUGIN_FOLDERS = (Path("/usr/lib64"), Path("/usr/lib"), *Path("/usr/lib").glob("*-linux-*"))
INSTALLERS: tuple[tuple[str, str, int], ...] = (
    ("apt-get", "apt-get install -y --no-install-recommends", 0),
    ("dnf", "dnf install -y", 1),
    ("pacman", "pacman -S --needed --noconfirm", 2),
)


def is_there(name: str) -> bool:
    """Whether the system's loader finds the library, or the shell the program."""
    if "/" in name:  # a plugin, which the loader does not look for
        return any((folder / name).exists() for folder in PLUGIN_FOLDERS)
    if ".so." not in name:
        return shutil.which(name) is not None
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def has_font() -> bool:
    """Whether there is any font that Qt could draw with."""
    return any(next(folder.rglob("*.[to]tf"), None) for folder in FONT_FOLDERS if folder.is_dir())


def missing(groups: Iterable[str]) -> list[Names]:
    """The packages that the groups lack."""
    groups = list(groups)
    lacking = [names for group in groups for name, names in LIBRARIES[group].items() if not is_there(name)]
    if "window" in groups and not has_font():
        lacking.append(FONT)
    return lacking


def is_left_out(group: str) -> bool:
    """Whether a group is not for this computer: for a few tests nobody's own sound server is touched, nobody asked."""
    if group == "virtual-microphone" and shutil.which("pipewire") is not None:
        return True
    return group in ("virtual-microphone", "chaos") and os.geteuid() != 0


def as_root() -> list[str] | None:
    """What to put before a command that only root may run: nothing, sudo, or None where that needs a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def install(command: list[str], prefix: list[str]) -> bool:
    """Run the system's installer; whether it worked."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if command[0] == "apt-get":
        subprocess.run([*prefix, "apt-get", "update", "-qq"], env=environment, stdout=subprocess.DEVNULL)
    done = subprocess.run([*prefix, *command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return done.returncode == 0


def main(groups: list[str]) -> None:
    """Install what is missing, or say how."""
    if not sys.platform.startswith("linux"):
        return
    lacking = missing(group for group in groups if not is_left_out(group))
    if not lacking:
        return
    for program, line, column in INSTALLERS:
        if shutil.which(program):
            packages = sorted({names[column] for names in lacking})
            command = [*line.split(), *packages]
            prefix = as_root()
            if prefix is not None:
                print(f"Installing {' '.join(packages)} ...", flush=True)
                if install(command, prefix):
                    return
            print(f"System libraries are missing. Type: sudo {' '.join(command)}", file=sys.stderr)
            return
    wanted = ", ".join(sorted({debian for debian, _, _ in lacking}))
    print(f"System libraries are missing. Install what Debian calls {wanted}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
