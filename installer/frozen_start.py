"""What each process of the frozen program does first, on Linux.

sounddevice looks for PortAudio in the system only, which may lack it: here it gets the one beside the program. And
PyInstaller has the loader look for libraries in the program's folder first, which must not hold for the system's
own programs that Galley starts, such as the one that opens a folder. It must hold for Galley's own processes, though:
each is to prepare that for itself, as the first one did, and not to rely on what it was started with.
"""

import ctypes.util
import os
import sys

_in_the_system = ctypes.util.find_library


def _find_library(name: str) -> str | None:
    return os.path.join(sys._MEIPASS, "libportaudio.so.2") if name == "portaudio" else _in_the_system(name)


ctypes.util.find_library = _find_library

os.environ.pop("LD_LIBRARY_PATH", None)
if (_before := os.environ.pop("LD_LIBRARY_PATH_ORIG", None)) is not None:
    os.environ["LD_LIBRARY_PATH"] = _before
os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
