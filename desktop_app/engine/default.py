"""The model that is used where none was chosen, for the window, which knows nothing of checkpoints."""

from __future__ import annotations

from pathlib import Path

from desktop_app.checkpoints import choice, installed


def target() -> Path:
    """Its folder."""
    best = choice.best()
    return installed.names().get(best) or Path(best).expanduser()
