"""What the system hands to the program."""

from __future__ import annotations

import subprocess
import sys

HAND_OVER = """
from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from desktop_app.ui.shell.app import Application

app, taken = Application(["galley"]), []
app.sendEvent(app, QFileOpenEvent("/audio/before.flac"))
app.deliver_to(taken.append)
app.sendEvent(app, QFileOpenEvent("/audio/after.flac"))
app.sendEvent(app, QEvent(QEvent.Type.ApplicationActivate))
print(taken)
"""


def test_files_that_macos_hands_over_reach_the_window_before_it_is_there_too() -> None:
    """The Finder starts no second program for a double click. In a process of its own: there is one application."""
    done = subprocess.run([sys.executable, "-c", HAND_OVER], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[['/audio/before.flac'], ['/audio/after.flac']]"
