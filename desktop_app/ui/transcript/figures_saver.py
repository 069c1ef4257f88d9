"""Saves the figures of a recording for another program."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from PySide6.QtWidgets import QWidget

from desktop_app import __version__
from desktop_app.app.recordings.entry import Entry
from desktop_app.app.signals import Signal
from desktop_app.texts import _
from desktop_app.ui.context import Context
from desktop_app.ui.widgets.save_file import ask_for_file


class FiguresSaver:
    """Signals: told(sentence) when something was done."""

    def __init__(self, window: QWidget, context: Context) -> None:
        self._window, self._current, core = window, context.current, context.core
        self._session, self._exports = core.session, core.exports
        self._models, self._preferences = core.models, core.preferences
        self.told: Signal[str] = Signal()

    def browse(self) -> None:
        """Choose a file for the figures of the recording that is looked at."""
        entry = self._current.entry
        if entry is None:
            return
        suggested = Path(self._preferences.folder("save"), f"{Path(entry.path).stem}.figures.json")
        place = ask_for_file(self._window, _("Save the figures"), suggested, _("JSON file"))
        if place is not None:
            self.save(entry, place)

    def save(self, entry: Entry, place: Path) -> None:
        """Write them; say that it was done or why it was not."""
        content = json.dumps(self._figures(entry), indent=1, ensure_ascii=False)
        self._exports.write(content, place, self._say_saved, self._session.tell)

    def _say_saved(self, place: Path) -> None:
        self._preferences.remember_folder("save", str(place.parent))
        self.told.emit(_("Saved as {name}", name=place.name))

    def _figures(self, entry: Entry) -> dict[str, object]:
        stats, speed = entry.stats, self._models.compared.get(entry.path)
        return {
            "galley": __version__,
            "file": Path(entry.path).name,
            "models": entry.models.plain() if entry.models else None,
            "statistics": asdict(stats) | {"acceptance": stats.acceptance, "tokens_per_pass": stats.tokens_per_pass},
            "course": [asdict(point) for point in entry.history.points],
            "speed_up": {"alone": speed.alone, "with_draft": speed.with_draft} if speed else None,
        }
