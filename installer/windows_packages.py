"""The frozen folder as an installer for Windows: `windows_packages.py PAYLOAD VERSION OUTPUT [ICON]`.

Wants NSIS (makensis), which compiles on Linux, too. Signed where GALLEY_SIGN_WINDOWS has the command that signs a file,
with %1 for the file; else it says that it is not.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "windows" / "galley.nsi"


def numbers(version: str) -> str:
    """A version as Windows wants it, four numbers: "0.2.0rc1" is 0.2.0.0."""
    found = re.match(r"\d+(\.\d+){0,2}", version)
    if not found:
        sys.exit(f"{version} is no version: it begins with no number.")
    parts = found[0].split(".")
    return ".".join([*parts, *["0"] * (4 - len(parts))])


def version_resource(version: str) -> str:
    """What Windows shows as the properties of galley.exe, as PyInstaller reads it."""
    four = tuple(int(each) for each in numbers(version).split("."))
    strings = {
        "CompanyName": "The Galley authors",
        "FileDescription": "Galley",
        "FileVersion": version,
        "LegalCopyright": "The Galley authors",
        "OriginalFilename": "galley.exe",
        "ProductName": "Galley",
        "ProductVersion": version,
    }
    table = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in strings.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={four}, prodvers={four}), kids=[\n"
        f"    StringFileInfo([StringTable('040904B0', [{table}])]),\n"
        "    VarFileInfo([VarStruct('Translation', [1033, 1200])]),\n"
        "])\n"
    )


def make_installer(folder: Path, version: str, output: Path, icon: Path | None = None) -> Path:
    """Compile the installer of a frozen folder. Exits with a sentence where that fails."""
    makensis = shutil.which("makensis")
    if makensis is None:
        sys.exit("makensis is missing: install NSIS, then run this again.")
    if not (folder / "galley-window.exe").is_file():
        sys.exit(f"{folder} is no frozen Galley for Windows: it has no galley-window.exe.")
    values = {"PAYLOAD": folder.resolve(), "VERSION": version, "NUMBERS": numbers(version), "OUTPUT": output.resolve()}
    if icon is not None:
        values["ICON"] = icon.resolve()
    if command := os.environ.get("GALLEY_SIGN_WINDOWS"):
        values["SIGN"] = command
    else:
        print("Not signed: GALLEY_SIGN_WINDOWS is not set, so Windows will warn those who start the installer.")
    output.parent.mkdir(parents=True, exist_ok=True)
    given = [f"-D{name}={value}" for name, value in values.items()]
    done = subprocess.run([makensis, "-V2", "-WX", "-INPUTCHARSET", "UTF8", *given, str(SCRIPT)])
    if done.returncode:
        sys.exit("NSIS could not make the installer; its lines above say why.")
    return output


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("Usage: windows_packages.py PAYLOAD VERSION OUTPUT [ICON]")
    folder, version, output, *icon = sys.argv[1:]
    print(make_installer(Path(folder), version, Path(output), *map(Path, icon)))
