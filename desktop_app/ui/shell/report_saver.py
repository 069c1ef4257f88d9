"""Saves a report that the user can read and share."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop_app.app.background import BackgroundThread
from desktop_app.app.recordings.session import Session
from desktop_app.app.settings.preferences import Preferences
from desktop_app.app.signals import Signal
from desktop_app.app.system import doctor, report
from desktop_app.texts import _
from desktop_app.ui.widgets.save_file import ask_for_file


class ReportSaver:
    """Signals: told(sentence) when something was done."""

    def __init__(self, window: QWidget, session: Session, preferences: Preferences) -> None:
        self._window, self._session, self._preferences = window, session, preferences
        self.told: Signal[str] = Signal()

    def browse(self) -> None:
        """Choose a file for the report."""
        name = f"galley-report-{time.strftime('%Y%m%d-%H%M%S')}.zip"
        suggested = Path(self._preferences.folder("save"), name)
        place = ask_for_file(self._window, _("Save a report"), suggested, _("ZIP file"))
        if place is not None:
            self.save(place)

    def save(self, place: Path) -> None:
        """Write the report in a thread of its own: it looks at every device and reads every model."""
        self.told.emit(_("Preparing the report…"))
        worker = BackgroundThread("report", self._session.worker.post)
        worker.do(partial(_write, place), lambda done: self._say_saved(place), self._session.tell)
        worker.close(0.0)

    def _say_saved(self, place: Path) -> None:
        self._preferences.remember_folder("save", str(place.parent))
        self.told.emit(_("Saved as {name}. Nothing was sent; read it before you share it.", name=place.name))


def _write(place: Path) -> None:
    report.save(place, [finding for check in doctor.CHECKS for finding in check()])
