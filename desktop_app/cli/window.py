"""`galley [FILE ...]`: the window, or one sentence where there can be none."""

from __future__ import annotations

import os
import sys

FAILED = 1


def run(files: list[str]) -> int:
    """Open the window; gives the exit status when it is closed."""
    if not has_display():
        sys.stderr.write("galley: there is no display for the window; galley transcribe FILE works without one\n")
        return FAILED
    try:
        from desktop_app.ui.shell import app
    except ImportError as error:  # a library of the system that Qt needs
        sys.stderr.write(f"galley: the window cannot be opened ({error}); galley doctor says what to do\n")
        return FAILED
    return app.run(files)


def has_display() -> bool:
    """Whether this session can show a window, as far as can be told without trying."""
    needed = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in needed)
