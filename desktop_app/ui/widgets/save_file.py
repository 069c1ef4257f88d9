"""The dialog that asks where a file shall be saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.texts import _
from desktop_app.ui.widgets.confirm import confirm


def ask_for_file(parent: QWidget, title: str, suggested: Path, kind: str) -> Path | None:
    """Where the user wants a file to be saved, or None; `kind` says what files of its ending are.

    The dialog asks before it replaces a file of the name that was typed, and knows nothing of the ending that a name
    without one gets: whether the file of the whole name may be replaced is asked here.
    """
    found, _filter = QFileDialog.getSaveFileName(parent, title, str(suggested), f"{kind} (*{suggested.suffix})")
    if not found:
        return None
    place = Path(found)
    if place.suffix:
        return place
    place = place.with_suffix(suggested.suffix)
    if not place.exists():
        return place
    question = _("Replace “{name}”?", name=place.name)
    text = _("“{folder}” has a file of this name already.", folder=place.parent.name)
    return place if confirm(parent, question, text, _("Replace")) else None
