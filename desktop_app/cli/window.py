"""`galley [FILE ...]`: the window, or one sentence where there can be none."""

from __future__ import annotations

import os
import sys

from desktop_app import printing
from desktop_app.texts import _

FAILED = 1


def run(files: list[str]) -> int:
    """Open the window; gives the exit status when it is closed."""
    if not has_display():
        return _fail(_("There is no display for the window. galley transcribe FILE works without one."))
    try:
        from desktop_app.ui.shell import app
    except ImportError as error:  # a library of the system that Qt needs
        return _fail(_("The window cannot be opened ({error}). Run galley doctor to find out why.", error=error))
    return app.run(files)


def _fail(sentence: str) -> int:
    printing.say(f"galley: {sentence}")
    return FAILED


def has_display() -> bool:
    """Whether this session can show a window, as far as can be told without trying."""
    needed = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in needed)
