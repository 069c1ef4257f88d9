"""Where the files lie that are dragged out of the window: in the data folder, as long as the program runs.

Nobody tells when the program that they were dropped on has read them.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from desktop_app import folders


class DraggedFiles:
    """There is one for a data folder, as there is one window. What a killed program left is removed at the start."""

    def __init__(self) -> None:
        self._folder = folders.data() / "dragged"
        self.clear()

    def new_folder(self) -> Path:
        """An empty folder for the files of one drag. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self._folder))

    def clear(self) -> None:
        """Remove all files that were dragged."""
        shutil.rmtree(self._folder, ignore_errors=True)
