"""Install, upgrade and remove the Windows installer under Wine, with a small payload: `make test-installer-windows`.

Wants makensis and wine. Everything lies below build/windows-installer, a Windows of its own included.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PLACE = TOP / "build" / "windows-installer"
UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Galley"
OPEN_WITH = r"HKCU\Software\Classes\.mp3\OpenWithProgids"
LONGEST = 180  # seconds for one program

# A program that runs for a while, for galley.exe.
SLEEPER = """
Unicode true
Target amd64-unicode
SilentInstall silent
RequestExecutionLevel user
OutFile "{output}"
Section
    Sleep 120000
SectionEnd
"""


def wine(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program of Windows to its end, without a display."""
    settings = {"WINEPREFIX": str(PLACE / "wine"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=;mshtml="}
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"} | settings
    return subprocess.run(["wine", *command], env=environment, capture_output=True, text=True, timeout=LONGEST)


def known(key: str) -> bool:
    """Whether the registry has a key."""
    return wine("reg", "query", key).returncode == 0


def check(holds: object, what: str) -> None:
    """Print what was shown; exit where it does not hold."""
    if not holds:
        sys.exit(f"Failed: {what}")
    print(f"ok: {what}", flush=True)


def until_gone(file: Path) -> bool:
    """An uninstaller works on as a copy of itself after it has ended."""
    end = time.monotonic() + 60
    while file.exists() and time.monotonic() < end:
        time.sleep(0.5)
    return not file.exists()


def make() -> Path:
    """The installer of a folder whose galley.exe can run."""
    payload = PLACE / "frozen ñ" / "galley"
    (payload / "_internal" / "deep").mkdir(parents=True)
    (payload / "_internal" / "deep" / "new.dll").write_text("new")
    (payload / "galley-window.exe").write_text("window")
    script = PLACE / "sleeper.nsi"
    script.write_text(SLEEPER.format(output=payload / "galley.exe"))
    subprocess.run(["makensis", "-V1", "-INPUTCHARSET", "UTF8", str(script)], check=True)
    make_installer = runpy.run_path(str(TOP / "installer" / "windows_packages.py"))["make_installer"]
    made: Path = make_installer(payload, "1.2.3", PLACE / "galley setup.exe")
    return made


def main() -> None:
    """Go through it all."""
    if missing := [name for name in ("makensis", "wine") if not shutil.which(name)]:
        sys.exit(f"Missing: {', '.join(missing)}. On Debian: apt install nsis wine wine64")
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    setup = make()
    wine("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win7", "/f")
    check(wine(setup, "/S").returncode == 2, "a Windows that is too old is refused")
    wine("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f")
    [local] = (PLACE / "wine" / "drive_c" / "users").glob("*/AppData/Local")
    folder, own = local / "Programs" / "Galley", local / "Galley" / "Recordings" / "mine.flac"
    own.parent.mkdir(parents=True)
    own.write_text("a recording")

    folder.mkdir(parents=True)
    (folder / "other.txt").write_text("of somebody else")
    check(wine(setup, "/S").returncode == 2, "a folder with other files is refused")
    (folder / "other.txt").unlink()

    check(wine(setup, "/S").returncode == 0, "it installs in silence")
    check((folder / "_internal" / "deep" / "new.dll").read_text() == "new", "with all of the payload")
    check(known(UNINSTALL) and known(OPEN_WITH), "and in the registry")
    menu = local.parent / "Roaming" / "Microsoft" / "Windows" / "Start Menu" / "Programs" / "Galley.lnk"
    check(menu.exists(), "and in the start menu")

    stale = folder / "_internal" / "stale.dll"
    stale.write_text("old")
    running = subprocess.Popen(
        ["wine", folder / "galley.exe"], env={**os.environ, "WINEPREFIX": str(PLACE / "wine"), "WINEDEBUG": "-all"}
    )
    time.sleep(5)
    check(wine(setup, "/S").returncode == 2, "an upgrade gives up while a command runs")
    check(stale.exists() and running.poll() is None, "and neither ends it nor touches a file")
    wine("taskkill", "/F", "/IM", "galley.exe")
    running.wait(60)

    check(wine(setup, "/S").returncode == 0, "an upgrade works after that")
    check(not stale.exists() and own.exists(), "takes old libraries away and leaves recordings")

    wine(folder / "uninstall-galley.exe", "/S")
    check(until_gone(folder), "the uninstaller removes the program")
    check(not known(UNINSTALL) and not known(OPEN_WITH) and not menu.exists(), "and its entries")
    check(own.read_text() == "a recording", "and keeps recordings in silence")


if __name__ == "__main__":
    main()
