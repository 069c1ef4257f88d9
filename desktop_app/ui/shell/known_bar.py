"""One notice for all files of a drop that are transcribed already."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.texts import _, ngettext
from desktop_app.ui.widgets.banner import NEUTRAL, Banner
from desktop_app.ui.widgets.theme import Theme


class KnownBar(Banner):
    """Asks for nothing: the other files of the drop are in the queue.

    Attributes: open, again, dismiss (its buttons).
    Signals: opened(id) when the recording is to be shown; again_asked(paths) when the files are to be transcribed all
    the same.
    """

    opened = Signal(str)
    again_asked = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, NEUTRAL, "check", parent)
        self._files: Mapping[str, str] = {}
        self.open, self.again = self.add_button(_("Open it")), self.add_button(_("Transcribe again"))
        self.dismiss = self.add_button(_("Dismiss"), "link")
        self.open.clicked.connect(self._open)
        self.again.clicked.connect(self._again)
        self.dismiss.clicked.connect(self.clear)
        self.clear()

    def show_files(self, files: Mapping[str, str], shown: str) -> None:
        """Say which files are transcribed: the ids of their recordings by their paths. The recording `shown` need not
        be opened."""
        self._files, n = files, len(files)
        self.open.setVisible(n == 1 and shown not in files.values())
        if n == 1:
            name = os.fsencode(Path(next(iter(files))).name).decode(errors="replace")
            self.say(_("{name} is already transcribed.", name=name))
        else:
            self.say(ngettext("{n} file is already transcribed.", "{n} files are already transcribed.", n))

    def clear(self) -> None:
        """Say nothing more."""
        self.say("")

    def _open(self) -> None:
        self.clear()
        self.opened.emit(next(iter(self._files.values())))

    def _again(self) -> None:
        self.clear()
        self.again_asked.emit(list(self._files))
