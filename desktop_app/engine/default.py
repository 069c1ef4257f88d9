"""The model that is used where none was chosen, for the window, which knows nothing of checkpoints."""

from __future__ import annotations

from pathlib import Path

from desktop_app.checkpoints import installed


def target() -> Path:
    """The folder of the best model installed."""
    return installed.names()[installed.best()]
