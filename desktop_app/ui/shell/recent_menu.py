"""The menu of the recordings that were looked at last."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.app.settings.recent import Recent
from desktop_app.texts import _
from desktop_app.ui.recording.input_menu import short

_LONGEST = 60  # characters of a name


def recent_menu(parent: QWidget, recent: Recent, then: Callable[[str], object]) -> QMenu:
    """Names only: who looks over a shoulder sees no folder. `then` gets the id of the one that is chosen."""
    menu = QMenu(parent)
    menu.setAccessibleName(_("Recent recordings"))
    menu.aboutToHide.connect(menu.deleteLater)
    for entry in recent.entries:
        menu.addAction(short(entry.name, _LONGEST), partial(then, entry.id))
    if menu.isEmpty():
        menu.addAction(_("No recent recordings")).setEnabled(False)
    else:
        menu.addSeparator()
        menu.addAction(_("Clear recent recordings"), recent.clear)
    return menu
