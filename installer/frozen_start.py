"""What the frozen program does first, on Linux: sounddevice looks for PortAudio in the system only, which may lack it,
and here it gets the one that lies beside the program.
"""

import ctypes.util
import os
import sys

_in_the_system = ctypes.util.find_library


def _find_library(name: str) -> str | None:
    bundled = os.path.join(sys._MEIPASS, f"lib{name}.so.2")
    return bundled if name == "portaudio" and os.path.exists(bundled) else _in_the_system(name)


ctypes.util.find_library = _find_library
